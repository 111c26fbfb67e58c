"""Numbers whose groups stand in cells of their own, as in forms with a box for every two to four digits.

A wide gap between two words is a tab and ends a number, because the columns of a table are no groups of one. Cells that
are close together and hold groups of like length may be: their line follows again with the groups as one number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pipeline.documents.document import Reading, Word
from pipeline.ocr.layout.lines import with_further_lines, words_by_line

_GROUP = re.compile(r"(?=\D*\d)[A-Z\d]{1,6}")
_MAX_GAP = 6.0  # times the height of a group: between two of one number
_SAME = 0.4  # of the width of a word: more of it in another word is the same ink
_DIGITS = range(8, 25)  # of a number: an IBAN has 22
_MAX_DIFFERENCE = 1  # characters between two groups; the first or the last one may be shorter
_AROUND = 12  # words of its line on either side: what the number is called


def with_joined_cells(reading: Reading) -> Reading:
    """The reading with lines again at its end whose cells may be one number, its groups from left to right.

    The words keep their boxes. O(words log words).
    """
    further = []
    for start, end, line_words in words_by_line(reading):
        if "\t" not in reading.text[start:end]:
            continue
        line = _without_parts(line_words)
        places = {word.start: place for place, word in enumerate(line)}
        for run in _runs(reading.text, line):
            joined, words = "", []
            for separator, word in _joined(reading.text, line, places[min(word.start for word in run)], run):
                joined += separator + reading.text[word.start : word.end]
                words.append(replace(word, start=len(joined) - _length(word), end=len(joined)))
            further.append((joined, words))
    return with_further_lines(reading, further)


def _without_parts(line: Sequence[Word]) -> list[Word]:
    """The words without those that are ink of a longer one, as where two lines of a detector overlap."""
    pairs = list(pairwise(sorted(line, key=lambda word: word.left)))
    parts = {one for pair in pairs for one, other in (pair, pair[::-1]) if _is_part(one, other)}
    return [word for word in line if word not in parts]


def _is_part(word: Word, other: Word) -> bool:
    shared = min(word.left + word.width, other.left + other.width) - max(word.left, other.left)
    return _length(word) < _length(other) and shared > _SAME * word.width


def _runs(text: str, line: Sequence[Word]) -> Iterator[list[Word]]:
    """Groups beside each other that may be one number, with a tab between two of them."""
    for chain in _chains(text, line):
        furthest = 0
        for first, word in enumerate(chain):
            ends = range(_furthest(text, chain, first), first + 1, -1)
            end = next((end for end in ends if _may_be_number(text, chain[first:end])), 0)
            is_after_shorter = first > 0 and _length(chain[first - 1]) < _length(word) - _MAX_DIFFERENCE
            if end > furthest or (end and is_after_shorter):
                yield chain[first:end]
            furthest = max(furthest, end)


def _furthest(text: str, chain: Sequence[Word], first: int) -> int:
    """The end of the longest run from there on that has no more digits than a number."""
    digits = 0
    for end in range(first, len(chain)):
        digits += _digits(text, chain[end])
        if digits >= _DIGITS.stop:
            return end
    return len(chain)


def _chains(text: str, line: Sequence[Word]) -> Iterator[list[Word]]:
    """Groups from left to right, each near the one before."""
    chain: list[Word] = []
    for word in sorted(line, key=lambda word: word.left):
        if chain and not (_is_group(text, word) and _is_near(chain[-1], word)):
            yield chain
            chain = []
        if _is_group(text, word):
            chain.append(word)
    yield chain


def _may_be_number(text: str, run: Sequence[Word]) -> bool:
    lengths = [_length(word) for word in run]
    if any(length < max(lengths) - _MAX_DIFFERENCE for length in lengths[1:-1]):
        return False
    digits = sum(_digits(text, word) for word in run)
    start, end = min(word.start for word in run), max(word.end for word in run)
    return digits in _DIGITS and "\t" in text[start:end]


def _is_group(text: str, word: Word) -> bool:
    return _GROUP.fullmatch(text[word.start : word.end]) is not None


def _is_near(one: Word, other: Word) -> bool:
    return other.left - one.left - one.width <= _MAX_GAP * min(one.height, other.height)


def _digits(text: str, word: Word) -> int:
    return sum(map(str.isdigit, text[word.start : word.end]))


def _length(word: Word) -> int:
    return word.end - word.start


def _joined(text: str, line: Sequence[Word], first: int, run: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """The words around a run and the run, each with the blank before it; no other groups, which are other numbers.

    `first`: the place in the line of the run's first word in the text.
    """
    before = [word for word in line[max(0, first - _AROUND) : first] if not _is_group(text, word)]
    after = [word for word in line[first : first + len(run) + _AROUND] if not _is_group(text, word)]
    for place, word in enumerate((*before, *run, *after)):
        is_inside = len(before) < place < len(before) + len(run)
        yield ("" if not place else " " if is_inside else text[word.start - 1]), word
