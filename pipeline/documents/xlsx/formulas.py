"""Splits formulas into tokens: the texts and names in a formula, and the formula with edited texts or new names.

Source: ECMA-376 part 1, 18.17 (formulas).
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from pipeline.documents.edits import Edit, apply
from pipeline.documents.ooxml.foreign_names import as_words

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"]|"")*"?)
      | (?P<error>\#(?:NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A|SPILL!|CALC!|BLOCKED!|FIELD!|UNKNOWN!|GETTING_DATA))
      | (?P<sheet>'(?:[^']|'')*'!|(?:\[\d+\])?[^\W\d][\w.]*(?::[^\W\d][\w.]*)?!|\[\d+\][^\s'!]*!|!)
      | (?P<area>\$?[A-Za-z]{1,3}\$?\d{1,7}(?::\$?[A-Za-z]{1,3}\$?\d{1,7})?(?![\w.(\[!])
                |\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}(?![\w.(\[!])
                |\$?\d{1,7}:\$?\d{1,7}(?![\w.]))
      | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<function>[^\W\d][\w.]*(?=\())
      | (?P<name>[^\W\d][\w.?\\]*|\\[\w.?\\]*)
      | (?P<bracket>\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\])*\]?)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_PLAIN_FUNCTION = re.compile(r"[A-Z0-9._]+|_xl\w+\.[A-Za-z0-9._]+")
_SILENT = re.compile(r"[-A-Z$0-9:+*/(),.<>=&!% ]*")
_JOINS = re.compile(r"&|CONCAT|TEXTJOIN", re.IGNORECASE)
_BETWEEN = frozenset({"&", ",", " "})  # tokens between strings that a formula joins
_LONG_NUMBER = re.compile(r"\d{5}")
_CONSTANTS = frozenset({"TRUE", "FALSE"})
_PLAIN_SHEET = re.compile(r"[^\W\d][\w.]*")
_LIKE_AREA = re.compile(r"[A-Za-z]{1,3}\d{1,7}|[rR]\d*|[cC]\d*|[rR]\d+[cC]\d+")
_LEAST_NUMBER = 5  # digits of a number that counts as text of a formula
LONGEST = 8_192  # characters of a formula (Excel's own bound); longer ones are not read


class Kind(Enum):
    """The kind of a token; its value is the name of its group in the pattern."""

    STRING = "string"
    ERROR = "error"
    SHEET = "sheet"
    AREA = "area"
    NUMBER = "number"
    FUNCTION = "function"
    NAME = "name"
    BRACKET = "bracket"
    OTHER = "other"


class Token(NamedTuple):
    """A token of a formula: `text` is its `start:end`."""

    kind: Kind
    start: int
    end: int
    text: str


class FormulaText(NamedTuple):
    """The text in a formula, one token on a line; `stretches`: start and end in `text`, and the token."""

    text: str
    stretches: tuple[tuple[int, int, Token], ...]


class Names(NamedTuple):
    """The names of a workbook in lower case; in a formula they are references, not text."""

    sheets: frozenset[str]
    others: frozenset[str]  # defined names and tables
    columns: frozenset[str]


def tokens(formula: str) -> list[Token]:
    """The tokens of a formula in order, without gaps."""
    return [Token(Kind(m.lastgroup), m.start(), m.end(), m[0]) for m in _TOKEN.finditer(formula)]


def formula_text(formula: str, names: Names) -> FormulaText:
    """The strings, long numbers and unknown names in a formula."""
    if _SILENT.fullmatch(formula) and not _LONG_NUMBER.search(formula):
        return FormulaText("", ())
    units: list[str] = []
    stretches: list[tuple[int, int, Token]] = []
    position = 0
    for token in tokens(formula):
        text = _token_text(token, names)
        if text.strip():
            units.append(text)
            stretches.append((position, position + len(text), token))
            position += len(text) + 1
    return FormulaText("\n".join(units), tuple(stretches))


def joined_strings(formula: str) -> str:
    """The strings that a formula joins, one chain on a line; empty when it joins none."""
    if '"' not in formula or not _JOINS.search(formula):
        return ""
    chains: list[list[str]] = [[]]
    for token in tokens(formula):
        if token.kind is Kind.STRING:
            chains[-1].append(unquoted(token.text))
        elif token.text not in _BETWEEN:
            chains.append([])
    return "\n".join("".join(chain) for chain in chains if len(chain) > 1)


def edited(formula: str, content: FormulaText, edits: Sequence[Edit]) -> str:
    """The formula after edits of its text: strings are edited in place, a number or name becomes a string.

    When an unknown sheet, function or column is edited, the whole formula becomes a string.
    """
    starts = [start for start, _, _ in content.stretches]
    changes: dict[Token, list[Edit]] = {}
    for item in edits:
        first = max(0, bisect_right(starts, item.start) - 1)
        replacement = item.replacement
        for start, end, token in content.stretches[first:]:
            if start >= item.end:
                break
            if end > item.start:
                own = Edit(max(item.start, start) - start, min(item.end, end) - start, replacement)
                changes.setdefault(token, []).append(own)
                replacement = ""
    if any(token.kind not in (Kind.STRING, Kind.NUMBER, Kind.NAME) for token in changes):
        return quoted(next((edit.replacement for edit in edits if edit.replacement), "-"))
    whole = [Edit(token.start, token.end, _changed(token, own)) for token, own in changes.items()]
    return apply(formula, sorted(whole))


def renamed(formula: str, rename: Callable[[Token], str]) -> str:
    """The formula with each sheet, name and bracket as `rename` writes it."""
    return "".join(
        rename(token) if token.kind in (Kind.SHEET, Kind.NAME, Kind.FUNCTION, Kind.BRACKET) else token.text
        for token in tokens(formula)
    )


def sheets_of(prefix: str) -> tuple[list[str], bool]:
    """The sheets that a prefix like `'Jan:Mar'!` names (none for `!`), and whether they are of another workbook."""
    body = prefix[:-1]
    if body.startswith("'"):
        body = body[1:-1].replace("''", "'")
    _, bracket, rest = body.rpartition("]")
    return [name for name in (rest if bracket else body).split(":") if name], bool(bracket)


def sheet_prefix(names: Iterable[str]) -> str:
    """The prefix of a reference to sheets, in quotes where they are required."""
    body = ":".join(names)
    is_plain = all(_PLAIN_SHEET.fullmatch(n) and not _LIKE_AREA.fullmatch(n) for n in body.split(":"))
    return f"{body}!" if is_plain else "'" + body.replace("'", "''") + "'!"


def columns_of(bracket: str) -> list[str]:
    """The columns that the bracket of a structured reference names."""
    inner = re.findall(r"\[((?:[^\[\]']|'.)*)\]", bracket[1:-1]) or [bracket[1:-1].removeprefix("@")]
    return [re.sub(r"'(.)", r"\1", name) for name in inner if name and not name.startswith(("#", "@"))]


def escaped_column(name: str) -> str:
    """The name of a column, escaped for a structured reference."""
    return re.sub(r"([\[\]#'@])", r"'\1", name)


def quoted(text: str) -> str:
    """A text as a string literal of a formula."""
    return '"' + text.replace('"', '""') + '"'


def unquoted(text: str) -> str:
    """The text of a string literal of a formula."""
    return text.removeprefix('"').removesuffix('"').replace('""', '"')


def _changed(token: Token, edits: list[Edit]) -> str:
    edits = sorted(edits)
    if token.kind is Kind.STRING:
        return quoted(apply(unquoted(token.text), edits))
    return quoted(next((edit.replacement for edit in edits if edit.replacement), "-"))


def _token_text(token: Token, names: Names) -> str:
    text = token.text
    match token.kind:
        case Kind.STRING:
            return unquoted(text)
        case Kind.NUMBER:
            return text if sum(c.isdigit() for c in text) >= _LEAST_NUMBER else ""
        case Kind.SHEET:
            own, is_foreign = sheets_of(text)
            return "" if not is_foreign and all(n.lower() in names.sheets for n in own) else " ".join(own)
        case Kind.FUNCTION:
            return "" if _PLAIN_FUNCTION.fullmatch(text) else _spaced(text)
        case Kind.NAME:
            return "" if text.lower() in names.others or text.upper() in _CONSTANTS else _spaced(text)
        case Kind.BRACKET:
            return " ".join(name for name in columns_of(text) if name.lower() not in names.columns)
        case _:
            return ""


def _spaced(name: str) -> str:
    """A name with blanks between its words, in the same length."""
    return as_words(re.sub(r"[_.\\]", " ", name))
