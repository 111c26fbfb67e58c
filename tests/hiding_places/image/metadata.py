"""Places of PNG and JPEG beside the pixels: what cameras, editors and polyglots put there."""

import struct
import zlib
from typing import Any

from PIL import Image

from schemas.files import Format
from tests.hiding_places.image import making as make
from tests.hiding_places.image.making import ARABIC, EVERYTHING, IBAN, NAME, NATIONAL_ID, ImagePlace, chunk, segment

_UTF16 = EVERYTHING.encode("utf-16-le")
_EXIF = b"Exif\0\0"
_MPF = b"MPF\0" + b"II*\0\x08\0\0\0" + b"\x03\0" + b"\0" * 36
_PDF = b"%PDF-1.4\n1 0 obj<</Title(" + EVERYTHING.encode() + b")>>endobj\ntrailer<<>>\n%%EOF"
_BY_NUMBER = int(NATIONAL_ID)


def _png(name: str, *extra: bytes, planted: tuple[str, ...] = (NATIONAL_ID,), **more: Any) -> ImagePlace:
    return ImagePlace(f"png {name}", Format.PNG, lambda: make.png(*extra, **more), planted)


def _jpeg(name: str, *extra: bytes, planted: tuple[str, ...] = (NATIONAL_ID,), **more: Any) -> ImagePlace:
    return ImagePlace(f"jpeg {name}", Format.JPEG, lambda: make.jpeg(*extra, **more), planted)


def _numbers(data: bytes) -> str:
    """What somebody reads who takes the resolution for a number."""
    at = data.find(b"pHYs")
    return str(struct.unpack_from(">I", data, at + 4)[0]) if at >= 0 else ""


def _palette(data: bytes) -> str:
    return data[data.index(b"PLTE") + 4 :][:768].decode("latin-1")


def _with_palette() -> bytes:
    """The unused entries of a palette spell the value."""
    picture = make.ground(mode="L").convert("P")
    said = EVERYTHING.encode().ljust(75, b" ")
    used = sorted(set(picture.tobytes()))
    colors = bytearray(256 * 3)
    for number, index in enumerate(used):
        colors[3 * index : 3 * index + 3] = bytes([40 * number % 256] * 3)
    colors[300 * 1 : 300 + len(said)] = said
    picture.putpalette(bytes(colors))
    return make.saved(picture, "PNG")


def _after_the_stream() -> bytes:
    """Bytes behind the end of the compressed pixels, inside their chunk."""
    data = make.png()
    at = data.index(b"IDAT")
    (length,) = struct.unpack_from(">I", data, at - 4)
    pixels = data[at + 4 : at + 4 + length] + EVERYTHING.encode()
    return data[: at - 4] + chunk(b"IDAT", pixels) + data[at + 8 + length :]


def _hidden_default() -> bytes:
    """An animation that does not show its default image, which has a comment of its own."""
    frames = [make.ground(), Image.new("RGB", (64, 48), "navy"), Image.new("RGB", (64, 48), "teal")]
    data = make.saved(frames[0], "PNG", save_all=True, default_image=True, append_images=frames[1:], duration=80)
    at = data.index(b"fcTL") - 4
    return data[:at] + chunk(b"tEXt", b"Comment\0" + EVERYTHING.encode()) + data[at:]


def _between_scans() -> bytes:
    """A comment in the middle of a progressive picture."""
    data = make.jpeg(progressive=True)
    at = data.index(b"\xff\xda", data.index(b"\xff\xda") + 2)
    table = data.rfind(b"\xff\xc4", 0, at)
    at = table if table > data.index(b"\xff\xda") else at
    return data[:at] + segment(0xFE, EVERYTHING.encode()) + data[at:]


def _second_picture() -> bytes:
    return make.jpeg(segment(0xFE, EVERYTHING.encode()))


PNG: tuple[ImagePlace, ...] = (
    _png("text", chunk(b"tEXt", b"Author\0" + EVERYTHING.encode()), planted=(NATIONAL_ID, NAME)),
    _png("compressed text", chunk(b"zTXt", b"Comment\0\0" + zlib.compress(EVERYTHING.encode()))),
    _png("international text", chunk(b"iTXt", b"Title\0\0\0ar\0\0" + ARABIC.encode()), planted=(ARABIC,)),
    _png("compressed international text", chunk(b"iTXt", b"T\0\1\0en\0\0" + zlib.compress(EVERYTHING.encode()))),
    _png("XMP", chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + make.xmp(EVERYTHING))),
    _png("text after the pixels", chunk(b"tEXt", b"Author\0" + EVERYTHING.encode()), early=False),
    _png("EXIF description", chunk(b"eXIf", make.exif({0x010E: EVERYTHING}))),
    _png("EXIF user comment", chunk(b"eXIf", make.exif({}, {0x9286: b"UNICODE\0" + _UTF16}))),
    _png("EXIF place", chunk(b"eXIf", make.exif({}, gps={0x001D: EVERYTHING, 0x001B: EVERYTHING.encode()}))),
    _png(
        "raw profile", chunk(b"zTXt", b"Raw profile type iptc\0\0" + zlib.compress(EVERYTHING.encode().hex().encode()))
    ),
    _png("colour profile", chunk(b"iCCP", b"p\0\0" + zlib.compress(make.icc(EVERYTHING)))),
    _png("name of a colour profile", chunk(b"iCCP", EVERYTHING[:70].encode() + b"\0\0" + zlib.compress(make.icc("x")))),
    _png("private chunk", chunk(b"prVt", EVERYTHING.encode())),
    _png("suggested palette", chunk(b"sPLT", EVERYTHING[:70].encode() + b"\0\x08" + bytes(6))),
    _png("provenance", chunk(b"caBX", b"jumb" + EVERYTHING.encode())),
    _png("bytes after the end", tail=EVERYTHING.encode(), planted=(NATIONAL_ID, NAME)),
    _png("zip after the end", tail=make.zipped()),
    _png("PDF after the end", tail=_PDF),
    _png("picture after the end", tail=make.png(chunk(b"tEXt", b"Author\0" + EVERYTHING.encode()))),
    ImagePlace("png after the compressed pixels", Format.PNG, _after_the_stream, (NATIONAL_ID,)),
    ImagePlace("png unused palette entries", Format.PNG, _with_palette, (NATIONAL_ID,), look=_palette),
    ImagePlace("png hidden default image", Format.PNG, _hidden_default, (NATIONAL_ID,)),
    ImagePlace(
        "png resolution that is a number",
        Format.PNG,
        lambda: make.png(chunk(b"pHYs", struct.pack(">IIB", _BY_NUMBER, _BY_NUMBER, 1))),
        (NATIONAL_ID,),
        look=_numbers,
    ),
)

_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_MORE_XMP = b"http://ns.adobe.com/xmp/extension/\0" + b"0" * 32 + struct.pack(">II", 400, 0)
_PHOTOSHOP = b"Photoshop 3.0\0"

JPEG: tuple[ImagePlace, ...] = (
    _jpeg("comment", segment(0xFE, EVERYTHING.encode()), planted=(NATIONAL_ID, NAME)),
    _jpeg("comment in Arabic", segment(0xFE, ARABIC.encode()), planted=(ARABIC,)),
    _jpeg(
        "EXIF description",
        segment(0xE1, _EXIF + make.exif({0x010E: EVERYTHING, 0x013B: IBAN})),
        planted=(NATIONAL_ID, IBAN),
    ),
    _jpeg("EXIF copyright", segment(0xE1, _EXIF + make.exif({0x8298: EVERYTHING}))),
    _jpeg("EXIF user comment", segment(0xE1, _EXIF + make.exif({}, {0x9286: b"UNICODE\0" + _UTF16}))),
    _jpeg(
        "EXIF user comment in JIS",
        segment(0xE1, _EXIF + make.exif({}, {0x9286: b"JIS\0\0\0\0\0" + EVERYTHING.encode("iso2022_jp")})),
    ),
    _jpeg("EXIF maker note", segment(0xE1, _EXIF + make.exif({}, {0x927C: b"Maker\0" + EVERYTHING.encode()}))),
    _jpeg("EXIF owner and serial number", segment(0xE1, _EXIF + make.exif({}, {0xA430: NAME, 0xA431: NATIONAL_ID}))),
    _jpeg("EXIF place", segment(0xE1, _EXIF + make.exif({}, gps={0x001C: EVERYTHING.encode()}))),
    _jpeg("Windows' own EXIF tags", segment(0xE1, _EXIF + make.exif({0x9C9B: _UTF16, 0x9C9D: _UTF16}))),
    _jpeg("EXIF preview", segment(0xE1, _EXIF + make.exif({0x010F: "x"}) + _second_picture())),
    _jpeg("XMP", segment(0xE1, _XMP + make.xmp(EVERYTHING))),
    _jpeg("extended XMP", segment(0xE1, _MORE_XMP + make.xmp(EVERYTHING))),
    _jpeg(
        "IPTC",
        segment(
            0xED, _PHOTOSHOP + make.photoshop((0x0404, make.iptc((80, NAME.encode()), (120, EVERYTHING.encode()))))
        ),
    ),
    _jpeg("Photoshop caption", segment(0xED, _PHOTOSHOP + make.photoshop((0x03F0, EVERYTHING.encode())))),
    _jpeg("Photoshop preview", segment(0xED, _PHOTOSHOP + make.photoshop((0x040C, bytes(28) + _second_picture())))),
    _jpeg("colour profile", segment(0xE2, b"ICC_PROFILE\0\1\1" + make.icc(EVERYTHING))),
    _jpeg("Ducky", segment(0xEC, b"Ducky\0" + EVERYTHING.encode())),
    _jpeg("JUMBF", segment(0xEB, b"JP\0\1" + EVERYTHING.encode())),
    _jpeg("private segment", segment(0xEF, EVERYTHING.encode())),
    _jpeg("long Adobe segment", segment(0xEE, b"Adobe\0\x64\0\0\0\0\1" + EVERYTHING.encode())),
    _jpeg("JFIF extension", segment(0xE0, b"JFXX\0\x10" + _second_picture())),
    _jpeg("Stereo JPEG", segment(0xE3, b"_JPSJPS_" + EVERYTHING.encode())),
    _jpeg("FlashPix", segment(0xE2, b"FPXR\0" + EVERYTHING.encode("utf-16-le"))),
    _jpeg("second picture", segment(0xE2, _MPF), tail=_second_picture()),
    _jpeg("bytes after the end", tail=EVERYTHING.encode(), planted=(NATIONAL_ID, NAME)),
    _jpeg("zip after the end", tail=make.zipped()),
    _jpeg("PDF after the end", tail=_PDF),
    ImagePlace("jpeg comment between scans", Format.JPEG, _between_scans, (NATIONAL_ID,)),
    ImagePlace(
        "jpeg JFIF preview",
        Format.JPEG,
        lambda: (
            make.saved(make.ground(), "JPEG")[:2]
            + segment(0xE0, b"JFIF\0\1\1\1\0H\0H" + bytes([8, 4]) + EVERYTHING.encode().ljust(96))
            + make.saved(make.ground(), "JPEG")[20:]
        ),
        (NATIONAL_ID,),
    ),
)

PLACES: tuple[ImagePlace, ...] = (*PNG, *JPEG)
