"""Small programs inside a PDF, character maps and calculator functions, without comments, names and dead code."""

import re
import unicodedata
from collections.abc import Collection, Iterator

_SECTIONS = re.compile(
    rb"begin(?P<kind>codespacerange|bfchar|bfrange|cidchar|cidrange|notdefchar|notdefrange)(?P<body>.*?)end(?P=kind)",
    re.DOTALL,
)
_MAPPING = re.compile(rb"<([0-9A-Fa-f\s]*)>|(\d+)|\[((?:\s|<[0-9A-Fa-f\s]*>)*)\]|/([A-Za-z][A-Za-z0-9]*)|%[^\r\n]*")
_LONGEST = 8  # bytes of UTF-16 that one glyph may stand for: a ligature of four letters
_LONGEST_ARABIC = 40  # a formula of blessing, which is one glyph, has 36
_LONGEST_CODE = 8  # hexadecimal digits of a character's code
_LARGEST = 0xFFFFFF  # of glyphs' numbers
_MOST = 100  # mappings of one section (Adobe Technical Note 5014)
_WIDTH = {"codespacerange": 2, "bfchar": 2, "bfrange": 3, "cidchar": 2, "cidrange": 3, "notdefchar": 2}
_OPERATORS = frozenset(
    """
    abs add atan ceiling cos cvi cvr div exp floor idiv ln log mod mul neg round sin sqrt sub truncate and bitshift
    eq false ge gt le lt ne not or true xor if ifelse copy dup exch index pop roll { }
    """.split()  # noqa: SIM905
)
_TOKEN = re.compile(rb"%[^\r\n]*|[{}]|[^\s{}%]+")
_NUMBER = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?")


def plain_calculator(code: bytes) -> bytes:
    """A type 4 function (ISO 32000-2, 7.10.5) of its numbers and operators."""
    words = (match[0].decode("latin-1") for match in _TOKEN.finditer(code) if not match[0].startswith(b"%"))
    return " ".join(word for word in words if word in _OPERATORS or _NUMBER.fullmatch(word)).encode()


def plain_map(code: bytes, taboo: Collection[str]) -> bytes:
    """A character map of its code spaces and mappings alone; those that stand for a value of `taboo` are left out."""
    vertical = b"1" if re.search(rb"/WMode\s+1\s+def", code) else b"0"
    parts = [
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
        b"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def",
        b"/CMapName /Adobe-Identity-UCS def /CMapType 2 def /WMode " + vertical + b" def",
    ]
    base = re.search(rb"/([A-Za-z][A-Za-z0-9-]{1,20}-[HV])\s+usecmap", code)
    if base:
        parts.insert(1, b"/" + base[1] + b" usecmap")
    for section in _SECTIONS.finditer(code):
        kind = section["kind"].decode()
        rows = list(_rows(kind, section["body"], taboo))
        for start in range(0, len(rows), _MOST):
            some = rows[start : start + _MOST]
            parts.append(b"%d begin%s\n%s\nend%s" % (len(some), section["kind"], b"\n".join(some), section["kind"]))
    return b"\n".join((*parts, b"endcmap CMapName currentdict /CMap defineresource pop end end"))


def _rows(kind: str, body: bytes, taboo: Collection[str]) -> Iterator[bytes]:
    row: list[bytes] = []
    for match in _MAPPING.finditer(body):
        if match[0].startswith(b"%"):
            continue
        row.append(_target(match))
        if len(row) == _WIDTH.get(kind, 3):
            codes, target = (row[:-1], row[-1]) if kind.startswith("bf") else (row, b"")
            if not any(map(_is_odd, codes)) and not target.startswith(b"/") and not _tells(target, taboo):
                yield b" ".join(row)
            row = []


def _target(match: re.Match[bytes]) -> bytes:
    if match[1] is not None:
        return b"<" + re.sub(rb"\s", b"", match[1]) + b">"
    return re.sub(rb"\s+", b" ", match[0])


def _is_odd(code: bytes) -> bool:
    """Whether it is no code of a character and no number of a glyph."""
    if code.startswith(b"<"):
        return len(code) - 2 > _LONGEST_CODE
    return not code.isdigit() or int(code[:12]) > _LARGEST


def _tells(target: bytes, taboo: Collection[str]) -> bool:
    for digits in re.findall(rb"<([0-9A-Fa-f]*)>", target):
        code = bytes.fromhex(digits.decode() + "0" * (len(digits) % 2))
        said = code.decode("utf-16-be", "replace")
        longest = _LONGEST_ARABIC if all("\u0600" <= c <= "\u06ff" or c == " " for c in said) else _LONGEST
        texts = (compact(said), compact(code.decode("latin-1")))
        if len(code) > longest or any(value in text for value in taboo for text in texts):
            return True
    return False


def compact(text: str) -> str:
    """Letters and digits alone, folded."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
