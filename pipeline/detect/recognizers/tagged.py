"""PERSON, LOCATION and ORGANIZATION by the neural tagger, combined with what the rules find.

The rules of named_entities.py alone decide about addresses, and about names beside a label. A text is read alone; the
texts of a document are read one after another as one running text, so that a short cell has its neighbours as context.
"""

import math
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from pipeline.detect.explain import shape_of
from pipeline.detect.grammar.identifiers import in_identifier, user_name_around
from pipeline.detect.grammar.vocabulary import NAME, Word, shape
from pipeline.detect.lexicons.loader import fold
from pipeline.detect.recognizer import span
from pipeline.detect.recognizers.named_entities import LEXICAL
from pipeline.detect.tagger.combination import Candidate, Features, merged, probability, tempered
from pipeline.detect.tagger.decode import Entity, Scores
from pipeline.detect.tagger.model import Names
from pipeline.detect.tagger.pieces import LINE_BREAK, Words, undivided, words
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.triggers import Trigger
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

TYPE = {"PER": EntityType.PERSON, "LOC": EntityType.LOCATION, "ORG": EntityType.ORGANIZATION}
_LABEL = {type_: label for label, type_ in TYPE.items()}
_DECIDED_BY_RULES = (EntityType.ADDRESS, EntityType.ORGANIZATION)  # no mention counts where the rules found one
_POSSESSIVE = re.compile("['\u2019][sS]\\Z")
_EDGES = " \n\t.,;:!?\u060c\u061b\u061f\"'\u2018\u2019()[]{}<>|/\\-\u2013\u2014*#@_&"
_PART = re.compile(r"[^\W\d_]+")
_REST_ON_NEXT_LINE = re.compile("[-\u00ad\u2010] ?\n[ \t]*[a-z\u00df-\u00f6\u00f8-\u00ff]+")  # `Bran-` and `caster`
_LETTERS = re.compile(r"[A-Za-z\u00aa-\u024f\u0620-\u06ff\u0750-\u077f\u1e00-\u1eff]{2}")
_CACHED_WORDS = 1 << 14
_LETTER = re.compile(r"[^\W\d_]{2}")
_FOREIGN = re.compile(r"[^\W\d_A-Za-z\u00aa-\u024f\u0610-\u06ff\u0750-\u077f\u1e00-\u1eff]")
_CLITICS = frozenset("وفبلك")  # letters that are attached to the front of Arabic words
_PARTICLES = Word.CONNECTOR | Word.KUNYA | Word.ABD | Word.ARTICLE | Word.PARTICLE  # bin, Abu, Abd, Al, van
_BESIDE_NAMES = Word.ORDINARY | Word.TITLE | Word.ROLE | Word.LABEL
_BESIDE_ARABIC_NAMES = _BESIDE_NAMES | Word.GREETING | Word.CONTACT
_SURE = 0.95  # score of a span of the rules
_LEAST_OF_RULES = 0.2  # probability of a span of the rules: what they know is dismissed only against strong evidence
_LEAST_OF_PLACE = 0.1  # of a place of the rules that the tagger takes for nothing else
_LEAST_OF_RULES_IN_DOCUMENT, _LEAST_OF_ONE_WORD_IN_DOCUMENT = 0.5, 0.6  # of a person; see `combined`
_LEAST_OF_CELL_IN_DOCUMENT = 0.3  # of a person of several words that fills a cell
_MOST_CHARACTERS = 120  # of one name; a longer mention is a misreading of a list
_THREADS = min(4, len(os.sched_getaffinity(0)))  # that read one document: each takes memory of its own


Places = frozenset[tuple[int, int]]
"""Parts of a text: start and end of each."""


class Mention(NamedTuple):
    """What the tagger found: `text[start:end]`, its words, its type, and the features for the combination."""

    start: int
    end: int
    type: EntityType
    features: Features


class TaggedRecognizer:
    """The rules and a tagger, combined. Immutable after construction."""

    name = "tagger"
    types = LEXICAL.types

    def __init__(self, names: Names, *, most_words: int = 1_000_000, beyond: "TaggedRecognizer | None" = None) -> None:
        """`most_words`: of one document; what follows is read by `beyond`, or else by the rules alone."""
        self._names, self._most_words, self._beyond = names, most_words, beyond

    def find(self, text: NormalizedText, options: DetectOptions) -> Iterable[Span]:
        """Spans of the four types in normalized offsets."""
        ruled = list(LEXICAL.find(text, options))
        return self.combined(text, ruled, self.read(text.text, options.context, _decided(ruled))).kept

    def of_document(self, texts: Iterable[tuple[NormalizedText, str]]) -> "DocumentNames":
        """The recognizer of a document with these texts and their contexts, which it reads now."""
        return DocumentNames(self, texts)

    def read(self, text: str, context: str = "", decided: Places = frozenset()) -> "Reading":
        """What the tagger says of a text. `context` is read before it, as a line of its own.

        It is not asked about parts in which every word that could be a name is `decided` already.
        """
        before = words(f"{context}\n").texts if context else []
        own = words(text)
        is_open = [*[False] * len(before), *_open(own, decided)]
        shares = self._names.tagger.probabilities([*before, *own.texts], is_open)
        return Reading(text, own, shares[len(before) :], self._names)

    def read_together(self, texts: Mapping[str, Places]) -> dict[str, "Reading"]:
        """What the tagger says of each of several texts, read as one; of some nothing, if they are too long for it.

        `texts`: with the parts of each that are decided already, which it is not asked about.
        """
        flat: list[str] = []
        is_open: list[bool] = []
        cuts: dict[str, tuple[int, Words]] = {}
        left: dict[str, Places] = {}
        for text, decided in texts.items():
            own = words(text) if len(flat) < self._most_words else Words([], [])
            if len(flat) + len(own.texts) < self._most_words:
                cuts[text] = len(flat), own
                flat += [*own.texts, LINE_BREAK]
                is_open += [*_open(own, decided), False]
            else:
                left[text] = decided
        with ThreadPoolExecutor(_THREADS) as threads:
            shares = self._names.tagger.probabilities(flat, is_open, threads.map)
        others = self._beyond.read_together(left) if self._beyond and left else {}
        return others | {
            text: Reading(text, own, shares[first : first + len(own.texts)], self._names)
            for text, (first, own) in cuts.items()
        }

    def combined(
        self, normalized: NormalizedText, ruled: Sequence[Span], read: "Reading", *, of_document: bool = False
    ) -> "Combination":
        """The spans of the rules and the tagger's mentions, by what was learnt about them together.

        No mention counts inside an address or an organization that the rules found, in an identifier, or in a label.
        No person counts whose every word is known as never part of a name. In a document a person of the rules must be
        as likely as not, and one of one word that the tagger alone found likelier: headings and cells are full of
        capital words, and most people have their whole name in it somewhere. For the same reason the tagger leans
        towards persons only in a text that stands alone.
        """
        text, names = normalized.text, read.names
        labels = Zones(text, map(read.words_around, normalized.triggers["labels"]))
        kept: list[Span] = []
        candidates: dict[EntityType, list[Candidate]] = {type_: [] for type_ in TYPE.values()}
        sources: dict[tuple[int, int, EntityType], Span] = {}
        by_rules = {type_: Zones(text, (s[:2] for s in ruled if s.type == type_)) for type_ in LEXICAL.types}
        mentions = list(read.mentions(by_rules, lean=1.0 if of_document else names.lean))
        no_places = Zones(text, (found[:2] for found in mentions if found.type != EntityType.LOCATION))
        for found in ruled:
            if found.type not in _LABEL:
                kept.append(found)
                continue
            # The rules know organizations of Saudi Arabia by name; corpora label ministries as none.
            is_certain = is_sure(found) or found.type == EntityType.ORGANIZATION
            score = (
                found.score if is_certain else probability(names.weights[found.type].rule, read.rule_features(found))
            )
            least = _LEAST_OF_RULES
            if of_document and found.type == EntityType.PERSON:
                is_cell = _is_cell_of_table(text, found.start, found.end)
                least = _LEAST_OF_CELL_IN_DOCUMENT if is_cell else _LEAST_OF_RULES_IN_DOCUMENT
            elif found.type == EntityType.LOCATION and not no_places.touch(found.start, found.end):
                least = _LEAST_OF_PLACE
            if score >= least:
                whole = found._replace(end=_end_of_word(text, found.end))
                sources[whole.start, whole.end, whole.type] = whole
                shown = score if is_certain else tempered(score, names.temperature)
                candidates[whole.type].append(Candidate(whole.start, whole.end, whole.type, shown))
        for mention in mentions:
            start, end = mention.start, mention.end
            score = probability(names.weights[mention.type].mention, mention.features)
            is_one_word = len(undivided(text[start:end]).split()) == 1
            is_doubtful = of_document and mention.type == EntityType.PERSON and is_one_word
            least = max(names.threshold, _LEAST_OF_ONE_WORD_IN_DOCUMENT) if is_doubtful else names.threshold
            if score < least or any(by_rules[type_].touch(start, end) for type_ in _DECIDED_BY_RULES):
                continue
            if mention.type == EntityType.PERSON and _is_ordinary(text[start:end]):
                continue
            is_own = user_name_around(text, start, end) == (start, end)
            if (is_own or not in_identifier(text, start, end)) and not labels.cover(start, end):
                shown = tempered(score, names.temperature)
                candidates[mention.type].append(Candidate(start, end, mention.type, shown))
        for type_ in TYPE.values():
            for one in merged(candidates[type_]):
                source = sources.get((one.start, one.end, type_))
                if normalized.trace is not None and source is None:
                    shape = f"{shape_of(self.name, type_).text} ({names.tier})"
                    normalized.trace.note((one.start, one.end), self.name, shape=shape)
                kept.append(source or span(one.start, one.end, type_, round(one.score, 3), self.name))
        of_kept = Zones(text, (s[:2] for s in kept))
        return Combination(kept, [s for s in ruled if s.type in _LABEL and not of_kept.touch(s.start, s.end)])


def _is_cell_of_table(text: str, start: int, end: int) -> bool:
    """Whether several words fill a cell of a row of several, which tabs part."""
    before, after = text[max(0, start - 9) : start].rstrip(" ")[-1:], text[end : end + 9].lstrip(" ")[:1]
    edges = {before or "\n", after or "\n"}
    return "\t" in edges and edges <= {"\t", "\n"} and " " in text[start:end]


class Zones:
    """Parts of a text, asked whether they touch another part; in time that does not grow with their number."""

    def __init__(self, text: str, places: Iterable[tuple[int, int]]) -> None:
        """`places`: start and end of each part."""
        self._marks = bytearray(len(text))
        for start, end in places:
            self._marks[start:end] = b"\1" * (end - start)

    def touch(self, start: int, end: int) -> bool:
        """Whether one of the parts and `start:end` have a character in common."""
        return self._marks.find(1, start, end) >= 0

    def cover(self, start: int, end: int) -> bool:
        """Whether all of `start:end` lies in the parts."""
        return self._marks.find(0, start, end) < 0


class Combination(NamedTuple):
    """The spans that count, and those of the rules that the tagger talked out of."""

    kept: list[Span]
    dismissed: list[Span]


class DocumentNames:
    """The same for the texts of one document, which it read beforehand; any other text is read by the rules alone.

    Not safe from several threads: it collects the surfaces that the rules took for names, and what became of them. One
    that counted nowhere in the texts that the tagger read is no name in another text either.
    """

    name = TaggedRecognizer.name
    types = LEXICAL.types

    def __init__(self, recognizer: TaggedRecognizer, texts: Iterable[tuple[NormalizedText, str]]) -> None:
        """`texts`: with the context of each. What the rules decide in each of them the tagger is not asked."""
        self._recognizer = recognizer
        self._ruled: dict[tuple[str, str], list[Span]] = {}
        decided: dict[str, Places] = {}
        for text, context in texts:
            if (text.text, context) not in self._ruled:
                ruled = self._ruled[text.text, context] = list(LEXICAL.find(text, DetectOptions(context=context)))
                decided[text.text] = decided.get(text.text, _decided(ruled)) & _decided(ruled)
        self._readings = recognizer.read_together(decided)
        self.dismissed: dict[tuple[EntityType, str], None] = {}
        self._left: set[tuple[EntityType, str]] = set()
        self._rejected: set[tuple[EntityType, str]] = set()

    def find(self, text: NormalizedText, options: DetectOptions) -> Iterable[Span]:
        """Spans of the four types in normalized offsets."""
        known = None if text.trace is not None else self._ruled.get((text.text, options.context))
        ruled = list(LEXICAL.find(text, options)) if known is None else known
        reading = self._readings.get(text.text)
        if reading is None:
            return [found for found in ruled if is_sure(found) or not self._is_rejected(text, found)]
        kept, dismissed = self._recognizer.combined(text, ruled, reading, of_document=True)
        for type_ in {found.type for found in ruled if found.type in _LABEL}:
            counting = Zones(text.text, (s[:2] for s in kept if s.type == type_))
            for found in ruled:
                if found.type == type_:
                    surfaces = self._left if counting.touch(found.start, found.end) else self._rejected
                    surfaces.add((type_, text.text[found.start : found.end]))
        self.dismissed.update(((s.type, text.text[s.start : s.end]), None) for s in dismissed)
        return kept

    def _is_rejected(self, text: NormalizedText, found: Span) -> bool:
        """Whether the rules found this surface in texts that the tagger read, and it counted as a name in none."""
        key = found.type, text.text[found.start : found.end]
        return key in self._rejected and key not in self._left


class Reading:
    """The tagger's probabilities for the words of one text."""

    def __init__(self, text: str, own: Words, shares: Scores, names: Names) -> None:
        self._text, self._words, self._shares, self.names = text, own.texts, shares, names
        self._spans = own.spans

    def mentions(self, by_rules: Mapping[EntityType, "Zones"], lean: float) -> Iterator[Mention]:
        """The entities that the tagger found, without punctuation, possessives and attached Arabic clitics.

        A part of a user name stands for all of it. No entity spans two cells, and none is in a script that the tagger
        has not learnt. `by_rules`: what the rules found; `lean`: see Decoder.
        """
        for whole in self.names.tagger.decoder.entities(self._shares, lean):
            for entity in self._cells(whole):
                start, end = self._edges(entity)
                surface = self._text[start:end]
                if len(surface) <= _MOST_CHARACTERS and _LETTER.search(surface) and not _FOREIGN.search(surface):
                    type_ = TYPE[entity.label]
                    touched = {ruled for ruled, zones in by_rules.items() if zones.touch(start, end)}
                    agreement = float(type_ in touched), float(bool(touched - {type_}))
                    yield Mention(start, end, type_, self._mention_features(entity, start, end) + agreement)

    def _cells(self, entity: Entity) -> Iterator[Entity]:
        """An entity, cut where a tab ends a cell."""
        first = entity.first
        for word in range(entity.first, entity.last):
            if "\t" in self._text[self._spans[word][1] : self._spans[word + 1][0]]:
                yield entity._replace(first=first, last=word)
                first = word + 1
        yield entity._replace(first=first)

    def _edges(self, entity: Entity) -> tuple[int, int]:
        start, end = self._spans[entity.first][0], self._spans[entity.last][1]
        surface = self._text[start:end]
        end -= len(surface) - len(surface.rstrip(_EDGES))
        start += len(surface) - len(surface.lstrip(_EDGES))
        user_name = user_name_around(self._text, start, end)
        if user_name is not None:
            return user_name
        possessive = _POSSESSIVE.search(self._text[start:end])
        if possessive is not None:
            end -= len(possessive[0])
        return start + _clitic(self._words[entity.first]), end

    def _mention_features(self, entity: Entity, start: int, end: int) -> Features:
        columns = self.names.tagger.decoder.columns(entity.label)
        shares = self._shares[entity.first : entity.last + 1, columns].sum(axis=1)
        surface = self._text[start:end]
        parts = _PART.findall(undivided(surface))
        meanings = list(map(_meaning_of_part, parts))
        known = [meaning for meaning in meanings if not meaning & _PARTICLES]
        return (
            1.0,
            _logit(entity.score),
            _logit(float(shares.min())),
            float(len(parts) > 1),
            float(bool(parts) and not parts[0].isascii() and "\u0600" <= parts[0][0] <= "\u06ff"),
            sum(bool(meaning & NAME) for meaning in known) / max(len(known), 1),
            sum(bool(meaning & Word.ORDINARY) for meaning in known) / max(len(known), 1),
            float(bool(parts) and parts[0].islower()),
            float(len(known) < len(parts)),
            sum(bool(meaning & Word.PLACE) for meaning in known) / max(len(known), 1),
            float(len(surface) > 1 and surface.isupper()),
        )

    def words_around(self, place: Trigger) -> tuple[int, int]:
        """The whole words that a label is in: with the Arabic letters that are attached to it."""
        first, last = _touched_by(self._spans, place.start, place.end)
        return (self._spans[first][0], self._spans[last - 1][1]) if first < last else (place.start, place.end)

    def rule_features(self, found: Span) -> Features:
        """The features of a span of the rules."""
        columns = self.names.tagger.decoder.columns(_LABEL[found.type])
        first, last = _touched_by(self._spans, found.start, found.end)
        shares = self._shares[first:last, columns].sum(axis=1) if first < last else [0.0]
        others = 1 - self._shares[first:last, [0, *columns]].sum(axis=1) if first < last else [0.0]
        surface = self._text[found.start : found.end]
        return (
            1.0,
            found.score,
            _logit(float(sum(shares) / len(shares))),
            _logit(float(max(shares))),
            _logit(float(sum(others) / len(others))),
            float(" " in surface),
            float(bool(re.search("[\u0621-\u064a]", surface))),
        )


def _end_of_word(text: str, end: int) -> int:
    """`end`, or where the word ends that is divided by a hyphen there and goes on in the next line."""
    rest = _REST_ON_NEXT_LINE.match(text, end)
    return end if rest is None else rest.end()


def is_sure(found: Span) -> bool:
    """Whether a span of the rules needs no confirmation: it stands under or behind a label, or as airlines write."""
    return found.score >= _SURE


def _decided(ruled: Iterable[Span]) -> Places:
    """Where the rules need no confirmation, or decide alone."""
    return frozenset((found.start, found.end) for found in ruled if is_sure(found) or found.type not in _LABEL)


def _open(own: Words, decided: Places) -> list[bool]:
    """For each word whether the tagger is asked about it: it could be a name, and nothing is decided."""
    is_open = list(map(could_be_name, own.texts))
    for start, end in decided:
        first, last = _touched_by(own.spans, start, end)
        is_open[first:last] = [False] * (last - first)
    return is_open


def _touched_by(spans: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The words that have a character in common with `start:end`: the first, and the one after the last."""
    first = bisect_right(spans, start, key=itemgetter(1))
    return first, bisect_left(spans, end, lo=first, key=itemgetter(0))


@lru_cache(_CACHED_WORDS)
def could_be_name(word: str) -> bool:
    """Whether a word could be part of a name: it has two letters, and is no ordinary word in small letters."""
    return _LETTERS.search(word) is not None and not (word.islower() and _meaning(word) & Word.ORDINARY)


def _meaning(word: str) -> int:
    vocabulary = LEXICAL.vocabulary
    plain = fold(word)
    code = vocabulary.code.get(plain)
    return shape(plain) if code is None else vocabulary.meaning[code]


def _is_ordinary(surface: str) -> bool:
    """Whether every word is known as ordinary, or as what stands beside names: a title, a role, a label, a greeting.

    `ابن كثير` and the user name `dark_hair` are names.
    """
    meanings = list(map(_meaning_of_part, _PART.findall(undivided(surface))))
    if "_" in surface or (len(meanings) > 1 and any(meaning & _PARTICLES for meaning in meanings)):
        return False
    return all(
        meaning & (_BESIDE_ARABIC_NAMES if meaning & Word.ARABIC else _BESIDE_NAMES) and not meaning & NAME
        for meaning in meanings
    )


def _meaning_of_part(part: str) -> int:
    """The meaning of a word; of an unknown Arabic word that of the word behind its clitic."""
    meaning = _meaning(part)
    is_unknown = not meaning & (NAME | Word.ORDINARY)
    return meaning | _meaning(part[1:]) if is_unknown and len(part) > 3 and part[0] in _CLITICS else meaning


def _clitic(word: str) -> int:
    """The length of the conjunction or preposition attached to a known Arabic name; 0 if there is none."""
    return int(len(word) > 3 and bool(_meaning(word) & Word.CLITIC) and bool(_meaning(word[1:]) & NAME))


def _logit(share: float) -> float:
    share = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(share / (1 - share))
