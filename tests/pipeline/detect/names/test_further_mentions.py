"""Where a text names a person by a part of a name that it has in full elsewhere."""

import pytest

from pipeline.detect.mentions import TAGGER, further_mentions
from schemas.entities import EntityType
from schemas.spans import Span

PERSON, LOCATION, ORGANIZATION = EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION
TEXT = "David Blentham wrote. The home of Blentham is large."


def span(surface: str, type_: EntityType, score: float, by: str = TAGGER, text: str = TEXT) -> Span:
    """The last place of a surface."""
    start = text.rindex(surface)
    return Span(start, start + len(surface), type_, score, by, 1)


def further(*found: Span, text: str = TEXT) -> list[tuple[str, EntityType]]:
    return [(text[s.start : s.end], s.type) for s in further_mentions(text, found)]


@pytest.mark.parametrize("type_", [LOCATION, ORGANIZATION])
def test_a_later_part_that_the_tagger_typed_otherwise_is_the_person(type_: EntityType) -> None:
    full, part = span("David Blentham", PERSON, 0.95), span("Blentham", type_, 0.6)
    assert further(full, part) == [("Blentham", PERSON)]


@pytest.mark.parametrize(
    ("of_person", "of_place", "by"), [(0.85, 0.6, TAGGER), (0.95, 0.95, TAGGER), (0.95, 0.6, "lexical")]
)
def test_it_stays_a_place_if_the_person_is_not_sure_or_the_place_is_known(
    of_person: float, of_place: float, by: str
) -> None:
    assert further(span("David Blentham", PERSON, of_person), span("Blentham", LOCATION, of_place, by)) == []


def test_more_than_one_word_is_no_part() -> None:
    text = "David Blentham wrote. The train goes to Blentham David."
    full, place = span("David Blentham", PERSON, 0.95, text=text), span("Blentham David", LOCATION, 0.6, text=text)
    assert further(full, place, text=text) == []


def test_a_name_of_two_people_is_nobodys() -> None:
    text = "David Blentham wrote. Susan Blentham read. The home of Blentham is large."
    people = span("David Blentham", PERSON, 0.95, text=text), span("Susan Blentham", PERSON, 0.95, text=text)
    assert further(*people, span("home of Blentham", LOCATION, 0.6, text=text), text=text) == []
    assert further(*people, span("Blentham", LOCATION, 0.6, text=text), text=text) == []


def test_a_person_who_is_named_twice_is_one() -> None:
    text = "David Blentham wrote. David Blentham read. The home of Blentham is large."
    first = text.index("David")
    people = Span(first, first + 14, PERSON, 0.95, TAGGER, 1), span("David Blentham", PERSON, 0.85, text=text)
    assert further(*people, span("Blentham", LOCATION, 0.6, text=text), text=text) == [("Blentham", PERSON)]
