"""The forms in which a value is looked for: everything that spelling, typesetting or extraction may change is folded.

Deliberately not the forms that redaction uses: a mistake there must not hide itself here.
"""

import re
import unicodedata
from collections.abc import Callable

_ALIKE = str.maketrans(
    {"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه", "ی": "ي", "ک": "ك", "ؤ": "و", "ئ": "ي"}
)
_DROPPED = frozenset({"Mn", "Me", "Cf", "Lm", "Sk"})  # marks, invisible characters, tatweel
_ARABIC = re.compile("[\u0620-\u064a\u0671-\u06d3]")
# What may stand inside an identifier; anything else ends it.
_SOFT = frozenset(" -.()/_+'\n\r\u00a0:")
_LOOSE = re.compile(r"[^\w]|_")
HARD = "\x1f"


class _Table(dict[int, str]):
    """What `str.translate` makes of each character, computed when one is first met."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        super().__init__()
        self._fold = fold

    def __missing__(self, code: int) -> str:
        folded = self[code] = self._fold(chr(code))
        return folded


def _folded(character: str) -> str:
    """Compatibility-decomposed, caseless, without marks; digits of every script in ASCII; dashes and blanks as one."""
    parts = []
    for part in unicodedata.normalize("NFKD", character).casefold().translate(_ALIKE):
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
    return "".join(c if c.isalnum() else "" if c in _SOFT else HARD for c in _folded(character))


def _letters(character: str) -> str:
    return "".join(c for c in _folded(character) if c.isalnum())


_FOLD, _CODE, _LETTERS = _Table(_folded), _Table(_code), _Table(_letters)


def fold(text: str) -> str:
    """The text with every character folded; words and separators stay."""
    return text.translate(_FOLD)


def code(text: str) -> str:
    """Letters and digits; separators usual inside identifiers are dropped, others become HARD."""
    return text.translate(_CODE)


def letters(text: str) -> str:
    """Letters and digits alone."""
    return text.translate(_LETTERS)


def words(text: str) -> str:
    """Words parted and surrounded by single blanks."""
    return f" {' '.join(_LOOSE.sub(' ', fold(text)).split())} "


def is_code(plain: str) -> bool:
    """Whether letters and digits are a code: at least half of them digits."""
    return sum(c.isdigit() for c in plain) * 2 >= len(plain)


def is_arabic(text: str) -> bool:
    """Whether Arabic letters occur, presentation forms folded."""
    return _ARABIC.search(fold(text)) is not None


def in_logical_order(text: str) -> str | None:
    """The text with the lines that seem to be stored in visual order turned round; None when there are none.

    The Arabic article shows the direction: words begin with it, and a line drawn from the left ends them with it.
    """
    if not is_arabic(text):
        return None
    lines = [_turned(line) if _is_visual(line) else line for line in text.split("\n")]
    turned = "\n".join(lines)
    return turned if turned != text else None


def _is_visual(line: str) -> bool:
    folded = fold(line)
    forward = len(re.findall(r"(?<!\w)[وفبلك]?ال\w", folded))
    backward = len(re.findall(r"\wلا[وفبلك]?(?!\w)", folded))
    return backward > forward


def _turned(line: str) -> str:
    """Reversed, but for runs of digits and Latin letters, which read from the left in both orders."""
    return re.sub(r"[0-9A-Za-z٠-٩۰-۹@._+/:-]+", lambda run: run[0][::-1], line[::-1])
