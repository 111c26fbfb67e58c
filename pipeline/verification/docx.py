"""Reads a redacted DOCX a second time: every XML part with the standard library, every picture with Pillow.

Whatever cannot be read cannot be proven clean, so a part that is neither fails the output.
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator

from pipeline.documents.document import Raster
from pipeline.verification import image, word_xml
from pipeline.verification.limits import MAX_PARTS, MAX_UNPACKED
from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

_LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature; lengths of name and extra field
_DESCRIPTOR = 24  # bytes at most behind an entry that was streamed
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_SAY = re.compile(r"\w{2}")


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Paragraphs, properties, attributes and names as texts; parts' sources as raw; pictures as rasters.

    StageFailed(verify_failed) for a package that is damaged, hides something, or holds what nobody here can read.
    """
    texts: dict[Passage, None] = {}
    raw: dict[str, None] = {}
    rasters: list[Raster] = []
    pixels: dict[str, bytes] = {}
    for name, part in _parts(data, raw):
        texts.setdefault(Passage(name))
        if part.startswith(_PICTURES):
            own, blobs = image.rasters_of(part, f"part/{len(raw)}")
            rasters += own
            pixels.update(blobs)
            raw.update(dict.fromkeys(image.beside_pixels(part)))
            texts.update(dict.fromkeys(map(Passage, image.beside_pixels(part))))
        else:
            raw.setdefault(word_xml.source(part))
            texts.update(dict.fromkeys(word_xml.passages(word_xml.parse(part), is_links=name.endswith(".rels"))))
    said = tuple(passage for passage in texts if _SAY.search(passage.text))
    return SecondReading(said, tuple(rasters), tuple(raw)), pixels


def _parts(data: bytes, raw: dict[str, None]) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_PARTS or sum(entry.file_size for entry in entries) > MAX_UNPACKED:
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            _leave_no_gap(data, archive, entries)
            raw.setdefault(archive.comment.decode("utf-8", "replace"))
            for entry in entries:
                raw.setdefault(entry.comment.decode("utf-8", "replace"))
                raw.setdefault(entry.extra.decode("utf-8", "replace"))
                if not entry.is_dir():
                    raw.setdefault(entry.filename)
                    yield entry.filename, archive.read(entry)
    except (
        zipfile.BadZipFile,
        zlib.error,
        RuntimeError,
        ValueError,
        EOFError,
        OSError,
        struct.error,
        NotImplementedError,
    ):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def _leave_no_gap(data: bytes, archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> None:
    """Refuses entries named twice, encrypted or overlapping, and bytes between them that no entry accounts for."""
    names = {entry.filename.lower() for entry in entries}
    position = 0
    for entry in sorted(entries, key=lambda item: item.header_offset):
        signature, name, extra = _LOCAL_HEADER.unpack_from(data, entry.header_offset)
        gap = entry.header_offset - position
        if signature != b"PK\x03\x04" or entry.flag_bits & 1 or not 0 <= gap <= (_DESCRIPTOR if position else 0):
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        position = entry.header_offset + _LOCAL_HEADER.size + name + extra + entry.compress_size
    tail = archive.start_dir - position
    if "[content_types].xml" not in names or len(names) != len(entries) or not 0 <= tail <= _DESCRIPTOR:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
