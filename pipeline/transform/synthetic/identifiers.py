"""Stand-ins of identifiers: of the same layout, and never valid where the type has a check digit or a closed range."""

import re
from collections.abc import Callable

from pipeline.detect.text.checksums import luhn, mod97
from pipeline.detect.text.equivalence import canonical
from pipeline.transform.synthetic.characters import alike, digit_like, plate_letter
from pipeline.transform.synthetic.choices import Choices
from schemas.entities import EntityType

_TRIES = 20  # one in ten meets the check digit by chance, one in 97 for an IBAN
_SECRET_PREFIX = re.compile(r"(?:[A-Za-z]{1,12}[-_]){1,3}|[A-Z]{4}")  # of an API key: `sk-`, `ghp_`, `AKIA`
_SAUDI_MOBILE = re.compile(r"(?:\+|00)?9660?5|05|5")
_FOREIGN_PREFIX = 3  # digits of an international number that say the country
_LANDLINE_PREFIX = 2
_LEAST_COUNTRY_LENGTH = 10
_UNISSUED_AREA = "666"  # of a US social security number: never assigned (SSA)


def national_id(surface: str, choices: Choices) -> str | None:
    """Ten digits that begin alike (1 citizens, 2 residents) and fail the check digit."""
    return _failing(luhn, EntityType.NATIONAL_ID, surface, choices, kept=1)


def card(surface: str, choices: Choices) -> str | None:
    """A number of the same network's first digit that fails the check digit (ISO/IEC 7812-1)."""
    return _failing(luhn, EntityType.CREDIT_CARD, surface, choices, kept=1)


def iban(surface: str, choices: Choices) -> str | None:
    """An account of the same country that fails ISO 13616's check."""
    return _failing(mod97, EntityType.IBAN, surface, choices, kept=2)


def phone(surface: str, choices: Choices) -> str | None:
    """A Saudi mobile number of the range 052, which is not given out; others keep their country alone."""
    digits = [index for index, character in enumerate(surface) if character.isdecimal()]
    plain = "".join(canonical(EntityType.PHONE_NUMBER, surface).lstrip("+"))
    mobile = _SAUDI_MOBILE.match(canonical(EntityType.PHONE_NUMBER, surface))
    if mobile is None or not plain.isdecimal():
        return alike(
            surface, choices, kept=_FOREIGN_PREFIX if len(digits) >= _LEAST_COUNTRY_LENGTH else _LANDLINE_PREFIX
        )
    after = len(digits) - 8  # the eight digits after the 5: then `2`, which no operator has
    if after < 0:
        return alike(surface, choices, kept=1)
    made = list(surface)
    made[digits[after]] = digit_like(surface[digits[after]], 2)
    for index in digits[after + 1 :]:
        made[index] = digit_like(surface[index], choices.below(10))
    return "".join(made)


def social_security(surface: str, choices: Choices) -> str | None:
    """A number of an area that is never assigned."""
    made = list(alike(surface, choices) or "")
    places = [index for index, character in enumerate(made) if character.isdecimal()]
    for index, digit in zip(places, _UNISSUED_AREA, strict=False):
        made[index] = digit_like(made[index], int(digit))
    return "".join(made)


def plate(surface: str, choices: Choices) -> str | None:
    """Digits and letters that plates have."""
    return alike(surface, choices, letters=plate_letter)


def secret(surface: str, choices: Choices) -> str | None:
    """A secret of the same provider's prefix."""
    prefix = _SECRET_PREFIX.match(surface)
    return alike(surface, choices, kept=sum(map(str.isalnum, prefix[0])) if prefix else 0)


def tax_number(surface: str, choices: Choices) -> str | None:
    """A number that begins with 3 as all do."""
    return alike(surface, choices, kept=1)


def _failing(
    check: Callable[[str], bool], type_: EntityType, surface: str, choices: Choices, *, kept: int
) -> str | None:
    """The first of a few values that fails the check; None if all pass, or if the value is not of plain characters."""
    for _ in range(_TRIES):
        made = alike(surface, choices, kept=kept)
        if made is None:
            return None
        plain = canonical(type_, made)
        if not plain.isascii() or not plain.isalnum():
            return None
        if not check(plain):
            return made
    return None
