"""The tables of normalization: which characters are deleted, folded or expanded before detection.

Sources: Unicode 16 DerivedCoreProperties (Default_Ignorable_Code_Point), general category Cf, DerivedNumericType.
They are listed as ranges because the tables of Python lack some of the newer characters.
"""

import unicodedata
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

BLANK = "\x1a"  # replaces the characters of tokens and placeholders: no letter, no digit, no space

DELETED = 0xFFFFFFFF
EXPANDED = 0xFFFFFFFE
_CODE_POINTS = 0x110000

# Default_Ignorable_Code_Point, which includes variation selectors, the other format characters (Cf), and the frame that
# makes a keycap of a digit.
_INVISIBLE_RANGES = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x0600, 0x0605), (0x061C, 0x061C), (0x06DD, 0x06DD), (0x070F, 0x070F),
    (0x0890, 0x0891), (0x08E2, 0x08E2), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0x20E3, 0x20E3), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip

# Arabic vowel and Quranic marks, tatweel, and their presentation forms. They belong to the letter before them.
_MARK_RANGES = (
    (0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06DC), (0x06DF, 0x06E4),
    (0x06E7, 0x06E8), (0x06EA, 0x06ED), (0x0897, 0x089F), (0x08CA, 0x08E1), (0x08E3, 0x08FF),
    (0xFC5E, 0xFC63), (0xFCF2, 0xFCF4), (0xFE70, 0xFE7F),
)  # fmt: skip

# The zeros of all scripts (general category Nd). Nine more digits follow each.
_ZEROS = (
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50,
    0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50,
    0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0,
    0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950,
    0x11BF0, 0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE,
    0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
)  # fmt: skip

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_NEWLINES = "\u0085\u2028\u2029"
_HYPHENS = "\u2010\u2011\u2012\u2013\u2043\u2212\ufe58\ufe63"
_APOSTROPHES = "\u2018\u2019\u201b\u02bc\u02bb"
_PERSIAN = {"ی": "ي", "ک": "ك", "ە": "ه", "ہ": "ه", "ھ": "ه", "ۀ": "ة"}
_RIYAL_LIGATURE = 0xFDFC  # a currency sign: not expanded


def _members(ranges: tuple[tuple[int, int], ...]) -> list[int]:
    return [code for first, last in ranges for code in range(first, last + 1)]


INVISIBLE: frozenset[str] = frozenset(map(chr, _members(_INVISIBLE_RANGES)))
MARKS: frozenset[str] = frozenset(map(chr, _members(_MARK_RANGES)))


def _tables() -> tuple[NDArray[np.uint32], dict[int, str]]:
    fold = np.arange(_CODE_POINTS, dtype=np.uint32)
    expansions: dict[int, str] = {}
    for zero in _ZEROS:
        fold[zero : zero + 10] = np.arange(0x30, 0x3A)
    fold[0xFF01:0xFF5F] = np.arange(0x21, 0x7F)  # fullwidth ASCII
    for source, target in ((_SPACES, " "), (_NEWLINES, "\n"), (_HYPHENS, "-"), (_APOSTROPHES, "'")):
        for character in source:
            fold[ord(character)] = ord(target)
    for source, target in _PERSIAN.items():
        fold[ord(source)] = ord(target)
    for code in (*range(0xFB50, 0xFE00), *range(0xFE80, 0xFEFD)):  # Arabic presentation forms
        plain = "".join(c for c in unicodedata.normalize("NFKC", chr(code)) if c not in MARKS).strip()
        if code == _RIYAL_LIGATURE or not plain:
            continue
        plain = "".join(_PERSIAN.get(c, c) for c in plain)
        if len(plain) == 1:
            fold[code] = ord(plain)
        else:
            fold[code] = EXPANDED
            expansions[code] = plain
    fold[_members(_MARK_RANGES) + _members(_INVISIBLE_RANGES)] = DELETED
    fold.flags.writeable = False
    return fold, expansions


# By code point: the folded character, DELETED or EXPANDED; for the last the string in EXPANSIONS.
FOLD, EXPANSIONS = _tables()


class CharacterTable(dict[int, str]):
    """A table for `str.translate`: the result of `fold` for each character, computed when it is first needed."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        super().__init__()
        self._fold = fold

    def __missing__(self, code: int) -> str:
        folded = self[code] = self._fold(chr(code))
        return folded
