"""PERSON, ADDRESS, LOCATION and ORGANIZATION: one recognizer, because all four read the same words.

Words inside an organization or an address are no person and no place: King Fahd Road, جامعة الملك سعود.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from pipeline.detect.grammar.identifiers import in_identifier
from pipeline.detect.grammar.phrases import PhraseMatch
from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words, WordSpan
from pipeline.detect.names.airline import airline_names
from pipeline.detect.names.arabic import ArabicNames
from pipeline.detect.names.labelled import LabelledNames
from pipeline.detect.names.latin import LatinNames
from pipeline.detect.names.mixed import join_scripts
from pipeline.detect.recognizer import Recognizer, span
from pipeline.detect.recognizers.address import AddressFinder
from pipeline.detect.recognizers.location import Place, PlaceFinder, load_places
from pipeline.detect.recognizers.organization import OrganizationFinder, load_organizations
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_NUMBER_NEXT = re.compile(rb"[^a-z0-9\x80-\xaf]{0,3}[0-9]{5}")


class LexicalRecognizer:
    """Finds names, addresses, places and organizations by lexicon and context. Immutable after construction."""

    name = "lexical"
    types = frozenset({EntityType.PERSON, EntityType.ADDRESS, EntityType.LOCATION, EntityType.ORGANIZATION})

    def __init__(self) -> None:
        places, organizations = load_places(), load_organizations()
        self.vocabulary = self._vocabulary = Vocabulary(places.heads, organizations.heads)
        self._places = PlaceFinder(self._vocabulary, places)
        self._organizations = OrganizationFinder(self._vocabulary, organizations)
        self._addresses = AddressFinder(self._vocabulary)
        self._arabic = ArabicNames(self._vocabulary)
        self._latin = LatinNames(self._vocabulary)
        self._labelled = LabelledNames(self._vocabulary)

    def find(self, text: NormalizedText, options: DetectOptions) -> Iterable[Span]:
        """Spans of the four types in normalized offsets."""
        words = Words(text, self._vocabulary)
        hits = self._places.hits(words)
        organizations = [found for found in self._organizations.find(words) if not _is_label(text, words, found)]
        addresses = self._addresses.find(words, hits, options.context)
        taken = {index for found in (*organizations, *addresses) for index in range(found.first, found.last + 1)}
        free = [hit for hit in hits if hit.first not in taken]
        places = self._places.places(words, free, options.context)
        yield from self._persons(words, [hit for hit, _ in places], taken, options.context)
        for found in addresses:
            yield _span(words, found, EntityType.ADDRESS)
        for found in organizations:
            yield _span(words, found, EntityType.ORGANIZATION)
        for hit, score in places:
            yield _span(words, WordSpan(hit.first, hit.last, hit.skip, score), EntityType.LOCATION)

    def _persons(
        self, words: Words, places: Sequence[PhraseMatch[Place]], taken: set[int], context: str
    ) -> Iterator[Span]:
        """The names of persons outside the words `taken`, outside identifiers, and not equal to a place."""
        for place in places:
            if _is_no_name(words, place):
                taken.update(range(place.first, place.last + 1))
        whole_places = {(place.first, place.last) for place in places}
        untaken = frozenset(taken)
        for found in join_scripts(words, list(self._names(words, untaken, context)), untaken):
            if (found.first, found.last) in whole_places:
                continue  # Riyadh is also a given name, but alone it means the place
            if not in_identifier(words.raw, words.start(found.first) + found.skip, words.end(found.last)):
                yield _span(words, found, EntityType.PERSON)
        for start, end in airline_names(words.raw):
            if words.trace is not None:
                words.trace.note((start, end), "PERSON", shape="name as airlines write it")
            yield span(start, end, EntityType.PERSON, 0.95, self.name)

    def _names(self, words: Words, taken: frozenset[int], context: str) -> Iterator[WordSpan]:
        """Names of persons outside the words `taken`."""
        if context and self._labelled.is_heading(context) and (cell := self._labelled.cell(words)) is not None:
            yield cell
            return
        labelled = [f for f in self._labelled.find(words) if taken.isdisjoint(range(f.first, f.last + 1))]
        yield from labelled
        whole = {index for found in labelled for index in range(found.first, found.last + 1)}
        for found in (*self._arabic.find(words), *self._arabic.find_unknown(words)):
            if taken.isdisjoint(range(found.first, found.last + 1)) and not _inside(found, whole):
                yield found
        for found in self._latin.find(words, taken):
            if not _inside(found, whole):
                yield found


def _is_label(text: NormalizedText, words: Words, found: WordSpan) -> bool:
    """Whether an organization is in the label of a number, as in `GOSI No. 1234567` and `رقم التأمينات الاجتماعية`."""
    start, end = words.start(found.first), words.end(found.last)
    labels = text.triggers["labels"]
    place = bisect_right(labels, start, key=attrgetter("start")) - 1
    if place < 0 or labels[place].end < end:
        return False
    is_more = labels[place].end - labels[place].start > end - start
    return is_more or _NUMBER_NEXT.match(text.shadow, labels[place].end) is not None


def _inside(found: WordSpan, whole: set[int]) -> bool:
    """Whether the words are part of a labelled name: the lexicon may know only some of them."""
    return bool(whole) and whole.issuperset(range(found.first, found.last + 1))


def _is_no_name(words: Words, hit: PhraseMatch[Place]) -> bool:
    """Whether no word of the place can be a name of a person: Jeddah, San Francisco; not Taif, Al Khobar."""
    following = words.meaning(hit.last + 1) if words.after(hit.last) == " " else 0
    if hit.last == hit.first and following & Word.FAMILY and not following & Word.PLACE:
        return False  # Taif Alsulami
    if hit.last > hit.first and not words.meaning(hit.first) & Word.ARTICLE and not hit.entry.ambiguous:
        return True
    return not any(words.meaning(index) & NAME for index in range(hit.first, hit.last + 1))


def _span(words: Words, found: WordSpan, type_: EntityType) -> Span:
    return span(words.start(found.first) + found.skip, words.end(found.last), type_, found.score, "lexical")


LEXICAL = LexicalRecognizer()
RECOGNIZERS: tuple[Recognizer, ...] = (LEXICAL,)
