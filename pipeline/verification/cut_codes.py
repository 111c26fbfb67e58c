"""Codes that something cuts which is no letter: a tab, a bullet, the edge of a text box.

Numbers beside each other are mostly two, so a check digit must hold; and since one row of figures in ten has one by
chance, at least half of what looks like such a code must have it.
"""

import re
from collections.abc import Iterable, Iterator

from pipeline.verification import forms

_MARK = r"[\t\r\x0b\x0c\x85\u2028\u2029·•‣‧∙■-◿☀-➿\ue000-\uf8ff\ufffd¦§|*]"
_CUT = rf"(?:[ \xa0\n-]{{0,3}}{_MARK}[ \xa0\n\t-]{{0,8}})"
_PLAIN = r"[ \xa0-]{1,2}"
_CODE = re.compile(rf"(?<![0-9])(?:[Ss][Aa] ?)?[0-9]{{1,22}}(?:(?:{_CUT}|{_PLAIN})[0-9]{{1,22}}){{1,25}}(?![0-9])")
_BETWEEN = re.compile(r"[^0-9A-Za-z]+")
_YEAR = re.compile(r"(?:1[3-9]|2[01])[0-9][0-9][^0-9]+[0-9]+")
_HAS_MARK = re.compile(_MARK)


def cut_codes(texts: Iterable[str]) -> Iterator[str]:
    """The codes that stand in texts cut into pieces, without what cuts them."""
    looks = 0
    found: list[str] = []
    for text in texts:
        if not _HAS_MARK.search(text):
            continue
        for match in _CODE.finditer(forms.fold(text)):
            code = _BETWEEN.sub("", match[0]).upper()
            if not _HAS_MARK.search(match[0]) or _YEAR.fullmatch(match[0]):
                continue
            if code.startswith("SA"):
                if len(code) == 24 and _is_iban(code):
                    yield code
            elif len(code) == 10 and code[0] in "12":
                looks += 1
                found += [code] if proves_itself(code) else []
    if len(found) * 2 >= looks:
        yield from found


def proves_itself(code: str) -> bool:
    """Whether ten digits are a Saudi identity number: Luhn's sum from the right is a multiple of ten."""
    if len(code) != 10 or code[0] not in "12" or not code.isdecimal():
        return False
    total = 0
    for place, digit in enumerate(reversed(code)):
        double = int(digit) << (place & 1)
        total += double // 10 + double % 10
    return total % 10 == 0


def _is_iban(code: str) -> bool:
    remainder = 0
    for sign in code[4:] + "2810" + code[2:4]:  # S is 28, A is 10
        remainder = (remainder * 10 + int(sign)) % 97
    return remainder == 1
