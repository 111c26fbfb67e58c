"""Recognizes the tokens of one request in a model's text, also as models alter them.

Tolerated: brackets dropped or escaped (`&lt;`, `%3C`, `\\u003c`, `\\<`), any case, invisible characters, line breaks
and blanks anywhere, underscores escaped (`\\_`, `&#95;`), dropped, or written as hyphens or dashes, and Arabic digits.
A token without brackets may also be surrounded by underscores, as in file names. The type and the 8 hex digits identify
a token; they must be those of exactly one token of this request.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

MAX_TOKEN = 64  # characters, brackets included; a longer one is not a token
LOOK_BACK = 64  # characters before a token that decide whether its bracket belongs to it

_NOISE = r"\s\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
_SKIP = _NOISE + r"_\-\u2010-\u2015\u203f\u2212\ufe58\ufe63\uff0d\uff3f\\"
_ESCAPED_SKIP = r"&(?:#0{0,2}95;|#[xX]0{0,2}5[fF];|lowbar;)"  # an underscore in HTML
_ARABIC_DIGITS = "٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹"
_WORD = r"0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u024f"  # no Arabic: و and ب are written onto the next word
_GAP = f"[{_NOISE}]{{0,{MAX_TOKEN}}}"

# The spellings of a bracket, by their first character: the rest of the spelling.
_OPENINGS = {
    "<": ("",),
    "\\": ("<", "u003c", "x3c"),
    "&": ("lt;", "amp;lt;", "#60;", "#060;", "#0060;", "#x3c;", "#x03c;", "#x003c;"),
    "%": ("3c", "253c"),
}
_CLOSINGS = {
    ">": ("",),
    "/": (">",),  # as in a self-closing tag
    "\\": (">", "u003e", "x3e"),
    "&": ("gt;", "amp;gt;", "#62;", "#062;", "#0062;", "#x3e;", "#x03e;", "#x003e;"),
    "%": ("3e", "253e"),
}


def _literal(text: str) -> str:
    return "".join(f"[{c}{c.upper()}]" if c.isalpha() else re.escape(c) for c in text)


def _any_of(texts: tuple[str, ...] | list[str]) -> str:
    return "(?:" + "|".join(_literal(text) for text in texts) + ")"


def _beginnings(texts: tuple[str, ...]) -> list[str]:
    """Every proper prefix of one of `texts`, the empty one included."""
    return sorted({text[:length] for text in texts for length in range(len(text))}, key=len, reverse=True)


def _spelled(letters: str, group: str) -> str:
    """The rest of a word with noise before every letter: complete (then `group` matches), or cut off at the end."""
    if not letters:
        return f"(?P<{group}>)"
    return rf"{_GAP}(?:{_literal(letters[0])}{_spelled(letters[1:], group)}|\Z)"


def _head() -> re.Pattern[str]:
    """Matches a bracket and MASKED, or MASKED at the beginning of a word, or the beginning of one at the text's end.

    The pattern begins with one character class, so that the engine skips all other text at full speed.
    """
    opened = "|".join(f"(?<={re.escape(first)}){_any_of(rest)}" for first, rest in _OPENINGS.items())
    cut = "|".join(
        rf"(?<={re.escape(first)}){_any_of(_beginnings(rest))}\Z" for first, rest in _OPENINGS.items() if any(rest)
    )
    bracketed = rf"(?:{opened}){_GAP}(?:[mM]{_spelled('asked', 'bracketed')}|\Z)"
    return re.compile(
        rf"[<\\&%mM](?:{bracketed}|(?<=[mM])(?<![{_WORD}].){_spelled('asked', 'bare')}|{cut})",
        re.DOTALL,
    )


_HEAD = _head()
_LETTER = f"0-9A-Za-z{_ARABIC_DIGITS}"
_RUN = re.compile(f"[{_LETTER}{_SKIP}]*(?:{_ESCAPED_SKIP}[{_LETTER}{_SKIP}]*)*")
_CUT_SKIP = re.compile(r"&(?:#(?:0{0,2}9?|0{0,2}95|[xX]0{0,2}5?|[xX]0{0,2}5[fF])|l|lo|low|lowb|lowba|lowbar)?\Z")
_SKIPPED = re.compile(f"(?:[{_SKIP}]|{_ESCAPED_SKIP})+")
_ONE_LETTER = re.compile(f"(?:[{_SKIP}]|{_ESCAPED_SKIP})*[{_LETTER}]")
_ASCII = str.maketrans(_ARABIC_DIGITS, "0123456789" * 2)
_CONTINUES = re.compile(f"[{_WORD}{_ARABIC_DIGITS}]")
_CLOSE = re.compile(_GAP + "(?:" + "|".join(re.escape(a) + _any_of(b) for a, b in _CLOSINGS.items()) + ")")
_CLOSING = re.compile(
    _GAP + "(?:" + "|".join(re.escape(a) + _any_of(_beginnings(b)) for a, b in _CLOSINGS.items() if any(b)) + r")?\Z"
)


class Hit(NamedTuple):
    """A token recognized at `text[start:end]`."""

    start: int
    end: int
    token: str


class _Undecided:
    """The text ends before it is known whether this is a token."""


_UNDECIDED = _Undecided()


class RequestTokens:
    """Finds the tokens of one request in text. Immutable. The cost does not grow with the number of tokens."""

    def __init__(self, originals: Mapping[str, str]) -> None:
        self._originals = originals
        self._by_core: dict[str, str] = {}
        for token in originals:
            core = _core(token)
            if core:
                known = self._by_core.get(core)
                is_ambiguous = known is not None and (not known or originals[known] != originals[token])
                self._by_core[core] = "" if is_ambiguous else token
        self._cores = sorted(self._by_core)
        self._lengths = sorted({len(core) for core in self._cores})

    def __bool__(self) -> bool:
        return bool(self._by_core)

    def find(self, text: str, start: int, *, final: bool) -> tuple[list[Hit], int]:
        """The tokens from `start` on, and the end of the decided text: a token may begin there and be incomplete.

        `text[:start]` is the text before, of which the last LOOK_BACK characters suffice. With `final` everything is
        decided.
        """
        hits: list[Hit] = []
        at = start
        while head := _HEAD.search(text, at):
            result = self._match_at(text, head, final=final)
            if isinstance(result, _Undecided):
                return hits, head.start()
            if result is None:
                at = head.end() if head["bracketed"] is not None else head.start() + 1
            else:
                hits.append(result)
                at = result.end
        return hits, len(text)

    def _match_at(self, text: str, head: re.Match[str], *, final: bool) -> Hit | _Undecided | None:
        start, limit = head.start(), head.start() + MAX_TOKEN
        may_grow = not final and len(text) < limit
        bracketed = head["bracketed"] is not None
        if not bracketed and head["bare"] is None:
            return _UNDECIDED if may_grow else None
        run = _RUN.match(text, head.end(), limit)
        if run is None:  # the head alone exceeds MAX_TOKEN
            return None
        core = _SKIPPED.sub("", run.group()).lower().translate(_ASCII)
        for length in self._lengths:
            token = self._by_core.get(core[:length])
            if token is None or length > len(core):
                continue
            end = _token_end(text, start, _end_of_letters(run, length), bracketed=bracketed, final=final)
            if isinstance(end, _Undecided):
                return end
            if end is not None:
                start += _stray_backslash(text, start, end)
                exact = text[start:end]
                token = exact if exact in self._originals else token
                if token:
                    return Hit(start, end, token)
        is_at_end = run.end() == len(text) or _CUT_SKIP.match(text, run.end())
        return _UNDECIDED if may_grow and is_at_end and self._begins_one(core) else None

    def _begins_one(self, core: str) -> bool:
        at = bisect_left(self._cores, core + "\0")
        return at < len(self._cores) and self._cores[at].startswith(core)


def _core(token: str) -> str:
    """The part of a token that identifies it and that models do not change: `personab12cd34`; empty for other text."""
    bare = _SKIPPED.sub("", token.strip("<>")).lower()
    return bare.removeprefix("masked") if bare.startswith("masked") else ""


def _end_of_letters(run: re.Match[str], length: int) -> int:
    """The position in the text behind the first `length` letters of the run."""
    letters = _ONE_LETTER.finditer(run.string, run.start(), run.end())
    return next(islice(letters, length - 1, None)).end()


def _token_end(text: str, start: int, hex_end: int, *, bracketed: bool, final: bool) -> int | _Undecided | None:
    """The end of the token whose hex digits end at `hex_end`: behind its closing bracket, or there when it has none."""
    limit = start + MAX_TOKEN
    if bracketed:
        if close := _CLOSE.match(text, hex_end, limit):
            return close.end()
        if not final and len(text) < limit and _CLOSING.match(text, hex_end):
            return _UNDECIDED
        if text.startswith(">", hex_end):
            return None  # with its bracket it exceeds MAX_TOKEN
    elif text.startswith(">", hex_end) and not _is_inside_angles(text, start):
        return hex_end + 1  # only the opening bracket was dropped
    if hex_end == len(text):
        return hex_end if final else _UNDECIDED
    return None if _CONTINUES.match(text, hex_end) else hex_end


def _stray_backslash(text: str, start: int, end: int) -> int:
    """1 if the backslash before the bracket is not Markdown's: nothing else in the token is escaped (`C:\\<…>`)."""
    return int(text.startswith("\\<", start) and "\\" not in text[start + 1 : end])


def _is_inside_angles(text: str, start: int) -> bool:
    """Whether a bracket is open before `start`, as in `<mailto:`. The closing bracket is not the token's then."""
    floor = max(0, start - LOOK_BACK)
    return text.rfind("<", floor, start) > text.rfind(">", floor, start)
