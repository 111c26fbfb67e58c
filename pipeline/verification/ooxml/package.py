"""Unpacks a redacted Office package: every byte of the ZIP archive is part data, checked metadata, or refused.

A ZIP archive can hide bytes that no Office program shows: before, between and after its entries, in the local copies of
names, and after the end of a compressed stream.
"""

import io
import platform
import struct
import zipfile
import zlib
from typing import NamedTuple
from xml.parsers import expat

from pipeline.verification.limits import MAX_PARTS, MAX_UNPACKED
from schemas.errors import ErrorCode, StageFailed

READERS = (f"zipfile {platform.python_version()}", expat.EXPAT_VERSION.replace("expat_", "expat "))

# PKWARE APPNOTE 6.3.10: 4.3.7 local file header, 4.3.9 data descriptor, 4.3.12 central directory, 4.3.16 its end.
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL_SIZE = 46
_END = struct.Struct("<4s4H2IH")
_STREAMED, _ENCRYPTED = 0x8, 0x1 | 0x40 | 0x2000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MALFORMED = (zipfile.BadZipFile, zlib.error, ValueError, struct.error, EOFError, OSError, RuntimeError, KeyError)


class Part(NamedTuple):
    """One part of the package."""

    name: str
    data: bytes


class Contents(NamedTuple):
    """The parts of a package in their order, and the metadata of the archive: names, comments, extra fields."""

    parts: list[Part]
    metadata: list[str]


def unpack(data: bytes) -> Contents:
    """All parts of a package. StageFailed(verify_failed) if it is damaged, encrypted or has an unaccounted byte."""
    try:
        return _unpacked(data)
    except _MALFORMED:
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def _unpacked(data: bytes) -> Contents:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        names = {entry.filename.lower() for entry in entries}
        _require(len(entries) <= MAX_PARTS and sum(entry.file_size for entry in entries) <= MAX_UNPACKED)
        _require(len(names) == len(entries) and "[content_types].xml" in names)
        _check_end_of_archive(data, archive)
        metadata = [_text(archive.comment)]
        parts: list[Part] = []
        position = 0
        for entry in sorted(entries, key=lambda item: item.header_offset):
            _require(entry.header_offset == position)
            body, position = _body(data, entry, metadata)
            parts.append(Part(entry.filename, body))
        _require(position == archive.start_dir)
    order = {entry.filename: number for number, entry in enumerate(entries)}
    parts.sort(key=lambda part: order[part.name])
    return Contents([part for part in parts if not part.name.endswith("/") or part.data], metadata)


def _check_end_of_archive(data: bytes, archive: zipfile.ZipFile) -> None:
    """Requires the central directory, its end record and the comment to follow each other up to the end of the file."""
    start = len(data) - _END.size - len(archive.comment)
    signature, disk, first, here, total, size, offset, comment = _END.unpack_from(data, start)
    _require(signature == b"PK\5\6" and not disk and not first and here == total == len(archive.filelist))
    _require(offset + size == start and offset == archive.start_dir and comment == len(archive.comment))
    for _ in range(total):
        _require(data[offset : offset + 4] == b"PK\1\2")
        offset += _CENTRAL_SIZE + sum(struct.unpack_from("<3H", data, offset + 28))
    _require(offset == start)


def _body(data: bytes, entry: zipfile.ZipInfo, metadata: list[str]) -> tuple[bytes, int]:
    """The data of an entry, and the offset at which the next one must begin."""
    start = entry.header_offset
    signature, _, flags, method, _, _, crc, compressed, size, name, extra = _LOCAL.unpack_from(data, start)
    _require(signature == b"PK\3\4" and method == entry.compress_type and method in _METHODS)
    _require(flags == entry.flag_bits and not flags & _ENCRYPTED)
    start += _LOCAL.size
    local_name, local_extra = data[start : start + name], data[start + name : start + name + extra]
    _require(local_name.decode("utf-8" if flags & 0x800 else "cp437") == entry.orig_filename)
    metadata += [entry.filename, _text(entry.comment), _text(entry.extra), _text(local_extra)]
    start += name + extra
    end = start + entry.compress_size
    body = _decompressed(data[start:end], method, entry.file_size)
    _require(len(body) == entry.file_size and zlib.crc32(body) == entry.CRC)
    sizes = (entry.CRC, entry.compress_size, entry.file_size)
    if not flags & _STREAMED:
        _require((crc, compressed, size) == sizes)
        return body, end
    _require((crc, compressed, size) in ((0, 0, 0), sizes))
    descriptor = struct.pack("<3I", *sizes)
    signed = data.startswith(b"PK\7\x08", end)
    _require(data.startswith(descriptor, end + 4 * signed))
    return body, end + 4 * signed + len(descriptor)


def _decompressed(compressed: bytes, method: int, size: int) -> bytes:
    """The decompressed data; refused if bytes follow the end of the compressed stream."""
    if method == zipfile.ZIP_STORED:
        return compressed
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    body = stream.decompress(compressed, size + 1)
    _require(stream.eof and not stream.unused_data and not stream.unconsumed_tail)
    return body


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _require(holds: bool) -> None:
    if not holds:
        raise zipfile.BadZipFile
