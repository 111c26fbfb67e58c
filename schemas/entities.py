"""The catalogue of entity types. All lists of types, ranks, prefixes and legacy names derive from its table."""

from dataclasses import dataclass
from enum import StrEnum


class EntityType(StrEnum):
    """Canonical detection types, as `/mask` reports them in `spans[].type` and in tokens."""

    __hash__ = str.__hash__  # faster than Enum's own, which is Python code that runs for every span

    PERSON = "PERSON"
    NATIONAL_ID = "NATIONAL_ID"
    RESIDENCE_PERMIT = "RESIDENCE_PERMIT"
    PHONE_NUMBER = "PHONE_NUMBER"
    EMAIL_ADDRESS = "EMAIL_ADDRESS"
    DATE_TIME = "DATE_TIME"
    IBAN = "IBAN"
    CREDIT_CARD = "CREDIT_CARD"
    PASSPORT = "PASSPORT"
    ADDRESS = "ADDRESS"
    ORGANIZATION = "ORGANIZATION"
    LOCATION = "LOCATION"
    MRN = "MRN"
    BUSINESS_ID = "BUSINESS_ID"
    TAX_ID = "TAX_ID"
    VEHICLE_PLATE = "VEHICLE_PLATE"
    STUDENT_ID = "STUDENT_ID"
    INSURANCE_POLICY = "INSURANCE_POLICY"
    MEDICAL_LICENSE = "MEDICAL_LICENSE"
    API_KEY = "API_KEY"
    MONETARY_AMOUNT = "MONETARY_AMOUNT"
    SSN = "SSN"
    IP_ADDRESS = "IP_ADDRESS"
    CUSTOM_TERM = "CUSTOM_TERM"


class Group(StrEnum):
    """Core types are on for new accounts, extended types are off until enabled, `always` types cannot be disabled."""

    CORE = "core"
    EXTENDED = "extended"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Entity:
    """One row of the catalogue. The higher `rank` wins an overlap; `prefix` begins the placeholders of `/redact`."""

    type: EntityType
    group: Group
    rank: int
    detects: str
    prefix: str
    legacy: str | None = None


def _row(
    type_: EntityType, group: Group, rank: int, detects: str, prefix: str | None = None, legacy: str | None = None
) -> Entity:
    return Entity(type_, group, rank, detects, prefix or type_.value, legacy)


_T, _CORE, _EXT = EntityType, Group.CORE, Group.EXTENDED

# In display order.
CATALOG: tuple[Entity, ...] = (
    _row(_T.PERSON, _CORE, 90, "Latin and Arabic names", "PERSON_NAME"),
    _row(_T.NATIONAL_ID, _CORE, 100, "10 digits, leading 1, checksum-validated", legacy="SAUDI_NATIONAL_ID"),
    _row(_T.RESIDENCE_PERMIT, _CORE, 95, "10 digits, leading 2, checksum-validated", legacy="IQAMA"),
    _row(_T.PHONE_NUMBER, _CORE, 70, "KSA mobile and international", "PHONE"),
    _row(_T.EMAIL_ADDRESS, _CORE, 80, "e-mail addresses", "EMAIL"),
    _row(_T.DATE_TIME, _CORE, 30, "dates, times, durations", "DATE"),
    _row(_T.IBAN, _CORE, 95, "24-char Saudi IBAN, mod-97", legacy="IBAN_SA"),
    _row(_T.CREDIT_CARD, _CORE, 50, "14-16 digit card numbers, Luhn", "CARD"),
    _row(_T.PASSPORT, _CORE, 90, "ICAO format", legacy="SAUDI_PASSPORT"),
    _row(_T.ADDRESS, _CORE, 85, "national-address and short-code addresses"),
    _row(_T.ORGANIZATION, _EXT, 10, "Saudi organizations", "ORG"),
    _row(_T.LOCATION, _EXT, 20, "cities, regions, countries"),
    _row(_T.MRN, _EXT, 55, "hospital medical record numbers", legacy="MRN_MEDICAL"),
    _row(_T.BUSINESS_ID, _EXT, 65, "commercial registration (context-gated)", legacy="CR_NUMBER"),
    _row(_T.TAX_ID, _EXT, 80, "leading 3, shape-only", legacy="ZAKAT_NUMBER"),
    _row(_T.VEHICLE_PLATE, _EXT, 75, "Latin and Arabic plate alphabets"),
    _row(_T.STUDENT_ID, _EXT, 60, "student ids (context-gated)"),
    _row(_T.INSURANCE_POLICY, _EXT, 60, "policy ids (context-gated)"),
    _row(_T.MEDICAL_LICENSE, _EXT, 60, "practitioner license numbers"),
    _row(_T.API_KEY, _EXT, 60, "provider-prefixed secrets only"),
    _row(_T.MONETARY_AMOUNT, _EXT, 35, "amounts in 18 currencies, symbol, ISO and word forms", "AMOUNT"),
    _row(_T.SSN, _EXT, 50, "US-format social security numbers"),
    _row(_T.IP_ADDRESS, _EXT, 5, "IPv4 and IPv6 literals", "IP"),
    _row(_T.CUSTOM_TERM, Group.ALWAYS, 110, "caller glossary terms"),
)

ENTITY: dict[EntityType, Entity] = {row.type: row for row in CATALOG}
RANK: dict[EntityType, int] = {row.type: row.rank for row in CATALOG}
PREFIX: dict[EntityType, str] = {row.type: row.prefix for row in CATALOG}
LEGACY: dict[EntityType, str] = {row.type: row.legacy for row in CATALOG if row.legacy}
CORE_TYPES: tuple[EntityType, ...] = tuple(row.type for row in CATALOG if row.group is Group.CORE)
EXTENDED_TYPES: tuple[EntityType, ...] = tuple(row.type for row in CATALOG if row.group is Group.EXTENDED)
TOGGLABLE_TYPES: tuple[EntityType, ...] = CORE_TYPES + EXTENDED_TYPES
ALL_TYPES: frozenset[EntityType] = frozenset(EntityType)
GLOSSARY_RANK = ENTITY[EntityType.CUSTOM_TERM].rank
