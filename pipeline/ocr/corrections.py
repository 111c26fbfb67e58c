"""Puts right what OCR confuses inside numbers, where the number itself proves it: letters among digits, SA in IBANs.

Every correction keeps a word's length, so that its letters keep their places.
"""

import re
from collections.abc import Sequence

_DIGIT_FOR = str.maketrans("OoQDlI|iSsBZz", "0000111155822")
_LEAST_DIGITS = 6
_NUMBER = re.compile(r"[+]?[0-9][0-9OoQDlI|iSsBZz/.:-]*")
_IBAN_LENGTH = 24  # letters and digits of a Saudi IBAN (ISO 13616 registry)
_MISREAD_S, _MISREAD_A = "S5s8$§", "A4Áa"


def corrected(words: Sequence[str]) -> list[str]:
    """The words of one line, in reading order, with such confusions undone."""
    fixed = [_digits(word) for word in words]
    for start in range(len(fixed)):
        _fix_iban(fixed, start)
    return fixed


def _digits(word: str) -> str:
    """`10l2345672` as `1012345672`: few letters among many digits, none of them leading, are digits."""
    digits = sum(c.isascii() and c.isdigit() for c in word)
    if digits < _LEAST_DIGITS or not _NUMBER.fullmatch(word) or digits == len(word):
        return word
    letters = sum(c.isalpha() or c == "|" for c in word)
    return word.translate(_DIGIT_FOR) if 0 < letters <= digits // 4 else word


def _fix_iban(words: list[str], start: int) -> None:
    """`5403 8000 …` as `SA03 8000 …` when the check digits (ISO 7064 mod 97-10) then hold, and only then."""
    first = words[start]
    if len(first) < 4 or first[0] not in _MISREAD_S or first[1] not in _MISREAD_A:
        return
    joined, end = "", start
    while end < len(words) and len(joined) < _IBAN_LENGTH:
        joined += words[end]
        end += 1
    candidate = "SA" + joined[2:].upper()
    if len(candidate) != _IBAN_LENGTH or not re.fullmatch(r"SA[0-9]{4}[A-Z0-9]{18}", candidate):
        return
    number = "".join(str(int(c, 36)) for c in candidate[4:] + candidate[:4])
    if int(number) % 97 == 1:
        words[start] = "SA" + first[2:]
