"""Masks leaves: every entity becomes a token, or a generalized value where one was asked for and can be given."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from api.llm.json_tree import replace_at, value_at
from api.llm.model import Asked, Minted
from api.llm.request_walk import Form, Leaf
from api.llm.tool_arguments import WholeJson, spelled
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

# Finds the entities of one leaf, also those spelled with escapes, and what earlier leaves made known.
#
# A value spelled with escapes is found for what it means and masked as it stands: restoring gives back its signs.
#
# A value that tells whose it is wherever it stands (an identifier, a name of several words) is masked in the leaf where
# it was found and in every later one; never in an earlier one, whose masking does not depend on what comes after it.

# All that `decoded` resolves, but for what detection reads itself: UTF-8 spelled with percent signs, once.
_ESCAPED = re.compile(
    r"""\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|[ux]\{[0-9A-Fa-f]|[0-3][0-7]{2}\\+[0-3][0-7]{2})
      | &(?:\#|[A-Za-z][A-Za-z0-9]{1,24};)
      | %(?:2[56]|5[Cc]|[C-Fc-f][0-9A-Fa-f](?!%[89ABab]))
      | =[C-F][0-9A-F]=[89AB]""",
    re.VERBOSE,
)

_LEAST_ECHO = 3  # letters and digits of a value that is masked again in a model's words
# What stands between two values that detection takes for one, and what hangs on the word behind it.
_JOINING_LEAVES: Final = frozenset((
    "to", "and", "or", "until", "till", "through", "by", "at", "in", "of",
    "من", "الى", "إلى", "حتى", "و", "او", "أو", "في", "ف", "ب", "ل", "ك",
))  # fmt: skip


class Detects(Protocol):
    """What a detector does."""

    def detect(self, text: str, options: DetectOptions = ...) -> Detection:
        """The entities of a text."""


class Seen(NamedTuple):
    """`text[start:end]` of a leaf is an entity."""

    start: int
    end: int
    type: EntityType


class _Hit(NamedTuple):
    """A value that was found first in leaf `leaf` stands here as well."""

    leaf: int
    seen: Seen


class Sightings:
    """The entities of a request's leaves: first `look` at each in order, then ask for those `of` each.

    Linear in the length of all leaves, however many values there are.
    """

    def __init__(self, detector: Detects, terms: tuple[TermSet, ...]) -> None:
        self._detector, self._options = detector, DetectOptions(terms=terms)
        self._allowed = AllowedTerms(terms)
        self._looked: dict[tuple[str, str], list[Seen]] = {}  # by text and label: histories repeat themselves
        self._first: dict[tuple[EntityType, str], int] = {}  # distinct surfaces, and the leaf where each stood first
        self._finder: OccurrenceFinder | None = None
        self._types: list[EntityType] = []
        self._leaves: list[int] = []
        self._echo: OccurrenceFinder | None = None
        self._surfaces: dict[str, tuple[int, EntityType]] = {}
        self._cut: set[str] = set()  # found in what a model wrote where it wrote several tokens: none stands for it
        self._written: dict[str, tuple[int, EntityType]] = {}  # surfaces as they stand, where escapes spell them

    def look(self, number: int, text: str, label: str = "") -> None:
        """Detection of leaf `number`; its values become known."""
        found = self._looked.get((text, label))
        if found is not None:
            return
        options = replace(self._options, context=label) if label else self._options
        spans = self._detector.detect(text, options).spans
        found = self._looked[text, label] = [Seen(span.start, span.end, span.type) for span in spans]
        for span in spans:
            if span.rank != GLOSSARY_RANK:  # its own match mode says where a term stands
                self._first.setdefault((span.type, text[span.start : span.end]), number)
        meant = decode_escapes(text) if _ESCAPED.search(text) else None
        if meant is None:
            return
        spans = self._detector.detect(meant.text, options).spans
        hidden = [Seen(meant.starts[span.start], meant.ends[span.end - 1], span.type) for span in spans]
        for span, seen in zip(spans, hidden, strict=True):
            if span.rank != GLOSSARY_RANK:
                self._first.setdefault((span.type, meant.text[span.start : span.end]), number)
            self._written.setdefault(text[seen.start : seen.end], (number, seen.type))
        self._looked[text, label] = _merged(text, _not_inside(hidden, found), hidden)

    def own(self, text: str, label: str = "") -> list[Seen]:
        """What detection found in a text that it looked at, whatever other leaves made known."""
        return self._looked[text, label]

    def of(self, number: int, text: str, label: str = "", *, answered: bool = False) -> list[Seen]:
        """What is to be masked in leaf `number`, by position, overlapping nowhere.

        What a model `answered` held tokens in the place of values, also of those that are not distinctive: they are
        masked again before all else, so that the provider sees what its model wrote.
        """
        own = self._looked[text, label]
        if not self._first:
            return own
        hits = [*self._spread(number, text), *(self._echoes(number, text) if answered else ())]
        if not hits:
            return own
        allowed = self._allowed.spans_in(text)
        hits = [hit for hit in hits if not allowed.cover(*hit.seen)]
        kept = [Seen(start, end, EntityType.CUSTOM_TERM) for start, end in find_placeholders(text)]
        merged = _merged(text, own + kept, [hit.seen for hit in hits])
        if answered:
            shown = (hit.seen for hit in hits if hit.leaf < number)
            said = _merged(text, kept, [seen for seen in shown if text[seen.start : seen.end] not in self._cut])
            merged = _beside(text, said, merged)
            self._cut.update({text[seen.start : seen.end] for seen in {*own}.difference(merged)})
        gone = frozenset(kept)
        return [seen for seen in merged if seen not in gone]

    def _spread(self, number: int, text: str) -> Iterator["_Hit"]:
        if self._finder is None:
            self._finder = OccurrenceFinder(self._values(), overlapping=True)
        for start, end, key in self._finder.hits(text):
            if self._leaves[key] <= number:
                yield _Hit(self._leaves[key], Seen(start, end, self._types[key]))

    def _echoes(self, number: int, text: str) -> Iterator["_Hit"]:
        if self._echo is None:
            for (type_, surface), leaf in self._first.items():
                if sum(map(str.isalnum, surface)) >= _LEAST_ECHO:
                    self._surfaces.setdefault(surface, (leaf, type_))
            self._surfaces = {**self._written, **self._surfaces}
            self._echo = OccurrenceFinder(
                (SearchValue(0, surface, False, MatchScope.WORD) for surface in self._surfaces), overlapping=True
            )
        for start, end, _ in self._echo.hits(text):
            leaf, type_ = self._surfaces.get(text[start:end], (number + 1, EntityType.CUSTOM_TERM))
            if leaf <= number:
                yield _Hit(leaf, Seen(start, end, type_))

    def _values(self) -> Iterator[SearchValue]:
        for (type_, surface), leaf in self._first.items():
            key = len(self._types)
            self._types.append(type_)
            self._leaves.append(leaf)
            item = KnownValue(type_, canonical(type_, surface), {surface: None}, glossary=False)
            yield from (value for value in search_values(key, item) if value.scope is not MatchScope.LINE)
            if type_ is EntityType.PERSON and not is_distinctive(type_, surface) and " " in words_form(surface):
                yield SearchValue(key, surface, False, MatchScope.WORD)


def _not_inside(wider: list[Seen], seen: list[Seen]) -> list[Seen]:
    """Those of `seen` that are not a part of one of `wider`: what a spelling means tells more than its signs."""
    ends = [wide.end for wide in wider]
    kept: list[Seen] = []
    for one in seen:
        at = bisect_left(ends, one.end)
        around = wider[at] if at < len(wider) else one
        if around.start > one.start or (around.start, around.end) == (one.start, one.end):
            kept.append(one)
    return kept


def _beside(text: str, said: list[Seen], more: list[Seen]) -> list[Seen]:
    """What a model `said`, whole, and what `more` there is beside it, but for words that only join values."""
    whole = {*said, *more}
    merged = _merged(text, said, more)
    return [seen for seen in merged if seen in whole or text[seen.start : seen.end].lower() not in _JOINING_LEAVES]


def _merged(text: str, own: list[Seen], more: list[Seen]) -> list[Seen]:
    """Both without overlap: `own` stay whole, of `more` stays what they leave uncovered."""
    every = own + more
    whole = {(seen.start, seen.end): seen for seen in reversed(every)}
    places = merged_spans(
        text,
        [ValueSpan(seen.start, seen.end, at) for at, seen in enumerate(own)],
        [ValueSpan(seen.start, seen.end, at) for at, seen in enumerate(more, len(own))],
    )
    return [whole.get((start, end)) or Seen(start, end, every[at].type) for start, end, at in places]


# Lays what is found in JSON as a whole onto the values of it, beside what is found in each by itself.


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
        places = [ValueSpan(seen.start, seen.end, at) for at, seen in enumerate(own)]
        for at, seen in enumerate(more, len(own)):
            insert_span(places, ValueSpan(seen.start, seen.end, at))
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


# A token as it may stand in a text already, bent or not.
_STANDING: Final = re.compile(r"masked_([a-z_]{2,32})_([a-f0-9]{8})", re.IGNORECASE)
_JOINING: Final = str.maketrans("_-.", "   ")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def standing(text: str) -> Iterable[str]:
    """The tokens that stand in a text, in the form in which they are minted."""
    if "masked" not in text.lower():
        return ()
    return (f"<MASKED_{m[1].upper()}_{m[2].lower()}>" for m in _STANDING.finditer(text.replace("\\", "")))


class Masking:
    """The masking of one request's leaves, in order."""

    def __init__(self, asked: Asked, detector: Detects) -> None:
        self._asked = asked
        self._quoted: set[str] = set()  # tokens that stand in the leaves so far, and were not minted for them
        self._mint = Mint(asked.key, self._quoted)
        self._sightings = Sightings(detector, asked.terms)
        self._siblings = Siblings(self._sightings)
        self._numbers: set[str] = set()
        self._strings: set[str] = set()  # tokens that are whole strings of a tool's data: what is both is no number
        self.found: Counter[EntityType] = Counter()

    def mask(self, leaves: list[Leaf]) -> None:
        """Replaces in its holder every leaf that holds an entity."""
        for number, leaf in enumerate(leaves):
            self._siblings.look(number, leaf)
            for text, label in _looked_at(leaf):
                self._sightings.look(number, text, label)
        for number, leaf in enumerate(leaves):
            if not leaf.answered:  # a token in a model's own words and thoughts is ours, and its value keeps it
                self._quoted.update(standing(leaf.text))
            seen: list[Seen] = []
            for text, label in _looked_at(leaf):
                seen += self._sightings.of(number, text, label, answered=leaf.answered)
            seen = self._siblings.of(number, leaf, seen)
            if seen:
                self.found.update(entity.type for entity in seen)
                _put(leaf, self._masked(leaf, seen))

    @property
    def minted(self) -> Minted:
        """The tokens so far."""
        return Minted(self._mint.mapping, frozenset(self._numbers - self._strings))

    def _masked(self, leaf: Leaf, seen: list[Seen]) -> str:
        if leaf.form is Form.STRING:
            return self._text(leaf, seen)
        first = max(seen, key=lambda entity: RANK[entity.type])
        token = self._mint.token(first.type, leaf.literal if leaf.literal is not None else leaf.text)
        if leaf.form is Form.NAME:
            return token.strip("<>")
        self._numbers.add(token)
        return token

    def _text(self, leaf: Leaf, seen: list[Seen]) -> str:
        text = leaf.text
        shown = self._generalized(leaf, seen)
        pieces: list[str] = []
        position = 0
        for entity in seen:
            surface = text[entity.start : entity.end]
            general = shown.get(entity)
            pieces += (text[position : entity.start], general or self._mint.token(entity.type, surface))
            position = entity.end
        pieces.append(text[position:])
        masked = "".join(pieces)
        if leaf.label and masked in self._mint.mapping:
            self._strings.add(masked)
        return masked

    def _generalized(self, leaf: Leaf, seen: list[Seen]) -> dict[Seen, str]:
        """The entities that become abstract, and what they become: a leaf's label stands before it."""
        wanted = self._asked.transforms
        if not any(entity.type in wanted for entity in seen):
            return {}
        lead = f"{leaf.label}: " if leaf.label else ""
        spans = tuple(
            Span(len(lead) + entity.start, len(lead) + entity.end, entity.type, 1.0, "", GLOSSARY_RANK)
            for entity in seen
        )
        generalizer = Generalizer(Detection(lead + leaf.text, spans), wanted, self._asked.today)
        values = {entity: generalizer.value(span) for entity, span in zip(seen, spans, strict=True)}
        return {entity: value for entity, value in values.items() if value}


def _looked_at(leaf: Leaf) -> list[tuple[str, str]]:
    """The text and the label that detection gets; of a participant's name its words too, in capitals as names are."""
    if leaf.form is Form.NAME:
        words = _HUMP.sub(" ", leaf.text.translate(_JOINING)).title()
        return [(text, "") for text in dict.fromkeys((leaf.text, words))]
    return [(leaf.text, leaf.label)]


def _put(leaf: Leaf, masked: str) -> None:
    is_in_text = leaf.literal is not None and isinstance(value_at(leaf.holder, leaf.key), str)
    replace_at(leaf.holder, leaf.key, spelled(masked, leaf.literal or "") if is_in_text else masked)
