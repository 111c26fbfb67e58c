"""TAX_ID (VAT registration, TIN) and BUSINESS_ID (commercial registration, unified number)."""

from collections.abc import Iterator

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.recognizers.labelled import Labelled
from pipeline.detect.text.checksums import luhn
from pipeline.detect.text.context import label_kind_before
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.number_tokens import is_separate_number
from pipeline.detect.text.shadow import shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_DIGITS = 15
_AMEX = ("34", "37")
_AMEX_SIZES = (4, 6, 5)


def _tax(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    """15 digits that begin with 3, without a label. A VAT number also ends in 3."""
    for start in text.numbers.plain.get(_DIGITS, ()):
        end = start + _DIGITS
        if text.shadow[start] == ord("3") and is_separate_number(text.shadow, start, end):
            digits = text.text[start:end]
            if digits[-1] == "3" or not _is_something_else(text, start, digits):
                yield span(start, end, EntityType.TAX_ID, 0.9 if digits[-1] == "3" else 0.7, "tax")
    for found in text.groups:
        if len(found.digits) == _DIGITS and found.digits[0] == "3" and found.sizes != _AMEX_SIZES:
            vat = found.digits[-1] == "3" and found.separator in {" ", "-"}
            if vat and found.alone and is_separate_number(text.shadow, found.start, found.end):
                yield span(found.start, found.end, EntityType.TAX_ID, 0.8, "tax")


def _is_something_else(text: NormalizedText, start: int, digits: str) -> bool:
    """Whether it is an American Express card, or another number by its label: an IMEI also has 15 digits, mostly 35…"""
    return (digits.startswith(_AMEX) and luhn(digits)) or label_kind_before(text, start) in {"other", "card"}


_TAX_LABELLED = shadow_pattern(r"(?<![a-z0-9+]) 3 (?:[ \-]? \d){9} (?:(?:[ \-]? \d){5})? (?![a-z0-9] | [.\-/]\d)")
_REGISTRATION = shadow_pattern(r"(?<![a-z0-9+]) [1-7] (?:[ \-]? \d){9} (?![a-z0-9] | [.\-/]\d)")

RECOGNIZERS: tuple[Recognizer, ...] = (
    Rule("tax", frozenset({EntityType.TAX_ID}), _tax),
    Labelled("tax_labelled", EntityType.TAX_ID, "tax", _TAX_LABELLED, 0.85),
    Labelled("business", EntityType.BUSINESS_ID, "business", _REGISTRATION, 0.85),
)
