"""Places of TIFF beside the pixels: tags, directories, and bytes that nothing refers to."""

import io
from collections.abc import Mapping
from typing import Any

from PIL import Image, TiffImagePlugin

from schemas.files import Format
from tests.hiding_places.image import making as make
from tests.hiding_places.image.making import ARABIC, EVERYTHING, NAME, NATIONAL_ID, Field, ImagePlace

_TEXT = EVERYTHING.encode() + b"\0"
_UTF16 = EVERYTHING.encode("utf-16-le")
_BYTES = 7
_NUMBER = int(NATIONAL_ID)


def _place(
    name: str, *pages: Mapping[int, Field], planted: tuple[str, ...] = (NATIONAL_ID,), **more: Any
) -> ImagePlace:
    return ImagePlace(f"tiff {name}", Format.TIFF, lambda: make.tiff(*pages, **more), planted)


def _tag(name: str, number: int, value: bytes = _TEXT, kind: int = 2) -> ImagePlace:
    return _place(name, {number: (kind, value)})


def _resolution(data: bytes) -> str:
    tags = Image.open(io.BytesIO(data)).tag_v2
    return " ".join(str(getattr(tags.get(tag), "numerator", "")) for tag in (282, 283))


def _sub_directory() -> bytes:
    """A directory that only a tag refers to, with its own description."""
    data = make.tiff({330: (4, [0])})
    place = data.index(b"\x4a\x01\x04\0\x01\0\0\0") + 8
    extra = make.tiff({270: (2, _TEXT)})
    first = int.from_bytes(extra[4:8], "little")
    # Its offsets are meant from the beginning of a file of its own: moved, only the text matters here.
    return data[:place] + (len(data) + first).to_bytes(4, "little") + data[place + 4 :] + extra


def _slack() -> bytes:
    """Bytes of the strip beyond the rows that the page has."""
    pixels = make.ground(mode="L").tobytes() + _TEXT
    return make.tiff(pixels=pixels)


def _fourth_sample() -> bytes:
    """A channel of no declared meaning that spells the value."""
    gray = make.ground(mode="L").tobytes()
    said = (_TEXT * 100)[: len(gray)]
    pixels = b"".join(bytes([g, g, g, s]) for g, s in zip(gray, said, strict=True))
    return make.tiff({258: (3, [8] * 4), 262: (3, [2]), 277: (3, [4]), 338: (3, [0])}, pixels=pixels)


def _channel(data: bytes) -> str:
    pixels = data[8 : 8 + 64 * 48 * 4]
    return pixels[3::4].decode("latin-1")


def _unused_colors() -> bytes:
    colors = [0] * 768
    for number, letter in enumerate(NATIONAL_ID.encode()):
        colors[20 + number] = letter * 257
    for index in set(make.ground(mode="L").tobytes()):
        colors[index] = colors[256 + index] = colors[512 + index] = index * 257
    return make.tiff({262: (3, [3]), 320: (3, colors)})


def _color_map(data: bytes) -> str:
    values = Image.open(io.BytesIO(data)).tag_v2.get(320, ())
    return "".join(chr(value >> 8) for value in values[:256])


def _jpeg_tables() -> bytes:
    """JPEG in TIFF, with a comment among the tables."""
    data = make.saved(make.ground(), "TIFF", compression="jpeg")
    at = data.index(b"\xff\xd8\xff\xdb") if b"\xff\xd8\xff\xdb" in data else data.index(b"\xff\xd8")
    return data + data[at : at + 2] + make.segment(0xFE, _TEXT)


def _written_by_pillow() -> bytes:
    info = TiffImagePlugin.ImageFileDirectory_v2()
    info[270], info[315], info[316], info[33432], info[305] = (EVERYTHING,) * 5
    pages = [make.ground(), make.ground(mode="L")]
    return make.saved(pages[0], "TIFF", save_all=True, append_images=pages[1:], tiffinfo=info, compression="tiff_lzw")


PLACES: tuple[ImagePlace, ...] = (
    _tag("description", 270),
    _tag("maker", 271),
    _tag("document name", 269),
    _tag("page name", 285),
    _tag("software", 305),
    _tag("moment", 306),
    _tag("artist", 315),
    _tag("host computer", 316),
    _tag("copyright", 33432),
    _tag("names of inks", 333),
    _tag("target printer", 337),
    _place("description in Arabic", {270: (2, ARABIC.encode() + b"\0")}, planted=(ARABIC,)),
    _tag("XMP", 700, make.xmp(EVERYTHING), 1),
    _tag("IPTC", 33723, make.iptc((80, EVERYTHING.encode())), _BYTES),
    _tag("Photoshop", 34377, make.photoshop((0x0404, make.iptc((80, EVERYTHING.encode())))), 1),
    _tag("colour profile", 34675, make.icc(EVERYTHING), _BYTES),
    _tag("GeoTIFF text", 34737),
    _tag("GDAL metadata", 42112),
    _tag("Windows' own tags", 40091, _UTF16, 1),
    _tag("private tag", 65000),
    _tag("private bytes", 65001, _TEXT, _BYTES),
    _tag("a tag of a type that it cannot have", 282, _TEXT),
    _tag("Photoshop layers", 37724, b"Adobe Photoshop Document Data Block\0" + _TEXT, _BYTES),
    _place("tags of a further page", {}, {270: (2, _TEXT)}),
    _place("big-endian tags", {270: (2, _TEXT)}, order=">"),
    _place("BigTIFF tags", {270: (2, _TEXT)}, big=True),
    _place("bytes after everything", tail=_TEXT, planted=(NATIONAL_ID, NAME)),
    _place("zip after everything", tail=make.zipped()),
    ImagePlace("tiff EXIF directory", Format.TIFF, lambda: make.tiff({34665: (4, [9])}, tail=_TEXT), (NATIONAL_ID,)),
    ImagePlace("tiff sub-directory", Format.TIFF, _sub_directory, (NATIONAL_ID,)),
    ImagePlace("tiff slack of a strip", Format.TIFF, _slack, (NATIONAL_ID,)),
    ImagePlace("tiff fourth sample", Format.TIFF, _fourth_sample, (NATIONAL_ID,), look=_channel),
    ImagePlace("tiff unused colours", Format.TIFF, _unused_colors, (NATIONAL_ID,), look=_color_map),
    ImagePlace("tiff JPEG with a comment behind", Format.TIFF, _jpeg_tables, (NATIONAL_ID,)),
    ImagePlace("tiff pages with tags by an editor", Format.TIFF, _written_by_pillow, (NATIONAL_ID, NAME)),
    ImagePlace(
        "tiff resolution that is a number",
        Format.TIFF,
        lambda: make.tiff({282: (5, [_NUMBER, 1]), 283: (5, [_NUMBER, 1]), 296: (3, [2])}),
        (NATIONAL_ID,),
        look=_resolution,
    ),
)
