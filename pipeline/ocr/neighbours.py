"""Words close beside unread ink that may be the rest of it: of a number or an address that was read in part."""

import re
from collections.abc import Iterable, Sequence

from pipeline.documents.document import Word

Box = tuple[int, int, int, int]

_GAP = 1.0  # times the height of a word: between two cells of a table there is more
_GROUP = re.compile(r"(?=\D*\d)[A-Z\d]{1,6}")  # of a number that is written in groups, as in a form
_GROUP_GAP = 3.0  # times its height: between two groups
_GROUP_HEIGHT = 0.6  # times its height: lower ink is no other group
_SHORT = 3  # characters of a word that may be digits, too
_SHORT_GAP = 0.5  # times the height of such a word
# Short words that are no part of a name and, read surely, no digits. على and عند look like names: علي, هند.
_PARTICLES = frozenset({
    "من", "عن", "في", "إلى", "الى", "هذا", "هذه", "تم", "ثم", "قد", "قبل", "كل", "مع", "أو", "أن", "إن", "لم", "لن",
    "غير", "حتى", "ذلك", "تلك", "منذ", "بين", "كما", "إذا", "يتم", "جدا", "كان",
    "of", "in", "to", "the", "for", "and", "as", "at", "by", "or", "on", "be", "not", "are", "was", "has",
})  # fmt: skip
_NO_GAP = 0.1  # times the lower height, on both sides: the two are one run of ink
_SURE = 80.0  # confidence of a word that stays, although it is one run of ink with unread ink
_SAME_ROW = 0.5  # of the lower of two heights: what they share
_HIGHEST = 2.5  # times the height of a word: higher boxes are no lines
_ROUNDS = 8  # parts of one number


def words_beside(text: str, words: Iterable[Word], unread: Sequence[Box]) -> list[Box]:
    """The boxes of words that stand close beside unread ink or beside such a word.

    Words with digits, and short ones, may be a part of the same number, and short ones of the same name; particles that
    were read surely are none. An unsure word that is one run of ink with unread ink may be a part of an e-mail address
    that an engine reads in another script.
    """
    left = list(words)
    found: list[Box] = []
    fresh: Sequence[Box] = unread
    for _ in range(_ROUNDS):
        beside = [word for word in left if any(_is_beside(text[word.start : word.end], word, box) for box in fresh)]
        if not beside:
            break
        left = [word for word in left if word not in beside]
        fresh = [(word.left, word.top, word.width, word.height) for word in beside]
        found += fresh
    return found


def _is_beside(said: str, word: Word, box: Box) -> bool:
    left, top, width, height = box
    lower = min(word.height, height)
    shared = min(word.top + word.height, top + height) - max(word.top, top)
    if shared < _SAME_ROW * lower or height > _HIGHEST * word.height:
        return False
    gap = max(word.left - left - width, left - word.left - word.width)
    if any(map(str.isdigit, said)):
        may_be_group = _GROUP.fullmatch(said) is not None and height >= _GROUP_HEIGHT * word.height
        return gap <= word.height * (_GROUP_GAP if may_be_group else _GAP)
    if len(said) <= _SHORT:
        is_particle = said.lower() in _PARTICLES and word.confidence >= _SURE
        return not is_particle and gap <= word.height * _SHORT_GAP
    return word.confidence < _SURE and abs(gap) <= lower * _NO_GAP
