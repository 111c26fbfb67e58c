"""The groups of digits of Arabic lines in every order in which they may be meant.

Where an Arabic line holds `3221 443 055`, a program that follows UAX 9 means the number that begins with 055; one that
does not means what stands there from left to right. Readers of PDFs turn some groups round by themselves, and leave a
plus behind its number. The page does not tell, so each order is a text of its own.
"""

import re

_ARABIC = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = "[0-9\u0660-\u0669\u06f0-\u06f9]"
_BETWEEN = r"[^\w\n\t+]{0,3}"
_RUN = re.compile(
    r"(?P<latin>[A-Za-z][ :.#-]{0,3})?"  # a number that follows a Latin word reads as that does
    rf"\+?{_DIGIT}+\+?(?:{_BETWEEN}\+?{_DIGIT}+\+?)*"
)
# What makes one number of digits: a point, colon or stroke; and hyphens, where no Arabic letter stands before them.
_NUMBERS = (
    re.compile(rf"\+?{_DIGIT}+(?:[.,:/]{_DIGIT}+)*\+?"),
    re.compile(rf"\+?{_DIGIT}+(?:[-.,:/]{_DIGIT}+)*\+?"),
)


def other_orders(text: str) -> list[str]:
    """The text with plus signs before their numbers, and with the groups of its Arabic lines turned round.

    Without those that are the text itself.
    """
    if not _ARABIC.search(text):
        return []
    lines = [(line, _ARABIC.search(line) or not _LETTER.search(line)) for line in text.split("\n")]
    found = []
    for number, is_turned in ((_NUMBERS[0], False), (_NUMBERS[0], True), (_NUMBERS[1], True)):
        orders = (_ordered(line, number, is_turned) if is_arabic else line for line, is_arabic in lines)
        found.append("\n".join(orders))
    return [order for order in dict.fromkeys(found) if order != text]


def _ordered(line: str, number: re.Pattern[str], is_turned: bool) -> str:
    def run(match: re.Match[str]) -> str:
        if match["latin"]:
            return match[0]
        between = number.split(match[0])
        numbers = number.findall(match[0])
        if is_turned:
            numbers.reverse()
            between = [part[::-1] for part in reversed(between)]
        return between[0] + "".join(found + part for found, part in zip(_signed(numbers), between[1:], strict=True))

    return _RUN.sub(run, line)


def _signed(numbers: list[str]) -> list[str]:
    """A single plus belongs before all groups: it tells a country's code."""
    bare = [found.strip("+") for found in numbers]
    if sum(found != plain for found, plain in zip(numbers, bare, strict=True)) == 1:
        return ["+" + bare[0], *bare[1:]]
    return [f"+{plain}" if found != plain else plain for found, plain in zip(numbers, bare, strict=True)]
