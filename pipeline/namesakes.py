"""People by parts of their names: `Sara` of `Sara Alharbi` has her number, where only one person may be meant.

A part that several people share has a number of its own. A name of one word that is known as a name is left to
detection, which sees it wherever it stands.
"""

from collections.abc import Sequence

from pipeline.detect.canonical import canonical
from pipeline.detect.people import People, is_known
from pipeline.known import Known, is_distinctive
from pipeline.places import Place
from schemas.entities import EntityType

_PERSON = EntityType.PERSON


class Namesakes:
    """The people among the known values. Adds a value to `known` for each part that several of them share."""

    def __init__(self, known: list[Known]) -> None:
        self._known = known
        self._index = {item.canonical: number for number, item in enumerate(known) if item.type is _PERSON}
        named = [(number, item) for number, item in enumerate(known) if item.type is _PERSON and not item.glossary]
        several = [(n, surface) for n, item in named for surface in item.surfaces if is_distinctive(_PERSON, surface)]
        people = People(several)
        self._owner: dict[int, int] = {}
        alone = []
        for number, item in named:
            owner = people.owner(next(iter(item.surfaces), ""))
            if owner is not None and owner != number:
                self._owner[number] = owner
            elif owner is None:
                alone += [(number, s) for s in item.surfaces if len(s.split()) == 1 and not is_known(s)]
        self._people = People((*several, *alone)) if alone else people

    def merged(self, places: Sequence[Place]) -> Sequence[Place]:
        """Places of values, those of a part of one person's name as places of that person."""
        if self._owner.keys().isdisjoint(place.value for place in places):
            return places
        return [place._replace(value=self._owner.get(place.value, place.value)) for place in places]

    def places(self, text: str) -> list[Place]:
        """Where parts of known people's names stand as names."""
        if not self._people:
            return []
        return [
            Place(standing.start, standing.end, self._number(standing.people, text[standing.start : standing.end]))
            for standing in self._people.places(text)
        ]

    def _number(self, people: frozenset[int], surface: str) -> int:
        if len(people) == 1:
            (number,) = people
            return self._owner.get(number, number)
        key = canonical(_PERSON, surface)
        number = self._index.get(key, -1)
        if number < 0:
            number = self._index[key] = len(self._known)
            self._known.append(Known(_PERSON, key, {surface: None}, glossary=False))
        return number
