"""What stands over short paragraphs in a row: an address of a letter, a name with a line for each of its parts."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from pipeline.documents.document import Joint, Piece
from pipeline.documents.ooxml_pieces import Piece as Paragraph

_SHORT = 60  # characters of a line of an address
_LINES = 6  # that are read as one
_STEP = 3  # so that four lines of an address always stand in one reading
_NAME = re.compile(r"\s*[^\W\d_]+(?: [^\W\d_]+)?\s*")  # a paragraph of one or two words
_GIVEN = re.compile(r"\s*[^\W\d_]+\s*")
_FAMILY = re.compile(r"\s*(?:Al-?|El-?|ال|[Bb]int? |بنت? )\w{2,}")  # how family names of the region begin
_END = re.compile(r"(?:\S+ ){0,3}[^\W\d_]+\s*$")
_BEGINNING = re.compile(r"\s*\S+(?: \S+){0,2}")


def over_short_paragraphs(paragraphs: Sequence[Paragraph]) -> Iterator[Joint]:
    """Joints of the short paragraphs of one story, in order; detection says what is an address or a name."""
    for is_short, run in groupby(paragraphs, lambda paragraph: len(paragraph.text) <= _SHORT):
        lines = list(run)
        for start in range(0, max(1, len(lines) - _STEP), _STEP) if is_short and len(lines) > 1 else ():
            window = lines[start : start + _LINES]
            if any(c.isdecimal() for line in window for c in line.text):
                yield Joint(tuple(Piece(line.id, 0, len(line.text)) for line in window), "\n", flows=True)
    for one, other in pairwise(paragraphs):
        is_family = _FAMILY.match(other.text) is not None
        end, beginning = _END.search(one.text[-_SHORT:]), _BEGINNING.match(other.text[:_SHORT])
        if end and beginning and (is_family or _is_pair(one.text, other.text)):
            start = max(0, len(one.text) - _SHORT) + end.start()
            yield Joint((Piece(one.id, start, len(one.text)), Piece(other.id, 0, beginning.end())), flows=True)


def _is_pair(one: str, other: str) -> bool:
    """Whether a paragraph may hold a given name alone, and the next one the rest."""
    return len(one) <= _SHORT and len(other) <= _SHORT and bool(_GIVEN.fullmatch(one) and _NAME.fullmatch(other))
