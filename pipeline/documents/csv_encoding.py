"""The bytes of a text file as characters and back, byte for byte: Unicode with and without a mark, and code pages.

A file that is UTF-8 but for a few bytes stays UTF-8: those bytes are kept as lone surrogates and read in a code page.
"""

import codecs
import re
from collections.abc import Callable
from typing import NamedTuple

from schemas.errors import ErrorCode, StageFailed

# The longer marks first: that of UTF-32 begins like that of UTF-16.
_MARKED = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 64 * 1024  # bytes that tell an unmarked encoding
# High bytes of the blocks that such files are made of: Latin, Arabic with its forms, punctuation.
_HIGH = frozenset([0x00, 0x06, 0x07, 0x20, 0xFB, 0xFD, 0xFE])
_MOST_HIGH = 0.9  # share of high bytes from which on a sample is UTF-16
_ARABIC_PAGES, _PAGES = ("cp1256", "iso8859-6"), ("cp1256", "iso8859-6", "cp1252", "latin-1")
_LEAST_SHARE = 1.0  # valid sequences of UTF-8 for each byte that is none
_ESCAPED = re.compile("[\udc80-\udcff]")
_WIDE = re.compile("[\x80-\U0010ffff]")
# What a wrong code page makes: letters of two scripts in a word, vowel marks and symbols inside words.
_ODD = re.compile(
    "(?<=[A-Za-z\u00c0-\u00ff])[\u0621-\u0652]|(?<=[\u0621-\u0652])[A-Za-z\u00c0-\u00ff]|[\u064b-\u0652]"
    "|(?<=\\w)[\u00a1-\u00bf\u2018-\u203a\x80-\x9f\ufffd](?=\\w)|[\u00c0-\u00ff]{3}"
)


class Decoded(NamedTuple):
    """A file's characters: `text` for writing back, with the same length as what `shown` makes of any part of it."""

    text: str
    encoding: str
    mark: bytes
    shown: Callable[[str], str]

    def encode(self, text: str) -> bytes:
        """A text in the file's encoding, behind its mark; bytes that were kept come back."""
        errors = "surrogateescape" if self.encoding == "utf-8" else "strict"
        return self.mark + text.encode(self.encoding, errors)


def decode(data: bytes) -> Decoded:
    """The file's characters; StageFailed (unsupported_format) when it is no text."""
    if not data:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    for mark, encoding in _MARKED:
        if data.startswith(mark):
            return _strict(data, encoding, mark)
    wide = _unmarked(data[:_SAMPLE])
    if wide:
        return _strict(data, wide, b"")
    try:
        return Decoded(data.decode("utf-8"), "utf-8", b"", str)
    except UnicodeDecodeError:
        return _mostly(data, b"")


def _strict(data: bytes, encoding: str, mark: bytes) -> Decoded:
    try:
        return Decoded(data[len(mark) :].decode(encoding), encoding, mark, str)
    except UnicodeDecodeError:
        if encoding != "utf-8":
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
        return _mostly(data[len(mark) :], mark)


def _unmarked(sample: bytes) -> str:
    """UTF-16 or UTF-32 that does not say so: delimiters and line ends give it away, whose high bytes are zero."""
    if len(sample) < 4 or b"\0" not in sample:
        return ""
    for encoding, first, second in (("utf-32-le", 2, 3), ("utf-32-be", 0, 1)):
        if len(sample) % 4 == 0 and not any(sample[first::4]) and not any(sample[second::4]):
            return encoding
    pairs = len(sample) // 2
    for encoding, high, low in (
        ("utf-16-le", sample[1::2], sample[: 2 * pairs : 2]),
        ("utf-16-be", sample[: 2 * pairs : 2], sample[1::2]),
    ):
        if 0 in high and 0 not in low and sum(byte in _HIGH for byte in high) >= _MOST_HIGH * pairs:
            return encoding
    return ""


def _mostly(data: bytes, mark: bytes) -> Decoded:
    """UTF-8 with other bytes in it, or a code page: whichever more of the bytes speak for."""
    text = data.decode("utf-8", "surrogateescape")
    escaped = len(_ESCAPED.findall(text))
    if mark or len(_WIDE.findall(text)) - escaped >= _LEAST_SHARE * escaped:
        kept = bytes(ord(character) - 0xDC00 for character in _ESCAPED.findall(text))
        page = _page_of(kept, _ARABIC_PAGES)
        table = {0xDC00 + byte: bytes([byte]).decode(page, "replace") for byte in range(0x80, 0x100)}
        return Decoded(text, "utf-8", mark, lambda part: part if part.isascii() else part.translate(table))
    encoding = _page_of(data, _PAGES)
    return Decoded(data.decode(encoding), encoding, mark, str)


def _page_of(data: bytes, pages: tuple[str, ...]) -> str:
    """The one of some code pages that makes the least odd words of the bytes."""
    best, least = "", -1
    for page in pages:
        try:
            text = data.decode(page)
        except UnicodeDecodeError:
            continue
        odd = len(_ODD.findall(text))
        if least < 0 or odd < least:
            best, least = page, odd
    return best
