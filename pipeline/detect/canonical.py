"""When two surfaces are the same value: equal after detection's normalization, identifiers also without separators."""

import re

from pipeline.detect.normalize import normalize
from schemas.entities import EntityType

# Values in which blanks, hyphens and the like only group; everything else keeps its words.
_IDENTIFIERS = frozenset(
    {
        EntityType.NATIONAL_ID,
        EntityType.RESIDENCE_PERMIT,
        EntityType.IBAN,
        EntityType.CREDIT_CARD,
        EntityType.PASSPORT,
        EntityType.MRN,
        EntityType.BUSINESS_ID,
        EntityType.TAX_ID,
        EntityType.VEHICLE_PLATE,
        EntityType.STUDENT_ID,
        EntityType.INSURANCE_POLICY,
        EntityType.MEDICAL_LICENSE,
        EntityType.SSN,
    }
)
_SEPARATORS = re.compile(r"[\s\-]+")
_DIALLING = re.compile(
    r"[\s\-./()]+"
)  # in telephone numbers these only group too; `12/345` and `1/2345` are two policies
_BLANKS = re.compile(r"\s+")
_CASELESS = _IDENTIFIERS | {EntityType.EMAIL_ADDRESS, EntityType.IP_ADDRESS}


def is_identifier(type_: EntityType) -> bool:
    """Whether blanks and hyphens in values of this type only group, telephone numbers among them."""
    return type_ in _IDENTIFIERS or type_ is EntityType.PHONE_NUMBER


def canonical(type_: EntityType, surface: str) -> str:
    """The form in which two surfaces of `type_` are equal exactly when they are the same value."""
    text = normalize(surface).text.strip()
    if type_ is EntityType.PHONE_NUMBER:
        return _phone(text)
    if type_ in _IDENTIFIERS:
        return _SEPARATORS.sub("", text).upper()
    text = _BLANKS.sub(" ", text)
    return text.casefold() if type_ in _CASELESS else text


def _phone(text: str) -> str:
    """Digits alone; 00 is the plus."""
    compact = _DIALLING.sub("", text)
    return "+" + compact[2:] if compact.startswith("00") else compact
