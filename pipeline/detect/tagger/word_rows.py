"""What the fast tagger reads of a word: its shape, its last piece, and its first pieces."""

from pipeline.detect.tagger.pieces import LINE_BREAK, Pieces

PIECES = 5  # of a word, from its first
ROW = 2 + PIECES
SHAPES = 10
_OTHER, _LOWER, _CAPITAL, _UPPER, _DIGITS, _ARABIC, _MARK, _BREAK, _INITIAL, _MIXED = range(SHAPES)


def word_row(pieces: Pieces, word: str) -> tuple[int, ...]:
    """The ROW numbers of a word: its shape, its last piece, its first pieces and padding."""
    rows = pieces.rows(word)
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
