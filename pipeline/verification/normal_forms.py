"""Normal forms for comparing text: they fold what spelling, typesetting or text extraction may change.

Redaction has its own normal forms. These are separate on purpose, so that a mistake there is not repeated here.
"""

import re
import unicodedata
from collections.abc import Callable

_EQUIVALENT_LETTERS = str.maketrans(
    {"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه", "ی": "ي", "ک": "ك", "ؤ": "و", "ئ": "ي"}
)
_DROPPED = frozenset({"Mn", "Me", "Cf", "Lm", "Sk"})  # combining marks, format characters, tatweel
_ARABIC = re.compile("[\u0620-\u064a\u0671-\u06d3]")
# Separators that are usual inside an identifier; any other character ends it.
_IDENTIFIER_SEPARATORS = frozenset(" -.()/_+'\n\r\u00a0:")
_NO_WORD = re.compile(r"[^\w]|_")
BOUNDARY = "\x1f"


class _TranslationTable(dict[int, str]):
    """A lazy table for `str.translate`: the replacement of each character is computed at its first use."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        super().__init__()
        self._fold = fold

    def __missing__(self, code: int) -> str:
        folded = self[code] = self._fold(chr(code))
        return folded


def _folded(character: str) -> str:
    """NFKD, case-folded, without marks; decimal digits as ASCII; all dashes as `-`, all spaces as one."""
    parts = []
    for part in unicodedata.normalize("NFKD", character).casefold().translate(_EQUIVALENT_LETTERS):
        category = unicodedata.category(part)
        if category == "Nd":
            parts.append(str(unicodedata.decimal(part)))
        elif category == "Pd" or part == "\u2212":
            parts.append("-")
        elif category == "Zs":
            parts.append(" ")
        elif category not in _DROPPED and not 0xFE00 <= ord(part) <= 0xFE0F:
            parts.append(part)
    return "".join(parts)


def _code(character: str) -> str:
    return "".join(c if c.isalnum() else "" if c in _IDENTIFIER_SEPARATORS else BOUNDARY for c in _folded(character))


def _letters(character: str) -> str:
    return "".join(c for c in _folded(character) if c.isalnum())


_FOLD, _CODE, _LETTERS = _TranslationTable(_folded), _TranslationTable(_code), _TranslationTable(_letters)


def fold(text: str) -> str:
    """The text with every character folded; words and separators are kept."""
    return text.translate(_FOLD)


def code(text: str) -> str:
    """Letters and digits only: separators inside identifiers are dropped, all other characters become BOUNDARY."""
    return text.translate(_CODE)


def letters(text: str) -> str:
    """Letters and digits only; everything else is dropped."""
    return text.translate(_LETTERS)


def words(text: str) -> str:
    """The folded words, with one space between them and one at each end."""
    return f" {' '.join(_NO_WORD.sub(' ', fold(text)).split())} "


def is_code(plain: str) -> bool:
    """Whether a text of letters and digits is a code: at least half of the characters are digits."""
    return sum(c.isdigit() for c in plain) * 2 >= len(plain)


def is_arabic(text: str) -> bool:
    """Whether the text has Arabic letters, presentation forms included."""
    return _ARABIC.search(fold(text)) is not None


def in_logical_order(text: str) -> str | None:
    """The text with every line that seems to be in visual order put into logical order; None if there is no such line.

    The Arabic article (al-) shows the order: it begins words in logical order and ends them in visual order.
    """
    if not is_arabic(text):
        return None
    lines = [_reversed(line) if _is_visual(line) else line for line in text.split("\n")]
    reordered = "\n".join(lines)
    return reordered if reordered != text else None


def _is_visual(line: str) -> bool:
    folded = fold(line)
    forward = len(re.findall(r"(?<!\w)[وفبلك]?ال\w", folded))
    backward = len(re.findall(r"\wلا[وفبلك]?(?!\w)", folded))
    return backward > forward


def _reversed(line: str) -> str:
    """The line reversed, except runs of digits and Latin letters, which run left to right in both orders."""
    return re.sub(r"[0-9A-Za-z٠-٩۰-۹@._+/:-]+", lambda run: run[0][::-1], line[::-1])
