"""Columns of single characters, one per line, such as a vertical identity number: OCR mostly skips them.

Ordinary columns are left alone: check boxes and bullets (their shapes repeat), row numbers and the numbers of an axis
(they count), letters, and the columns of a table of single characters.
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.detect.text.checksums import luhn, mod97
from pipeline.documents.document import Word
from pipeline.documents.raster.ink import Mark, group_lines

_MIN_COLUMN = 6  # characters of a column
_MAX_OFFSET = 0.5  # times the character height: largest horizontal distance between two centres
_MAX_HEIGHT_RATIO = 1.6  # largest ratio between the heights of two neighbours
_MAX_GAP = 12.0  # times the character height: the largest gap between two, with two zeros between them, which are dots
_MIN_SHAPES = 4  # different shapes in a number
_MIN_TABLE_SHAPES = 3  # different shapes in a column of a table; check boxes and dashes have fewer
_SAME_SHAPE = 0.75  # correlation of two images of one shape
_SAME_SHAPE_IN_PRINT = 0.8  # above what 6 and 8 of one font reach, below what one digit twice keeps in a noisy scan
_MIN_APART, _MIN_SHARED = 0.5, 0.5  # times the height: the gap between marks of a row, and what they share of it
_MAX_STEP = 1.6  # times the pitch: with a longer step a place is empty
_DIGITS = frozenset("0123456789")
_SIZE = (12, 16)  # pixels: the size at which shapes are compared
_MIN_TABLE_COLUMNS = 3  # columns side by side that are a table
_RECENT = 100  # latest columns or rows that a mark may continue
_COMPARED = 20  # columns with the nearest tops that are compared: a page can have ten thousand
_SAME_ROWS = 0.6  # share of the rows of a column that another column of its table has
_MIN_COLUMN_DISTANCE = 2.0  # times the character height: distance between the centres of two table columns
_CELLS = 2, 30  # in a row of a table beside a mark
_CELL_GAP, _CELL_WORDS = 1.5, 6  # times the height of a mark: between two cells; words of one
_ROWS_OF_CELLS = 0.8  # share of the marks of a column that stand in such rows
_MIN_READ = 4  # characters that show that a column counts by one
_MIN_READ_OF_STEPS = 5  # characters that show that it counts by another step
_MAX_UNREAD_OF_STEPS = 2
_MIN_ALL_DIFFERENT = 9  # characters, all different: true for every axis, and for one in three hundred numbers
# Relative deviation of height and pitch in print; handwriting, whose shapes never repeat, deviates more.
_MAX_PRINT_DEVIATION = 0.12
_LIKE_ONE_OR_ZERO = str.maketrans("Il|Oo", "11100")
_SEQUENCES = (
    "0123456789",
    "abcdefghijklmnopqrstuvwxyz",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "ابجدهوزحطيكلمنسعفصقرشتثخذضظغ",
)
# Letters as which OCR misreads Western and Eastern digits.
_LIKE_DIGITS = frozenset("VAYWOETILSBZvoilsz" + "اأهةويرلعد")


class Column(NamedTuple):
    """The marks of a column from top to bottom, its number of shapes, and whether it is printed and none repeats."""

    marks: list[Mark]
    shapes: int
    is_varied: bool


def columns(image: Any, marks: Sequence[Mark]) -> list[Column]:
    """The columns of marks that are alone on their lines."""
    found = _column_groups([row[0] for row in group_lines(marks) if len(row) == 1])
    all_columns = (_column_of(image, column) for column in found if len(column) >= _MIN_COLUMN)
    return [column for column in all_columns if column.shapes >= _MIN_TABLE_SHAPES]


def spaced_rows(image: Any, marks: Sequence[Mark]) -> list[Column]:
    """The rows of marks with gaps between them, as in a form with a place for each digit, turned into columns."""
    rows = _row_groups(_apart(marks))
    turned = (_column_of(image.T, list(map(transposed, row))) for row in rows if len(row) >= _MIN_COLUMN)
    return [column for column in turned if column.shapes >= _MIN_TABLE_SHAPES]


def transposed(mark: Mark) -> Mark:
    """The mark in the image with rows and columns exchanged."""
    return Mark(mark.top, mark.left, mark.height, mark.width)


def is_even(column: Sequence[Mark]) -> bool:
    """Whether no place of a column is empty: an Eastern zero is a dot, and no mark."""
    pitch, steps = _pitch(column)
    return float(steps.max()) < _MAX_STEP * pitch


def characters_in(column: Sequence[Mark], text: str, words: Sequence[Word]) -> Mapping[int, str]:
    """The characters that one-letter words read at the marks of a column, by index of the mark; digits in ASCII."""
    single = [(word, _in_ascii(text[word.start])) for word in words if word.end - word.start == 1]
    return {n: character for n, mark in enumerate(column) for word, character in single if _contains(word, mark)}


def _in_ascii(character: str) -> str:
    return str(unicodedata.decimal(character, character))


def may_be_number(column: Column, read_characters: Mapping[int, str]) -> bool:
    """Whether a column may be a number: it does not count, and it is not letters only."""
    if column.shapes < _MIN_SHAPES or counts(column.marks, read_characters):
        return False
    if column.is_varied and _is_in_order(column.marks, read_characters):  # an axis, of which often nothing is read
        return False
    letters = [
        character for character in read_characters.values() if character.isalpha() and character not in _LIKE_DIGITS
    ]
    return len(letters) * 2 < len(column.marks) or any(character.isdigit() for character in read_characters.values())


def counts(column: Sequence[Mark], read_characters: Mapping[int, str]) -> bool:
    """Whether a column counts: enough characters were read, in alphabetical or numerical order or at equal steps."""
    if len(read_characters) >= max(_MIN_READ_OF_STEPS, len(column) - _MAX_UNREAD_OF_STEPS) and _DIGITS.issuperset(
        read_characters.values()
    ):
        rows = _rows(column)
        digits = {rows[n]: int(digit) for n, digit in read_characters.items()}
        return any(_has_constant_step(digits, step, 10) for step in range(1, 10))
    return len(read_characters) >= max(_MIN_READ, len(column) / 2) and _is_in_order(column, read_characters)


def _is_in_order(column: Sequence[Mark], read_characters: Mapping[int, str]) -> bool:
    rows = _rows(column)
    characters = {rows[n]: character.lower().replace("أ", "ا") for n, character in read_characters.items()}
    digits = {rows[n]: character.translate(_LIKE_ONE_OR_ZERO) for n, character in read_characters.items()}
    for order in _SEQUENCES:
        read = digits if order.isdigit() else characters
        if set(order).issuperset(read.values()):
            places = {row: order.index(character) for row, character in read.items()}
            if any(_has_constant_step(places, step, len(order)) for step in (1, -1)):
                return True
    return False


def in_table(column: Sequence[Mark], all_columns: Sequence[Sequence[Mark]]) -> bool:
    """Whether at least two other columns of `all_columns` (sorted by top) share the rows of a column at a distance."""
    place = bisect_left(all_columns, column[0].top, key=lambda other: other[0].top)
    nearest = all_columns[max(0, place - _COMPARED) : place + _COMPARED]
    table_columns = [other for other in nearest if other is not column and _has_same_rows(column, other)]
    return len(table_columns) + 1 >= _MIN_TABLE_COLUMNS


def in_rows_of_cells(column: Sequence[Mark], words: Any, slope: float) -> bool:
    """Whether most marks of a column stand in rows with other cells, as quantities do between items and prices.

    `words`: boxes (n, 4; left, top, width, height); `slope`: by how much rows fall from left to right.
    """
    rows = sum(_CELLS[0] <= _cells_beside(mark, words, slope) <= _CELLS[1] for mark in column)
    return rows >= _ROWS_OF_CELLS * len(column)


def _cells_beside(mark: Mark, words: Any, slope: float) -> int:
    """The cells of the row of a mark without its own; one with many words is prose, and counts as too many."""
    left, top, width, height = words.T
    away = left + width / 2 - mark.left - mark.width / 2
    down = top + height / 2 - slope * away - _center(mark)
    in_row = (np.abs(away) >= _MIN_COLUMN_DISTANCE * mark.height) & (np.abs(down) <= height / 2)
    starts, ends = left[in_row], (left + width)[in_row]
    order = np.argsort(starts)
    starts = np.append(starts[order], np.inf)
    ends = np.maximum.accumulate(np.append(ends[order], np.inf))
    is_first = np.append(True, starts[1:] - ends[:-1] >= _CELL_GAP * mark.height)
    is_first |= np.append(False, (ends[:-1] < mark.left) & (starts[1:] > mark.left))
    firsts = np.flatnonzero(is_first)
    longest = int(np.diff(firsts).max(initial=0))
    return len(firsts) - 1 if longest <= _CELL_WORDS else _CELLS[1] + 1


def is_identifier(text: str) -> bool:
    """Whether valid check digits prove an identity number, a card number or an IBAN."""
    if text[:2] == "SA" and text.isascii() and text[2:].isdigit():
        return len(text) == 24 and mod97(text)
    if not _DIGITS.issuperset(text) or not luhn(text):
        return False
    return (len(text) == 10 and text[0] in "12") or 14 <= len(text) <= 19


def with_column_lines(text: str, words: Sequence[Word]) -> tuple[str, tuple[Word, ...]]:
    """The text and words of a reading, with further lines for columns of single digits, read from top to bottom."""
    single = {Mark(w.left, w.top, w.width, w.height): w for w in words if w.end - w.start == 1}
    digits = [mark for mark, word in single.items() if text[word.start] in _DIGITS]
    characters = {mark: text[word.start] for mark, word in single.items()}
    table = [
        column for column in _column_groups(list(single)) if len({characters[m] for m in column}) >= _MIN_TABLE_SHAPES
    ]
    table = [column for column in table if len(column) >= _MIN_COLUMN]
    all_words = list(words)
    for column in _column_groups(digits):
        digits_text = "".join(characters[mark] for mark in column)
        ordinary = in_table(column, table) or counts(column, dict(enumerate(digits_text)))
        if len(column) < _MIN_COLUMN or (ordinary and not is_identifier(digits_text)):
            continue
        text += "\n"
        for mark in column:
            start = len(text)
            text += characters[mark]
            all_words.append(replace(single[mark], start=start, end=start + 1))
    return text, tuple(all_words)


def _column_groups(marks: Sequence[Mark]) -> list[list[Mark]]:
    return _chains(sorted(marks, key=lambda m: m.top), _is_below)


def _row_groups(marks: Sequence[Mark]) -> list[list[Mark]]:
    return _chains(sorted(marks, key=lambda m: m.left), _is_beside)


def _chains(marks: Iterable[Mark], follows: Callable[[Mark, Mark], bool]) -> list[list[Mark]]:
    """The marks, each in the latest chain whose last mark it `follows`, or else in a chain of its own."""
    found: list[list[Mark]] = []
    for mark in marks:
        chain = next((chain for chain in reversed(found[-_RECENT:]) if follows(mark, chain[-1])), None)
        if chain is None:
            found.append([mark])
        else:
            chain.append(mark)
    return found


def _apart(marks: Sequence[Mark]) -> list[Mark]:
    """The marks without another one close beside them, as letters of words have."""
    found: list[Mark] = []
    for line in group_lines(marks):
        near = [
            after.left - before.left - before.width < _MIN_APART * max(before.height, after.height)
            for before, after in pairwise(line)
        ]
        found += [mark for mark, *beside in zip(line, [False, *near], [*near, False], strict=True) if not any(beside)]
    return found


def _is_beside(mark: Mark, last: Mark) -> bool:
    lower, higher = sorted((mark.height, last.height))
    shared = min(mark.top + mark.height, last.top + last.height) - max(mark.top, last.top)
    gap = mark.left - last.left - last.width
    return higher <= _MAX_HEIGHT_RATIO * lower and shared >= _MIN_SHARED * lower and 0 <= gap <= _MAX_GAP * higher


def _is_below(mark: Mark, last: Mark) -> bool:
    lower, higher = sorted((mark.height, last.height))
    apart = abs(2 * mark.left + mark.width - 2 * last.left - last.width) / 2
    gap = mark.top - last.top - last.height
    return higher <= _MAX_HEIGHT_RATIO * lower and apart <= _MAX_OFFSET * higher and 0 <= gap <= _MAX_GAP * higher


def _column_of(image: Any, column: list[Mark]) -> Column:
    is_long = len(column) >= _MIN_ALL_DIFFERENT and _is_printed(column)
    is_varied = is_long and _count_shapes(image, column, _SAME_SHAPE_IN_PRINT) == len(column)
    return Column(column, _count_shapes(image, column, _SAME_SHAPE), is_varied)


def _count_shapes(image: Any, column: Sequence[Mark], threshold: float) -> int:
    shapes: list[Any] = []
    for mark in column:
        patch = image[mark.top : mark.top + mark.height, mark.left : mark.left + mark.width]
        shape_vector = cv2.resize(patch, _SIZE, interpolation=cv2.INTER_AREA).astype(np.float64).ravel()
        shape_vector -= shape_vector.mean()
        shape_vector /= max(1e-6, float(np.sqrt(shape_vector @ shape_vector)))
        if not any(float(shape_vector @ shape) > threshold for shape in shapes):
            shapes.append(shape_vector)
    return len(shapes)


def _contains(word: Word, mark: Mark) -> bool:
    x, y = mark.left + mark.width // 2, mark.top + mark.height // 2
    return word.left <= x < word.left + word.width and word.top <= y < word.top + word.height


def _center(mark: Mark) -> float:
    return mark.top + mark.height / 2


def _pitch(column: Sequence[Mark]) -> tuple[float, Any]:
    steps = np.diff([_center(mark) for mark in column])
    return max(1.0, float(np.median(steps))), steps


def _rows(column: Sequence[Mark]) -> list[int]:
    """The row number of each mark; a missing character leaves its row empty."""
    pitch, steps = _pitch(column)
    return [0, *np.cumsum(np.maximum(1, np.rint(steps / pitch))).astype(int).tolist()]


def _has_constant_step(values: Mapping[int, int], step: int, modulus: int) -> bool:
    return len({(value - step * row) % modulus for row, value in values.items()}) <= 1


def _is_printed(column: Sequence[Mark]) -> bool:
    heights = np.array([mark.height for mark in column])
    pitch, steps = _pitch(column)
    even = np.abs(heights - np.median(heights)) <= max(1.0, _MAX_PRINT_DEVIATION * float(np.median(heights)))
    return bool(even.all() and (np.abs(steps - pitch) <= max(1.0, _MAX_PRINT_DEVIATION * pitch)).all())


def _has_same_rows(column: Sequence[Mark], other: Sequence[Mark]) -> bool:
    one, another = column[len(column) // 2], other[len(other) // 2]
    if abs(one.left + one.width / 2 - another.left - another.width / 2) < _MIN_COLUMN_DISTANCE * one.height:
        return False
    shared_rows = 0
    for mark in column:
        center, reach = _center(mark), mark.height / 2
        place = bisect_left(other, center - reach, key=_center)
        shared_rows += place < len(other) and _center(other[place]) < center + reach
    return shared_rows >= _SAME_ROWS * len(column)
