"""Corrects OCR errors inside numbers where the number itself proves them: letters among digits, SA in IBANs.

A correction never adds or removes a word, so the words keep their boxes.
"""

import re
from collections.abc import Sequence

_DIGIT_FOR = str.maketrans("OoQDlI|iSsBZz", "0000111155822")
_MIN_DIGITS = 6
_NUMBER = re.compile(r"[+]?[0-9][0-9OoQDlI|iSsBZz/.:-]*")
# A possible misreading of SA, two check digits, and the 20 characters of a Saudi account (ISO 13616), grouped or not.
_IBAN = re.compile(
    r"(?<![^\W_])(?P<country>[^\s:]{1,3}) ?(?P<check>[0-9A-Za-z]{2})"
    r"(?=(?P<account>(?: ?[0-9A-Za-z]){20})(?![^\W_]))"
)
_IBAN_WORD = re.compile(r"\bIB?AN\b|[اآأ]?[يى]بان", re.IGNORECASE)
_MAX_LETTERS = 4  # letters among the 20 characters after the word IBAN: real accounts have none, misread ones few


def corrected(words: Sequence[str]) -> list[str]:
    """The words of one line, in reading order, corrected."""
    digits_fixed = [_with_digits(word) for word in words]
    line = " ".join(digits_fixed)
    restored = _IBAN.sub(lambda match: _restored(match, line), line)
    corrected_words = restored.split(" ")
    return corrected_words if len(corrected_words) == len(digits_fixed) else digits_fixed


def _with_digits(word: str) -> str:
    """The word with its letters read as digits, if it has many digits: `10l2345672` as `1012345672`."""
    digits = sum(c.isascii() and c.isdigit() for c in word)
    if digits < _MIN_DIGITS or not _NUMBER.fullmatch(word) or digits == len(word):
        return word
    letters = sum(c.isalpha() or c == "|" for c in word)
    return word.translate(_DIGIT_FOR) if 0 < letters <= digits // 4 else word


def _restored(match: re.Match[str], line: str) -> str:
    """`SA` and the check digits, if the check digits hold (ISO 7064) or the word IBAN is before them; else the match.

    OCR reads `SA03 8000 …` as `5403 8000 …` or `54803 8000 …`, sometimes with another misread digit.
    """
    check = match["check"].translate(_DIGIT_FOR)
    account = match["account"].replace(" ", "").upper()
    if not check.isdigit():
        return match[0]
    has_iban_word = _IBAN_WORD.search(line, 0, match.start()) and sum(map(str.isalpha, account)) <= _MAX_LETTERS
    if has_iban_word or int("".join(str(int(c, 36)) for c in f"{account}SA{check}")) % 97 == 1:
        gap = " " * match[0].count(" ")
        return f"SA{gap}{check}"
    return match[0]
