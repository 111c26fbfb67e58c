"""Two forms in which texts are compared whatever their spelling: *words*, kept apart, and *compact*, letters alone.

In both, case, accents, vowel marks, invisible characters, the script of digits, and letters that careless spelling
exchanges do not matter.
"""

import re
import unicodedata
from itertools import compress

from pipeline.detect.character_table import CharacterTable
from pipeline.detect.normalize import normalize

_ALIKE = str.maketrans("أإآٱىةؤئ", "اااايهوي")
_SURPLUS = re.compile("^ +|(?<= ) +")  # leading blanks, and those behind the first of several
_UNSEEN = frozenset({"Mn", "Me", "Cf", "Lm", "Sk"})


def _plain(character: str) -> str:
    folded = unicodedata.normalize("NFKD", normalize(character).text).casefold().translate(_ALIKE)
    return "".join(normalize(c).text for c in folded if unicodedata.category(c) not in _UNSEEN)


def _words_of(character: str) -> str:
    return "".join(c if c.isalnum() else "" if c == "'" else " " for c in _plain(character))


def _compact_of(character: str) -> str:
    return "".join(c for c in _plain(character) if c.isalnum())


_WORDS, _COMPACT = CharacterTable(_words_of), CharacterTable(_compact_of)


def words_form(text: str) -> str:
    """The *words* form of a text: words parted by single blanks."""
    return " ".join(text.translate(_WORDS).split())


def compact_form(text: str) -> str:
    """The *compact* form of a text: letters and digits alone."""
    return text.translate(_COMPACT)


def words_origins(text: str) -> list[int]:
    """The index in `text` behind each character of its *words* form, and of a blank behind the last word."""
    folded, every = _folded(text, _WORDS)
    origins: list[int] = []
    start = 0
    for surplus in _SURPLUS.finditer(folded):
        origins += every[start : surplus.start()]
        start = surplus.end()
    return origins + every[start:]


def compact_origins(text: str) -> list[int]:
    """The index in `text` behind each character of its *compact* form."""
    return _folded(text, _COMPACT)[1]


def hangs(character: str) -> bool:
    """Whether a character belongs to the letter before it: a vowel mark, an invisible one."""
    return not character.isspace() and character != "'" and character.translate(_WORDS) == ""


def _folded(text: str, table: CharacterTable) -> tuple[str, list[int]]:
    """What the table makes of a text, and the index in the text behind each character of that."""
    pieces = [*map(table.__getitem__, map(ord, text))]
    folded = "".join(pieces)
    origins = [*compress(range(len(pieces)), pieces)]
    if len(origins) < len(folded):  # some character stands for several
        origins = [index for index, piece in enumerate(pieces) for _ in piece]
    return folded, origins
