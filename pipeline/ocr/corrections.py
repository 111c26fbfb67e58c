"""Puts right what OCR confuses inside numbers, where the number itself proves it: letters among digits, SA in IBANs.

Every correction keeps a word's length, so that its letters keep their places.
"""

import re
from collections.abc import Sequence

_DIGIT_FOR = str.maketrans("OoQDlI|iSsBZz", "0000111155822")
_LEAST_DIGITS = 6
_NUMBER = re.compile(r"[+]?[0-9][0-9OoQDlI|iSsBZz/.:-]*")
# Two characters where SA should stand, and the 22 of a Saudi IBAN behind them (ISO 13616 registry), grouped or not.
_IBAN = re.compile(r"(?<![^\W_])(?P<country>[^\s:]{2})(?=(?P<rest>(?: ?[0-9A-Za-z]){22})(?![^\W_]))")
_IBAN_CUE = re.compile(r"\bIB?AN\b|[اآأ]?[يى]بان", re.IGNORECASE)
_MOST_LETTERS = 4  # of the 22 after a cue: real accounts have none, misread ones a few


def corrected(words: Sequence[str]) -> list[str]:
    """The words of one line, in reading order, with such confusions undone."""
    fixed = [_digits(word) for word in words]
    line = " ".join(fixed)
    restored = _IBAN.sub(lambda match: "SA" if _is_iban(match, line) else match[0], line)
    pieces = restored.split(" ")
    return pieces if len(pieces) == len(fixed) else fixed


def _digits(word: str) -> str:
    """`10l2345672` as `1012345672`: few letters among many digits, none of them leading, are digits."""
    digits = sum(c.isascii() and c.isdigit() for c in word)
    if digits < _LEAST_DIGITS or not _NUMBER.fullmatch(word) or digits == len(word):
        return word
    letters = sum(c.isalpha() or c == "|" for c in word)
    return word.translate(_DIGIT_FOR) if 0 < letters <= digits // 4 else word


def _is_iban(match: re.Match[str], line: str) -> bool:
    """Whether what follows makes an IBAN of `SA`: its check digits hold (ISO 7064 mod 97-10), or a cue says so.

    `SA03 8000 …` is read as `5403 8000 …`, `5803 8000 …`, now and then with a further digit misread.
    """
    rest = match["rest"].replace(" ", "").upper()
    if _IBAN_CUE.search(line, 0, match.start()) and sum(map(str.isalpha, rest)) <= _MOST_LETTERS:
        return rest[:2].isdigit()
    return rest[:4].isdigit() and int("".join(str(int(c, 36)) for c in f"{rest[2:]}SA{rest[:2]}")) % 97 == 1
