"""What layout cuts apart: `Mr. Fahad` / `Alotaibi`, an IBAN's groups, an identity number in a form's ten boxes.

Detection reads lines as forms and tables mean them, each for itself. Here lines that only ran out of room are joined
and read once more, and what lies across a break is added. Joined texts keep their length, so offsets stay.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from schemas.entities import EntityType
from schemas.spans import Span

_T = EntityType

_PROSE = 24  # characters of a line that may have run out of room; shorter ones are labels and cells
_FULL = 0.85  # share of its neighbours' width from which on a line is full
_GLUE = "\u2060"  # a word joiner: detection deletes it
# Values whose own check digits or shape say that both halves belong together, whatever the lines look like.
_PROVEN = frozenset({_T.IBAN, _T.CREDIT_CARD})
_BROKEN = _PROVEN | {_T.NATIONAL_ID, _T.RESIDENCE_PERMIT, _T.PHONE_NUMBER, _T.TAX_ID, _T.EMAIL_ADDRESS}
_LINKS = frozenset("@.-_+/")  # what may stand at the very end or beginning of half a value
_NEAR = 4  # characters behind a value in which a colon makes a label of it
_COMB = re.compile(r"(?<![^\W_])[^\W_](?:[ \t|]{1,3}[^\W_]){8,33}(?![^\W_])(?!\.\d)")
_CHECKED = frozenset({_T.IBAN, _T.NATIONAL_ID, _T.RESIDENCE_PERMIT})
_GROUPED = (
    re.compile(r"(?<![\w.,'])[12](?P<mark>[,.'\u066c\u2019])\d{3}(?P=mark)\d{3}(?P=mark)\d{3}(?![\w']|[.,]\d)"),
    re.compile(r"(?<!\w)[Ss][Aa]\d\d(?:[ \u00a0-]?\t[ \u00a0-]?[0-9A-Za-z]{4}){5}(?!\w)"),
)

Detect = Callable[[str, bool], Sequence[Span]]


class SurfaceSpan(NamedTuple):
    """A span of the text, and its value as it reads without the break."""

    span: Span
    surface: str


class _Break(NamedTuple):
    """A line's end at `position`: it ran out of room; it parts digits; it may even part the letters of one word."""

    position: int
    is_full: bool
    parts_digits: bool
    parts_word: bool


def spans_across_breaks(text: str, own: Sequence[Span], detect: Detect) -> list[SurfaceSpan]:
    """`own`, what detection found line by line, with what lies across breaks and boxes, in order of position.

    `detect` takes a text and whether checksums must hold. A span that own ones cover already says nothing new.
    """
    breaks = list(_breaks(text)) if "\n" in text else []
    found = [SurfaceSpan(span, text[span.start : span.end]) for span in own]
    for new in (*_combed(text, detect), *_grouped(text, detect)):
        _place(found, new, text)
    for glue, chosen in ((" ", [b for b in breaks if b.is_full or b.parts_digits]),
                         (_GLUE, [b for b in breaks if b.parts_word])):  # fmt: skip
        if chosen:
            joined = _joined(text, chosen, glue)
            for span in detect(joined, glue == _GLUE):
                if _is_believed(joined, span, chosen, own, glue == _GLUE):
                    surface = joined[span.start : span.end].replace(_GLUE, "")
                    _place(found, SurfaceSpan(span, surface), text)
    return found


def _grouped(text: str, detect: Detect) -> Iterator[SurfaceSpan]:
    """Numbers that software grouped as amounts, `1,012,345,672`, and IBANs with a tab between their groups.

    Here only a check digit says that no amount is meant.
    """
    runs = {match.span() for pattern in _GROUPED for match in pattern.finditer(text)}
    if runs:
        joined = text
        for pattern in _GROUPED:
            joined = pattern.sub(lambda match: re.sub(r"[^\w]", _GLUE, match[0]), joined)
        for span in detect(joined, True):
            if span.type in _CHECKED and (span.start, span.end) in runs:
                yield SurfaceSpan(span, joined[span.start : span.end].replace(_GLUE, ""))


def _combed(text: str, detect: Detect) -> Iterator[SurfaceSpan]:
    """Codes written with one character to a box: the whole row of characters must be the code."""
    runs = {match.span() for match in _COMB.finditer(text)}
    if runs:
        joined = _COMB.sub(lambda match: re.sub(r"[^\w]", _GLUE, match[0]), text)
        for span in detect(joined, False):
            if span.type in _BROKEN and (span.start, span.end) in runs:
                yield SurfaceSpan(span, joined[span.start : span.end].replace(_GLUE, ""))


def _breaks(text: str) -> Iterator[_Break]:
    lines = text.split("\n")
    position = -1
    for number, (line, following) in enumerate(pairwise(lines)):
        position += len(line) + 1
        if not line or not following or line[-1].isspace() or following[0].isspace():
            continue
        last, first = line.split()[-1], following.split()[0]
        parts_digits = _has_digits(last) and _has_digits(first)
        whole = last + first
        yield _Break(
            position,
            _is_full(lines[max(0, number - 1) : number + 2], line, first),
            parts_digits,
            _links(line[-1]) and _links(following[0]) and (parts_digits or (whole.isascii() and whole.count("@") == 1)),
        )


def _has_digits(token: str) -> bool:
    return sum(c.isdigit() for c in token) >= 2


def _links(character: str) -> bool:
    return character.isalnum() or character in _LINKS


def _is_full(around: Sequence[str], line: str, first: str) -> bool:
    """Whether the next line's first word had no room on this one; rows of cells never run out of room."""
    width = max(map(len, around))
    has_cells = any("\t" in other for other in around[-2:])
    return len(line) >= _PROSE and not has_cells and len(line) + 1 + len(first) >= _FULL * width


def _joined(text: str, breaks: Sequence[_Break], glue: str) -> str:
    characters = list(text)
    for item in breaks:
        characters[item.position] = glue
    return "".join(characters)


def _is_believed(joined: str, span: Span, breaks: Sequence[_Break], own: Sequence[Span], is_glued: bool) -> bool:
    first = bisect_right(breaks, span.start, key=lambda item: item.position)
    last = bisect_left(breaks, span.end, key=lambda item: item.position)
    if first >= last or joined[span.end : span.end + _NEAR].lstrip(" ").startswith((":", "：")):
        return False  # `Fahad` / `Alotaibi City: Riyadh`: what a colon follows is a label
    if is_glued:  # what already is an address before its line ends goes on with another word
        return span.type in _BROKEN and (span.type is not _T.EMAIL_ADDRESS or not _is_address(own, span))
    return span.type in _PROVEN or all(item.is_full for item in breaks[first:last])


def _is_address(own: Sequence[Span], span: Span) -> bool:
    first = bisect_right(own, span.start, key=lambda known: known.end)
    last = bisect_left(own, span.end, key=lambda known: known.start)
    return any(known.type is _T.EMAIL_ADDRESS for known in own[first:last])


def _place(found: list[SurfaceSpan], new: SurfaceSpan, text: str) -> None:
    """Puts `new` among `found`: it takes the place of spans inside it and gives way to those that reach out of it."""
    start, end = new.span.start, new.span.end
    first = bisect_right(found, start, key=lambda item: item.span.end)
    last = bisect_left(found, end, key=lambda item: item.span.start)
    if first < last and found[first].span.start < start:
        start, first = found[first].span.end, first + 1
    if first < last and found[last - 1].span.end > end:
        end, last = found[last - 1].span.start, last - 1
    told = {index for item in found[first:last] for index in range(item.span.start, item.span.end)}
    if any(text[index].isalnum() and index not in told for index in range(start, end)):
        is_whole = (start, end) == new.span[:2]
        surface = new.surface if is_whole else text[start:end].strip()
        found[first:last] = [SurfaceSpan(new.span._replace(start=start, end=end), surface)]
