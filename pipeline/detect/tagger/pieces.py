"""Cuts a text into words, and words into the pieces of a unigram vocabulary (Kudo 2018, arXiv:1804.10959)."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

_LETTER = r"(?:[^\W_]|[\u0610-\u061a\u0640\u064b-\u065f\u0670])"
# The hyphen that divides a word at the end of a line, up to its rest in small letters: `Bran-` and `caster`.
_DIVISION = r"[-\u00ad\u2010] ?\n[ \t]*(?=[a-z\u00df-\u00f6\u00f8-\u00ff])"
_DIVIDED = re.compile(_DIVISION)
# A word, with apostrophes and hyphens inside it; a line break; or one other visible character.
_WORD = re.compile(rf"{_LETTER}+(?:(?:['’‘`-]|{_DIVISION}){_LETTER}+)*|\n|[^\w\s]|_")
_DIGITS = re.compile(r"\d")
_LONG_NUMBER = re.compile(r"0{5,}")
WORD_START = "\u2581"
LINE_BREAK = "\n"
_MAX_CHARACTERS = 64  # of one word; no name is longer, and what is kept about words stays small
_MAX_PIECES = 24  # of one word; what follows in a longer one adds nothing to its meaning
_UNKNOWN_PENALTY = 10.0
_CACHED_WORDS = 1 << 14  # 8 MB when it is full


class Words(NamedTuple):
    """The words of a text: `undivided`, the first 64 characters of `text[start:end]` for each of `spans`."""

    texts: list[str]
    spans: list[tuple[int, int]]


def words(text: str) -> Words:
    """The words of a text, punctuation marks and line breaks as words of their own."""
    spans = [match.span() for match in _WORD.finditer(text)]
    return Words([undivided(text[start : min(end, start + _MAX_CHARACTERS)]) for start, end in spans], spans)


def undivided(text: str) -> str:
    """The text with words whole that a hyphen divides at the end of a line."""
    return _DIVIDED.sub("", text) if "\n" in text else text


def folded(word: str) -> str:
    """The word as the vocabulary has it: NFKC, every digit as 0, at most four digits in a row."""
    plain = unicodedata.normalize("NFKC", word) if not word.isascii() else word
    return _LONG_NUMBER.sub("0000", _DIGITS.sub("0", plain))


class Pieces:
    """A unigram vocabulary. `scores` holds the log probability of each piece; its row is its position.

    The first pieces are `<s>`, `<pad>`, `</s>` and `<unk>`, in this order.
    """

    BEGIN, PAD, END, UNKNOWN = range(4)

    def __init__(self, pieces: Sequence[str], scores: Sequence[float]) -> None:
        self._row: Mapping[str, int] = {piece: row for row, piece in enumerate(pieces) if row > self.UNKNOWN}
        self._scores = scores
        self._longest = max(map(len, pieces))
        self._unknown = min(scores) - _UNKNOWN_PENALTY
        self.rows = lru_cache(_CACHED_WORDS)(self._rows)

    def _rows(self, word: str) -> tuple[int, ...]:
        """The rows of the pieces of one word; a line break is one `</s>`."""
        if word == LINE_BREAK:
            return (self.END,)
        text = WORD_START + folded(word)
        best = [0.0] + [float("-inf")] * len(text)
        last = [(0, self.UNKNOWN)] * (len(text) + 1)
        for end in range(1, len(text) + 1):
            for start in range(max(0, end - self._longest), end):
                row = self._row.get(text[start:end])
                if row is None:
                    if end - start > 1:
                        continue
                    row, score = self.UNKNOWN, self._unknown
                else:
                    score = self._scores[row]
                if best[start] + score > best[end]:
                    best[end], last[end] = best[start] + score, (start, row)
        rows: list[int] = []
        end = len(text)
        while end:
            end, row = last[end]
            rows.append(row)
        return tuple(rows[: -_MAX_PIECES - 1 : -1])
