"""The ways in which files spell text that is not plain: percent signs, entities, escapes, hexadecimal, base64.

Two directions: `decodings` reads such spellings in a text; `packed` says how a value looks inside those that cannot be
told from other letters and digits.
"""

import html
import re
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import unquote

_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_ESCAPE = re.compile(r"\\u\{?([0-9A-Fa-f]{4})\}?")  # JSON, JavaScript
_CELL_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")  # ECMA-376, ST_Xstring
_OCTAL = re.compile(r"(?:\\[0-7]{3})+")  # PostScript, C
_RTF = re.compile(r"(?:\\'[0-9A-Fa-f]{2})+")
_PRINTED = re.compile(r"(?:=[0-9A-F]{2})+")  # quoted-printable
_MARKS = re.compile(r"[%&\\=]|_x[0-9A-Fa-f]{4}_")
_HEX_RUN = re.compile(r"(?:[0-9A-Fa-f]{2}[\s,:-]?){8,}")
_MOST_TIMES = 3  # `%2540` is an @ that was spelled twice
# What base64 and hexadecimal look like, and words hardly ever do: letters of both cases or digits inside one run.
_PACKED_RUN = re.compile(r"(?<![\w+/-])(?=[\w+/-]{12})[\w+/-]*?(?:[a-z][A-Z0-9]|[0-9][A-Za-z])", re.ASCII)
_LINE_END = re.compile(r"\s*\n\s*")
_LEAST_PACKED = 10  # characters of a packed value: fewer may stand anywhere by chance


def decodings(text: str) -> Iterator[str]:
    """The text with its spelled characters resolved, as often as that shows further ones; nothing if it has none."""
    for _ in range(_MOST_TIMES):
        if not _MARKS.search(text):
            return
        resolved = _resolved(text)
        if resolved == text:
            return
        yield resolved
        text = resolved


def _resolved(text: str) -> str:
    if "%" in text and _PERCENT.search(text):
        said = unquote(text)
        text = said if said.count("\ufffd") <= text.count("\ufffd") else unquote(text, "cp1256", "replace")
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    if "\\" in text:
        text = _ESCAPE.sub(lambda match: _character(match[1]), text)
        text = _OCTAL.sub(lambda match: _meant(int(code, 8) & 0xFF for code in match[0].split("\\")[1:]), text)
        text = _RTF.sub(lambda match: _meant(int(code, 16) for code in match[0].split("\\'")[1:]), text)
    if "_x" in text:
        text = _CELL_ESCAPE.sub(lambda match: _character(match[1]), text)
    if "=" in text:
        text = _PRINTED.sub(lambda match: _meant(bytes.fromhex(match[0].replace("=", ""))), text)
    return text


def _character(digits: str) -> str:
    code = int(digits, 16)
    return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)


def _meant(codes: Iterator[int] | bytes) -> str:
    data = bytes(codes)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1256", "replace")


def packed(surface: str) -> Iterator[str]:
    """What the surface looks like inside hexadecimal (lower case) and base64, wherever it begins there."""
    for data in (surface.encode("utf-8"), surface.encode("utf-16-be"), surface.encode("utf-16-le")):
        yield from (text for text in (data.hex(), *_in_base64(data)) if len(text) >= _LEAST_PACKED)


def _in_base64(data: bytes) -> Iterator[str]:
    """The middle of its base64 at each of the three places where it may begin: the ends depend on the neighbours."""
    for before in range(3):
        encoded = b64encode(b"\0" * before + data).decode()
        inner = encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        yield inner
        if "+" in inner or "/" in inner:
            yield inner.replace("+", "-").replace("/", "_")


def may_pack(text: str) -> bool:
    """Whether something in a text may be base64 or hexadecimal: most texts are not worth a search for packed values."""
    whole = _LINE_END.sub("", text) if "\n" in text else text
    return _PACKED_RUN.search(whole) is not None or _HEX_RUN.search(text) is not None


def packings(text: str) -> Iterator[str]:
    """The text as `packed` values stand in it: base64 without line ends, hexadecimal without separators."""
    yield re.sub(r"\s+", "", text)
    runs = [re.sub(r"[\s,:-]", "", run).lower() for run in _HEX_RUN.findall(text)]
    if runs:
        yield "\n".join(runs)
