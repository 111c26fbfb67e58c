"""Two forms in which texts are compared whatever their spelling: *words*, kept apart, and *compact*, letters alone.

In both, case, accents, vowel marks, invisible characters, the script of digits, and letters that careless spelling
exchanges do not matter.
"""

import unicodedata

from pipeline.detect.character_table import CharacterTable
from pipeline.detect.normalize import normalize

_ALIKE = str.maketrans("أإآٱىةؤئ", "اااايهوي")
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
    """The index in `text` behind each character of its *words* form."""
    return _origins(text, _WORDS)


def compact_origins(text: str) -> list[int]:
    """The index in `text` behind each character of its *compact* form."""
    return _origins(text, _COMPACT)


def hangs(character: str) -> bool:
    """Whether a character belongs to the letter before it: a vowel mark, an invisible one."""
    return not character.isspace() and character != "'" and character.translate(_WORDS) == ""


def _origins(text: str, table: CharacterTable) -> list[int]:
    origin: list[int] = []
    blank = True  # leading blanks are dropped, runs of them become one
    for index, character in enumerate(text):
        for folded in table[ord(character)]:
            if folded != " " or not blank:
                origin.append(index)
            blank = folded == " "
    return origin
