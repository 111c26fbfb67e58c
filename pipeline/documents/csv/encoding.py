"""Decodes the bytes of a text file and encodes them again, byte for byte: Unicode with and without a mark, code pages.

A file that is UTF-8 but for a few bytes stays UTF-8: those bytes are kept as lone surrogates (PEP 383), and shown in a
code page.
"""

import codecs
import re
from collections.abc import Callable
from typing import NamedTuple

from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

_SAMPLE = 64 * 1024  # first bytes of a file that show its encoding
# The byte order marks, the longer ones first: that of UTF-32 begins like that of UTF-16.
_MARKED = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# High bytes in UTF-16 of the blocks that are expected: Latin, Arabic with its presentation forms, punctuation.
_HIGH_BYTES = frozenset([0x00, 0x06, 0x07, 0x20, 0xFB, 0xFD, 0xFE])
_MOST_HIGH = 0.9  # share of high bytes from which on a sample is UTF-16
_ARABIC_PAGES, _PAGES = ("cp1256", "iso8859-6"), ("cp1256", "iso8859-6", "cp1252", "latin-1")
_LEAST_SHARE = 1.0  # valid sequences of UTF-8 per invalid byte
_ESCAPED = re.compile("[\udc80-\udcff]")
_WIDE = re.compile("[\x80-\U0010ffff]")
# Signs of a wrong code page: letters of two scripts in a word, vowel marks and symbols inside words.
_ODD = re.compile(
    "(?<=[A-Za-z\u00c0-\u00ff])[\u0621-\u0652]|(?<=[\u0621-\u0652])[A-Za-z\u00c0-\u00ff]|[\u064b-\u0652]"
    "|(?<=\\w)[\u00a1-\u00bf\u2018-\u203a\x80-\x9f\ufffd](?=\\w)|[\u00c0-\u00ff]{3}"
)


class Decoded(NamedTuple):
    """A decoded file.

    `text`: what is edited and encoded again. `shown`: makes readable text, of the same length, of any part of `text`.
    """

    text: str
    encoding: str
    mark: bytes
    shown: Callable[[str], str]

    def encode(self, text: str) -> bytes:
        """The bytes of a text in the file's encoding, after its byte order mark."""
        errors = "surrogateescape" if self.encoding == "utf-8" else "strict"
        return self.mark + text.encode(self.encoding, errors)


def decode(data: bytes) -> Decoded:
    """The decoded file; StageFailed (unsupported_format) when it is no text."""
    if not data:
        raise unsupported(Reason.EMPTY)
    for mark, encoding in _MARKED:
        if data.startswith(mark):
            return _strict(data, encoding, mark)
    wide = _wide_encoding(data[:_SAMPLE])
    if wide:
        return _strict(data, wide, b"")
    try:
        return Decoded(data.decode("utf-8"), "utf-8", b"", str)
    except UnicodeDecodeError:
        return _mixed(data, b"")


def _strict(data: bytes, encoding: str, mark: bytes) -> Decoded:
    try:
        return Decoded(data[len(mark) :].decode(encoding), encoding, mark, str)
    except UnicodeDecodeError:
        if encoding != "utf-8":
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
        return _mixed(data[len(mark) :], mark)


def _wide_encoding(sample: bytes) -> str:
    """The encoding of UTF-16 or UTF-32 without a mark: delimiters and line ends have zeros for high bytes."""
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
        if 0 in high and 0 not in low and sum(byte in _HIGH_BYTES for byte in high) >= _MOST_HIGH * pairs:
            return encoding
    return ""


def _mixed(data: bytes, mark: bytes) -> Decoded:
    """The file as UTF-8 with stray bytes, or in a code page, whichever fits more of the bytes."""
    text = data.decode("utf-8", "surrogateescape")
    escaped = len(_ESCAPED.findall(text))
    if mark or len(_WIDE.findall(text)) - escaped >= _LEAST_SHARE * escaped:
        kept = bytes(ord(character) - 0xDC00 for character in _ESCAPED.findall(text))
        page = _best_code_page(kept, _ARABIC_PAGES)
        table = {0xDC00 + byte: bytes([byte]).decode(page, "replace") for byte in range(0x80, 0x100)}
        return Decoded(text, "utf-8", mark, lambda part: part if part.isascii() else part.translate(table))
    encoding = _best_code_page(data, _PAGES)
    return Decoded(data.decode(encoding), encoding, mark, str)


def _best_code_page(data: bytes, pages: tuple[str, ...]) -> str:
    """The code page that makes the fewest odd words of the bytes."""
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
