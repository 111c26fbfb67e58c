"""Removes the metadata of a JPEG or JPEG 2000 stream without decoding a pixel.

EXIF has names, places, times and a thumbnail that is not redacted; comments and XMP can have any text.
Sources: ITU-T T.81, annex B; ISO/IEC 15444-1, annex I.
"""

import re
import struct

_KEPT = frozenset([0xE0, 0xEE])  # APP0 (JFIF density) and APP14 (Adobe colour transform)
_WITHOUT_LENGTH = frozenset([0x01, *range(0xD0, 0xD9)])  # markers without a length
_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_KEPT_BYTES = 16  # of such a segment; a JFIF thumbnail may follow them
_JP2 = b"\0\0\0\x0cjP  \r\n\x87\n"
_METADATA_BOXES = frozenset([b"xml ", b"uuid", b"uinf", b"jp2i", b"asoc", b"lbl "])


def without_metadata(data: bytes) -> bytes:
    """The stream without metadata and without bytes after its end; unchanged if it is damaged or in another format."""
    try:
        if data.startswith(b"\xff\xd8"):
            return _jpeg_without_metadata(data)
        return _jp2_without_metadata(data) if data.startswith(_JP2) else data
    except (struct.error, IndexError):
        return data


def _jpeg_without_metadata(data: bytes) -> bytes:
    kept = [data[:2]]
    position = 2
    while True:
        while data[position] == 0xFF and data[position + 1] == 0xFF:
            position += 1
        if data[position] != 0xFF:
            raise IndexError
        marker = data[position + 1]
        if marker == 0xD9:
            kept.append(data[position : position + 2])
            return b"".join(kept)
        end = position + 2 + (0 if marker in _WITHOUT_LENGTH else struct.unpack_from(">H", data, position + 2)[0])
        if marker == 0xDA:  # start of scan: entropy-coded data up to the next marker
            match = _SCAN_END.search(data, end)
            end = match.start() if match else len(data)
            if not match:
                return b"".join((*kept, data[position:end]))
        is_metadata = 0xE0 <= marker <= 0xEF or marker == 0xFE
        if not is_metadata:
            kept.append(data[position:end])
        elif marker in _KEPT and data[position + 4 : position + 9] in (b"JFIF\0", b"Adobe"):
            content = data[position + 4 : min(end, position + 2 + _KEPT_BYTES)]
            if marker == 0xE0:
                content = content[:12] + b"\0\0"  # no thumbnail
            kept.append(struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content)
        position = end


def _jp2_without_metadata(data: bytes) -> bytes:
    kept: list[bytes] = []
    position = 0
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        if length == 1:
            (length,) = struct.unpack_from(">Q", data, position + 8)
        end = len(data) if length == 0 else position + length
        if end <= position + 7 or end > len(data):
            raise IndexError
        if kind not in _METADATA_BOXES:
            kept.append(data[position:end])
        position = end
    return b"".join(kept)
