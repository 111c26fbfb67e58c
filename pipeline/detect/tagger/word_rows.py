"""What the fast tagger reads of a word: its shape, its last piece, and its first pieces."""

from functools import lru_cache

from pipeline.detect.tagger.pieces import LINE_BREAK, Pieces

PIECES = 5  # of a word, from its first
SHAPES = 10
_OTHER, _LOWER, _CAPITAL, _UPPER, _DIGITS, _ARABIC, _MARK, _BREAK, _INITIAL, _MIXED = range(SHAPES)
_CACHED_WORDS = 1 << 15


class WordRows:
    """Turns a word into numbers: its shape, the row of its last piece, and the rows of its first PIECES pieces."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self.of = lru_cache(_CACHED_WORDS)(self._of)

    def _of(self, word: str) -> tuple[int, ...]:
        rows = self._pieces.rows(word)
        first = rows[:PIECES]
        return (shape(word), rows[-1], *first, *[Pieces.PAD] * (PIECES - len(first)))


def shape(word: str) -> int:
    """The kind of letters in a word, as a number below SHAPES."""
    if word == LINE_BREAK:
        return _BREAK
    first = word[0]
    if first.isdigit():
        return _DIGITS
    if "\u0600" <= first <= "\u06ff":
        return _ARABIC if first.isalpha() else _MARK
    if not first.isalpha():
        return _MARK
    if first.isupper():
        if len(word) == 1:
            return _INITIAL
        return _UPPER if word.isupper() else _CAPITAL
    if first.islower():
        return _LOWER if word.islower() else _MIXED
    return _OTHER
