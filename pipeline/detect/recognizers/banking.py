"""IBAN (Saudi, ISO 13616) and CREDIT_CARD (ISO/IEC 7812). Both have check digits."""

from collections.abc import Iterator

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.recognizers.labelled import Labelled
from pipeline.detect.text.checksums import luhn, mod97
from pipeline.detect.text.context import values
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.number_tokens import is_separate_number
from pipeline.detect.text.shadow import shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_IBAN = shadow_pattern(r"""
    s[ ]?a                               # apart too: one character in each box of a form
    [ \-./_]{0,2} \d [ \-./_]{0,2} \d    # check digits
    (?: [ \-./_]{0,2} [a-z0-9] ){20}     # bank code and account; the account may hold letters
    (?![a-z0-9])
""")
_BREAK = r"(?: [ \-./_]{0,2} | [ ]? \r? \n [ >]{0,2} )"  # also the mark of a quoted mail
_WRAPPED = shadow_pattern(rf"(?= ( s[ ]?a {_BREAK} \d {_BREAK} \d (?: {_BREAK} [a-z0-9] ){{20}} (?![a-z0-9]) ) )")
# After its label, in a document that OCR may have misread: SA as 58 or 5A, one digit more or less.
_MISREAD = shadow_pattern(r"(?<![a-z0-9]) [a-z0-9]{2} (?: [ \-.]{0,2} [0-9oilsbz] ){20,22} (?![a-z0-9])")
_LABEL = b"iban"  # may be attached to the number
_FEWEST_DIGITS = 14  # the account may hold letters, but a sentence is no IBAN

# Issuer prefixes by length of the card number: how many first digits, and the range of their value.
_PREFIXES: dict[int, tuple[tuple[int, int, int], ...]] = {
    16: (
        (1, 4, 4),  # Visa, and most mada
        (2, 51, 55), (4, 2221, 2720),  # Mastercard
        (6, 588845, 588850), (6, 968201, 968212), (6, 636120, 636120), (6, 604906, 604906),  # mada
        (4, 3528, 3589),  # JCB
        (4, 6011, 6011), (3, 644, 649), (2, 65, 65),  # Discover
        (2, 62, 62), (2, 81, 81),  # UnionPay
    ),
    15: ((2, 34, 34), (2, 37, 37)),  # American Express
    14: ((2, 36, 36), (2, 38, 39), (3, 300, 305), (3, 309, 309)),  # Diners
}  # fmt: skip
_SPACINGS = frozenset(
    {(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 3), (4, 4, 4, 2), (4, 12), (8, 8), (6, 10), (5, 5, 5)}
)
_CARD_SHAPE = shadow_pattern(r"(?<![a-z0-9+]) \d (?:[ \-./_]? \d){13,15} (?![a-z0-9])")


def _iban(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    """`SA` and 22 characters, in any usual grouping and either case. Lenient: kept if mod 97 fails."""
    if "\n" in text.text:
        yield from _over_line_breaks(text)
    for match in _IBAN.finditer(text.shadow):
        start, end = match.span()
        if _is_within_word(text, start):
            continue
        compact = _compact(text.text[start:end])
        valid = mod97(compact)
        if valid or (not options.strict_checksums and sum(c.isdigit() for c in compact) >= _FEWEST_DIGITS):
            yield span(start, end, EntityType.IBAN, 0.99 if valid else 0.6, "iban")
    if not options.strict_checksums:
        for start, end in values(text, options, "iban", _MISREAD):
            if sum(byte in b"0123456789" for byte in text.shadow[start:end]) >= _FEWEST_DIGITS:
                yield span(start, end, EntityType.IBAN, 0.5, "iban")


def _over_line_breaks(text: NormalizedText) -> Iterator[Span]:
    for match in _WRAPPED.finditer(text.shadow):
        start, end = match.span(1)
        if b"\n" in match[1] and not _is_within_word(text, start) and mod97(_compact(text.text[start:end])):
            yield span(start, end, EntityType.IBAN, 0.99, "iban")


def _is_within_word(text: NormalizedText, start: int) -> bool:
    return text.shadow[start - 1 : start].isalnum() and not text.shadow.endswith(_LABEL, 0, start)


def _compact(surface: str) -> str:
    return "".join(filter(str.isalnum, surface.upper()))


def _known_scheme(digits: str) -> bool:
    return any(low <= int(digits[:size]) <= high for size, low, high in _PREFIXES[len(digits)])


def _card(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    """14 to 16 digits of a known card scheme that pass Luhn, unbroken or grouped. Never relaxed."""
    for length in _PREFIXES:
        for start in text.numbers.plain.get(length, ()):
            digits = text.text[start : start + length]
            if _known_scheme(digits) and luhn(digits) and is_separate_number(text.shadow, start, start + length):
                yield span(start, start + length, EntityType.CREDIT_CARD, 0.9, "card")
    for found in text.groups:
        if (
            len(found.digits) in _PREFIXES
            and (found.alone or found.sizes in _SPACINGS)
            and not (found.separator == "." and len(found.sizes) == 2)  # 26.98409473546212 is a fraction
            and _known_scheme(found.digits)
            and luhn(found.digits)
            and is_separate_number(text.shadow, found.start, found.end)
        ):
            yield span(found.start, found.end, EntityType.CREDIT_CARD, 0.9, "card")


def _is_card(surface: str) -> bool:
    return luhn("".join(c for c in surface if c.isdigit()))


RECOGNIZERS: tuple[Recognizer, ...] = (
    Rule("iban", frozenset({EntityType.IBAN}), _iban),
    Rule("card", frozenset({EntityType.CREDIT_CARD}), _card),
    Labelled("card_labelled", EntityType.CREDIT_CARD, "card", _CARD_SHAPE, 0.8, _is_card),
)
