"""Chooses the pieces of the base model that the taggers keep: Arabic and Latin ones, the most probable first."""

import re
from collections.abc import Iterable

import numpy as np

from pipeline.detect.tagger.pieces import WORD_START, Pieces
from scripts.names.base import Base

SIZE = 44_000
_SPECIAL = 4
_ARABIC = re.compile(rf"{WORD_START}?[\u060c\u061b\u061f\u0621-\u064a\u067e\u0686\u06a4\u06af]+\Z")
_LATIN = re.compile(rf"{WORD_START}?[!-~\u00a1-\u017f\u2010-\u203a\u20ac]*\Z")
_LONG_DIGITS = re.compile("[1-9]|0{5}")  # the tagger sees every digit as 0


def rows(base: Base, seen: Iterable[str]) -> list[int]:
    """The rows to keep, in the order of the base: single characters, pieces of the words `seen`, the most probable."""
    pieces = base.pieces
    possible = [
        row
        for row in range(_SPECIAL, len(pieces))
        if (_ARABIC.match(pieces[row]) or _LATIN.match(pieces[row])) and not _LONG_DIGITS.search(pieces[row])
    ]
    kept = [*range(_SPECIAL), *possible]
    whole = Pieces([pieces[row] for row in kept], base.scores[kept].tolist())
    needed = {row for word in seen for row in whole.rows(word)}
    wanted = {kept[row] for row in needed} | {row for row in possible if len(pieces[row].lstrip(WORD_START)) <= 1}
    by_score = sorted(possible, key=lambda row: -base.scores[row])
    for row in by_score:
        if len(wanted) >= SIZE - _SPECIAL:
            break
        wanted.add(row)
    return [*range(_SPECIAL), *sorted(wanted - set(range(_SPECIAL)))]


def embeddings(base: Base, kept: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The scales and the 4-bit weights of these rows."""
    return base.embedding_scales[kept], base.embedding_weights[kept]
