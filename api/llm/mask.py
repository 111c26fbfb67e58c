"""Masks the leaves of a request: every entity becomes a token, or a generalized value where that was requested.

A value that is spelled with escapes is detected by its meaning and masked in its spelling, which restoring returns. A
value that identifies somebody wherever it is (an identifier, a name of several words) is masked in the leaf where it
was found and in every later leaf. Earlier leaves stay the same, since their masking must not depend on what follows.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from api.llm.json_tree import replace_at, value_at
from api.llm.model import MaskingOptions, Minted
from api.llm.request_walk import Form, Leaf
from api.llm.tool_arguments import WholeJson, json_literal
from pipeline.detect.allowed_spans import AllowedTerms
from pipeline.detect.text.equivalence import canonical, words_form
from pipeline.detect.text.placeholders import find_placeholders
from pipeline.entities.escapes import decode_escapes
from pipeline.entities.occurrences import MatchScope, OccurrenceFinder, SearchValue
from pipeline.entities.spans import ValueSpan, insert_span, merged_spans
from pipeline.entities.values import KnownValue, is_distinctive, search_values
from pipeline.transform.generalize import Generalizer
from pipeline.transform.mask import Mint
from schemas.entities import GLOSSARY_RANK, RANK, EntityType
from schemas.spans import Detection, DetectOptions, Span, TermSet

# All that `decoded` resolves, but for what detection reads itself: UTF-8 json_literal with percent signs, once.
_ESCAPED = re.compile(
    r"""\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|[ux]\{[0-9A-Fa-f]|[0-3][0-7]{2}\\+[0-3][0-7]{2})
      | &(?:\#|[A-Za-z][A-Za-z0-9]{1,24};)
      | %(?:2[56]|5[Cc]|[C-Fc-f][0-9A-Fa-f](?!%[89ABab]))
      | =[C-F][0-9A-F]=[89AB]""",
    re.VERBOSE,
)

_MIN_REPEATED_CHARS = 3  # letters and digits of a value that is masked again in a model's text
# Words between two values that detection takes for one value, and Arabic prefixes of the second one.
_CONNECTING_WORDS: Final = frozenset((
    "to", "and", "or", "until", "till", "through", "by", "at", "in", "of",
    "من", "الى", "إلى", "حتى", "و", "او", "أو", "في", "ف", "ب", "ل", "ك",
))  # fmt: skip


class Detects(Protocol):
    """A detector."""

    def detect(self, text: str, options: DetectOptions = ...) -> Detection:
        """The entities of a text."""


class Entity(NamedTuple):
    """`text[start:end]` of a leaf is an entity."""

    start: int
    end: int
    type: EntityType


class _Hit(NamedTuple):
    """A repeated value; `leaf` is the number of the leaf where it was found first."""

    leaf: int
    entity: Entity


class EntityFinder:
    """Finds the entities of a request's leaves. First call `detect` for each leaf in order, then `entities` for each.

    The time is linear in the length of all leaves, however many values there are.
    """

    def __init__(self, detector: Detects, terms: tuple[TermSet, ...], min_score: float) -> None:
        self._detector, self._options = detector, DetectOptions(terms=terms, min_score=min_score)
        self._allowed = AllowedTerms(terms)
        # By text and label, since conversations repeat their history.
        self._detected: dict[tuple[str, str], list[Entity]] = {}
        self._first_leaf: dict[tuple[EntityType, str], int] = {}  # distinct surfaces, and the first leaf of each
        self._value_finder: OccurrenceFinder | None = None
        self._types: list[EntityType] = []
        self._leaves: list[int] = []
        self._repeat_finder: OccurrenceFinder | None = None
        self._repeatable: dict[str, tuple[int, EntityType]] = {}
        self._without_token: set[str] = set()  # found across several tokens of a model: no token was minted for it
        self._escaped_surfaces: dict[str, tuple[int, EntityType]] = {}  # surfaces spelled with escapes

    def detect(self, number: int, text: str, label: str = "") -> None:
        """Runs detection on leaf `number` and remembers its values."""
        found = self._detected.get((text, label))
        if found is not None:
            return
        options = replace(self._options, context=label) if label else self._options
        spans = self._detector.detect(text, options).spans
        found = self._detected[text, label] = [Entity(span.start, span.end, span.type) for span in spans]
        for span in spans:
            if span.rank != GLOSSARY_RANK:  # the match mode of a term says where it applies
                self._first_leaf.setdefault((span.type, text[span.start : span.end]), number)
        decoded = decode_escapes(text) if _ESCAPED.search(text) else None
        if decoded is None:
            return
        spans = self._detector.detect(decoded.text, options).spans
        escaped = [Entity(decoded.starts[span.start], decoded.ends[span.end - 1], span.type) for span in spans]
        for span, entity in zip(spans, escaped, strict=True):
            if span.rank != GLOSSARY_RANK:
                self._first_leaf.setdefault((span.type, decoded.text[span.start : span.end]), number)
            self._escaped_surfaces.setdefault(text[entity.start : entity.end], (number, entity.type))
        self._detected[text, label] = _merged(text, _not_inside(escaped, found), escaped)

    def detected(self, text: str, label: str = "") -> list[Entity]:
        """The entities that detection found in this text alone."""
        return self._detected[text, label]

    def entities(self, number: int, text: str, label: str = "", *, from_model: bool = False) -> list[Entity]:
        """The entities to mask in leaf `number`, ordered and without overlap.

        Text of a model (`from_model`) had tokens instead of values, also of values that are too common to be searched
        elsewhere. They are masked again first, so that the provider sees what its model wrote.
        """
        own = self._detected[text, label]
        if not self._first_leaf:
            return own
        hits = [*self._repeated(number, text), *(self._repeated_in_answer(number, text) if from_model else ())]
        if not hits:
            return own
        allowed = self._allowed.spans_in(text)
        hits = [hit for hit in hits if not allowed.cover(*hit.entity)]
        placeholders = [Entity(start, end, EntityType.CUSTOM_TERM) for start, end in find_placeholders(text)]
        merged = _merged(text, own + placeholders, [hit.entity for hit in hits])
        if from_model:
            shown = (hit.entity for hit in hits if hit.leaf < number)
            repeated = _merged(
                text,
                placeholders,
                [entity for entity in shown if text[entity.start : entity.end] not in self._without_token],
            )
            merged = _reunited(text, repeated, merged)
            self._without_token.update({text[entity.start : entity.end] for entity in {*own}.difference(merged)})
        excluded = frozenset(placeholders)
        return [entity for entity in merged if entity not in excluded]

    def _repeated(self, number: int, text: str) -> Iterator["_Hit"]:
        if self._value_finder is None:
            self._value_finder = OccurrenceFinder(self._values(), overlapping=True)
        for start, end, key in self._value_finder.hits(text):
            if self._leaves[key] <= number:
                yield _Hit(self._leaves[key], Entity(start, end, self._types[key]))

    def _repeated_in_answer(self, number: int, text: str) -> Iterator["_Hit"]:
        if self._repeat_finder is None:
            for (type_, surface), leaf in self._first_leaf.items():
                if sum(map(str.isalnum, surface)) >= _MIN_REPEATED_CHARS:
                    self._repeatable.setdefault(surface, (leaf, type_))
            self._repeatable = {**self._escaped_surfaces, **self._repeatable}
            self._repeat_finder = OccurrenceFinder(
                (SearchValue(0, surface, False, MatchScope.WORD) for surface in self._repeatable), overlapping=True
            )
        for start, end, _ in self._repeat_finder.hits(text):
            leaf, type_ = self._repeatable.get(text[start:end], (number + 1, EntityType.CUSTOM_TERM))
            if leaf <= number:
                yield _Hit(leaf, Entity(start, end, type_))

    def _values(self) -> Iterator[SearchValue]:
        for (type_, surface), leaf in self._first_leaf.items():
            key = len(self._types)
            self._types.append(type_)
            self._leaves.append(leaf)
            item = KnownValue(type_, canonical(type_, surface), {surface: None}, glossary=False)
            yield from (value for value in search_values(key, item) if value.scope is not MatchScope.LINE)
            if type_ is EntityType.PERSON and not is_distinctive(type_, surface) and " " in words_form(surface):
                yield SearchValue(key, surface, False, MatchScope.WORD)


def _not_inside(wider: list[Entity], entities: list[Entity]) -> list[Entity]:
    """The entities that are not part of a wider one: the decoded meaning counts more than the spelling."""
    ends = [wide.end for wide in wider]
    kept: list[Entity] = []
    for one in entities:
        at = bisect_left(ends, one.end)
        around = wider[at] if at < len(wider) else one
        if around.start > one.start or (around.start, around.end) == (one.start, one.end):
            kept.append(one)
    return kept


def _reunited(text: str, repeated: list[Entity], more: list[Entity]) -> list[Entity]:
    """The values that a model repeated, whole, and the uncovered rest of `more` without mere connecting words."""
    whole = {*repeated, *more}
    merged = _merged(text, repeated, more)
    return [
        entity
        for entity in merged
        if entity in whole or text[entity.start : entity.end].lower() not in _CONNECTING_WORDS
    ]


def _merged(text: str, own: list[Entity], more: list[Entity]) -> list[Entity]:
    """Both lists without overlap: `own` stay whole, and of `more` what they leave uncovered."""
    every = own + more
    whole = {(entity.start, entity.end): entity for entity in reversed(every)}
    places = merged_spans(
        text,
        [ValueSpan(entity.start, entity.end, at) for at, entity in enumerate(own)],
        [ValueSpan(entity.start, entity.end, at) for at, entity in enumerate(more, len(own))],
    )
    return [whole.get((start, end)) or Entity(start, end, every[at].type) for start, end, at in places]


class WholeJsonFinder:
    """Finds entities in JSON as a whole and projects them onto its values.

    First call `detect` for every leaf, then `entities` for each.
    """

    def __init__(self, finder: EntityFinder) -> None:
        self._finder = finder
        self._detected: set[WholeJson] = set()
        self._found: dict[WholeJson, tuple[list[Entity], list[int]]] = {}  # and the ends of the entities

    def detect(self, number: int, leaf: Leaf) -> None:
        """Runs detection once on the JSON that contains leaf `number`."""
        if leaf.whole is not None and leaf.whole not in self._detected:
            self._detected.add(leaf.whole)
            self._finder.detect(number, leaf.whole.text)

    def entities(self, number: int, leaf: Leaf, own: list[Entity]) -> list[Entity]:
        """The entities to mask in leaf `number`, ordered. Of two overlapping entities the wider one is kept."""
        if leaf.whole is None:
            return own
        more = list(self._projected(number, leaf, leaf.whole))
        if not more:
            return own
        every = own + more
        places = [ValueSpan(entity.start, entity.end, at) for at, entity in enumerate(own)]
        for at, entity in enumerate(more, len(own)):
            insert_span(places, ValueSpan(entity.start, entity.end, at))
        return [Entity(start, end, every[at].type) for start, end, at in places if _is_readable(leaf.text[start:end])]

    def _projected(self, number: int, leaf: Leaf, whole: WholeJson) -> Iterator[Entity]:
        begin = whole.places.get((id(leaf.container), leaf.key))
        if begin is None:
            return
        end = begin + len(leaf.literal or "" if leaf.form is Form.NUMBER else leaf.text)
        found, ends = self._found_in(number, leaf, whole)
        for at in range(bisect_right(ends, begin), len(found)):
            entity = found[at]
            if entity.start >= end:
                return
            if leaf.form is Form.NUMBER:
                yield Entity(0, len(leaf.text), entity.type)
            elif not leaf.is_key or begin <= entity.start < entity.end <= end:  # a key is masked only as a whole entity
                yield Entity(max(entity.start - begin, 0), min(entity.end, end) - begin, entity.type)

    def _found_in(self, number: int, leaf: Leaf, whole: WholeJson) -> tuple[list[Entity], list[int]]:
        found = self._found.get(whole)
        if found is None:
            # Known values are searched in each leaf; only a model's text needs them here, to have its tokens again.
            finder = self._finder
            entities = (
                finder.entities(number, whole.text, from_model=True) if leaf.from_model else finder.detected(whole.text)
            )
            found = self._found[whole] = entities, [entity.end for entity in entities]
        return found


def _is_readable(text: str) -> bool:
    return any(map(str.isalnum, text))


# A token that is in a text already, in any spelling.
_EXISTING_TOKEN: Final = re.compile(r"masked_([a-z_]{2,32})_([a-f0-9]{8})", re.IGNORECASE)
_NAME_SEPARATORS: Final = str.maketrans("_-.", "   ")
_CAMEL_CASE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def existing_tokens(text: str) -> Iterable[str]:
    """The tokens in a text, in the form in which they are minted."""
    if "masked" not in text.lower():
        return ()
    return (f"<MASKED_{m[1].upper()}_{m[2].lower()}>" for m in _EXISTING_TOKEN.finditer(text.replace("\\", "")))


class Masking:
    """The masking of one request."""

    def __init__(self, options: MaskingOptions, detector: Detects) -> None:
        self._options = options
        self._existing: set[str] = set()  # tokens that are in the leaves already and were not minted here
        self._mint = Mint(options.key, self._existing)
        self._finder = EntityFinder(detector, options.terms, options.min_score)
        self._json_finder = WholeJsonFinder(self._finder)
        self._numbers: set[str] = set()
        self._strings: set[str] = set()  # tokens that are whole strings of a tool's data; these do not count as numbers
        self.found: Counter[EntityType] = Counter()

    def mask(self, leaves: list[Leaf]) -> None:
        """Replaces every leaf that has an entity in its container."""
        for number, leaf in enumerate(leaves):
            self._json_finder.detect(number, leaf)
            for text, label in _detection_inputs(leaf):
                self._finder.detect(number, text, label)
        for number, leaf in enumerate(leaves):
            if not leaf.from_model:  # a token in a model's text is ours, and its value keeps it
                self._existing.update(existing_tokens(leaf.text))
            entities: list[Entity] = []
            for text, label in _detection_inputs(leaf):
                entities += self._finder.entities(number, text, label, from_model=leaf.from_model)
            entities = self._json_finder.entities(number, leaf, entities)
            if entities:
                self.found.update(entity.type for entity in entities)
                _write_back(leaf, self._masked(leaf, entities))

    @property
    def minted(self) -> Minted:
        """The tokens minted so far."""
        return Minted(self._mint.mapping, frozenset(self._numbers - self._strings))

    def _masked(self, leaf: Leaf, entities: list[Entity]) -> str:
        if leaf.form is Form.STRING:
            return self._text(leaf, entities)
        first = max(entities, key=lambda entity: RANK[entity.type])
        token = self._mint.token(first.type, leaf.literal if leaf.literal is not None else leaf.text)
        if leaf.form is Form.NAME:
            return token.strip("<>")
        self._numbers.add(token)
        return token

    def _text(self, leaf: Leaf, entities: list[Entity]) -> str:
        text = leaf.text
        generalized = self._generalized(leaf, entities)
        pieces: list[str] = []
        position = 0
        for entity in entities:
            surface = text[entity.start : entity.end]
            general = generalized.get(entity)
            pieces += (text[position : entity.start], general or self._mint.token(entity.type, surface))
            position = entity.end
        pieces.append(text[position:])
        masked = "".join(pieces)
        if leaf.label and masked in self._mint.mapping:
            self._strings.add(masked)
        return masked

    def _generalized(self, leaf: Leaf, entities: list[Entity]) -> dict[Entity, str]:
        """The generalized values of entities, where requested and possible. A leaf's label is their context."""
        wanted = self._options.transforms
        if not any(entity.type in wanted for entity in entities):
            return {}
        lead = f"{leaf.label}: " if leaf.label else ""
        spans = tuple(
            Span(len(lead) + entity.start, len(lead) + entity.end, entity.type, 1.0, "", GLOSSARY_RANK)
            for entity in entities
        )
        generalizer = Generalizer(Detection(lead + leaf.text, spans), wanted, self._options.today)
        values = {entity: generalizer.value(span) for entity, span in zip(entities, spans, strict=True)}
        return {entity: value for entity, value in values.items() if value}


def _detection_inputs(leaf: Leaf) -> list[tuple[str, str]]:
    """The texts and labels for detection. For a participant's name also its words, capitalized."""
    if leaf.form is Form.NAME:
        words = _CAMEL_CASE.sub(" ", leaf.text.translate(_NAME_SEPARATORS)).title()
        return [(text, "") for text in dict.fromkeys((leaf.text, words))]
    return [(leaf.text, leaf.label)]


def _write_back(leaf: Leaf, masked: str) -> None:
    is_in_text = leaf.literal is not None and isinstance(value_at(leaf.container, leaf.key), str)
    replace_at(leaf.container, leaf.key, json_literal(masked, leaf.literal or "") if is_in_text else masked)
