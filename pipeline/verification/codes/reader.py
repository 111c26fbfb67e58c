"""Reads the codes in the rasters of an output, by other libraries than redaction uses, and unpacks their content."""

import io
import re
from base64 import b64decode, urlsafe_b64decode
from binascii import Error
from collections.abc import Iterator
from typing import NamedTuple

from PIL import Image, ImageOps

from pipeline.geometry.strip import Box
from pipeline.verification.codes import dmtx, patterns, zbar
from pipeline.verification.limits import MAX_CODES_OF_RASTER
from schemas.errors import ErrorCode, StageFailed

_MATRIX_MILLISECONDS = 320  # for one square
_LIKELY = 2  # squares that get all of that time; the others get an eighth
_DARK_GROUND = 120  # mean gray level of a neighbourhood
_NEIGHBOURHOOD = 48  # pixels
_MARGIN = 24  # pixels around a square, whose solid sides have few changes
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_RUN = re.compile(r"[^\x00-\x1f\x7f-\x9f\ufffd]{4,}")  # printable text between bytes that are none


class SeenCode(NamedTuple):
    """A barcode or matrix code: its content, empty for one that is located only, and its box in pixels."""

    text: str
    box: Box


def readers() -> tuple[str, ...]:
    """The libraries with their versions. StageFailed(verify_failed) if one is not installed."""
    try:
        return zbar.reader(), dmtx.reader()
    except OSError:
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def codes_of(png: bytes) -> tuple[SeenCode, ...]:
    """All codes of a raster. StageFailed(verify_failed) for too many, or if a library is not installed."""
    with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
        found = tuple(dict.fromkeys(codes_in(image.convert("L"))))
    if len(found) > MAX_CODES_OF_RASTER:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    return found


def codes_in(gray: Image.Image) -> Iterator[SeenCode]:
    """Each code in an image of mode L."""
    try:
        for image in (gray, ImageOps.invert(gray)) if _has_dark_ground(gray) else (gray,):
            for content, box in zbar.codes_of(image):
                yield SeenCode(text_of(content), box)
        dark = patterns.dark_pixels(gray)
        yield from (SeenCode("", box) for box in patterns.finder_patterns(dark))
        for number, box in enumerate(patterns.squares(dark)):
            milliseconds = _MATRIX_MILLISECONDS if number < _LIKELY else _MATRIX_MILLISECONDS // 8
            for content in dmtx.contents_of(_cut_out(gray, box), milliseconds):
                yield SeenCode(text_of(content), box)
    except OSError:
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def text_of(content: bytes) -> str:
    """The content of a code as text, with what base64 in it holds; one line for each reading."""
    lines = dict.fromkeys(_readings(content))
    for line in list(lines):
        for match in _BASE64.finditer(line):
            data = _from_base64(match[0])
            lines.update(dict.fromkeys(_RUN.findall(data.decode("utf-8", "replace"))))
    return "\n".join(lines)


def _readings(data: bytes) -> Iterator[str]:
    """The bytes as UTF-8, or else in both Arabic code pages."""
    try:
        yield data.decode("utf-8")
    except UnicodeDecodeError:
        yield data.decode("utf-8", "replace")
        yield from (data.decode(encoding, "replace") for encoding in ("cp1256", "iso8859-6"))


def _from_base64(text: str) -> bytes:
    padded = text.rstrip("=")
    padded += "=" * (-len(padded) % 4)
    try:
        return urlsafe_b64decode(padded) if "-" in text or "_" in text else b64decode(padded, validate=True)
    except (Error, ValueError):
        return b""


def _has_dark_ground(gray: Image.Image) -> bool:
    """Whether some neighbourhood is dark: ZBar reads dark on light only."""
    if min(gray.size) < _NEIGHBOURHOOD:
        return True
    return any(gray.reduce(_NEIGHBOURHOOD).histogram()[:_DARK_GROUND])


def _cut_out(image: Image.Image, box: Box) -> Image.Image:
    """The part of an image in a box and around it, on white."""
    left, top, wide, high = box
    shown = Image.new("L", (wide + 2 * _MARGIN, high + 2 * _MARGIN), 255)
    shown.paste(image, (_MARGIN - left, _MARGIN - top))
    return shown
