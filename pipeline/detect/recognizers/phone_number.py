"""PHONE_NUMBER: Saudi mobiles and landlines in every usual notation, and possible international numbers."""

import re
from collections.abc import Iterator
from functools import lru_cache

from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, REGION_CODE_FOR_NON_GEO_ENTITY, PhoneMetadata

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.recognizers.labelled import Labelled
from pipeline.detect.text.context import label_before
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.number_tokens import is_written_as_float
from pipeline.detect.text.shadow import shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_SEPARATORS = rb"[ \-./()]{0,3}"
# Saudi numbers from their first digit: 05x, 01x, 9665x, 009665x, in any grouping; +966 too, after its plus.
_SAUDI = re.compile(
    rb"(?:(?:00)?[ ]?966" + _SEPARATORS + rb"(?:\(?0\)?" + _SEPARATORS + rb")?|0" + _SEPARATORS + rb")"
    rb"(?:5(?:" + _SEPARATORS + rb"\d){8}|1" + _SEPARATORS + rb"[1-7](?:" + _SEPARATORS + rb"\d){7})(?!\d)"
)
_LOCAL_LENGTHS = {10: (b"05", b"01"), 12: (b"9665", b"9661"), 13: (b"96605", b"96601"), 14: (b"009665", b"009661")}
_CHAIN_STARTS = (b"05", b"01", b"966", b"00966", b"0")
# `01/01/2024 - 30/06/2024`: the digits of two dates may look like those of a phone number.
_DATED = re.compile(rb"(?<!\d)(?:\d\d?/\d\d?/(?:19|20|1[34])\d\d|(?:19|20|1[34])\d\d/\d\d?/\d\d?)(?!\d)")
_LONGEST_DATE = 10
# The number of an item before, `1:0501234567`, and the other of two numbers: `0501234567-0551234567`.
_ITEM_BEFORE = re.compile(rb"(?<![\d.,:/\-])\d{1,2}:$|(?:^|\n)[ \t]*\d{1,2}-$")
_LOCAL_BEFORE, _LOCAL_AFTER = re.compile(rb"(?<!\d)0[15]\d{8}-$"), re.compile(rb"-0[15]\d{8}(?!\d)")
_ITEM_REACH = 12  # characters
_INTERNATIONAL = re.compile(rb"[ (]{0,2}(\d[\d \-./()]{5,26})")
_ATOM = re.compile(rb"\d+")
_FEWEST_DIGITS, _MOST_DIGITS = 7, 15  # ITU-T E.164: at most 15
_LONGEST_COUNTRY_CODE = 3
# Numbers whose grouping tells them, and no part of a row of numbers: Swiss mobiles (079 123 45 67), those of North
# America (212.356.0500, (212) 356-0500), where neither the area nor the exchange begins with 0 or 1, and Russian ones
# with the area in parentheses (8 (812) 5767123, (812) 576-71-23).
_NATIONAL = re.compile(
    rb"(?:07[5-9]([ .])\d{3}\1\d\d\1\d\d"
    rb"|[2-9]\d\d(?:([.\-])|(?<=\(...)\)[ ]?)[2-9]\d\d(?(2)\2|-)\d{4}"
    rb"|8[ ]?\([3489]\d\d\)[ ]?\d{3}([ \-]?)\d\d\3\d\d|[3489]\d\d(?<=\(...)\)[ ]?\d{3}-\d\d-\d\d)(?![\d%]|[ .,:/\-]\d)"
)
_ROW_BEFORE = re.compile(rb"\d[ .,:/\-]$")
# Numbers that count only with a label: mobiles and landlines without the leading 0, 9200 and 800 numbers, and those of
# other countries in groups: 0171 123 45 67, 8 (812) 576-71-23, (212) 356-0500.
_LABELLED = shadow_pattern(r"""
    (?<![a-z0-9+])
    (?: 5 (?:[ \-.]? \d){8}
      | 1[1-7] (?:[ \-.]? \d){7}
      | 92[05] (?:[ \-.]? \d){6}
      | 800 (?:[ \-.]? \d){7}
      | (?! \d\d? (?P<dated>[./\-]) \d\d? (?P=dated) (?:19|20|1[34])\d\d (?!\d) )
        0(?!800)\d{1,4} [ \-./]{1,3} \d (?:[ \-./]? \d){5,8}
      | (?:[18][ \-.]{1,2})? \(\d{3,4}\) [ \-.]{0,2} \d (?:[ \-.]? \d){5,7}
      | \d{3} (?P<mark>[\-.]) \d{3} (?P=mark) \d{4} )
    (?![a-z0-9] | (?!\.0(?![.a-z0-9])) [.\-/:,]\d)
""")
# "الرقم الموحد" is the label of the telephone of a company as often as of its registration.
_UNIFIED = shadow_pattern(r"(?<![a-z0-9+]) 92[05] (?:[ \-.]? \d){6} (?![a-z0-9] | [.\-/:,]\d)")


@lru_cache(maxsize=1024)
def _possible_lengths(country_code: int) -> frozenset[int]:
    """The possible numbers of digits of a national number of this country (libphonenumber, general description)."""
    regions = COUNTRY_CODE_TO_REGION_CODE.get(country_code, ())
    if not regions:
        return frozenset()
    if regions[0] == REGION_CODE_FOR_NON_GEO_ENTITY:
        metadata = PhoneMetadata.metadata_for_nongeo_region(country_code, None)
    else:
        metadata = PhoneMetadata.metadata_for_region(regions[0], None)
    return frozenset(metadata.general_desc.possible_length if metadata and metadata.general_desc else ())


def _is_possible(digits: str) -> bool:
    """Whether international `digits` (no plus) can be a phone number."""
    for size in range(1, _LONGEST_COUNTRY_CODE + 1):
        code = int(digits[:size])
        if code in COUNTRY_CODE_TO_REGION_CODE:
            return len(digits) - size in _possible_lengths(code)
    return False


def _phone(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    for start, end in (*_saudi(text), *_national(text), *_international(text)):
        yield span(start, end, EntityType.PHONE_NUMBER, 0.85, "phone")


def _saudi(text: NormalizedText) -> Iterator[tuple[int, int]]:
    """Unbroken numbers by length and first digits, then grouped numbers."""
    shadow = text.shadow
    for length, leads in _LOCAL_LENGTHS.items():
        for start in text.numbers.plain.get(length, ()):
            if (
                shadow.startswith(leads, start)
                and _SAUDI.match(shadow, start)
                and _is_free(text, start, start + length)
            ):
                yield _opening(shadow, start), start + length
    for chain in text.numbers.chains:
        for index in range(len(chain) - 1):
            start = chain[index][0]
            if shadow[start] in b"09" and shadow.startswith(_CHAIN_STARTS, start):
                match = _SAUDI.match(shadow, start)
                if match and _is_free(text, start, match.end()) and not _is_dated(shadow, start, match.end()):
                    yield _opening(shadow, start), match.end()


def _is_dated(shadow: bytes, start: int, end: int) -> bool:
    """Whether a date with slashes overlaps the number."""
    first = max(0, start - _LONGEST_DATE)
    dates = _DATED.finditer(shadow[first : end + _LONGEST_DATE]) if b"/" in shadow[start:end] else ()
    return any(date.start() + first < end and start < date.end() + first for date in dates)


def _is_free(text: NormalizedText, start: int, end: int) -> bool:
    """Whether the number is not inside a word, a decimal, the path of a URL or a longer code."""
    shadow = text.shadow
    before, after = shadow[max(0, start - 2) : start], shadow[end : end + 2]
    if after[:1].isalnum():
        return False
    if before[-1:].isalnum():  # Mobile0501234567
        label = label_before(text, start)
        return label is not None and label.end == start and label.section == "phone"
    if before[:1].isdigit() and before[-1:] in (b".", b"-", b":", b"*"):
        window = shadow[max(0, start - _ITEM_REACH) : start]
        if not (_ITEM_BEFORE.search(window) or _LOCAL_BEFORE.search(window)):
            return False
    if after[:1] in (b".", b"-", b":") and after[1:].isdigit():
        return is_written_as_float(shadow, end) or bool(_LOCAL_AFTER.match(shadow, end))
    return True


def _opening(shadow: bytes, start: int) -> int:
    """The start of the number with the plus and the parenthesis before its first digit."""
    while start > 0 and shadow[start - 1] in b"+(":
        start -= 1
    return start


def _national(text: NormalizedText) -> Iterator[tuple[int, int]]:
    """Numbers as they are written within a country."""
    shadow = text.shadow
    for chain in text.numbers.chains:
        for start, _ in chain[:-2]:
            match = _NATIONAL.match(shadow, start)
            if (
                match
                and _is_free(text, start, match.end())
                and not _ROW_BEFORE.search(shadow, max(0, start - 2), start)
            ):
                yield _opening(shadow, start) if b")" in match[0] else start, match.end()


def _international(text: NormalizedText) -> Iterator[tuple[int, int]]:
    """`+` or 00, then a country code and a possible number of digits for that country."""
    yield from _after_plus(text)
    yield from _unbroken_after_00(text)
    yield from _grouped_after_00(text)


def _after_plus(text: NormalizedText) -> Iterator[tuple[int, int]]:
    shadow = text.shadow
    plus = shadow.find(b"+")
    while plus >= 0:
        end = possible_end(text, plus + 1)
        if end and not shadow[max(0, plus - 1) : plus].isalnum():
            in_brackets = shadow[plus - 1 : plus] == b"(" and b")" in shadow[plus:end]
            yield plus - in_brackets, end
        plus = shadow.find(b"+", plus + 1)


def _unbroken_after_00(text: NormalizedText) -> Iterator[tuple[int, int]]:
    shadow = text.shadow
    for length in range(_FEWEST_DIGITS + 2, _MOST_DIGITS + 3):
        for start in text.numbers.plain.get(length, ()):
            if not shadow.startswith(b"00", start) or shadow[start + 2] == ord("0"):
                continue
            end = start + length
            if _is_free(text, start, end) and _is_possible(text.text[start + 2 : end]):
                yield start, end


def _grouped_after_00(text: NormalizedText) -> Iterator[tuple[int, int]]:
    shadow = text.shadow
    for chain in text.numbers.chains:
        for start, _end in chain[:-1]:
            before = shadow[max(0, start - 2) : start]
            is_fraction = before[:1].isdigit() and before[1:] in (b".", b",")  # 28.00 30.00
            if shadow.startswith(b"00", start) and not before[-1:].isalnum() and not is_fraction:
                end = possible_end(text, start + 2)
                if end:
                    yield start, end


def possible_end(text: NormalizedText, start: int) -> int:
    """The end of the longest possible number after a plus or 00, at the end of a group; 0 if there is none."""
    match = _INTERNATIONAL.match(text.shadow, start)
    if match is None:
        return 0
    digits, best = "", 0
    offset = match.start(1)
    for atom in _ATOM.finditer(match.group(1)):
        digits += atom.group().decode()
        if len(digits) > _MOST_DIGITS + 1:
            break
        end = offset + atom.end()
        if (
            len(digits) >= _FEWEST_DIGITS
            and not text.shadow[end : end + 1].isalnum()
            and _is_possible(_without_trunk(digits))
        ):
            best = end
    return best


def _without_trunk(digits: str) -> str:
    """The digits without the trunk prefix, which is not part of the number: `+966 (0)50…`."""
    return "966" + digits[4:] if digits.startswith("9660") else digits


RECOGNIZERS: tuple[Recognizer, ...] = (
    Rule("phone", frozenset({EntityType.PHONE_NUMBER}), _phone),
    Labelled("phone_unified", EntityType.PHONE_NUMBER, "business", _UNIFIED, 0.7),
    Labelled("phone_labelled", EntityType.PHONE_NUMBER, "phone", _LABELLED, 0.75),
)
