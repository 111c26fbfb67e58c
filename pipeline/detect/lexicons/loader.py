"""Reads the lexicon files of this folder: rows of CSV files, sections of word lists. Folds Arabic spelling variants."""

from functools import cache
from importlib.resources import files

# Letters that writers exchange in one Arabic word: hamza carriers, ta marbuta, alif maqsura, Persian letters.
_FOLDS = (("أ", "ا"), ("إ", "ا"), ("آ", "ا"), ("ٱ", "ا"), ("ة", "ه"), ("ى", "ي"), ("ی", "ي"), ("ک", "ك"), ("ھ", "ه"))


def fold(text: str) -> str:
    """`text` with Arabic spelling variants folded letter for letter, so that offsets do not change."""
    if text.isascii():
        return text
    for variant, plain in _FOLDS:
        text = text.replace(variant, plain)
    return text


def _lines(name: str) -> list[str]:
    text = (files(__package__) / name).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def table(name: str) -> list[list[str]]:
    """The rows of a CSV lexicon (no quoting, no header row; comment lines start with #)."""
    return [line.split(",") for line in _lines(name)]


@cache
def sections(name: str) -> dict[str, frozenset[str]]:
    """The folded words of each section of a word list: a line `[title]`, then words; `_` is a blank in a phrase."""
    found: dict[str, set[str]] = {}
    current: set[str] = set()
    for line in _lines(name):
        if line.startswith("["):
            current = found.setdefault(line.strip("[]"), set())
        else:
            current.update(fold(line).split())
    return {title: frozenset(words) for title, words in found.items()}


def section(name: str, title: str) -> frozenset[str]:
    """The words of one section. Raises KeyError if the file has no section of this title."""
    return sections(name)[title]
