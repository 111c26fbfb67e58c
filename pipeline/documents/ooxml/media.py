"""Pictures in a package: readable ones are read and redacted like any image, the others are replaced by a blank one."""

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

_MARK = "picture"  # prefix of the ids of pictures' units and rasters; ids of text units are numbers
_READABLE = {b"\x89PNG\r\n\x1a\n": (".png", "image/png"), b"\xff\xd8\xff": (".jpeg", "image/jpeg")}


@dataclass(frozen=True, slots=True)
class Pictures:
    """Units, rasters and pixels of the pictures of a package; their ids begin with the picture's prefix."""

    units: tuple[TextUnit, ...]
    rasters: tuple[Raster, ...]
    pixels: dict[str, bytes]


def is_picture(part: Part) -> bool:
    """Whether a part that is not XML is a picture, by its content type or its folder."""
    return part.root is None and (part.content_type.startswith("image/") or "/media/" in "/" + part.name.lower())


def extract(package: Package) -> Pictures:
    """Units, rasters and pixels of all readable pictures."""
    units: list[TextUnit] = []
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    for prefix, part in _pictures(package):
        if not _is_readable(part):
            continue
        extraction, blobs = image.extract(part.data)
        units += [replace(unit, id=prefix + unit.id, billed=False) for unit in extraction.units]
        rasters += [replace(raster, id=prefix + raster.id, page=0) for raster in extraction.rasters]
        pixels.update({prefix + name: blob for name, blob in blobs.items()})
    return Pictures(tuple(units), tuple(rasters), pixels)


def redact(package: Package, findings: Findings, readings: Sequence[Reading]) -> None:
    """Draws boxes over the findings of each picture; an unreadable picture becomes a blank one."""
    places = [place for place in findings.places if place.unit.startswith(_MARK)]
    for prefix, part in _pictures(package):
        if _is_readable(part):
            own = Findings(tuple(replace(p, unit=p.unit[len(prefix) :]) for p in places if p.unit.startswith(prefix)))
            seen = [replace(r, raster=r.raster[len(prefix) :]) for r in readings if r.raster.startswith(prefix)]
            part.data = image.redact(part.data, own, seen)
        else:
            part.data = blank_png()
        suffix, part.content_type = _kind(part.data) or (".png", "image/png")
        stem, _, old = part.name.rpartition(".")
        if "." + old.lower() not in (suffix, ".jpg" if suffix == ".jpeg" else suffix):
            rename(package, part, _free_name(package, stem or old, suffix))


def count_unreadable(package: Package) -> int:
    """How many pictures cannot be read, and so become blank."""
    return sum(not _is_readable(part) for _, part in _pictures(package))


def blank_png() -> bytes:
    """A PNG of one white pixel."""
    rows = zlib.compress(b"\0\xff")

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">2I5B", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _pictures(package: Package) -> Iterator[tuple[str, Part]]:
    """Every picture with the prefix of its ids."""
    pictures = [part for part in package.parts.values() if is_picture(part)]
    for part in pictures:
        _to_png(part)
    return ((f"{_MARK}{number}/", part) for number, part in enumerate(pictures))


def _kind(data: bytes) -> tuple[str, str] | None:
    return next((kind for prefix, kind in _READABLE.items() if data.startswith(prefix)), None)


def _to_png(part: Part) -> None:
    """Converts other bitmaps to PNG (their first frame); leaves bytes that do not decode."""
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
