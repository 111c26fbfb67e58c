"""Masks leaves: every entity becomes a token, or a generalized value where one was asked for and can be given."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from api.proxy.arguments import spelled
from api.proxy.joints import Asked, Minted
from api.proxy.leaves import Form, Leaf
from api.proxy.siblings import Siblings
from api.proxy.sightings import Detects, Seen, Sightings
from api.proxy.strict_json import at, put
from pipeline.transform.generalize import Generalizer
from pipeline.transform.tokens import Mint
from schemas.entities import GLOSSARY_RANK, RANK, EntityType
from schemas.spans import Detection, Span

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
    is_in_text = leaf.literal is not None and isinstance(at(leaf.holder, leaf.key), str)
    put(leaf.holder, leaf.key, spelled(masked, leaf.literal or "") if is_in_text else masked)
