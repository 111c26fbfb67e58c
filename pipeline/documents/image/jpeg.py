"""Takes everything out of a JPEG or JPEG 2000 stream that is no picture, without decoding a pixel.

EXIF names photographers, places and moments and holds a preview that nobody burned; comments and XMP hold anything.
Sources: ITU-T T.81 annex B; ISO 15444-1 annex I.
"""

import re
import struct

_KEPT = frozenset([0xE0, 0xEE])  # JFIF's density, Adobe's colour transform: they say how the samples look
_ALONE = frozenset([0x01, *range(0xD0, 0xD9)])  # markers without a length
_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_KEPT_BYTES = 16  # of such a segment; JFIF may carry a preview behind them
_JP2 = b"\0\0\0\x0cjP  \r\n\x87\n"
_ASIDE_BOXES = frozenset([b"xml ", b"uuid", b"uinf", b"jp2i", b"asoc", b"lbl "])


def plain_picture(data: bytes) -> bytes:
    """The stream without metadata and without what follows its end; as it is when it is neither format or damaged."""
    try:
        if data.startswith(b"\xff\xd8"):
            return _plain_jpeg(data)
        return _plain_jp2(data) if data.startswith(_JP2) else data
    except (struct.error, IndexError):
        return data


def _plain_jpeg(data: bytes) -> bytes:
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
        end = position + 2 + (0 if marker in _ALONE else struct.unpack_from(">H", data, position + 2)[0])
        if marker == 0xDA:  # a scan: its header, then entropy-coded data up to the next marker
            match = _SCAN_END.search(data, end)
            end = match.start() if match else len(data)
            if not match:
                return b"".join((*kept, data[position:end]))
        is_aside = 0xE0 <= marker <= 0xEF or marker == 0xFE
        if not is_aside:
            kept.append(data[position:end])
        elif marker in _KEPT and data[position + 4 : position + 9] in (b"JFIF\0", b"Adobe"):
            content = data[position + 4 : min(end, position + 2 + _KEPT_BYTES)]
            if marker == 0xE0:
                content = content[:12] + b"\0\0"  # no preview
            kept.append(struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content)
        position = end


def _plain_jp2(data: bytes) -> bytes:
    kept: list[bytes] = []
    position = 0
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        if length == 1:
            (length,) = struct.unpack_from(">Q", data, position + 8)
        end = len(data) if length == 0 else position + length
        if end <= position + 7 or end > len(data):
            raise IndexError
        if kind not in _ASIDE_BOXES:
            kept.append(data[position:end])
        position = end
    return b"".join(kept)
