"""Hiding places of an image file outside its pixels: each function puts a value into a clean image."""

import io
import struct
import zlib
from collections.abc import Callable

from PIL import Image

Plant = Callable[[bytes, str], bytes]


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _png(kind: bytes, content: Callable[[bytes], bytes], *, last: bool = False) -> Plant:
    """A chunk before the image data, or after the end of the image."""

    def plant(data: bytes, value: str) -> bytes:
        place = len(data) if last else data.index(b"IDAT") - 4
        return data[:place] + _chunk(kind, content(value.encode())) + data[place:]

    return plant


def _exif(text: bytes) -> bytes:
    """A TIFF header and one IFD with an ImageDescription."""
    return b"MM\0*" + struct.pack(">IHHHII", 8, 1, 0x010E, 2, len(text) + 1, 26) + struct.pack(">I", 0) + text + b"\0"


def _profile(text: bytes) -> bytes:
    """An ICC profile with nothing but a description (ICC.1:2010, 7.2 and 10.13)."""
    tag = b"desc\0\0\0\0" + struct.pack(">I", len(text) + 1) + text + bytes(79)
    body = bytes(128) + struct.pack(">I4sII", 1, b"desc", 144, len(tag)) + tag
    return struct.pack(">I", len(body)) + body[4:36] + b"acsp" + body[40:]


PNG_PLACES: dict[str, Plant] = {
    "a text chunk": _png(b"tEXt", lambda v: b"Author\0" + v),
    "a compressed text chunk": _png(b"zTXt", lambda v: b"Author\0\0" + zlib.compress(v)),
    "an international text chunk": _png(b"iTXt", lambda v: b"Author\0\0\0\0\0" + v),
    "a compressed international text chunk": _png(b"iTXt", lambda v: b"XML:com.adobe.xmp\0\1\0\0\0" + zlib.compress(v)),
    "EXIF": _png(b"eXIf", _exif),
    "a colour profile": _png(b"iCCP", lambda v: b"a\0\0" + zlib.compress(_profile(v))),
    "a private chunk": _png(b"prVt", lambda v: b"\0\1" + v),
    "a suggested palette": _png(b"sPLT", lambda v: v + b"\0\x08"),
    "a chunk behind the end": _png(b"tEXt", lambda v: b"Author\0" + v, last=True),
    "bytes behind the end": lambda data, value: data + value.encode("utf-16-le"),
}


def clean_jpeg() -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (40, 40), 200).save(buffer, "JPEG")
    return buffer.getvalue()


def _segment(marker: int, content: Callable[[bytes], bytes]) -> Plant:
    def plant(data: bytes, value: str) -> bytes:
        body = content(value.encode())
        return data[:2] + bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body + data[2:]

    return plant


JPEG_PLACES: dict[str, Plant] = {
    "a comment": _segment(0xFE, lambda v: v),
    "EXIF": _segment(0xE1, lambda v: b"Exif\0\0" + _exif(v)),
    "XMP": _segment(0xE1, lambda v: b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>" + v + b"</x:xmpmeta>"),
    "IPTC": _segment(0xED, lambda v: b"Photoshop 3.0\08BIM\4\4\0\0\0\0" + struct.pack(">H", len(v)) + v),
    "a colour profile": _segment(0xE2, lambda v: b"ICC_PROFILE\0\1\1" + _profile(v)),
    "an unknown segment": _segment(0xEA, lambda v: b"MINE\0" + v),
    "bytes behind the end": lambda data, value: data + value.encode(),
    "a second picture behind the end": lambda data, value: data + _segment(0xFE, lambda v: v)(clean_jpeg(), value),
}
