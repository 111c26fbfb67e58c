"""The one reader of the lexicon files beside it: CSV rows, word-list sections, and the folding that lookups share."""

from functools import cache
from importlib.resources import files

# Spellings of one Arabic word that writers mix: hamza carriers, ta marbuta, alif maqsura, Persian letters.
_FOLDS = (("أ", "ا"), ("إ", "ا"), ("آ", "ا"), ("ٱ", "ا"), ("ة", "ه"), ("ى", "ي"), ("ی", "ي"), ("ک", "ك"), ("ھ", "ه"))


def fold(text: str) -> str:
    """`text` with Arabic spelling variants folded, letter for letter: offsets stay as they are."""
    if text.isascii():
        return text
    for variant, plain in _FOLDS:
        text = text.replace(variant, plain)
    return text


def _lines(name: str) -> list[str]:
    text = (files(__package__) / name).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def table(name: str) -> list[list[str]]:
    """The rows of a CSV file of ours (no quoting, no header row; comment lines start with #)."""
    return [line.split(",") for line in _lines(name)]


@cache
def sections(name: str) -> dict[str, frozenset[str]]:
    """A word list in sections: a line `[title]`, then words (or phrases with _ for the blank), folded."""
    found: dict[str, set[str]] = {}
    current: set[str] = set()
    for line in _lines(name):
        if line.startswith("["):
            current = found.setdefault(line.strip("[]"), set())
        else:
            current.update(fold(line).split())
    return {title: frozenset(words) for title, words in found.items()}


def section(name: str, title: str) -> frozenset[str]:
    """One section of a word list. Raises KeyError for a title that the file lacks."""
    return sections(name)[title]
