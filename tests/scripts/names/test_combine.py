"""What the combination of rules and tagger learns: its weights, and the temperature of its scores."""

import random

from schemas.entities import EntityType
from scripts.names.combine import Sample, combination, temperature


def rows(share_elsewhere: float) -> dict[tuple[str, EntityType], list[Sample]]:
    """A feature that tells the truth in 95 of 100 cases of one source, and in this share of those of another."""
    draw = random.Random(7)
    samples = []
    for source, right in (("a", 0.95), ("b", share_elsewhere)):
        for number in range(600):
            is_name = number % 2 == 0
            seen = is_name if draw.random() < right else not is_name
            samples.append(Sample((1.0, 1.0 if seen else -1.0), is_name, source))
    return {("mention", EntityType.PERSON): samples, ("rule", EntityType.PERSON): samples[:0]}


def test_scores_are_cooled_by_as_much_as_other_text_deceives() -> None:
    same, other, worse = (temperature(rows(share)) for share in (0.95, 0.85, 0.75))
    assert 0.8 <= same <= 1.2
    assert same < other < worse


def test_one_source_alone_cools_nothing() -> None:
    found = {kind: [one for one in samples if one.source == "a"] for kind, samples in rows(0.75).items()}
    assert temperature(found) == 1.0


def test_each_type_has_weights_for_mentions_and_for_rules() -> None:
    mentions = rows(0.95)["mention", EntityType.PERSON]
    opposed = [sample._replace(is_right=not sample.is_right) for sample in mentions]
    learnt = combination({("mention", EntityType.PERSON): mentions, ("rule", EntityType.PERSON): opposed})
    ((bias, weight), (_, other)) = learnt[EntityType.PERSON]
    assert abs(bias) < 0.2 < 2 < weight == -other
