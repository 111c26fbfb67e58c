"""Finds the region or city of an address, as spelled there. A street named after a city does not count."""

import re
from bisect import bisect_left, bisect_right
from functools import cache
from typing import NamedTuple

from pipeline.detect.lexicons.loader import fold, table
from pipeline.detect.text.normalize import normalize

_PART_END = re.compile(r"[,،;؛\n|]|\s[-/]\s")
_ENGLISH_STREET = re.compile(
    r"[\s-]*(?:[a-z']+[\s-]+)?(?:street|str|st|road|rd|avenue|ave|av|boulevard|blvd|highway|hwy|lane|ln|way|expressway|"
    r"district|dist|dst|neighbou?rhood|quarter|area|square|sq|bridge|gate|mall|tower|hospital|university|airport|port)\b",
    re.IGNORECASE,
)
_ARABIC_HEAD = re.compile(
    fold(
        r"(?<!\w)[وفبلك]?(?:ال)?(?:شارع|ش|طريق|ط|حي|درب|ممر|جادة|ميدان|دوار|حارة|مخطط|سوق|برج|مبنى|عمارة|مستشفى|"
        r"جامعة|مطار|ميناء|جسر|كورنيش|مدرسة|مسجد|جامع|فندق|مركز)(?!\w)\.?"
    )
)
# Arabic words that follow a city in an address without making it part of a street's name.
_AFTER_CITY = re.compile(
    fold(
        r"[\s\d.()-]*(?:(?:المملكة|العربية|السعودية|منطقة|المنطقة|الرمز|البريدي|رمز|بريدي|مدينة|محافظة|ص|ب)[\s\d.()-]*)*$"
    )
)
_MAJOR = "1"  # the gazetteer's tier
_COMMON_WORDS = {"المدينه", "رياض"}  # "the city", which is also a label; a given name
_DIGIT = re.compile(r"\d")
_ARABIC_WORD = re.compile("[\u0621-\u064a]{2,}")


class _Names(NamedTuple):
    regions: re.Pattern[str]
    cities: re.Pattern[str]


class _Layout(NamedTuple):
    """Offsets in a folded address: its separators (commas and the like), and the ends of its Arabic street words."""

    separators: list[tuple[int, ...]]
    heads: list[int]

    def part(self, start: int, end: int, length: int) -> tuple[int, int]:
        """The part of the address between the separators around a name."""
        before, after = bisect_left(self.separators, (start,)), bisect_left(self.separators, (end,))
        first = self.separators[before - 1][1] if before else 0
        return first, self.separators[after][0] if after < len(self.separators) else length

    def head(self, begin: int, start: int) -> int | None:
        """The end of the last street word between the beginning of the part and the name."""
        index = bisect_right(self.heads, start)
        return self.heads[index - 1] if index and self.heads[index - 1] > begin else None


def region_or_city(address: str) -> str | None:
    """The name of the region, else of the city, as written in an address; None if it names neither."""
    normalized = normalize(address)
    text = fold(normalized.text)
    layout = _Layout([part.span() for part in _PART_END.finditer(text)], [m.end() for m in _ARABIC_HEAD.finditer(text)])
    for pattern in _names():
        for match in reversed(list(pattern.finditer(text))):  # an address ends with its city
            if not _names_a_street(text, layout, match):
                start, end = normalized.original_span(*match.span("name"))
                return normalized.original[start:end]
    return None


@cache
def _names() -> _Names:
    """The 13 regions and the major cities. A name that is both means the region only with منطقة or Province."""
    cities, regions = set(), set()
    for spelling, kind, tier, *_ in table("places.csv"):
        if kind == "region":
            regions.add(spelling)
        elif tier == _MAJOR and not spelling.isupper() and spelling not in _COMMON_WORDS:
            cities.add(spelling)
    return _Names(_any_of(regions - cities), _any_of(cities))


def _any_of(names: set[str]) -> re.Pattern[str]:
    """One pattern, longest name first. Allows hyphens for blanks, inserted apostrophes, and an Arabic clitic before."""
    longest_first = sorted({fold(name) for name in names}, key=len, reverse=True)
    spelled = "|".join("'?".join(map(_letter, name)) for name in longest_first)
    return re.compile(rf"(?<![^\W_])(?:[وفبلك](?=[\u0621-\u064a]))?(?P<name>{spelled})(?![^\W_])", re.IGNORECASE)


def _letter(character: str) -> str:
    return r"[\s-]+" if character == " " else re.escape(character)


def _names_a_street(text: str, layout: _Layout, match: re.Match[str]) -> bool:
    """Whether the match is only the name of a street, a district or a building: `Makkah Road`, `طريق مكة القديم`."""
    begin, end = layout.part(match.start(), match.end(), len(text))
    if _ENGLISH_STREET.match(text, match.end(), end):
        return True
    head = layout.head(begin, match.start())
    if head is None:
        return False
    named = _ARABIC_WORD.search(text, head, match.start()) or _DIGIT.search(text, head, match.start())
    return named is None or _AFTER_CITY.match(text, match.end(), end) is None
