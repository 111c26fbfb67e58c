"""Numbers close beside unread ink: they may be the other part of a number that was read in part."""

from collections.abc import Iterable, Sequence

from pipeline.documents.document import Word

Box = tuple[int, int, int, int]

_GAP = 1.0  # times the height of a word: between two cells of a table there is more
_SHORT = 3  # characters of a word that may be digits, too
_SHORT_GAP = 0.5  # times the height of such a word
_SAME_ROW = 0.5  # of the lower of two heights: what they share
_HIGHEST = 2.5  # times the height of a word: higher boxes are no lines
_ROUNDS = 8  # parts of one number


def numbers_beside(text: str, words: Iterable[Word], unread: Sequence[Box]) -> list[Box]:
    """The boxes of words with digits, and of short words, that stand close beside unread ink or such a word."""
    left = [word for word in words if _may_be_number(text[word.start : word.end])]
    found: list[Box] = []
    fresh: Sequence[Box] = unread
    for _ in range(_ROUNDS):
        beside = [word for word in left if any(_is_beside(text, word, box) for box in fresh)]
        if not beside:
            break
        left = [word for word in left if word not in beside]
        fresh = [(word.left, word.top, word.width, word.height) for word in beside]
        found += fresh
    return found


def _may_be_number(word: str) -> bool:
    return any(map(str.isdigit, word)) or len(word) <= _SHORT


def _is_beside(text: str, word: Word, box: Box) -> bool:
    left, top, width, height = box
    has_digits = any(map(str.isdigit, text[word.start : word.end]))
    gap = max(word.left - left - width, left - word.left - word.width)
    shared = min(word.top + word.height, top + height) - max(word.top, top)
    return (
        gap <= word.height * (_GAP if has_digits else _SHORT_GAP)
        and shared >= _SAME_ROW * min(word.height, height)
        and height <= _HIGHEST * word.height
    )
