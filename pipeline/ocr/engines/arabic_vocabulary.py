"""Arabic words of running text, with which a doubtful reading is told from a misreading.

`scripts/scans/vocabulary.py` compiles them (docs/models/lines.md names the texts).
"""

from functools import cache
from pathlib import Path

WORDS = Path(__file__).with_suffix(".txt")
# Articles, prepositions and conjunctions that are written with the word after them.
_CLITICS = ("ال", "وال", "بال", "فال", "كال", "لل", "و", "ف", "ب", "ل", "ك")
_LEAST = 3  # letters of a word, or of what is left of it


def is_known(word: str) -> bool:
    """Whether it is a known word, with or without something written before it."""
    known = _words()
    return word in known or any(
        word.startswith(clitic) and len(word) - len(clitic) >= _LEAST and word[len(clitic) :] in known
        for clitic in _CLITICS
    )


@cache
def _words() -> frozenset[str]:
    return frozenset(WORDS.read_text("utf-8").split())
