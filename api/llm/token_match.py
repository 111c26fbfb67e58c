"""Recognizes the tokens of one request in a model's text, also as models bend them.

Tolerated: brackets dropped or escaped (`&lt;`, `%3C`, `\\u003c`, `\\<`), any case, invisible characters, line breaks
and blanks anywhere, underscores escaped (`\\_`, `&#95;`), dropped, or written as hyphens or dashes, and Arabic digits.
Without brackets it may also stand between underscores, as in names of files. What a token is, its type and 8 hex say:
they must be those of exactly one token of this request.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

LONGEST = 64  # characters, brackets included; a longer one is text
LOOK_BACK = 64  # characters before a place that decide about it: what it stands in

_NOISE = r"\s\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
_SKIP = _NOISE + r"_\-\u2010-\u2015\u203f\u2212\ufe58\ufe63\uff0d\uff3f\\"
_ESCAPED_SKIP = r"&(?:#0{0,2}95;|#[xX]0{0,2}5[fF];|lowbar;)"  # an underscore in HTML
_ARABIC_DIGITS = "٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹"
_WORD = r"0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u024f"  # not Arabic: و and ب are written onto the next word
_GAP = f"[{_NOISE}]{{0,{LONGEST}}}"

# What stands for a bracket, by its first character: the part behind it.
_OPENINGS = {
    "<": ("",),
    "\\": ("<", "u003c", "x3c"),
    "&": ("lt;", "amp;lt;", "#60;", "#060;", "#0060;", "#x3c;", "#x03c;", "#x003c;"),
    "%": ("3c", "253c"),
}
_CLOSINGS = {
    ">": ("",),
    "/": (">",),  # as of a tag without content
    "\\": (">", "u003e", "x3e"),
    "&": ("gt;", "amp;gt;", "#62;", "#062;", "#0062;", "#x3e;", "#x03e;", "#x003e;"),
    "%": ("3e", "253e"),
}


def _literal(text: str) -> str:
    return "".join(f"[{c}{c.upper()}]" if c.isalpha() else re.escape(c) for c in text)


def _any_of(texts: tuple[str, ...] | list[str]) -> str:
    return "(?:" + "|".join(_literal(text) for text in texts) + ")"


def _beginnings(texts: tuple[str, ...]) -> list[str]:
    """Every part, the empty one included, with which one of `texts` begins and is not over."""
    return sorted({text[:length] for text in texts for length in range(len(text))}, key=len, reverse=True)


def _spelled(letters: str, group: str) -> str:
    """The rest of a word with noise before every letter: whole (then `group` takes part), or up to the text's end."""
    if not letters:
        return f"(?P<{group}>)"
    return rf"{_GAP}(?:{_literal(letters[0])}{_spelled(letters[1:], group)}|\Z)"


def _head() -> re.Pattern[str]:
    """A bracket and MASKED, or MASKED at the beginning of a word, or what may become one at the text's end.

    One class of first characters leads, so that the engine passes over all other text at full speed.
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
_GOES_ON = re.compile(f"[{_WORD}{_ARABIC_DIGITS}]")
_CLOSE = re.compile(_GAP + "(?:" + "|".join(re.escape(a) + _any_of(b) for a, b in _CLOSINGS.items()) + ")")
_CLOSING = re.compile(
    _GAP + "(?:" + "|".join(re.escape(a) + _any_of(_beginnings(b)) for a, b in _CLOSINGS.items() if any(b)) + r")?\Z"
)


class Hit(NamedTuple):
    """A token recognized at `text[start:end]`."""

    start: int
    end: int
    token: str


class _Open:
    """The text ends before it is known whether this is a token."""


_OPEN = _Open()


class LiveTokens:
    """The tokens of one request, found in text. Immutable; its cost does not grow with their number."""

    def __init__(self, originals: Mapping[str, str]) -> None:
        self._originals = originals
        self._by_core: dict[str, str] = {}
        for token in originals:
            core = _core(token)
            if core:
                known = self._by_core.get(core)
                doubtful = known is not None and (not known or originals[known] != originals[token])
                self._by_core[core] = "" if doubtful else token
        self._cores = sorted(self._by_core)
        self._lengths = sorted({len(core) for core in self._cores})

    def __bool__(self) -> bool:
        return bool(self._by_core)

    def find(self, text: str, start: int, *, final: bool) -> tuple[list[Hit], int]:
        """The tokens from `start` on, and how far the text is settled: behind that, one may be about to come.

        `text[:start]` is what came before (the last LOOK_BACK characters suffice). With `final` all is settled.
        """
        hits: list[Hit] = []
        at = start
        while head := _HEAD.search(text, at):
            verdict = self._judged(text, head, final=final)
            if isinstance(verdict, _Open):
                return hits, head.start()
            if verdict is None:
                at = head.end() if head["bracketed"] is not None else head.start() + 1
            else:
                hits.append(verdict)
                at = verdict.end
        return hits, len(text)

    def _judged(self, text: str, head: re.Match[str], *, final: bool) -> Hit | _Open | None:
        start, limit = head.start(), head.start() + LONGEST
        may_grow = not final and len(text) < limit
        bracketed = head["bracketed"] is not None
        if not bracketed and head["bare"] is None:
            return _OPEN if may_grow else None
        run = _RUN.match(text, head.end(), limit)
        if run is None:  # MASKED alone is longer than a token may be
            return None
        core = _SKIPPED.sub("", run.group()).lower().translate(_ASCII)
        for length in self._lengths:
            token = self._by_core.get(core[:length])
            if token is None or length > len(core):
                continue
            end = _ended(text, start, _behind(run, length), bracketed=bracketed, final=final)
            if isinstance(end, _Open):
                return end
            if end is not None:
                start += _strays(text, start, end)
                exact = text[start:end]
                token = exact if exact in self._originals else token
                if token:
                    return Hit(start, end, token)
        is_at_end = run.end() == len(text) or _CUT_SKIP.match(text, run.end())
        return _OPEN if may_grow and is_at_end and self._begins_one(core) else None

    def _begins_one(self, core: str) -> bool:
        at = bisect_left(self._cores, core + "\0")
        return at < len(self._cores) and self._cores[at].startswith(core)


def _core(token: str) -> str:
    """What of a token counts, and nothing that a model may change: `personab12cd34`; empty when it is no token."""
    bare = _SKIPPED.sub("", token.strip("<>")).lower()
    return bare.removeprefix("masked") if bare.startswith("masked") else ""


def _behind(run: re.Match[str], length: int) -> int:
    """Where in the text the first `length` letters of the run end."""
    letters = _ONE_LETTER.finditer(run.string, run.start(), run.end())
    return next(islice(letters, length - 1, None)).end()


def _ended(text: str, start: int, hex_end: int, *, bracketed: bool, final: bool) -> int | _Open | None:
    """Where the token ends whose hex ends at `hex_end`: behind its bracket, or there when it stands alone."""
    limit = start + LONGEST
    if bracketed:
        if close := _CLOSE.match(text, hex_end, limit):
            return close.end()
        if not final and len(text) < limit and _CLOSING.match(text, hex_end):
            return _OPEN
        if text.startswith(">", hex_end):
            return None  # with its bracket it is too long
    elif text.startswith(">", hex_end) and not _in_angles(text, start):
        return hex_end + 1  # the opening bracket alone was dropped
    if hex_end == len(text):
        return hex_end if final else _OPEN
    return None if _GOES_ON.match(text, hex_end) else hex_end


def _strays(text: str, start: int, end: int) -> int:
    """1 if the backslash before the bracket is none of Markdown's: nothing else of the token is escaped (`C:\\<…>`)."""
    return int(text.startswith("\\<", start) and "\\" not in text[start + 1 : end])


def _in_angles(text: str, start: int) -> bool:
    """Whether a bracket is open before `start`, as in `<mailto:`: then the closing one is not the token's."""
    floor = max(0, start - LOOK_BACK)
    return text.rfind("<", floor, start) > text.rfind(">", floor, start)
