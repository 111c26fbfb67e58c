"""PERSON, LOCATION and ORGANIZATION by the neural tagger, combined with what the rules find.

The rules of named_entities.py alone decide about addresses, and about names beside a label.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.detect.grammar.identifiers import in_identifier
from pipeline.detect.grammar.vocabulary import NAME, Word, shape
from pipeline.detect.lexicons.loader import fold
from pipeline.detect.recognizer import span
from pipeline.detect.recognizers.named_entities import LEXICAL
from pipeline.detect.tagger.combination import Candidate, Features, merged, probability
from pipeline.detect.tagger.decode import Entity, Scores
from pipeline.detect.tagger.model import Names
from pipeline.detect.tagger.pieces import Word as TextWord
from pipeline.detect.tagger.pieces import words
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

TYPE = {"PER": EntityType.PERSON, "LOC": EntityType.LOCATION, "ORG": EntityType.ORGANIZATION}
_LABEL = {type_: label for label, type_ in TYPE.items()}
_POSSESSIVE = re.compile("['\u2019][sS]\\Z")
_EDGES = " \n\t.,;:!?\u060c\u061b\u061f\"'\u2018\u2019()[]{}<>|/\\-\u2013\u2014*#@_&"
_LETTERS = re.compile(r"[^\W\d_]{2}")
_CACHED_WORDS = 1 << 14
_LETTER = re.compile(r"[^\W\d_]")
_SURE = 0.85  # score of a span of the rules
_MOST_CHARACTERS = 120  # of one name; a longer mention is a misreading of a list


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

    def __init__(self, names: Names) -> None:
        self._names = names

    def find(self, text: NormalizedText, options: DetectOptions) -> Iterable[Span]:
        """Spans of the four types in normalized offsets."""
        ruled = list(LEXICAL.find(text, options))
        decided = [(s.start, s.end) for s in ruled if is_sure(s) or s.type not in _LABEL]
        return list(self._combined(text.text, ruled, self.read(text.text, options.context, decided)))

    def read(self, text: str, context: str = "", decided: Sequence[tuple[int, int]] = ()) -> "Reading":
        """What the tagger says of a text. `context` is read before it, as a line of its own.

        It is not asked about parts in which every word that could be a name is `decided` already.
        """
        before = [word.text for word in words(f"{context}\n")] if context else []
        own = list(words(text))
        inside = _inside(own, decided)
        is_open = [
            *[False] * len(before),
            *(not known and could_be_name(word.text) for word, known in zip(own, inside, strict=True)),
        ]
        shares = self._names.tagger.probabilities([*before, *(word.text for word in own)], is_open)
        return Reading(text, own, shares[len(before) :], self._names)

    def _combined(self, text: str, ruled: Sequence[Span], read: "Reading") -> Iterator[Span]:
        blocked = [(s.start, s.end) for s in ruled if s.type in (EntityType.ADDRESS, EntityType.ORGANIZATION)]
        candidates: dict[EntityType, list[Candidate]] = {type_: [] for type_ in TYPE.values()}
        for found in ruled:
            if found.type not in _LABEL:
                yield found
                continue
            weights = self._names.weights[found.type].rule
            score = found.score if is_sure(found) else probability(weights, read.rule_features(found))
            if score >= self._names.threshold:
                candidates[found.type].append(Candidate(found.start, found.end, found.type, score))
        for mention in read.mentions():
            score = probability(self._names.weights[mention.type].mention, mention.features)
            if score < self._names.threshold or _overlaps(mention, blocked):
                continue
            if not in_identifier(text, mention.start, mention.end):
                candidates[mention.type].append(Candidate(mention.start, mention.end, mention.type, score))
        sources = {(s.start, s.end, s.type): s for s in ruled}
        for type_ in TYPE.values():
            for kept in merged(candidates[type_]):
                source = sources.get((kept.start, kept.end, type_))
                yield source or span(kept.start, kept.end, type_, round(kept.score, 3), self.name)


class Reading:
    """The tagger's probabilities for the words of one text."""

    def __init__(self, text: str, own: list[TextWord], shares: Scores, names: Names) -> None:
        self._text, self._words, self._shares, self._names = text, own, shares, names

    def mentions(self) -> Iterator[Mention]:
        """The entities that the tagger found, without punctuation, possessives and attached Arabic clitics."""
        for entity in self._names.tagger.decoder.entities(self._shares):
            start, end = self._edges(entity)
            if start < end and end - start <= _MOST_CHARACTERS and _LETTER.search(self._text, start, end):
                yield Mention(start, end, TYPE[entity.label], self._mention_features(entity, start, end))

    def _edges(self, entity: Entity) -> tuple[int, int]:
        start, end = self._words[entity.first].start, self._words[entity.last].end
        surface = self._text[start:end]
        end -= len(surface) - len(surface.rstrip(_EDGES))
        start += len(surface) - len(surface.lstrip(_EDGES))
        possessive = _POSSESSIVE.search(self._text[start:end])
        if possessive is not None:
            end -= len(possessive[0])
        return start + _clitic(self._words[entity.first].text), end

    def _mention_features(self, entity: Entity, start: int, end: int) -> Features:
        columns = self._names.tagger.decoder.columns(entity.label)
        shares = self._shares[entity.first : entity.last + 1, columns].sum(axis=1)
        parts = re.findall(r"[^\W\d_]+", self._text[start:end])
        known = [_meaning(part) for part in parts]
        return (
            1.0,
            _logit(entity.score),
            _logit(float(shares.min())),
            float(len(parts) > 1),
            float(bool(parts) and not parts[0].isascii() and "\u0600" <= parts[0][0] <= "\u06ff"),
            sum(bool(meaning & NAME) for meaning in known) / max(len(parts), 1),
            sum(bool(meaning & Word.ORDINARY) for meaning in known) / max(len(parts), 1),
            float(bool(parts) and parts[0].islower()),
        )

    def rule_features(self, found: Span) -> Features:
        """The features of a span of the rules."""
        columns = self._names.tagger.decoder.columns(_LABEL[found.type])
        first = bisect_right(self._words, found.start, key=lambda word: word.end)
        last = bisect_left(self._words, found.end, lo=first, key=lambda word: word.start)
        shares = self._shares[first:last, columns].sum(axis=1) if first < last else [0.0]
        surface = self._text[found.start : found.end]
        return (
            1.0,
            found.score,
            _logit(float(sum(shares) / len(shares))),
            _logit(float(max(shares))),
            float(" " in surface),
            float(bool(re.search("[\u0621-\u064a]", surface))),
        )


def is_sure(found: Span) -> bool:
    """Whether a span of the rules needs no confirmation: names under a heading, after a title, of certain words."""
    return found.score >= _SURE


def _inside(own: Sequence[TextWord], zones: Iterable[tuple[int, int]]) -> list[bool]:
    """For each word whether it lies in one of the zones."""
    known = [False] * len(own)
    for start, end in zones:
        first = bisect_right(own, start, key=lambda word: word.end)
        last = bisect_left(own, end, lo=first, key=lambda word: word.start)
        known[first:last] = [True] * (last - first)
    return known


@lru_cache(_CACHED_WORDS)
def could_be_name(word: str) -> bool:
    """Whether a word could be part of a name: it has two letters, and is no ordinary word in small letters."""
    return _LETTERS.search(word) is not None and not (word.islower() and _meaning(word) & Word.ORDINARY)


def _meaning(word: str) -> int:
    vocabulary = LEXICAL.vocabulary
    plain = fold(word)
    code = vocabulary.code.get(plain)
    return shape(plain) if code is None else vocabulary.meaning[code]


def _clitic(word: str) -> int:
    """The length of the conjunction or preposition attached to a known Arabic name; 0 if there is none."""
    return int(len(word) > 3 and bool(_meaning(word) & Word.CLITIC) and bool(_meaning(word[1:]) & NAME))


def _logit(share: float) -> float:
    share = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(share / (1 - share))


def _overlaps(mention: Mention, zones: Sequence[tuple[int, int]]) -> bool:
    return any(start < mention.end and mention.start < end for start, end in zones)
