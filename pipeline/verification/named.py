"""The verdict on people: nobody whose name was found may stand in an output by a part of it either."""

from collections.abc import Iterable, Iterator, Sequence

from pipeline.detect.allowed_places import AllowedTerms
from pipeline.detect.people import People, is_known
from pipeline.documents.document import FoundValue
from pipeline.verification.reading import Leftover, Passage
from schemas.entities import EntityType
from schemas.spans import TermSet

_PERSON = EntityType.PERSON


def named(
    values: Sequence[FoundValue], passages: Iterable[Passage], sets: Sequence[TermSet] = ()
) -> Iterator[Leftover]:
    """Each part of a found name that still stands as a name in what people read; what `sets` allow may stay."""
    names = [(number, value) for number, value in enumerate(values) if value.type == _PERSON]
    people = People(
        (number, value.surface)
        for number, value in names
        if value.distinctive or (len(value.surface.split()) == 1 and not is_known(value.surface))
    )
    if not people:
        return
    allowed = AllowedTerms(sets)
    for passage in passages:
        standings = people.places(passage.text)
        if standings:
            places = allowed.places(passage.text)
            for start, end, _ in standings:
                if not places.cover(start, end, _PERSON):
                    yield Leftover(_PERSON.value, passage.text[start:end], known=True)
