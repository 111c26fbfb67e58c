"""Finds values that layout divides: `Mr. Fahad` / `Alotaibi`, the groups of an IBAN, the ten boxes of a comb field.

Detection reads every line by itself, as forms and tables need it. Here lines that were only wrapped are joined and read
again, and spans across the breaks are added. A joined text has the length of the original, so offsets are the same.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from schemas.entities import EntityType
from schemas.spans import Span

_T = EntityType

_SHORTEST_PROSE = 24  # characters of a line that may be wrapped; shorter lines are labels and cells
_FULL_SHARE = 0.85  # a line is full from this share of the width of its neighbours on
_WORD_JOINER = "\u2060"  # deleted by normalization
# Types whose check digits prove that both halves belong together, whatever the lines look like.
_SELF_VALIDATING = frozenset({_T.IBAN, _T.CREDIT_CARD})
_BROKEN = _SELF_VALIDATING | {_T.NATIONAL_ID, _T.RESIDENCE_PERMIT, _T.PHONE_NUMBER, _T.TAX_ID, _T.EMAIL_ADDRESS}
_LINKS = frozenset("@.-_+/")  # characters at the end or beginning of half a value
_COLON_REACH = 4  # characters after a value in which a colon makes it a label
_COMB = re.compile(r"(?<![^\W_])[^\W_](?:[ \t|]{1,3}[^\W_]){8,33}(?![^\W_])(?!\.\d)")
_CHECKED = frozenset({_T.IBAN, _T.NATIONAL_ID, _T.RESIDENCE_PERMIT})
_GROUPED = (
    re.compile(r"(?<![\w.,'])[12](?P<mark>[,.'\u066c\u2019])\d{3}(?P=mark)\d{3}(?P=mark)\d{3}(?![\w']|[.,]\d)"),
    re.compile(r"(?<!\w)[Ss][Aa]\d\d(?:[ \u00a0-]?\t[ \u00a0-]?[0-9A-Za-z]{4}){5}(?!\w)"),
)

Detect = Callable[[str, bool], Sequence[Span]]


class SurfaceSpan(NamedTuple):
    """A span of the text, and its surface without the break."""

    span: Span
    surface: str


class _Break(NamedTuple):
    """A line end at `position`: after a full line, between digits, or perhaps inside a word."""

    position: int
    is_full: bool
    splits_digits: bool
    splits_word: bool


def spans_across_breaks(text: str, own: Sequence[Span], detect: Detect) -> list[SurfaceSpan]:
    """`own`, the spans within lines, and the spans across line breaks and boxes, by position.

    `detect` takes a text and whether checksums must hold. Spans that `own` already covers are left out.
    """
    breaks = list(_breaks(text)) if "\n" in text else []
    found = [SurfaceSpan(span, text[span.start : span.end]) for span in own]
    for new in (*_comb_fields(text, detect), *_grouped_digits(text, detect)):
        _insert(found, new, text)
    for glue, chosen in ((" ", [b for b in breaks if b.is_full or b.splits_digits]),
                         (_WORD_JOINER, [b for b in breaks if b.splits_word])):  # fmt: skip
        if chosen:
            joined = _joined(text, chosen, glue)
            for span in detect(joined, glue == _WORD_JOINER):
                if _is_enumeration(text[span.start : span.end].split()):
                    continue
                if _is_believed(joined, span, chosen, own, glue == _WORD_JOINER):
                    surface = joined[span.start : span.end].replace(_WORD_JOINER, "")
                    _insert(found, SurfaceSpan(span, surface), text)
    return found


def _grouped_digits(text: str, detect: Detect) -> Iterator[SurfaceSpan]:
    """Identifiers that software grouped as amounts, `1,012,345,672`, and IBANs with tabs between their groups.

    Only a check digit distinguishes them from an amount.
    """
    runs = {match.span() for pattern in _GROUPED for match in pattern.finditer(text)}
    if runs:
        joined = text
        for pattern in _GROUPED:
            joined = pattern.sub(lambda match: re.sub(r"[^\w]", _WORD_JOINER, match[0]), joined)
        for span in detect(joined, True):
            if span.type in _CHECKED and (span.start, span.end) in runs:
                yield SurfaceSpan(span, joined[span.start : span.end].replace(_WORD_JOINER, ""))


def _comb_fields(text: str, detect: Detect) -> Iterator[SurfaceSpan]:
    """Codes with one character in each box of a comb field. The whole row must be the code."""
    runs = {match.span() for match in _COMB.finditer(text)}
    if runs:
        joined = _COMB.sub(lambda match: re.sub(r"[^\w]", _WORD_JOINER, match[0]), text)
        for span in detect(joined, False):
            if span.type in _BROKEN and (span.start, span.end) in runs:
                yield SurfaceSpan(span, joined[span.start : span.end].replace(_WORD_JOINER, ""))


def _breaks(text: str) -> Iterator[_Break]:
    lines = text.split("\n")
    position = -1
    for number, (line, following) in enumerate(pairwise(lines)):
        position += len(line) + 1
        if not line or not following or line[-1].isspace() or following[0].isspace():
            continue
        last, first = line.split()[-1], following.split()[0]
        splits_digits = _has_digits(last) and _has_digits(first)
        whole = last + first
        has_links = _links(line[-1]) and _links(following[0])
        is_address = whole.isascii() and whole.count("@") == 1
        is_full = _is_full(lines[max(0, number - 1) : number + 2], line, first)
        yield _Break(position, is_full, splits_digits, has_links and (splits_digits or is_address))


def _has_digits(token: str) -> bool:
    return sum(c.isdigit() for c in token) >= 2


def _links(character: str) -> bool:
    return character.isalnum() or character in _LINKS


def _is_full(around: Sequence[str], line: str, first: str) -> bool:
    """Whether the first word of the next line had no room on this line. Rows of cells are never wrapped."""
    width = max(map(len, around))
    has_cells = any("\t" in other for other in around[-2:])
    return len(line) >= _SHORTEST_PROSE and not has_cells and len(line) + 1 + len(first) >= _FULL_SHARE * width


def _joined(text: str, breaks: Sequence[_Break], glue: str) -> str:
    characters = list(text)
    for item in breaks:
        characters[item.position] = glue
    return "".join(characters)


def _is_believed(joined: str, span: Span, breaks: Sequence[_Break], own: Sequence[Span], is_glued: bool) -> bool:
    first = bisect_right(breaks, span.start, key=lambda item: item.position)
    last = bisect_left(breaks, span.end, key=lambda item: item.position)
    if first >= last or joined[span.end : span.end + _COLON_REACH].lstrip(" ").startswith((":", "：")):
        return False  # `Fahad` / `Alotaibi City: Riyadh`: before a colon is a label
    if is_glued:  # an e-mail address that is complete before the line end does not continue
        return span.type in _BROKEN and (span.type is not _T.EMAIL_ADDRESS or not _is_address(own, span))
    return span.type in _SELF_VALIDATING or all(item.is_full for item in breaks[first:last])


def _is_enumeration(pieces: Sequence[str]) -> bool:
    """Whether the pieces are successive numbers, such as row numbers: `12`, `13`, `14`, `15`, `16` is not an ID."""
    if len(pieces) < 2 or not all(piece.isdecimal() for piece in pieces):
        return False
    return all(int(one) + 1 == int(other) for one, other in pairwise(pieces))


def _is_address(own: Sequence[Span], span: Span) -> bool:
    first = bisect_right(own, span.start, key=lambda known: known.end)
    last = bisect_left(own, span.end, key=lambda known: known.start)
    return any(known.type is _T.EMAIL_ADDRESS for known in own[first:last])


def _insert(found: list[SurfaceSpan], new: SurfaceSpan, text: str) -> None:
    """Adds `new` to `found`. It replaces spans inside it and is cut at spans that extend beyond it."""
    start, end = new.span.start, new.span.end
    first = bisect_right(found, start, key=lambda item: item.span.end)
    last = bisect_left(found, end, key=lambda item: item.span.start)
    if first < last and found[first].span.start < start:
        start, first = found[first].span.end, first + 1
    if first < last and found[last - 1].span.end > end:
        end, last = found[last - 1].span.start, last - 1
    covered = {index for item in found[first:last] for index in range(item.span.start, item.span.end)}
    if any(text[index].isalnum() and index not in covered for index in range(start, end)):
        is_whole = (start, end) == new.span[:2]
        surface = new.surface if is_whole else text[start:end].strip()
        found[first:last] = [SurfaceSpan(new.span._replace(start=start, end=end), surface)]
