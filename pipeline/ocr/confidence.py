"""Which words of Tesseract 5 may be believed.

Measured here on rendered Arabic and English forms, 200 and 300 dpi, clean and noisy: right words come with 85 to 97,
Eastern-Arabic digits with 0 to 50, but now and then as a Latin look-alike (`VAVA` for ٧٨٧٨) with 90.
"""

import re

from pipeline.documents.bidi import is_right_to_left
from pipeline.ocr.corrections import hides_account

_LEAST = 60.0  # below it words are wrong more often than right
_LEAST_WITH_DIGITS = 80.0  # one wrong digit hides an identifier from detection
_DIGIT = re.compile(r"\d")
_EASTERN_DIGIT = re.compile(r"[٠-٩۰-۹]")
# What Eastern digits are read as: ٧ V, ٨ A, ٢ and ٣ Y or W, ٤ E, ٥ O, ١ and ٦ a stroke, a one or T, ٠ a dot.
_LOOK_ALIKE = re.compile(r"[VAYWOET1I0¥£\\/|^+.,:*°«»\"'-]{2,}")
_TELLING = re.compile(r"[VAYW¥£\\^]")
_WORDS = frozenset(["WE", "AT", "TO", "VAT", "WAY", "TWO", "YET", "AVE", "TEA", "TV", "EAT", "VOTE", "IT", "WAIT"])


def is_confident(word: str, confidence: float, line: str) -> bool:
    """Whether a word, read with that confidence (0..100) in that line, says what stands there."""
    if _DIGIT.search(word) and hides_account(line):
        return False
    if confidence < (_LEAST_WITH_DIGITS if _DIGIT.search(word) else _LEAST) or _EASTERN_DIGIT.search(word):
        return False
    if _LOOK_ALIKE.fullmatch(word) and _TELLING.search(word):
        return word in _WORDS and not is_right_to_left([line])
    return True
