"""Short base64 and hexadecimal in links, attributes and custom XML that decodes to a number, an address or a name."""

import base64
import binascii
import re
from functools import lru_cache
from urllib.parse import unquote

_BASE64 = re.compile(r"[A-Za-z0-9+_-]{12,}={0,2}")
_WHOLE_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
# A decoded text with none of these is a word that happens to be valid base64.
_VALUE = re.compile(r"\d{7}|@|[^\W\d_]{2}[ +][^\W\d_]{2}|%d[89]|[\u0620-\u064a]{2}", re.IGNORECASE)
# Bytes in hexadecimal: `31303538`, `0x31303538`, `31 30 35 38`, `31:30:35:38`.
_HEXADECIMAL = re.compile(
    r"(?<![0-9A-Za-z])(?:0[xX]|[xX]')?(?:[0-9A-Fa-f]{2}[ \n:,-]?){6,}[0-9A-Fa-f]{2}(?![0-9A-Za-z])"
)
_HEXADECIMAL_MARKS = re.compile(r"^(?:0[xX]|[xX]')|[ \n:,-]")
_REPLACEMENT = "-"


@lru_cache(maxsize=4096)
def without_encoded_text(value: str, *, is_link: bool) -> str:
    """The value without the encoded texts in it that hold a value.

    `is_link`: the encoded text may be one component of a URI; otherwise base64 must be the whole value.
    """
    if _HEXADECIMAL.search(value):
        value = _HEXADECIMAL.sub(lambda match: _REPLACEMENT if _is_hexadecimal_value(match[0]) else match[0], value)
    if not is_link:
        return "" if _WHOLE_BASE64.fullmatch(value.strip()) and _is_base64_value(value.strip()) else value
    plain = unquote(value)
    cut = _BASE64.sub(lambda match: _REPLACEMENT if _is_base64_value(match[0]) else match[0], plain)
    return value if cut == plain else cut


def _is_base64_value(code: str) -> bool:
    code = code.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _has_value(base64.b64decode(code + "=" * (-len(code) % 4)))
    except (binascii.Error, ValueError):
        return False


def _is_hexadecimal_value(code: str) -> bool:
    try:
        return _has_value(bytes.fromhex(_HEXADECIMAL_MARKS.sub("", code)))
    except ValueError:
        return False


def _has_value(data: bytes) -> bool:
    """Whether bytes are a text with a long number, an e-mail address or a name; ValueError when they are no text."""
    big = data[:1] == b"\0"
    text = data.decode("utf-16-be" if big else "utf-16-le" if b"\0" in data else "utf-8")
    return text.isprintable() and _VALUE.search(text) is not None
