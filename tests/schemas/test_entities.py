"""The entity catalogue agrees with the tables of the interface specification."""

import pytest

from schemas.entities import (
    ALL_TYPES,
    CATALOG,
    CORE_TYPES,
    EXTENDED_TYPES,
    GLOSSARY_RANK,
    LEGACY,
    PREFIX,
    RANK,
    TOGGLABLE_TYPES,
    EntityType,
)

# "Type | Group | Rank", written out again so that a slip in the catalogue shows.
RANKS = """
CUSTOM_TERM 110, NATIONAL_ID 100, RESIDENCE_PERMIT 95, IBAN 95, PASSPORT 90, PERSON 90, ADDRESS 85, EMAIL_ADDRESS 80,
TAX_ID 80, VEHICLE_PLATE 75, PHONE_NUMBER 70, BUSINESS_ID 65, MEDICAL_LICENSE 60, INSURANCE_POLICY 60, STUDENT_ID 60,
API_KEY 60, MRN 55, CREDIT_CARD 50, SSN 50, MONETARY_AMOUNT 35, DATE_TIME 30, LOCATION 20, ORGANIZATION 10, IP_ADDRESS 5
"""
CORE = "PERSON NATIONAL_ID RESIDENCE_PERMIT PHONE_NUMBER EMAIL_ADDRESS DATE_TIME IBAN CREDIT_CARD PASSPORT ADDRESS"
EXTENDED = (
    "ORGANIZATION LOCATION MRN BUSINESS_ID TAX_ID VEHICLE_PLATE STUDENT_ID INSURANCE_POLICY MEDICAL_LICENSE API_KEY "
    "MONETARY_AMOUNT SSN IP_ADDRESS"
)
PREFIXES = {
    "PERSON": "PERSON_NAME",
    "PHONE_NUMBER": "PHONE",
    "EMAIL_ADDRESS": "EMAIL",
    "DATE_TIME": "DATE",
    "ORGANIZATION": "ORG",
    "CREDIT_CARD": "CARD",
    "IP_ADDRESS": "IP",
    "MONETARY_AMOUNT": "AMOUNT",
}
RETIRED = {
    "NATIONAL_ID": "SAUDI_NATIONAL_ID",
    "RESIDENCE_PERMIT": "IQAMA",
    "PASSPORT": "SAUDI_PASSPORT",
    "IBAN": "IBAN_SA",
    "BUSINESS_ID": "CR_NUMBER",
    "TAX_ID": "ZAKAT_NUMBER",
    "MRN": "MRN_MEDICAL",
}


def test_every_type_is_in_the_catalogue_once() -> None:
    assert [row.type for row in CATALOG] == list(EntityType)
    assert len(ALL_TYPES) == 24
    assert set(RANK) == set(PREFIX) == ALL_TYPES


def test_ranks_are_the_specified_ones() -> None:
    pairs = (pair.split() for pair in RANKS.replace("\n", " ").split(","))
    assert {str(type_): rank for type_, rank in RANK.items()} == {name: int(rank) for name, rank in pairs}
    assert max(RANK.values()) == GLOSSARY_RANK


@pytest.mark.parametrize(("types", "names"), [(CORE_TYPES, CORE), (EXTENDED_TYPES, EXTENDED)])
def test_groups_are_the_specified_ones_in_their_order(types: tuple[EntityType, ...], names: str) -> None:
    assert [str(type_) for type_ in types] == names.split()


def test_only_custom_terms_cannot_be_disabled() -> None:
    assert ALL_TYPES - set(TOGGLABLE_TYPES) == {EntityType.CUSTOM_TERM}


def test_redact_prefixes_are_the_specified_ones() -> None:
    assert {type_: PREFIX[type_] for type_ in EntityType if PREFIX[type_] != type_} == PREFIXES
    assert len(set(PREFIX.values())) == len(PREFIX)


def test_retired_names_are_the_specified_ones() -> None:
    assert {str(type_): name for type_, name in LEGACY.items()} == RETIRED
