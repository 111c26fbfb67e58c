"""Pictures inside a package: those that can be read are read and burned like any image, the others become blank."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.documents.document import Findings, Raster, Reading, TextUnit
from pipeline.documents.image import handler as image
from pipeline.documents.image.bitmaps import as_png
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.relationships import rename
from schemas.errors import StageFailed

_MARK = "picture"  # begins the ids of what pictures say; ids of text pieces are numbers
_READABLE = {b"\x89PNG\r\n\x1a\n": (".png", "image/png"), b"\xff\xd8\xff": (".jpeg", "image/jpeg")}


@dataclass(frozen=True, slots=True)
class Pictures:
    """What the pictures of a package say; ids of units and rasters carry their picture's mark."""

    units: tuple[TextUnit, ...]
    rasters: tuple[Raster, ...]
    pixels: dict[str, bytes]


def is_picture(part: Part) -> bool:
    """Whether a part that is not XML is a picture by its declaration or its folder."""
    return part.root is None and (part.content_type.startswith("image/") or "/media/" in "/" + part.name.lower())


def extract(package: Package) -> Pictures:
    """Units, rasters and pixels of every picture that can be read."""
    units: list[TextUnit] = []
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    for mark, part in _pictures(package):
        if not _is_readable(part):
            continue
        extraction, blobs = image.extract(part.data)
        units += [replace(unit, id=mark + unit.id, billed=False) for unit in extraction.units]
        rasters += [replace(raster, id=mark + raster.id, page=0) for raster in extraction.rasters]
        pixels.update({mark + name: blob for name, blob in blobs.items()})
    return Pictures(tuple(units), tuple(rasters), pixels)


def redact(package: Package, findings: Findings, readings: Sequence[Reading]) -> None:
    """Burns what was found into each picture; a picture that cannot be read becomes a blank one."""
    places = [place for place in findings.places if place.unit.startswith(_MARK)]
    for mark, part in _pictures(package):
        if _is_readable(part):
            own = Findings(tuple(replace(p, unit=p.unit[len(mark) :]) for p in places if p.unit.startswith(mark)))
            seen = [replace(r, raster=r.raster[len(mark) :]) for r in readings if r.raster.startswith(mark)]
            part.data = image.redact(part.data, own, seen)
        else:
            part.data = blank_png()
        suffix, part.content_type = _kind(part.data) or (".png", "image/png")
        stem, _, old = part.name.rpartition(".")
        if "." + old.lower() not in (suffix, ".jpg" if suffix == ".jpeg" else suffix):
            rename(package, part, _free_name(package, stem or old, suffix))


def blanked(package: Package) -> int:
    """How many pictures become blank, because they cannot be read."""
    return sum(not _is_readable(part) for _, part in _pictures(package))


def blank_png() -> bytes:
    """One white pixel."""
    rows = zlib.compress(b"\0\xff")

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">2I5B", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _pictures(package: Package) -> Iterator[tuple[str, Part]]:
    """Every picture with the mark of its own ids."""
    pictures = [part for part in package.parts.values() if is_picture(part)]
    for part in pictures:
        _translate(part)
    return ((f"{_MARK}{number}/", part) for number, part in enumerate(pictures))


def _kind(data: bytes) -> tuple[str, str] | None:
    return next((kind for mark, kind in _READABLE.items() if data.startswith(mark)), None)


def _translate(part: Part) -> None:
    """Another bitmap becomes a PNG of its first picture; what does not decode stays and will be blank."""
    if _kind(part.data) is None:
        part.data = as_png(part.data) or part.data


def _is_readable(part: Part) -> bool:
    if _kind(part.data) is None:
        return False
    try:
        image.inspect(part.data)
    except StageFailed:
        return False
    return True


def _free_name(package: Package, stem: str, suffix: str) -> str:
    name, number = stem + suffix, 1
    while package.find(name) is not None:
        name, number = f"{stem}_{number}{suffix}", number + 1
    return name
