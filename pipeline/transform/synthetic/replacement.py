"""Gives each value of a text its stand-in: equal values the same one, different values different ones.

A stand-in is never a value that the text itself holds. Stand-ins are keyed: one caller's value has the same one in each
call, unless it is taken in that text.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pipeline.detect.text.equivalence import canonical
from pipeline.transform.synthetic import identifiers, network, places, quantities
from pipeline.transform.synthetic.characters import alike
from pipeline.transform.synthetic.choices import Choices
from pipeline.transform.synthetic.people import People
from schemas.entities import EntityType
from schemas.spans import Detection, Span

_Maker = Callable[[str, Choices], str | None]
_TRIES = 20
_LONGEST = 300  # characters of a value; a longer one is no value, but a passage
_BEFORE = 30  # characters in front of a name in which its title may stand

# Glossary terms have no stand-in: nobody but the caller knows what they are.
_MAKERS: Mapping[EntityType, _Maker] = MappingProxyType(
    {
        EntityType.NATIONAL_ID: identifiers.national_id,
        EntityType.RESIDENCE_PERMIT: identifiers.national_id,
        EntityType.PHONE_NUMBER: identifiers.phone,
        EntityType.EMAIL_ADDRESS: network.email_address,
        EntityType.DATE_TIME: quantities.moment,
        EntityType.IBAN: identifiers.iban,
        EntityType.CREDIT_CARD: identifiers.card,
        EntityType.PASSPORT: alike,
        EntityType.ADDRESS: places.address,
        EntityType.ORGANIZATION: places.organization,
        EntityType.LOCATION: places.location,
        EntityType.MRN: alike,
        EntityType.BUSINESS_ID: alike,
        EntityType.TAX_ID: identifiers.tax_number,
        EntityType.VEHICLE_PLATE: identifiers.plate,
        EntityType.STUDENT_ID: alike,
        EntityType.INSURANCE_POLICY: alike,
        EntityType.MEDICAL_LICENSE: alike,
        EntityType.API_KEY: identifiers.secret,
        EntityType.MONETARY_AMOUNT: quantities.amount,
        EntityType.SSN: identifiers.social_security,
        EntityType.IP_ADDRESS: network.ip_address,
    }
)


class Synthesizer:
    """The stand-ins of one detection under a key (see `choices.synthetic_key`). Not thread-safe."""

    def __init__(self, detection: Detection, key: bytes) -> None:
        self._text = detection.text
        self._key = key
        values = [(span.type, detection.text[span.start : span.end]) for span in detection.spans]
        self._people = People(key, (value for type_, value in values if type_ is EntityType.PERSON))
        self._originals = {canonical(type_, value) for type_, value in values}
        self._standing: dict[str, tuple[EntityType, str]] = {}
        self._attempt: dict[tuple[EntityType, str], int | None] = {}

    def value(self, span: Span) -> str | None:
        """The stand-in of a span of the detection; None: use the placeholder (fail closed)."""
        surface = self._text[span.start : span.end]
        if len(surface) > _LONGEST:
            return None
        if span.type is EntityType.PERSON:
            return self._people.name(surface, self._text[max(0, span.start - _BEFORE) : span.start])
        maker = _MAKERS.get(span.type)
        return None if maker is None else self._made(maker, span.type, surface)

    def _made(self, maker: _Maker, type_: EntityType, surface: str) -> str | None:
        """The first stand-in that is free; for an equal value, in another writing, the one of the same attempt."""
        value = (type_, canonical(type_, surface))
        if value in self._attempt:
            attempt = self._attempt[value]
            return None if attempt is None else maker(surface, self._choices(value, attempt))
        self._attempt[value] = None
        for attempt in range(_TRIES):
            made = maker(surface, self._choices(value, attempt))
            if made is None:
                return None
            compared = canonical(type_, made)
            if compared not in self._originals and self._standing.setdefault(compared, value) == value:
                self._attempt[value] = attempt
                return made
        return None

    def _choices(self, value: tuple[EntityType, str], attempt: int) -> Choices:
        return Choices(self._key, *value, str(attempt))
