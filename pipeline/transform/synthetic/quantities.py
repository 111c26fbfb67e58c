"""Stand-ins of amounts and dates: other numbers and months in the same wording.

A word that is not known might be part of the quantity (*five hundred*, *the third*), so that there is no stand-in then.
"""

import re
from collections.abc import Sequence
from functools import cache

from pipeline.detect.lexicons.loader import fold, sections
from pipeline.detect.text.normalize import normalize
from pipeline.transform.synthetic.characters import digit_like
from pipeline.transform.synthetic.choices import Choices

_WORD = re.compile(r"[^\W\d_]+(?:[.'][^\W\d_]+)*")
_NUMBER = re.compile(r"\d+")
_CLOCK = re.compile(r"(?<!\d)\d{1,2}(?:\s?:\s?\d{2}){1,2}(?!\d)")
# Magnitudes stay: without them an amount would not be plausible in its sentence.
_MAGNITUDES = frozenset(fold("million millions billion thousand k m mn bn مليون ملايين مليار الف آلاف").split())

# Months in their order, one list for each language and tradition that a date may be written in.
_MONTHS: tuple[tuple[str, ...], ...] = (
    (
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
    ("Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    (
        "يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو",
        "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر",
    ),
    ("محرم", "صفر", "رجب", "شعبان", "رمضان", "شوال"),
    ("Muharram", "Safar", "Rajab", "Shaban", "Ramadan", "Shawwal"),
)  # fmt: skip
# Words of dates that say nothing of the day.
_DATE_WORDS = frozenset(
    fold(
        "of the at on in year th st nd rd am pm a.m p.m ad ah ce g h gmt utc t z "
        "من في شهر عام سنة لعام لسنة الساعة م ه هـ ص هجري هجرية ميلادي ميلادية الموافق"
    ).split()
)
_YEAR_DIGITS = 4
_YEARS = 4  # the most by which a year moves
_MOST_MONTH, _MOST_DAY, _SURE_DAY, _MOST_MINUTE = 12, 31, 28, 59


def amount(surface: str, choices: Choices) -> str | None:
    """Other digits in an amount of digits; None for an amount in words."""
    if not _NUMBER.search(surface) or any(word not in _money_words() for word in _words(surface)):
        return None
    return _NUMBER.sub(lambda number: _amount_digits(number[0], choices), surface)


def moment(surface: str, choices: Choices) -> str | None:
    """Another date or time of the same form; None where a word of it is not known or nothing of it can change."""
    if not _NUMBER.search(surface):
        return None
    renamed = _WORD.sub(lambda word: _month(word[0], choices), surface)
    if any(_plain(word) not in _DATE_WORDS and _month_list(word) is None for word in _WORD.findall(surface)):
        return None
    clocks = [clock.span() for clock in _CLOCK.finditer(renamed)]

    def changed(number: re.Match[str]) -> str:
        clock = next((start for start, end in clocks if start <= number.start() < end), None)
        if clock is None:
            return _moment_digits(number[0], choices)
        return _clock_digits(number[0], choices, is_hour=clock == number.start())

    return _NUMBER.sub(changed, renamed)


@cache
def _money_words() -> frozenset[str]:
    return _MAGNITUDES | frozenset(word for words in sections("money.txt").values() for word in words)


def _words(surface: str) -> list[str]:
    return [_plain(word) for word in _WORD.findall(surface)]


def _plain(word: str) -> str:
    return fold(normalize(word).text).lower()


def _amount_digits(digits: str, choices: Choices) -> str:
    made = [digit_like(digit, choices.below(10)) for digit in digits]
    if int(digits[0]) > 0:
        made[0] = digit_like(digits[0], choices.below(9) + 1)
    return "".join(made)


def _moment_digits(digits: str, choices: Choices) -> str:
    """A year moves by a few years; a day, month, hour or minute stays within what all of them allow."""
    value = int(digits)
    if len(digits) == _YEAR_DIGITS:
        made = value + (choices.below(_YEARS) + 1) * (1 if choices.below(2) else -1)
    elif len(digits) > _YEAR_DIGITS:
        return "".join(digit_like(digit, choices.below(10)) for digit in digits)
    elif value <= _MOST_MONTH:
        made = choices.below(_MOST_MONTH) + 1 if value else 0
    elif value <= _MOST_DAY:
        made = _MOST_MONTH + 1 + choices.below(_SURE_DAY - _MOST_MONTH)
    elif value <= _MOST_MINUTE:
        made = _MOST_DAY + 1 + choices.below(_MOST_MINUTE - _MOST_DAY)
    else:
        made = _MOST_MINUTE + 1 + choices.below(10 ** len(digits) - _MOST_MINUTE - 1)
    return _padded(made, digits)


def _clock_digits(digits: str, choices: Choices, *, is_hour: bool) -> str:
    """An hour of the same half of the clock, or a minute or second."""
    if not is_hour:
        return _padded(choices.below(60), digits)
    return _padded(choices.below(12) + (1 if int(digits) <= _MOST_MONTH else 12), digits)


def _padded(made: int, like: str) -> str:
    return "".join(digit_like(like[0], int(digit)) for digit in f"{made:0{len(like)}d}")


def _month_list(word: str) -> Sequence[str] | None:
    plain = _plain(word)
    return next((months for months in _MONTHS if any(_plain(month) == plain for month in months)), None)


def _month(word: str, choices: Choices) -> str:
    months = _month_list(word)
    if months is None:
        return word
    chosen = choices.of(months)
    return chosen.upper() if word.isupper() else chosen.lower() if word.islower() else chosen
