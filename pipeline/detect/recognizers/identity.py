"""NATIONAL_ID and RESIDENCE_PERMIT (ten digits that begin with 1 or 2 and end in a check digit), and US SSN."""

import re
from collections.abc import Iterator

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.recognizers.labelled import Labelled
from pipeline.detect.recognizers.phone_number import possible_end
from pipeline.detect.text.checksums import luhn
from pipeline.detect.text.context import has_label, label_before, label_kinds, note_label, values
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.number_tokens import GroupedNumber, is_separate_number
from pipeline.detect.text.shadow import shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_DIGITS = 10
_TYPES = {"1": EntityType.NATIONAL_ID, "2": EntityType.RESIDENCE_PERMIT}
_KINDS = frozenset({"national_id", "residence"})
# The usual groupings of the ten digits. Any other needs a label.
_SPACINGS = frozenset(
    {(1, 4, 5), (3, 3, 4), (4, 3, 3), (2, 4, 4), (1, 3, 3, 3), (3, 4, 3), (4, 4, 2), (2,) * 5, (5, 5), (1,) * 10}
)
# With a label and a right check digit any one sign may stand between the groups: `1012.345.672`, `1/0123/45672`.
_ANY_SIGN = shadow_pattern(r"""
    (?<![a-z0-9+]) (?<! \d [.,:/\\|_\-])
    [12] \d{0,8} (?P<sign> [ ]? [.,:/\\|_·،٫٬\-]{1,2} [ ]? ) \d{1,8} (?: (?P=sign) \d{1,8} ){0,8}
    (?! [a-z0-9] | [.,:/\\|_\-] \d )
""")
# Letters that may be attached to the number: "ID1012345672".
_GLUED = re.compile(rb"(?<![a-z])(?:id|idno|nid|no|iqama|iqamano|nationalid)$")
# A prefix that may be the country code of a phone number, "+1 2025550143", or a row number, "012 1012345672".
_DIALLED = re.compile(rb"(?<![A-Za-z0-9])(?:\+|00)(?=[ (]?\d{1,3}[ )\-.]{1,2}$)")
_LONGEST_DIALLED = 8  # characters of the longest prefix: "00 (966) "

# US social security number: area 001-665, 667-899; group 01-99; serial 0001-9999 (SSA, randomized since 2011).
_SSN_SIZES = (3, 2, 4)
_SSN_BARE = shadow_pattern(r"""
    (?<![a-z0-9])
    (?!000|666|9) \d{3}
    [ \-]? (?!00) \d{2}
    [ \-]? (?!0000) \d{4}
    (?![a-z0-9])
""")


def _identity(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    """Unbroken numbers, then numbers in groups. Lenient: a failing check digit only lowers the score."""
    for start in text.numbers.plain.get(_DIGITS, ()):
        end = start + _DIGITS
        digits = text.text[start:end]
        if digits[0] in _TYPES and _is_free(text, start, end, options):
            valid = luhn(digits)
            if valid or not options.strict_checksums:
                yield span(start, end, _TYPES[digits[0]], 0.95 if valid else 0.5, "identity")
    for found in text.groups:
        if len(found.digits) == _DIGITS and found.digits[0] in _TYPES and _is_identity(text, found, options):
            yield span(found.start, found.end, _TYPES[found.digits[0]], 0.9, "identity")
    yield from _with_any_sign(text, options)


def _with_any_sign(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    """Numbers behind a label whose groups any one sign parts, and the same numbers wherever they stand so again."""
    known: set[str] = set()
    for kind in sorted(_KINDS):
        for start, end in values(text, options, kind, _ANY_SIGN) if has_label(text, options, kind) else ():
            digits = _digits(text, start, end)
            if len(digits) == _DIGITS and luhn(digits):
                known.add(digits)
                yield span(start, end, _TYPES[digits[0]], 0.9, "identity")
    for match in _ANY_SIGN.finditer(text.shadow) if known else ():
        digits = _digits(text, *match.span())
        if digits in known:
            yield span(*match.span(), _TYPES[digits[0]], 0.9, "identity")


def _digits(text: NormalizedText, start: int, end: int) -> str:
    return "".join(filter(str.isdigit, text.text[start:end]))


def _is_free(text: NormalizedText, start: int, end: int, options: DetectOptions) -> bool:
    shadow = text.shadow
    window = shadow[max(0, start - 12) : start]
    if window[-1:].isalpha():
        return _GLUED.search(window) is not None and not shadow[end : end + 1].isalnum()
    return is_separate_number(shadow, start, end) and not _is_dialled(text, start, end, options)


def _is_dialled(text: NormalizedText, start: int, end: int, options: DetectOptions) -> bool:
    """Whether the digits are the end of a telephone number that is found as such."""
    if EntityType.PHONE_NUMBER not in options.enabled:
        return False
    prefix = _DIALLED.search(text.shadow, max(0, start - _LONGEST_DIALLED), start)
    return prefix is not None and possible_end(text, prefix.end()) >= end


def _is_identity(text: NormalizedText, found: GroupedNumber, options: DetectOptions) -> bool:
    valid = found.separator in {" ", "-"} and luhn(found.digits)
    if not valid and options.strict_checksums:
        return False
    if not is_separate_number(text.shadow, found.start, found.end) or _is_dialled(
        text, found.start, found.end, options
    ):
        return False
    if valid and found.sizes in _SPACINGS and (found.alone or found.separator == "-"):
        return True
    label = label_before(text, found.start)
    if label is not None and label.section in _KINDS:
        note_label(text, (found.start, found.end), "identity", label)
        return True
    return not _KINDS.isdisjoint(label_kinds(options.context))


def _ssn(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    """Three, two and four digits with hyphens or blanks between."""
    for found in text.groups:
        if (
            found.sizes == _SSN_SIZES
            and found.separator in {" ", "-"}
            and _SSN_BARE.fullmatch(text.shadow, found.start, found.end)
            and (found.alone or found.separator == "-")
            and _has_no_neighbour(text.shadow, found)
        ):
            yield span(found.start, found.end, EntityType.SSN, 0.8, "ssn")


def _has_no_neighbour(shadow: bytes, found: GroupedNumber) -> bool:
    """Whether no hyphen, slash or letter makes the number a part of a longer code."""
    around = shadow[max(0, found.start - 1) : found.start] + shadow[found.end : found.end + 1]
    return not any(byte in b"-/+_" or (chr(byte).isascii() and chr(byte).isalnum()) for byte in around)


RECOGNIZERS: tuple[Recognizer, ...] = (
    Rule("identity", frozenset(_TYPES.values()), _identity),
    Rule("ssn", frozenset({EntityType.SSN}), _ssn),
    Labelled("ssn_labelled", EntityType.SSN, "ssn", _SSN_BARE, 0.9),
)
