"""Lays what is found in JSON as a whole onto the values of it, beside what is found in each by itself."""

from bisect import bisect_right
from collections.abc import Iterator

from api.proxy.leaves import Form, Leaf
from api.proxy.sightings import Seen, Sightings
from api.proxy.whole_json import WholeJson
from pipeline.entities.spans import Place, put


class Siblings:
    """What values in one JSON tell of each other: as with `Sightings`, `look` for every leaf, then ask `of` each."""

    def __init__(self, sightings: Sightings) -> None:
        self._sightings = sightings
        self._looked: set[WholeJson] = set()
        self._found: dict[WholeJson, tuple[list[Seen], list[int]]] = {}  # and where each ends

    def look(self, number: int, leaf: Leaf) -> None:
        """Detection of the JSON in which leaf `number` stands, once."""
        if leaf.whole is not None and leaf.whole not in self._looked:
            self._looked.add(leaf.whole)
            self._sightings.look(number, leaf.whole.text)

    def of(self, number: int, leaf: Leaf, own: list[Seen]) -> list[Seen]:
        """What is to be masked in leaf `number`, by position: the wider where one is a part of the other."""
        if leaf.whole is None:
            return own
        more = list(self._laid(number, leaf, leaf.whole))
        if not more:
            return own
        every = own + more
        places = [Place(seen.start, seen.end, at) for at, seen in enumerate(own)]
        for at, seen in enumerate(more, len(own)):
            put(places, Place(seen.start, seen.end, at))
        return [Seen(start, end, every[at].type) for start, end, at in places if _is_readable(leaf.text[start:end])]

    def _laid(self, number: int, leaf: Leaf, whole: WholeJson) -> Iterator[Seen]:
        begin = whole.places.get((id(leaf.holder), leaf.key))
        if begin is None:
            return
        end = begin + len(leaf.literal or "" if leaf.form is Form.NUMBER else leaf.text)
        found, ends = self._found_in(number, leaf, whole)
        for at in range(bisect_right(ends, begin), len(found)):
            seen = found[at]
            if seen.start >= end:
                return
            if leaf.form is Form.NUMBER:
                yield Seen(0, len(leaf.text), seen.type)
            elif not leaf.is_key or begin <= seen.start < seen.end <= end:  # a key is no part of a value beside it
                yield Seen(max(seen.start - begin, 0), min(seen.end, end) - begin, seen.type)

    def _found_in(self, number: int, leaf: Leaf, whole: WholeJson) -> tuple[list[Seen], list[int]]:
        found = self._found.get(whole)
        if found is None:
            # What earlier leaves made known is looked for in each value; a model's words are to hold its tokens again.
            own, of = self._sightings.own, self._sightings.of
            seen = of(number, whole.text, answered=True) if leaf.answered else own(whole.text)
            found = self._found[whole] = seen, [one.end for one in seen]
        return found


def _is_readable(text: str) -> bool:
    return any(map(str.isalnum, text))
