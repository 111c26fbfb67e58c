"""Sanitizes content streams, CMaps and calculator functions: no comments, marked content or extra operands.

Operators and operands follow ISO 32000-2, annex A. A clean stream stays byte for byte. If only marked content and names
have to go, they are removed by regular expressions. Every other stream is parsed and written anew.
"""

import re
import unicodedata
import warnings
from collections.abc import Callable, Collection, Iterator
from typing import Any

import pikepdf

from pipeline.documents.pdf.sanitize.allow_list import Names, number

_BLANK = rb"[\x00\t\n\f\r ]"
# Every token matches in one way only, so that a failed match takes linear time.
_NUMBER = rb"[+-]?(?:\d{1,7}(?:\.\d{0,8}+|(?!\.))|\.\d{1,8}+)(?!\d)"
_NAME = rb"/[A-Za-z0-9_.+-]++"
_STRING = rb"(?:\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|<[0-9A-Fa-f\s]*+>)"
_PROPERTIES = rb"<<(?:[^<>()]|" + _STRING + rb"|<<(?:[^<>()]|" + _STRING + rb")*>>)*>>"
_END = rb"(?=[\x00\t\n\f\r /(\[<]|\Z)"
_PLOTTING = (
    rb"(?:BT|ET|Td|TD|T\*|Tm|Tc|Tw|Tz|TL|Ts|Tr|cm|re|rg|RG|sc|SC|SCN|scn|d0|d1|f\*|F|f|B\*|b\*|B|b|W\*|W"
    rb"|q|Q|m|l|c|v|y|h|n|S|s|g|G|k|K|w|J|j|M|i)"
)
_MARKED = (
    rb"(?:(?:" + _NAME + rb")?" + _BLANK + rb"*+(?:" + _NAME + rb"|" + _PROPERTIES + rb")" + _BLANK + rb"*+(?:BDC|DP)"
    rb"|" + _NAME + _BLANK + rb"++(?:BMC|MP)|EMC|BX|EX)" + _END
)
_INSTRUCTION = (
    rb"(?:" + _NUMBER + _BLANK + rb"++)*(?:" + _PLOTTING + rb"|" + _NAME + _BLANK + rb"++(?:scn|SCN)"
    rb"|" + _STRING + _BLANK + rb"*+[\"'])" + _END + rb"|" + _STRING + _BLANK + rb"*+Tj" + _END + rb"|\[(?:"
    + _BLANK + rb"|" + _NUMBER + rb"|" + _STRING + rb")*\]" + _BLANK + rb"*+TJ" + _END + rb"|" + _NAME + _BLANK
    + rb"++" + _NUMBER + _BLANK + rb"++Tf" + _END + rb"|" + _NAME + _BLANK + rb"++(?:gs|Do|sh|ri|cs|CS)" + _END
    + rb"|\[(?:" + _BLANK + rb"|" + _NUMBER + rb")*\]" + _BLANK + rb"*+" + _NUMBER + _BLANK + rb"++d" + _END
)  # fmt: skip
_SOME = rb"){1,2000}"  # bounded: the matcher stores every repetition
_PLAIN = re.compile(rb"(?:" + _BLANK + rb"++|" + _INSTRUCTION + _SOME, re.DOTALL)
_PLAIN_BUT_MARKED = re.compile(rb"(?:" + _BLANK + rb"++|" + _INSTRUCTION + rb"|" + _MARKED + _SOME, re.DOTALL)
_MARKS = re.compile(rb"(?P<shown>" + _STRING + rb")|" + _MARKED, re.DOTALL)
_NAMES = re.compile(rb"(?P<shown>" + _STRING + rb")|/(?P<name>[A-Za-z0-9_.+-]*)", re.DOTALL)

# The operand kinds of each operator: n number, N name, s string, a array of numbers and strings.
_OPERANDS = {
    **dict.fromkeys(["q", "Q", "h", "n", "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "W", "W*"], ""),
    **dict.fromkeys(["BT", "ET", "T*"], ""),
    **dict.fromkeys(["w", "J", "j", "M", "i", "Tc", "Tw", "Tz", "TL", "Tr", "Ts", "g", "G"], "n"),
    **dict.fromkeys(["m", "l", "Td", "TD", "d0"], "nn"),
    **dict.fromkeys(["rg", "RG"], "nnn"),
    **dict.fromkeys(["v", "y", "re", "k", "K"], "nnnn"),
    **dict.fromkeys(["cm", "c", "Tm", "d1"], "nnnnnn"),
    **dict.fromkeys(["gs", "Do", "sh", "ri", "cs", "CS"], "N"),
    "Tf": "Nn", "Tj": "s", "'": "s", '"': "nns", "TJ": "a", "d": "an",
}  # fmt: skip
_COLORS = frozenset(["sc", "SC", "scn", "SCN"])
_INLINE = {  # as pikepdf spells them out
    "/Width": "n", "/Height": "n", "/BitsPerComponent": "n", "/ColorSpace": "c", "/Decode": "a", "/DecodeParms": "p",
    "/Filter": "f", "/Interpolate": "b", "/ImageMask": "b", "/Intent": "f",
}  # fmt: skip
_PARAMETERS = frozenset(
    """/Predictor /Colors /BitsPerComponent /Columns /EarlyChange /K /EndOfLine /EncodedByteAlign /Rows /EndOfBlock
    /BlackIs1 /DamagedRowsBeforeError /ColorTransform""".split()  # noqa: SIM905
)


def plain_content(raw: bytes, parse: Callable[[], Any], names: Names) -> bytes | None:
    """The content with painting operators and neutral names only, or None if it is already clean.

    `parse` gives its instructions as pikepdf reads them. pikepdf.PdfError if they cannot be read.
    """
    plain: bytes | None = raw
    if not _is_all(_PLAIN, raw):
        is_marked = _is_all(_PLAIN_BUT_MARKED, raw)
        plain = _MARKS.sub(lambda match: match["shown"] or b" ", raw) if is_marked else None
    if plain is not None:
        plain = _NAMES.sub(lambda match: match["shown"] or b"/" + names.spelled(match["name"]), plain)
        return None if plain == raw else plain
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about streams that end early
        return b"\n".join(_instructions(parse(), names))


def _is_all(some: re.Pattern[bytes], raw: bytes) -> bool:
    """Whether repeated matches of the pattern cover the whole content."""
    position = 0
    while position < len(raw):
        match = some.match(raw, position)
        if match is None:
            return False
        position = match.end()
    return True


def _instructions(parsed: Any, names: Names) -> Iterator[bytes]:
    gathered: list[Any] = []
    for instruction in parsed:
        if isinstance(instruction, pikepdf.ContentStreamInlineImage):
            yield pikepdf.unparse_content_stream(gathered)
            gathered = []
            yield _inline_image(instruction.iimage, names)
            continue
        operator = str(instruction.operator)
        operands = _operands(operator, list(instruction.operands), names)
        if operands is not None:
            gathered.append(pikepdf.ContentStreamInstruction(operands, instruction.operator))
    yield pikepdf.unparse_content_stream(gathered)


def _operands(operator: str, operands: list[Any], names: Names) -> list[Any] | None:
    """The operands that the operator takes, the last ones if there are more; None if their types are wrong."""
    if operator in _COLORS:
        kept = [item for item in map(number, operands[-33:]) if item is not None]
        pattern = operands[-1] if operands and isinstance(operands[-1], pikepdf.Name) else None
        return kept if pattern is None else [*kept, names.renamed(pattern)]
    kinds = _OPERANDS.get(operator)
    if kinds is None or len(operands) < len(kinds):
        return None
    given = operands[len(operands) - len(kinds) :]
    fitted = [_FITTED[kind](item, names) for kind, item in zip(kinds, given, strict=True)]
    return None if any(item is None for item in fitted) else fitted


def _members(item: Any) -> Any:
    """The numbers and strings of an array."""
    if not isinstance(item, pikepdf.Array):
        return None
    numbers = ((member, number(member)) for member in item)
    return pikepdf.Array([m if n is None else n for m, n in numbers if n is not None or isinstance(m, pikepdf.String)])


_FITTED: dict[str, Callable[[Any, Names], Any]] = {
    "n": lambda item, names: number(item),
    "N": lambda item, names: names.renamed(item) if isinstance(item, pikepdf.Name) else None,
    "s": lambda item, names: item if isinstance(item, pikepdf.String) else None,
    "a": lambda item, names: _members(item),
}


def _inline_image(image: Any, names: Names) -> bytes:
    """The inline image with permitted keys only, without duplicates, and without data after its pixels."""
    pieces = [b"BI"]
    for key, value in image.obj.items():
        kept = _inline_value(_INLINE.get(str(key), ""), value, names)
        if kept is not None:
            pieces.append(str(key).encode() + b" " + _unparsed(kept))
    data: bytes = image.read_raw_bytes()
    if "/Filter" not in image.obj:
        data = data[: _inline_length(image.obj)]
    return b"\n".join([*pieces, b"ID ", b""])[:-1] + data + b"\nEI"


def _inline_length(image: Any) -> int:
    """The size in bytes of an unfiltered image (ISO 32000-2, 8.9.3). A named colour space counts as four components."""
    samples = {"/DeviceRGB": 3, "/DeviceCMYK": 4, "/DeviceGray": 1}.get(str(image.get("/ColorSpace")))
    if image.get("/ImageMask"):
        depth = 1
    else:
        indexed = isinstance(image.get("/ColorSpace"), pikepdf.Array)
        depth = int(image.get("/BitsPerComponent", 8)) * (1 if indexed else samples or 4)
    return (int(image.get("/Width", 0)) * depth + 7) // 8 * int(image.get("/Height", 0))


def _inline_value(kind: str, value: Any, names: Names) -> Any:
    if kind == "n":
        return number(value)
    if kind == "b":
        return value if isinstance(value, bool) else None
    if kind == "a":
        return _members(value)
    if kind == "p":
        return _parameters(value)
    if isinstance(value, pikepdf.Name):
        return names.renamed(value) if kind in ("c", "f") else None
    if kind in ("c", "f") and isinstance(value, pikepdf.Array):
        members = [names.renamed(item) if isinstance(item, pikepdf.Name) else item for item in value]
        allowed: tuple[Any, ...] = (pikepdf.Name, int) if kind == "f" else (pikepdf.Name, pikepdf.String, int)
        if len(members) == 4 and isinstance(members[3], pikepdf.String):
            size = {"/DeviceGray": 1, "/DeviceRGB": 3}.get(str(members[1]), 4)
            members[3] = pikepdf.String(bytes(members[3])[: (int(members[2]) + 1) * size])
        return pikepdf.Array([item for item in members if isinstance(item, allowed)])
    return None


def _parameters(value: Any) -> Any:
    if isinstance(value, pikepdf.Array):
        return pikepdf.Array([p for p in map(_parameters, value) if p is not None])
    if not isinstance(value, pikepdf.Dictionary):
        return None
    items: list[tuple[str, Any]] = [(str(key), item) for key, item in value.items()]
    numbers = {key: item for key, item in items if key in _PARAMETERS and isinstance(item, int)}
    return pikepdf.Dictionary(numbers)


def _unparsed(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return bytes(value.unparse()) if isinstance(value, pikepdf.Object) else str(value).encode()


_SECTIONS = re.compile(
    rb"begin(?P<kind>codespacerange|bfchar|bfrange|cidchar|cidrange|notdefchar|notdefrange)(?P<body>.*?)end(?P=kind)",
    re.DOTALL,
)
_MAPPING = re.compile(rb"<([0-9A-Fa-f\s]*)>|(\d+)|\[((?:\s|<[0-9A-Fa-f\s]*>)*)\]|/([A-Za-z][A-Za-z0-9]*)|%[^\r\n]*")
_LONGEST = 8  # bytes of UTF-16 for one glyph: a ligature of four letters
_LONGEST_ARABIC = 40  # the longest formula of blessing with a single glyph takes 36
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
_REAL = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?")


def plain_calculator(code: bytes) -> bytes:
    """The numbers and operators of a type 4 function (ISO 32000-2, 7.10.5)."""
    words = (match[0].decode("latin-1") for match in _TOKEN.finditer(code) if not match[0].startswith(b"%"))
    return " ".join(word for word in words if word in _OPERATORS or _REAL.fullmatch(word)).encode()


def plain_map(code: bytes, taboo: Collection[str]) -> bytes:
    """A CMap with its code space ranges and mappings only. Mappings to a value of `taboo` are left out."""
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
    """Whether it is neither a character code nor a glyph number."""
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
    """The letters and digits of a text, normalized (NFKC) and case-folded."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
