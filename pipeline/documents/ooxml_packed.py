"""Short base64 and hexadecimal that say something: a number, an address or a name packed into a link or custom XML."""

import base64
import binascii
import re
from functools import lru_cache
from urllib.parse import unquote

_CODED = re.compile(r"[A-Za-z0-9+_-]{12,}={0,2}")
_WHOLE = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
# What unpacks to less is a word that happens to be written in the same letters.
_TELLING = re.compile(r"\d{7}|@|[^\W\d_]{2}[ +][^\W\d_]{2}|%d[89]|[\u0620-\u064a]{2}", re.IGNORECASE)
# Bytes in hexadecimal: `31303538`, `0x31303538`, `31 30 35 38`, `31:30:35:38`.
_HEXADECIMAL = re.compile(
    r"(?<![0-9A-Za-z])(?:0[xX]|[xX]')?(?:[0-9A-Fa-f]{2}[ \n:,-]?){6,}[0-9A-Fa-f]{2}(?![0-9A-Za-z])"
)
_PARTED = re.compile(r"^(?:0[xX]|[xX]')|[ \n:,-]")
_LEFT = "-"


@lru_cache(maxsize=4096)
def emptied(value: str, *, is_link: bool) -> str:
    """The value without what is packed in it; as it is when nothing is. `is_link`: it may be packed into a part."""
    if _HEXADECIMAL.search(value):
        value = _HEXADECIMAL.sub(lambda match: _LEFT if _is_spelled(match[0]) else match[0], value)
    if not is_link:
        return "" if _WHOLE.fullmatch(value.strip()) and _is_telling(value.strip()) else value
    plain = unquote(value)
    cut = _CODED.sub(lambda match: _LEFT if _is_telling(match[0]) else match[0], plain)
    return value if cut == plain else cut


def _is_telling(code: str) -> bool:
    code = code.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _says(base64.b64decode(code + "=" * (-len(code) % 4)))
    except (binascii.Error, ValueError):
        return False


def _is_spelled(code: str) -> bool:
    try:
        return _says(bytes.fromhex(_PARTED.sub("", code)))
    except ValueError:
        return False


def _says(data: bytes) -> bool:
    """Whether bytes are a text with a number, an address or a name in it; ValueError when they are none."""
    big = data[:1] == b"\0"
    text = data.decode("utf-16-be" if big else "utf-16-le" if b"\0" in data else "utf-8")
    return text.isprintable() and _TELLING.search(text) is not None
