"""Where one value may be spread over several pieces: a digit to a cell, a number over paragraphs, a name in two cells.

Only what has the shape of an identifier once it is put together is handed on: numbers beside each other are mostly just
that, and detection has the last word.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from pipeline.documents import document
from pipeline.documents.document import Joint
from pipeline.documents.ooxml import Element, local
from pipeline.documents.ooxml_cuts import is_mobile, names_phone
from pipeline.documents.ooxml_pieces import Piece

# Identity, tax and card numbers, mobiles and IBANs, as they read without separators.
_WHOLE = re.compile(
    r"[12١٢۱۲]\d{9}"  # national ids and residence permits
    r"|(?:00966|\+?966|[0٠۰])?[5٥۵]\d{8}"  # mobiles
    r"|\d{14,16}"  # cards and tax numbers
    r"|[Ss][Aa]\d{4}[0-9A-Za-z]{18}"  # IBANs
)
_FRAGMENT = re.compile(
    r"\+?[^\W_]{1,12}|[-\u2010-\u2015/.]"
)  # what a cell or a paragraph that holds a stretch of a number looks like
_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015\u200b-\u200f\u2066-\u2069]+")
_TAIL = re.compile(r"[\w+@.-]+$")
_HEAD = re.compile(r"^[\w@.-]+")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)*\.[A-Za-z]{2,}")
_BOXES = frozenset({"txbxContent", "txBody"})
_YEAR = re.compile(r"(?:1[3-9]|2[01])\d\d")
_MOST_PIECES = 40  # cells or paragraphs that one value is spread over
_MOST_ROWS = 2  # rows of a table or paragraphs of a story that look like one number: more are lists of numbers
_LEAST_RECORD = 3  # cells with headings that have nothing in common
_WORDS = re.compile(r"[^\W\d_]+")
_WORD = 200  # characters of the word at a paragraph's end
_PROSE = 40  # characters of a paragraph that may have run out of room
_WINDOW = 80  # characters on each side of a paragraph's end that are read together
_GIVEN = re.compile(
    r"\b(?:first|given|fore|christian)\s*-?name|^first$|الاسم الأول|الإسم الأول|اسم الشخص", re.IGNORECASE
)
_FAMILY = re.compile(
    r"\b(?:last|family|sur|second|father'?s?|grandfather'?s?)\s*-?name|^last$|العائلة|اللقب|الأخير|اسم الأب|اسم الجد",
    re.IGNORECASE,
)


def across_paragraphs(pieces: Sequence[Piece]) -> Iterator[Joint]:
    """Joints between paragraphs that follow each other in one story."""
    numbers: list[Joint] = []
    for index, (one, other) in enumerate(pairwise(pieces)):
        tail, head = _TAIL.search(one.text.rstrip()[-_WORD:]), _HEAD.search(other.text.lstrip()[:_WORD])
        if tail is None or head is None:
            continue
        if tail[0][-1].isdigit() and head[0][0].isdigit():
            numbers += _numbers(pieces[index : index + _MOST_PIECES])
        elif (tail[0] + head[0]).count("@") == 1 and not _is_address(tail[0]) and not _is_address(head[0]):
            yield Joint((_tail(one), _head(other)), glue="")
        if len(one.text) >= _PROSE and tail[0][-1].isalpha() and head[0][0].isalpha():
            yield Joint((_tail(one, _WINDOW), _head(other, _WINDOW)), flows=True)
    is_rare = len(numbers) <= _MOST_ROWS
    yield from (joint for joint in numbers if is_rare or _is_comb(joint))


def _is_address(word: str) -> bool:
    return _ADDRESS.fullmatch(word) is not None


def _numbers(pieces: Sequence[Piece]) -> Iterator[Joint]:
    """A number that begins at the end of the first paragraph and goes on in those behind it."""
    parts = [_tail(pieces[0])]
    said = pieces[0].text[parts[0].start : parts[0].end]
    for piece in pieces[1:]:
        head = _head(piece)
        said += piece.text[head.start : head.end]
        parts.append(head)
        if _is_whole(said):
            yield Joint(tuple(parts), glue="", context=pieces[0].context, flows=True)
        if head.end - head.start != len(piece.text.strip()):
            return


def _is_whole(said: str) -> bool:
    return _WHOLE.fullmatch(_SEPARATORS.sub("", said)) is not None


def _tail(piece: Piece, most: int = 0) -> document.Piece:
    """The last word of a piece, or its last words of `most` characters in all."""
    text = piece.text.rstrip()
    start = max(0, len(text) - most)
    if start or not most:
        start = max(text.rfind(blank, 0, start + 1 if most else len(text)) for blank in " \t\n\u00a0") + 1
    return document.Piece(piece.id, start, len(text))


def _head(piece: Piece, most: int = 0) -> document.Piece:
    """The first word of a piece, or its first words of `most` characters in all."""
    text = piece.text
    start = len(text) - len(text.lstrip())
    if most and len(text) - start <= most:
        return document.Piece(piece.id, start, len(text))
    ends = [text.find(blank, start + most) for blank in " \t\n\u00a0"]
    return document.Piece(piece.id, start, min((end for end in ends if end >= 0), default=len(text)))


def across_rows(stories: Mapping[Element, Sequence[Piece]]) -> Iterator[Joint]:
    """Joints between neighbouring cells of the tables among `stories` (cells and other containers, in order)."""
    tables: dict[Element, dict[Element, list[Piece]]] = {}
    for story, pieces in stories.items():
        cell = story if local(story) != "txBody" else story.getparent()
        row = next((above for above in cell.iterancestors() if local(above) == "tr"), None)
        table = (
            next((above for above in row.iterancestors() if local(above) == "tbl"), None) if row is not None else None
        )
        if local(cell) == "tc" and table is not None and len(pieces) == 1:
            tables.setdefault(table, {}).setdefault(row, []).append(pieces[0])
    for rows in tables.values():
        yield from across_lines(list(rows.values()))


def across_lines(lines: Sequence[Sequence[Piece]]) -> Iterator[Joint]:
    """Joints between neighbouring cells of one table, given row by row."""
    if all(len(line) == 1 for line in lines):
        lines = [[piece for line in lines for piece in line]]
    found = [list(_boxes(line)) for line in lines]
    is_rare = sum(map(bool, found)) <= _MOST_ROWS
    for joints in found:
        yield from (joint for joint in joints if is_rare or _is_comb(joint))
    labelled = [joint for line in lines for joint in _beside_words(line)]
    yield from labelled if len(labelled) <= _MOST_ROWS else ()
    for line in lines:
        yield from _names(line)


def _beside_words(line: Sequence[Piece]) -> Iterator[Joint]:
    """What two neighbouring cells make up, one of which holds words as well: `ID: 10583` and `74925`."""
    found: list[Joint] = []
    for one, other in pairwise(line):
        pair = (one.text.strip(), other.text.strip())
        if all(map(_FRAGMENT.fullmatch, pair)) or not pair[0] or not pair[1]:
            continue
        if not _YEAR.fullmatch(pair[0].split()[-1]):  # `FY 2023` stands beside an amount
            found += _ends((one, other))
    yield from _called(found, line)


def _called(joints: Sequence[Joint], beside: Sequence[Piece]) -> Iterator[Joint]:
    """Joints without the mobiles that nothing beside them calls so: `Model 055` and `1234567` are a code of goods."""
    texts = {piece.id: piece.text for piece in beside}
    mobiles = [is_mobile("".join(texts[p.unit][p.start : p.end] for p in joint.pieces)) for joint in joints]
    is_said = any(mobiles) and names_phone(text for piece in beside for text in (piece.text, piece.context))
    yield from (joint for joint, mobile in zip(joints, mobiles, strict=True) if is_said or not mobile)


def across_boxes(stories: Mapping[Element, Sequence[Piece]]) -> Iterator[Joint]:
    """Joints between text boxes and shapes that follow each other, a fragment in each."""
    lines: dict[bool, list[Piece]] = {False: [], True: []}
    for story, pieces in stories.items():
        if local(story) in _BOXES and local(story.getparent()) == "tc":
            continue  # a table's
        if local(story) in _BOXES and len(pieces) == 1 and _FRAGMENT.fullmatch(pieces[0].text.strip()):
            lines[any(local(above) == "Fallback" for above in story.iterancestors())].append(pieces[0])
        elif local(story) in _BOXES:
            for line in lines.values():
                yield from _boxes(line)
            lines = {False: [], True: []}
    for line in lines.values():
        yield from _boxes(line)
    yield from _across_ends(stories)


def _across_ends(stories: Mapping[Element, Sequence[Piece]]) -> Iterator[Joint]:
    """Joints between the last paragraph of a box and the first of the next: a label may stand before the one half."""
    lines: dict[bool, list[Sequence[Piece]]] = {False: [], True: []}
    for story, pieces in stories.items():
        if local(story) in _BOXES and local(story.getparent()) != "tc":
            lines[any(local(above) == "Fallback" for above in story.iterancestors())].append(pieces)
    found: list[Joint] = []
    for line in lines.values():
        for place in range(len(line) - 1):
            ends = [line[place][-1]]
            for pieces in line[place + 1 : place + _MOST_PIECES]:
                ends.append(pieces[0])
                if len(pieces) > 1:
                    break
            found += _called([*_ends(ends)], [piece for box in line[place : place + len(ends)] for piece in box])
    if len(found) <= _MOST_ROWS * len(lines):
        yield from found


def _ends(pieces: Sequence[Piece]) -> Iterator[Joint]:
    """What begins at the end of the first piece and goes on in those behind it: a number, an address, an IBAN."""
    tail, head = _TAIL.search(pieces[0].text.rstrip()[-_WORD:]), _HEAD.search(pieces[1].text.lstrip()[:_WORD])
    if tail is None or head is None:
        return
    if tail[0][-1].isdigit() and head[0][0].isdigit():
        yield from _numbers(pieces)
    elif (tail[0] + head[0]).count("@") == 1 and not _is_address(tail[0]) and not _is_address(head[0]):
        yield Joint((_tail(pieces[0]), _head(pieces[1])), glue="")


def _boxes(line: Sequence[Piece]) -> Iterator[Joint]:
    """Neighbouring cells that hold a fragment each and make up an identifier."""
    for first, piece in enumerate(line):
        said = ""
        for last in range(first, min(len(line), first + _MOST_PIECES)):
            text = line[last].text.strip()
            if not _FRAGMENT.fullmatch(text):
                break
            said += text
            if last > first and _is_whole(said) and not _is_record(line[first : last + 1]):
                label = line[first - 1].text if first else piece.context
                parts = tuple(document.Piece(p.id, 0, len(p.text)) for p in line[first : last + 1])
                yield Joint(parts, glue="", context=label, flows=True)


def _is_record(cells: Sequence[Piece]) -> bool:
    """Whether each cell has a heading of its own: quantity, price and total of a row are no number together."""
    headings = {frozenset(_WORDS.findall(cell.context)) for cell in cells}
    words = [word for heading in headings for word in heading]
    if len(cells) < _LEAST_RECORD or len(headings) < len(cells) or all(len(cell.text.strip()) == 1 for cell in cells):
        return False
    return all(headings) and len(set(words)) == len(words)


def _is_comb(joint: Joint) -> bool:
    return all(piece.end - piece.start == 1 for piece in joint.pieces)


def _names(line: Sequence[Piece]) -> Iterator[Joint]:
    """A first name's cell and those of the other names beside it."""
    for first, piece in enumerate(line):
        if not _GIVEN.search(piece.context):
            continue
        last = first + 1
        while last < len(line) and _FAMILY.search(line[last].context):
            last += 1
        if last > first + 1:
            parts = tuple(document.Piece(p.id, 0, len(p.text)) for p in line[first:last])
            yield Joint(parts, context="Name")


class NameParts:
    """Puts together a first and a last name that are fields of one record: neighbours with labels that say so."""

    def __init__(self) -> None:
        self._recent: list[Piece] = []

    def joined(self, piece: Piece) -> Iterator[Joint]:
        """The joint that a field completes, if any."""
        for first, last in ((_GIVEN, _FAMILY), (_FAMILY, _GIVEN)):
            if last.search(piece.context):
                other = next((known for known in self._recent if first.search(known.context)), None)
                if other is not None:
                    given, family = (other, piece) if first is _GIVEN else (piece, other)
                    parts = tuple(document.Piece(p.id, 0, len(p.text)) for p in (given, family))
                    yield Joint(parts, context="Name")
        self._recent = [piece, *self._recent[:2]]
