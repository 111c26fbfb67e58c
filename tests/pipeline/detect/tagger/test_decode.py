"""From tag probabilities to entities."""

import numpy as np
import pytest

from pipeline.detect.tagger.decode import Decoder, Entity, probabilities

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def shares(*rows: dict[str, float]) -> np.ndarray:
    """Each row's probabilities by tag; what is left is spread over the others."""
    made = []
    for row in rows:
        rest = (1 - sum(row.values())) / (len(TAGS) - len(row))
        made.append([row.get(tag, rest) for tag in TAGS])
    return np.array(made, dtype=np.float32)


def test_neighbouring_names_are_two_entities() -> None:
    found = Decoder(TAGS).entities(shares({"B-PER": 0.9}, {"I-PER": 0.9}, {"B-PER": 0.9}, {"O": 0.9}, {"B-LOC": 0.9}))
    assert [(e.first, e.last, e.label) for e in found] == [(0, 1, "PER"), (2, 2, "PER"), (4, 4, "LOC")]


def test_an_inside_tag_never_begins_an_entity() -> None:
    """The most probable tag of the first word is I-PER; B-PER is the most probable that may stand there."""
    found = Decoder(TAGS).entities(shares({"I-PER": 0.6, "B-PER": 0.35}, {"I-LOC": 0.5, "I-PER": 0.45}))
    assert [(e.first, e.last, e.label) for e in found] == [(0, 1, "PER")]


def test_the_score_is_the_mean_probability_of_the_label() -> None:
    (found,) = Decoder(TAGS).entities(shares({"B-PER": 0.7, "I-PER": 0.2}, {"I-PER": 0.6, "B-PER": 0.1}))
    assert found == Entity(0, 1, "PER", pytest.approx(0.8))


def test_words_that_are_surely_outside_part_the_sequences() -> None:
    outside = {"O": 0.999}
    found = Decoder(TAGS).entities(shares(outside, {"B-PER": 0.9}, outside, outside, {"B-LOC": 0.9}, {"I-LOC": 0.9}))
    assert [(e.first, e.last, e.label) for e in found] == [(1, 1, "PER"), (4, 5, "LOC")]


def test_leaning_towards_persons() -> None:
    """O must be so many times likelier than all else, where a person is the likeliest else; scores stay as they are."""
    rows = shares({"O": 0.6, "B-PER": 0.3, "B-LOC": 0.1})
    assert Decoder(TAGS).entities(rows) == Decoder(TAGS).entities(rows, 1.45) == []
    assert Decoder(TAGS).entities(rows, 2.1) == [Entity(0, 0, "PER", pytest.approx(0.3))]
    assert Decoder(TAGS).entities(shares({"O": 0.6, "B-PER": 0.1, "B-LOC": 0.3}), 100) == []


def test_leaning_moves_no_place() -> None:
    rows = shares({"B-LOC": 0.55, "B-PER": 0.4}, {"I-LOC": 0.5, "I-PER": 0.45}, {"O": 0.7, "B-PER": 0.2, "B-LOC": 0.1})
    assert [(e.first, e.last, e.label) for e in Decoder(TAGS).entities(rows, 1.5)] == [(0, 1, "LOC")]
    assert [(e.first, e.last, e.label) for e in Decoder(TAGS).entities(rows, 4)] == [(0, 1, "LOC"), (2, 2, "PER")]


def test_leaning_depends_on_nothing_that_stands_apart() -> None:
    """What is found in a part of a text is the same in all of it, words that are surely outside being between."""
    draw = np.random.default_rng(5)
    parts = [draw.dirichlet([3, 1, 1, 1, 1], size=9).astype(np.float32) for _ in range(20)]
    outside = shares({"O": 0.9999})
    whole = Decoder(TAGS).entities(np.concatenate([rows for part in parts for rows in (part, outside)]), 2)
    alone = [
        entity._replace(first=entity.first + 10 * number, last=entity.last + 10 * number)
        for number, part in enumerate(parts)
        for entity in Decoder(TAGS).entities(part, 2)
    ]
    assert whole == alone
    assert any(Decoder(TAGS).entities(part) != Decoder(TAGS).entities(part, 2) for part in parts)


def test_no_words_no_entities() -> None:
    for lean in (1, 2):
        assert Decoder(TAGS).entities(np.empty((0, 5), dtype=np.float32), lean) == []


def test_a_temperature_softens() -> None:
    scores = np.array([[2.0, 0.0]], dtype=np.float32)
    assert probabilities(scores, 1.0)[0, 0] > probabilities(scores, 3.0)[0, 0] > 0.5
    assert probabilities(scores, 3.0).sum() == pytest.approx(1.0)
