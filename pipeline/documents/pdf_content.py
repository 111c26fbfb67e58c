"""Content streams without anything but painting: no comments, marked content, dead operands or telling names.

Operators and operands: ISO 32000-2, annex A. A stream that already is plain stays byte for byte; one that only has
marked content or telling names loses those; every other one is parsed and written anew.
"""

import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pikepdf

from pipeline.documents.pdf_leaves import number
from pipeline.documents.pdf_names import Names

_BLANK = rb"[\x00\t\n\f\r ]"
# Each token has one reading only, so that a failed match is given up in linear time.
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
_SOME = rb"){1,2000}"  # at once: the matcher remembers every turn
_PLAIN = re.compile(rb"(?:" + _BLANK + rb"++|" + _INSTRUCTION + _SOME, re.DOTALL)
_PLAIN_BUT_MARKED = re.compile(rb"(?:" + _BLANK + rb"++|" + _INSTRUCTION + rb"|" + _MARKED + _SOME, re.DOTALL)
_MARKS = re.compile(rb"(?P<shown>" + _STRING + rb")|" + _MARKED, re.DOTALL)
_NAMES = re.compile(rb"(?P<shown>" + _STRING + rb")|/(?P<name>[A-Za-z0-9_.+-]*)", re.DOTALL)

# Operator: how many operands, and of which kind: n a number, N a name, s a string, a an array of numbers and strings.
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
    """The content without what nobody sees and with names that tell nothing, or None where it is plain already.

    `parse` gives its instructions as pikepdf reads them. pikepdf.PdfError where they cannot be read.
    """
    plain: bytes | None = raw
    if not _is_all(_PLAIN, raw):
        is_marked = _is_all(_PLAIN_BUT_MARKED, raw)
        plain = _MARKS.sub(lambda match: match["shown"] or b" ", raw) if is_marked else None
    if plain is not None:
        plain = _NAMES.sub(lambda match: match["shown"] or b"/" + names.spelled(match["name"]), plain)
        return None if plain == raw else plain
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stream that ends early says so
        return b"\n".join(_instructions(parse(), names))


def _is_all(some: re.Pattern[bytes], raw: bytes) -> bool:
    """Whether the content is nothing but what the pattern finds some of."""
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
    """The last so many operands that the operator takes; None where they do not fit."""
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
    """An array's numbers and strings."""
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
    """The image with the keys that inline images have, none twice, and no byte behind its pixels."""
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
    """Bytes of the pixels of an image without filter (ISO 32000-2, 8.9.3); a named colour space has at most four."""
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
