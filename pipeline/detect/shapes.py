"""What each recognizer looks for, in words, and the checksum that what it reports has passed."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pipeline.detect.checksums import luhn, mod97
from pipeline.detect.trace import LABELLED
from schemas.entities import EntityType

_T = EntityType


class Shape(NamedTuple):
    """`text` for who reads an explanation; `check`: the checksum's name; `source`: under which its cue words are noted.

    A label's kind, the type for words, or else the recognizer's name.
    """

    text: str
    check: str | None = None
    source: str = ""


# By recognizer; by recognizer and type where it reports several. tests/pipeline/detect/test_explain.py: no row missing.
SHAPES: Mapping[str | tuple[str, EntityType], Shape] = {
    ("identity", _T.NATIONAL_ID): Shape("10 digits, leading 1", "luhn"),
    ("identity", _T.RESIDENCE_PERMIT): Shape("10 digits, leading 2", "luhn"),
    "ssn": Shape("3, 2 and 4 digits with hyphens or spaces, valid area"),
    "ssn_labelled": Shape("9 digits with a valid area, beside a label", source=LABELLED + "ssn"),
    "iban": Shape("SA, 2 check digits and 20 characters", "mod97", LABELLED + "iban"),
    "card": Shape("14 to 16 digits of a known card scheme", "luhn"),
    "card_labelled": Shape("14 to 16 digits, beside a label", "luhn", source=LABELLED + "card"),
    "tax": Shape("15 digits, leading 3"),
    "tax_labelled": Shape("10 or 15 digits, leading 3, beside a label", source=LABELLED + "tax"),
    "business": Shape("10 digits, leading 1 to 7, beside a label", source=LABELLED + "business"),
    "mrn": Shape("record number, beside a label", source=LABELLED + "mrn"),
    "student": Shape("student number, beside a label", source=LABELLED + "student"),
    "policy": Shape("policy number, beside a label", source=LABELLED + "policy"),
    "license": Shape("SCFHS or yy-R-X licence number"),
    "license_labelled": Shape("licence number, beside a label", source=LABELLED + "license"),
    "passport": Shape("document number, beside a label", source=LABELLED + "passport"),
    ("mrz", _T.PASSPORT): Shape("second line of a machine-readable zone", "icao9303"),
    ("mrz", _T.PERSON): Shape("name in a machine-readable zone whose second line holds"),
    "email": Shape("local part, @ and domain"),
    "phone": Shape("Saudi number, or an international number that is possible"),
    "phone_unified": Shape("unified number, beside a label", source=LABELLED + "business"),
    "phone_labelled": Shape("number without its prefix, beside a label", source=LABELLED + "phone"),
    "plate": Shape("up to 4 digits and 3 plate letters"),
    "plate_labelled": Shape("up to 4 digits and 3 plate letters, beside a label", source=LABELLED + "plate"),
    "ipv4": Shape("IPv4 literal"),
    "ipv6": Shape("IPv6 literal"),
    "api_key": Shape("secret with its issuer's prefix"),
    "dates": Shape("date in digits"),
    "clock": Shape("time of day"),
    "verbal_dates": Shape("date with a month's name"),
    "durations": Shape("number with a unit of time"),
    "money": Shape("number with a currency"),
    "glossary": Shape("term of a glossary"),
    "judge": Shape("named by the judge, verbatim in the text"),
    ("lexical", _T.PERSON): Shape("words known as names", source="PERSON"),
    ("lexical", _T.ADDRESS): Shape("parts of an address that stand together", source="ADDRESS"),
    ("lexical", _T.LOCATION): Shape("place known by the lexicon", source="LOCATION"),
    ("lexical", _T.ORGANIZATION): Shape("organization, known or as such names are built", source="ORGANIZATION"),
}


def shape_of(recognizer: str, type_: EntityType) -> Shape:
    """The row of a span's recognizer and type."""
    return SHAPES.get((recognizer, type_)) or SHAPES.get(recognizer) or Shape(recognizer)


def holds(check: str, surface: str) -> bool:
    """Whether `surface` passes the check of this name: files keep numbers that do not (then it made no span)."""
    compact = "".join(c for c in surface.upper() if c.isalnum())
    return _CHECKS[check](compact)


# The machine-readable zone is reported only when its five check digits hold, in files too.
_CHECKS: Mapping[str, Callable[[str], bool]] = {"luhn": luhn, "mod97": mod97, "icao9303": bool}
