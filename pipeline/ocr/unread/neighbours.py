"""Words close beside unread ink that may be the rest of it: of a number or an address that was read in part."""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from pipeline.documents.document import Word
from pipeline.geometry.rows import Rows, share_row
from pipeline.geometry.strip import Box

_GAP = 1.0  # times the height of a word: between two cells of a table there is more
_GROUP = re.compile(r"(?=\D*\d)[A-Z\d]{1,6}")  # of a number that is written in groups, as in a form
_GROUP_GAP = 3.0  # times its height: between two groups
_GROUP_HEIGHT = 0.6  # times its height: lower ink is no other group
_MIN_DIGITS = 5  # of such groups in a row: fewer are no part of a number by which anybody could be found
_SHORT = 3  # characters of a word that may be digits, too
_SHORT_GAP = 0.5  # times the height of such a word
# Short words that are no part of a name and, read surely, no digits. على and عند look like names: علي, هند.
_PARTICLES = frozenset({
    "من", "عن", "في", "إلى", "الى", "هذا", "هذه", "تم", "ثم", "قد", "قبل", "كل", "مع", "أو", "أن", "إن", "لم", "لن",
    "غير", "حتى", "ذلك", "تلك", "منذ", "بين", "كما", "إذا", "يتم", "جدا", "كان", "رقم", "وقد", "هو", "وهو",
    "هي", "وهي", "أي", "لأي", "له", "لها", "به", "بها", "لدى", "فقط", "بعد", "أما",
    "of", "in", "to", "the", "for", "and", "as", "at", "by", "or", "on", "be", "not", "are", "was", "has",
})  # fmt: skip
_FILLER = "<"  # of the lines of a passport (ICAO Doc 9303), where names have no other blank
_NO_GAP = 0.1  # times the lower height, on both sides: the two are one run of ink
_SURE = 80.0  # confidence of a word that stays, although it is one run of ink with unread ink
_HIGHEST = 2.5  # times the height of a word: higher boxes are no lines
_ROUNDS = 8  # parts of one number


def words_beside(text: str, words: Iterable[Word], unread: Sequence[Box]) -> list[Box]:
    """The boxes of words that stand close beside unread ink or beside such a word.

    Words with digits or fillers, and short ones, may be a part of the same number, and short ones of the same name;
    particles that were read surely are none. An unsure word that is one run of ink with unread ink may be a part of an
    e-mail address that an engine reads in another script. Groups of digits may be further apart.
    """
    every = list(words)
    close = _reached(every, unread, lambda word, box: _is_beside(text[word.start : word.end], word, box))
    reached = set(close)
    groups = [word for word in every if word not in reached and _GROUP.fullmatch(text[word.start : word.end])]
    next_groups = _reached(groups, (*unread, *map(_box, close)), _is_next_group)
    # A line that follows again repeats its words.
    digits = {_box(word): sum(map(str.isdigit, text[word.start : word.end])) for word in next_groups}
    boxes, counts = list(digits), np.array(list(digits.values()), int)
    rows = Rows(boxes)
    return [*map(_box, close), *(box for box in boxes if counts[rows.beside(box)].sum() >= _MIN_DIGITS)]


def _reached(words: Sequence[Word], boxes: Sequence[Box], is_beside: Callable[[Word, Box], bool]) -> list[Word]:
    """The words beside one of the boxes, or beside such a word."""
    left, fresh = list(words), boxes
    found: list[Word] = []
    for _ in range(_ROUNDS):
        rows = Rows(fresh)
        beside = [word for word in left if any(is_beside(word, fresh[n]) for n in rows.touching(_box(word)))]
        if not beside:
            break
        reached = set(beside)
        left = [word for word in left if word not in reached]
        fresh = list(map(_box, beside))
        found += beside
    return found


def _box(word: Word) -> Box:
    return word.left, word.top, word.width, word.height


def _is_next_group(word: Word, box: Box) -> bool:
    left, _, width, height = box
    if not _GROUP_HEIGHT * word.height <= height <= _HIGHEST * word.height or not share_row(
        (word.top, word.height), box[1::2]
    ):
        return False
    return max(word.left - left - width, left - word.left - word.width) <= _GROUP_GAP * word.height


def _is_beside(said: str, word: Word, box: Box) -> bool:
    left, _, width, height = box
    if height > _HIGHEST * word.height or not share_row((word.top, word.height), box[1::2]):
        return False
    gap = max(word.left - left - width, left - word.left - word.width)
    if _FILLER in said or any(map(str.isdigit, said)):
        return gap <= word.height * _GAP
    if len(said) <= _SHORT:
        is_particle = said.lower() in _PARTICLES and word.confidence >= _SURE
        return not is_particle and gap <= word.height * _SHORT_GAP
    return word.confidence < _SURE and abs(gap) <= min(word.height, height) * _NO_GAP
