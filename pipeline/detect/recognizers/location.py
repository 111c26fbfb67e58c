"""LOCATION: cities, regions and countries of the gazetteer. Names that are also words need a context word."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.detect.grammar.phrases import PhraseMatch, Phrases
from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words
from pipeline.detect.lexicons.loader import fold, section, table

_CUES = section("context_words.txt", "place preposition arabic") | section(
    "context_words.txt", "place preposition latin"
)
_BARE_PREPOSITIONS = section("context_words.txt", "bare preposition arabic")
# Verbs of living, working and travelling: after them "in al-Khobar" is the city, not "in the news".
_RESIDENCE_VERBS = section("context_words.txt", "residence verb arabic")
_PLACE_LABELS = section("context_words.txt", "place label")
_ROADS = frozenset(["طريق", "الطريق", "بطريق", "وطريق", "لطريق", "خط", "road", "highway", "rd"])
_BETWEEN_ENDS = frozenset(["", "-", "–", "—", "/"])
_END_OF_ROAD, _PLAIN, _AMBIGUOUS = 0.95, 0.8, 0.6  # scores
_JOINTS = frozenset(["and", "or", "to", "و", "او", "الي"])


class Place(NamedTuple):
    """A gazetteer entry: `kind` is city, region or country; an `ambiguous` spelling needs a cue."""

    kind: str
    ambiguous: bool


def load_places() -> Phrases[Place]:
    """The gazetteer: places of Saudi Arabia and of the world, by spelling."""
    entries: dict[str, Place] = {}
    for english, arabic, kind, ambiguous in table("world.csv"):
        for name in filter(None, (*english.split(";"), *arabic.split(";"))):
            phrase = " ".join(re.findall(r"\w+", fold(name)))
            entries[phrase] = Place(kind, ambiguous == "1")
    for phrase, kind, _tier, _region, _english, _arabic, ambiguous in table("places.csv"):
        entries[phrase] = Place(kind, ambiguous == "1")
        if phrase.isascii() and phrase.isalpha() and len(phrase) > 4 and ambiguous == "0":
            entries[phrase.lower()] = Place(kind, False)  # people write riyadh, too
    return Phrases(entries.items())


class PlaceFinder:
    """Finds places in the words of a text. Immutable."""

    def __init__(self, vocabulary: Vocabulary, places: Phrases[Place]) -> None:
        self._places = places
        self._heads = re.compile(vocabulary.one_of(Word.PLACE))

    def hits(self, words: Words) -> list[PhraseMatch[Place]]:
        """Every match of the gazetteer, with a cue or not, by position and without overlaps."""
        found: list[PhraseMatch[Place]] = []
        reach = -1
        for match in self._heads.finditer(words.codes):
            index = match.start() // 2
            if index > reach and (hit := self._places.at(words, index)) is not None:
                found.append(hit)
                reach = hit.last
        return found

    def places(
        self, words: Words, hits: Sequence[PhraseMatch[Place]], context: str
    ) -> list[tuple[PhraseMatch[Place], float]]:
        """The matches that mean places, by themselves or because they are joined to one that does, and their scores."""
        sure = [self.is_place(words, hit, context) for hit in hits]
        found = []
        for index, hit in enumerate(hits):
            is_doubtful = not sure[index] and hit.entry.ambiguous and not _is_in_other_name(words, hit)
            before = hits[index - 1] if index else None
            after = hits[index + 1] if index + 1 < len(hits) else None
            if (before and _are_ends_of_road(words, before, hit)) or (after and _are_ends_of_road(words, hit, after)):
                found.append((hit, _END_OF_ROAD))
            elif (
                sure[index]
                or (is_doubtful and before and sure[index - 1] and _is_listed_with(words, before, hit, hit))
                or (is_doubtful and after and sure[index + 1] and _is_listed_with(words, hit, after, hit))
            ):
                found.append((hit, _AMBIGUOUS if hit.entry.ambiguous else _PLAIN))
        return found

    def is_place(self, words: Words, hit: PhraseMatch[Place], context: str) -> bool:
        """Whether a match means a place, in its sentence or in a table cell under the heading `context`."""
        if _is_in_other_name(words, hit):
            return False
        headed = context != "" and not _PLACE_LABELS.isdisjoint(fold(context).lower().replace("_", " ").split())
        return not hit.entry.ambiguous or headed or _has_cue(words, hit)


def _is_in_other_name(words: Words, hit: PhraseMatch[Place]) -> bool:
    """Whether the words belong to the name of a host, a file, a street or a district."""
    before, near = words.meaning(hit.first - 1), words.after(hit.first - 1)
    if words.after(hit.last) in "@i" and words.meaning(hit.last + 1) & (Word.LOWER | Word.NUMBER):
        return True
    if near in "@i" and words.words[hit.first - 1] != "":
        return True
    if near == " " and before & (Word.STREET | Word.DISTRICT) and before & Word.ARABIC:
        return True
    return words.after(hit.last) == " " and bool(words.meaning(hit.last + 1) & (Word.STREET | Word.DISTRICT))


def _are_ends_of_road(words: Words, first: PhraseMatch[Place], second: PhraseMatch[Place]) -> bool:
    """Whether a road is named by the two places it joins: طريق أبها - الرياض, Abha - Riyadh road."""
    if second.first != first.last + 1 or second.skip or words.after(first.last) not in " -,":
        return False
    if words.raw[words.end(first.last) : words.start(second.first)].strip() not in _BETWEEN_ENDS:
        return False
    before, after = words.meaning(first.first - 1), words.meaning(second.last + 1)
    if words.after(first.first - 1) == " " and before & Word.ARABIC and words.words[first.first - 1] in _ROADS:
        return True
    return (
        words.after(second.last) == " " and bool(after & Word.STREET) and words.words[second.last + 1].lower() in _ROADS
    )


def _is_listed_with(
    words: Words, first: PhraseMatch[Place], second: PhraseMatch[Place], doubtful: PhraseMatch[Place]
) -> bool:
    """Whether two places are joined by `and`, `to` or a comma: Hail and Arar, حائل وعرعر."""
    word = words.words[doubtful.first]
    if doubtful.first == doubtful.last and words.meaning(doubtful.first) & Word.LOWER:
        return False
    if second.first == first.last + 1:
        joint = words.after(first.last)
        if joint == " ":
            return second.skip == 1 and words.words[second.first][0] == "و"
        is_country = doubtful is second and doubtful.entry.kind == "country"  # Amman, Jordan
        return joint == "," and (is_country or not words.meaning(doubtful.first) & NAME) and "مدينه" not in word
    is_next = second.first == first.last + 2 and words.after(first.last) == words.after(first.last + 1) == " "
    return is_next and words.words[first.last + 1].lower() in _JOINTS


def _has_cue(words: Words, hit: PhraseMatch[Place]) -> bool:
    """Whether the context makes a place of an ambiguous spelling: a preposition, a label, a table cell."""
    if words.after(hit.last) == ":":
        return False  # a label: المدينة: …
    first = words.words[hit.first]
    has_article = "ال" in first[:4] or first.startswith("لل")
    if hit.skip and first[0] == "ب" and not has_article:  # bi-Hail: "in Hail"
        if words.trace is not None:
            begin, end = words.offsets(hit.first, hit.last)
            words.trace.note((begin + hit.skip, end), "LOCATION", (begin, begin + hit.skip))
        return True
    if hit.first != hit.last:
        return True
    previous = words.words[hit.first - 1].lower() if hit.first else ""
    between = words.after(hit.first - 1)
    if between == "'" or previous == "":
        return False
    if between == " " and previous in _CUES:
        words.note("LOCATION", hit.first, hit.last, (hit.first - 1, hit.first - 1), skip=hit.skip)
        return not has_article or _is_place_with_article(words, hit, previous)
    if between == ":" and previous in _PLACE_LABELS:
        words.note("LOCATION", hit.first, hit.last, (hit.first - 1, hit.first - 1), certain=True, skip=hit.skip)
        return True
    # The last cell of a line: `,Hail`. المدينة alone in a cell is a heading.
    is_cell = between in ",n" and words.after(hit.last) == "n"
    return is_cell and not words.meaning(hit.first) & NAME and "مدينه" not in first


def _is_place_with_article(words: Words, hit: PhraseMatch[Place], preposition: str) -> bool:
    """Whether a word with the article means a place: after a bare preposition mostly not ("in the news")."""
    if preposition not in _BARE_PREPOSITIONS or words.after(hit.last) in ",n.":
        return True
    return words.after(hit.first - 2) == " " and words.words[hit.first - 2] in _RESIDENCE_VERBS
