"""The decision between rules and tagger."""

from pipeline.detect.tagger.combination import Candidate, merged, probability, read_weights
from schemas.entities import EntityType

PERSON = EntityType.PERSON


def test_probability() -> None:
    assert probability((0.0, 0.0), (1.0, 5.0)) == 0.5
    assert probability((0.0, 2.0), (1.0, 1.0)) > 0.85
    assert probability((0.0, 1.0), (1.0, -1e6)) < 1e-9  # no overflow


def test_overlapping_candidates_become_one() -> None:
    found = merged([Candidate(9, 12, PERSON, 0.6), Candidate(0, 5, PERSON, 0.7), Candidate(3, 8, PERSON, 0.9)])
    assert found == [Candidate(0, 8, PERSON, 0.9), Candidate(9, 12, PERSON, 0.6)]


def test_weights_by_type() -> None:
    assert read_weights({"PERSON": {"mention": [1], "rule": [2]}})[PERSON].rule == (2,)
