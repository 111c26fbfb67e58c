"""Finds every other occurrence of values already found, in any spelling that normalizes alike, in linear time.

Texts and values are compared in two forms (`detect.text.equivalence`). *Words* keeps words apart and nothing else.
*Compact* keeps letters and digits alone, so that groups, hyphens and lost or invented blanks do not matter. Characters
that a text spells otherwise, as addresses of the web do, are read as what they mean.
"""

import html
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from pipeline.detect.text.equivalence import compact_form, compact_origins, is_attached_mark, words_form, words_origins

# Texts that spell characters otherwise: `%D8%B3` of addresses, `&#x633;` of HTML, `\u0633` of JSON and of code.
#
# Sources: RFC 3986, section 2.1; the named character references of HTML; RFC 8259, section 7; RFC 2045, section 6.7;
# string literals of Python and JavaScript; the octal bytes in which shells and git quote names of files.

# However often JSON was put into JSON: all backslashes before an escape belong to it. `(?<!\\\\)` keeps that linear.
# However often an address was put into another: `%25` and `&amp;` are what becomes of their own marks.
_SPELLED = re.compile(
    r"""(?P<percent>(?:%(?:25)*[0-9A-Fa-f]{2})+)
      | &(?:amp;)*(?P<entity>\#0{0,20}\d{1,7}(?!\d);?|\#[xX]0{0,20}[0-9A-Fa-f]{1,6}(?![0-9A-Fa-f]);?
                            |[A-Za-z][A-Za-z0-9]{1,24};)
      | \\(?<!\\\\)\\*+(?:u(?P<high>[Dd][89ABab][0-9A-Fa-f]{2})\\+u(?P<low>[Dd][C-Fc-f][0-9A-Fa-f]{2})
                       |u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8})|[ux]\{(?P<braced>[0-9A-Fa-f]{1,8})\}
                       |(?P<hexadecimal>x[0-9A-Fa-f]{2}(?:\\+x[0-9A-Fa-f]{2})*)
                       |(?P<octal>[0-3][0-7]{2}(?:\\+[0-3][0-7]{2})+))
      | (?P<quoted>(?:=[0-9A-F]{2}(?:=\r?\n)?){2,})""",
    re.VERBOSE,
)
_MARKS = re.compile(r"[%&\\=]")
_BYTE = {
    "percent": re.compile(r"%(?:25)*([0-9A-Fa-f]{2})"),
    "hexadecimal": re.compile(r"\\+x([0-9A-Fa-f]{2})"),
    "octal": re.compile(r"\\+([0-3][0-7]{2})"),
    "quoted": re.compile(r"=([0-9A-F]{2})(?:=\r?\n)?"),
}
# What bytes are that are not UTF-8: the code page in which old Arabic addresses were written; characters' own numbers.
_OTHERWISE = {"percent": "cp1256", "hexadecimal": "latin-1"}
_MOST_TIMES = 3  # `&#37;40` is an @ that was spelled twice


class Decoded(NamedTuple):
    """What a text means: character `n` of `text` is spelled at `starts[n]:ends[n]` of the original."""

    text: str
    starts: list[int]
    ends: list[int]


def decode_escapes(text: str) -> Decoded | None:
    """The text with every such spelling resolved, also those that resolving shows; None when there is none."""
    found = _once(text)
    for _ in range(_MOST_TIMES - 1):
        again = _once(found.text) if found else None
        if found is None or again is None:
            break
        starts, ends = [found.starts[n] for n in again.starts], [found.ends[n - 1] for n in again.ends]
        found = Decoded(again.text, starts, ends)
    return found


def _once(text: str) -> Decoded | None:
    if _MARKS.search(text) is None or _SPELLED.search(text) is None:
        return None
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for match in _SPELLED.finditer(text):
        pieces.append(text[last : match.start()])
        starts += range(last, match.start())
        ends += range(last + 1, match.start() + 1)
        for letter, start, end in _meant(match):
            pieces.append(letter)
            starts.append(start)
            ends.append(end)
        last = match.end()
    pieces.append(text[last:])
    starts += range(last, len(text))
    ends += range(last + 1, len(text) + 1)
    meaning = "".join(pieces)
    return Decoded(meaning, starts, ends) if meaning != text else None


def _meant(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """The characters that a spelling stands for, each with its place; none for a number beyond the last character."""
    kind = match.lastgroup or ""
    if kind in _BYTE:
        yield from _of_bytes(match, kind)
        return
    start, end = match.span()
    for letter in html.unescape(f"&{match[kind]}") if kind == "entity" else _numbered(match, kind):
        yield letter, start, end


def _numbered(match: re.Match[str], kind: str) -> str:
    number = int(match[kind], 16)
    if kind == "low":  # RFC 8259, section 7: twelve signs for what lies beyond four digits
        number = 0x10000 + ((int(match["high"], 16) - 0xD800) << 10) + number - 0xDC00
    return chr(number) if number <= sys.maxunicode else ""


def _of_bytes(match: re.Match[str], kind: str) -> Iterator[tuple[str, int, int]]:
    """Bytes that are UTF-8, else what `kind` has for such; ASCII is no reason to see bytes in `\\100` and `=40`."""
    at, run = match.start(), match[0]
    units = [(int(unit[1], 8 if kind == "octal" else 16), *unit.span()) for unit in _BYTE[kind].finditer(run)]
    data = bytes(byte for byte, _, _ in units)
    encoding = "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding = _OTHERWISE.get(kind, "")
        text = data.decode(encoding) if encoding else ""
    if not text or (kind not in _OTHERWISE and text.isascii()):
        yield from ((letter, place, place + 1) for place, letter in enumerate(run, at))
        return
    first = 0
    for letter in text:
        last = first + len(letter.encode(encoding)) - 1
        yield letter, at + units[first][1], at + units[last][2]
        first = last + 1


_HANGING = frozenset("وفبلك")  # Arabic prepositions and conjunctions, written onto the next word


class MatchScope(Enum):
    """Where an occurrence counts."""

    ANYWHERE = "inside longer strings too"
    WORD = "as a token of its own"
    LINE = "where a text, or a line of it, says nothing else"


class SearchValue(NamedTuple):
    """What to look for; `key` comes back with each hit. `compact`: in which form. `signed`: a plus belongs to it."""

    key: int
    surface: str
    compact: bool
    scope: MatchScope
    signed: bool = False


class Hit(NamedTuple):
    """`text[start:end]`, in offsets of the text that was searched, is an occurrence of the value `key`."""

    start: int
    end: int
    key: int


class _Forms:
    """A text, its two forms and the origins of their characters, each made when first needed."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def words(self) -> str:
        return words_form(self.text)

    @cached_property
    def compact(self) -> str:
        return compact_form(self.text)

    @cached_property
    def words_origins(self) -> list[int]:
        return words_origins(self.text)

    @cached_property
    def compact_origins(self) -> list[int]:
        return compact_origins(self.text)


class OccurrenceFinder:
    """Looks for a fixed set of values in any number of texts. Immutable.

    `every`: a value is told also where it lies inside another one, or begins there.
    """

    def __init__(self, values: Iterable[SearchValue], *, overlapping: bool = False) -> None:
        values = list(values)
        self._alone: dict[str, int] = {}
        for value in values:
            if value.scope is MatchScope.LINE:
                self._alone.setdefault(compact_form(value.surface), value.key)
        self._alone.pop("", None)
        self._longest_line = 4 * max(map(len, self._alone), default=0)
        searches = (
            _Search([v for v in values if v.compact is compact and v.scope is scope], compact, scope, overlapping)
            for compact in (False, True)
            for scope in (MatchScope.ANYWHERE, MatchScope.WORD)
        )
        self._searches = [search for search in searches if search.patterns]

    def hits(self, text: str) -> list[Hit]:
        """Every occurrence, in order of position; hits may overlap each other."""
        found = set(self._plain_hits(text))
        meant = decode_escapes(text)
        if meant is not None:
            found.update(
                Hit(meant.starts[start], meant.ends[end - 1], key) for start, end, key in self._plain_hits(meant.text)
            )
        return sorted(found)

    def _plain_hits(self, text: str) -> Iterator[Hit]:
        forms = _Forms(text)
        for search in self._searches:
            yield from search.hits(forms)
        if self._alone:
            yield from self._lines(forms)

    def _lines(self, forms: _Forms) -> Iterator[Hit]:
        text = forms.text
        yield from self._line(text, 0, forms)
        if "\n" not in text:
            return
        start = 0
        for line in text.split("\n"):
            yield from self._line(line, start, _Forms(line))
            start += len(line) + 1

    def _line(self, line: str, start: int, forms: _Forms) -> Iterator[Hit]:
        """The line without the marks before its first letter, if it says one of the values and nothing else."""
        key = self._alone.get(forms.compact) if len(line) <= self._longest_line else None
        if key is not None:
            lead = next(index for index, character in enumerate(line) if character.isalnum())
            yield Hit(start + lead, start + len(line), key)


class _Search:
    """One automaton over one form. Anywhere: leftmost-longest matches, so that every occurrence of every pattern loses
    at least a part. Tokens: all matches, since the edges refuse most of them; and wherever `every` one is asked for."""

    def __init__(self, values: Sequence[SearchValue], compact: bool, scope: MatchScope, overlapping: bool) -> None:
        self._is_compact = compact
        form = compact_form if compact else words_form
        self.patterns: dict[str, SearchValue] = {}
        for value in values:
            folded = form(value.surface)
            if folded:
                self.patterns.setdefault(folded, value)
        self._values = list(self.patterns.values())
        self._anywhere = scope is MatchScope.ANYWHERE
        self._overlapping = overlapping or not self._anywhere
        kind = MatchKind.Standard if self._overlapping else MatchKind.LeftmostLongest
        # Left to itself, the library takes the kind that is searched a little faster and made four times more slowly.
        how = Implementation.ContiguousNFA
        self._automaton = AhoCorasick(list(self.patterns), matchkind=kind, implementation=how)

    def hits(self, forms: _Forms) -> Iterator[Hit]:
        text, folded = forms.text, forms.compact if self._is_compact else forms.words
        origin: list[int] | None = None
        for pattern, start, end in self._automaton.find_matches_as_indexes(folded, overlapping=self._overlapping):
            if origin is None:
                origin = forms.compact_origins if self._is_compact else forms.words_origins
            first, last = origin[start], _with_marks(text, origin[end - 1] + 1)
            if self._anywhere or (_opens(text, first) and _closes(text, last)):
                value = self._values[pattern]
                yield Hit(_with_sign(text, first, last) if value.signed else first, last, value.key)


def _opens(text: str, start: int) -> bool:
    """Whether a token may begin here: after a non-word character, or after one Arabic letter that hangs on words."""
    if start == 0 or not text[start - 1].isalnum():
        return True
    return text[start - 1] in _HANGING and (start == 1 or not text[start - 2].isalnum())


def _closes(text: str, end: int) -> bool:
    return end == len(text) or not text[end].isalnum()


def _with_marks(text: str, end: int) -> int:
    """Vowel marks and invisible characters that hang on the last letter belong to it."""
    while end < len(text) and is_attached_mark(text[end]):
        end += 1
    return end


def _with_sign(text: str, start: int, end: int) -> int:
    """Where a telephone number begins whose digits stand at `start:end`: its plus, and the bracket that it closes."""
    if start and text[start - 1] in "+\uff0b":
        start -= 1
    if start and text[start - 1] in "(\uff08" and any(closing in text[start:end] for closing in ")\uff09"):
        start -= 1
    return start
