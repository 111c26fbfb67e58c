"""Puts right what OCR confuses inside numbers, where the number itself proves it: letters among digits, SA in IBANs.

A correction never adds or takes a word, so that each keeps its place.
"""

import re
from collections.abc import Sequence

_DIGIT_FOR = str.maketrans("OoQDlI|iSsBZz", "0000111155822")
_LEAST_DIGITS = 6
_NUMBER = re.compile(r"[+]?[0-9][0-9OoQDlI|iSsBZz/.:-]*")
# What may stand where SA should, two check digits, and the 20 of a Saudi account (ISO 13616 registry), grouped or not.
_IBAN = re.compile(
    r"(?<![^\W_])(?P<country>[^\s:]{1,3}) ?(?P<check>[0-9A-Za-z]{2})"
    r"(?=(?P<account>(?: ?[0-9A-Za-z]){20})(?![^\W_]))"
)
_IBAN_CUE = re.compile(r"\bIB?AN\b|[اآأ]?[يى]بان", re.IGNORECASE)
_MOST_LETTERS = 4  # of the 20 after a cue: real accounts have none, misread ones a few
_ACCOUNT_DIGITS = 14  # from which on the digits of a line may be an account's


def corrected(words: Sequence[str]) -> list[str]:
    """The words of one line, in reading order, with such confusions undone."""
    fixed = [_digits(word) for word in words]
    line = " ".join(fixed)
    restored = _IBAN.sub(lambda match: _restored(match, line), line)
    pieces = restored.split(" ")
    return pieces if len(pieces) == len(fixed) else fixed


def _digits(word: str) -> str:
    """`10l2345672` as `1012345672`: few letters among many digits, none of them leading, are digits."""
    digits = sum(c.isascii() and c.isdigit() for c in word)
    if digits < _LEAST_DIGITS or not _NUMBER.fullmatch(word) or digits == len(word):
        return word
    letters = sum(c.isalpha() or c == "|" for c in word)
    return word.translate(_DIGIT_FOR) if 0 < letters <= digits // 4 else word


def hides_account(line: str) -> bool:
    """Whether a line announces an IBAN and shows many digits, but none that detection would know."""
    cue = _IBAN_CUE.search(line)
    if cue is None or sum(map(str.isdigit, line)) < _ACCOUNT_DIGITS:
        return False
    return not any(match["country"] == "SA" and match["check"].isdigit() for match in _IBAN.finditer(line))


def _restored(match: re.Match[str], line: str) -> str:
    """`SA` and the check digits where they make an IBAN of what follows: they hold (ISO 7064), or a cue says so.

    `SA03 8000 …` is read as `5403 8000 …`, `54803 8000 …`, now and then with a further digit misread.
    """
    check = match["check"].translate(_DIGIT_FOR)
    account = match["account"].replace(" ", "").upper()
    if not check.isdigit():
        return match[0]
    is_announced = _IBAN_CUE.search(line, 0, match.start()) and sum(map(str.isalpha, account)) <= _MOST_LETTERS
    if is_announced or int("".join(str(int(c, 36)) for c in f"{account}SA{check}")) % 97 == 1:
        gap = " " * match[0].count(" ")
        return f"SA{gap}{check}"
    return match[0]
