"""Decides between the rules and the tagger: which persons, places and organizations of the two stay.

Each candidate is scored by a logistic regression over a few features; its weights are learnt from labelled text that
neither the rules nor the tagger were made with (scripts/names/combine.py) and lie in the tagger's manifest.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.entities import EntityType

Features = tuple[float, ...]
MENTION_FEATURES = (
    "one", "score", "lowest", "several words", "Arabic", "known names", "ordinary words", "no capital",
    "particles", "places", "capitals",
    "by rules", "by rules of another type",
)  # fmt: skip
RULE_FEATURES = ("one", "score", "mean", "highest", "other types", "several words", "Arabic")


class Weights(NamedTuple):
    """For one entity type: the weights of a mention that the tagger alone found, and of a span of the rules."""

    mention: Features
    rule: Features


class Candidate(NamedTuple):
    """A span of text with the probability that it is an entity of this type."""

    start: int
    end: int
    type: EntityType
    score: float


def probability(weights: Features, features: Sequence[float]) -> float:
    """The logistic function of the weighted sum."""
    total = sum(weight * feature for weight, feature in zip(weights, features, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def tempered(share: float, temperature: float) -> float:
    """The probability whose logit is that of `share`, divided by the temperature."""
    share = min(max(share, 1e-9), 1 - 1e-9)
    return probability((math.log(share / (1 - share)),), (1 / temperature,))


def read_weights(rows: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[EntityType, Weights]:
    """The weights by type from a manifest."""
    return {EntityType(name): Weights(tuple(row["mention"]), tuple(row["rule"])) for name, row in rows.items()}


def merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates of one type by position, overlapping ones joined into one with the higher score."""
    joined: list[Candidate] = []
    for candidate in sorted(candidates):
        if joined and candidate.start < joined[-1].end:
            before = joined[-1]
            joined[-1] = before._replace(end=max(before.end, candidate.end), score=max(before.score, candidate.score))
        else:
            joined.append(candidate)
    return joined
