"""The messages written by hand: their marks, what teaches and what is held back."""

from pathlib import Path

import pytest

from benchmarks.accuracy import OWN_MESSAGES, UNSEEN_MESSAGES
from benchmarks.messages import read_marked
from scripts.names.sentences import written
from scripts.names.sentences.corpora import IGNORED, TAG
from scripts.names.sentences.labelled import sentence_of

FILES = sorted(written.FOLDER.glob("*.txt"))


def test_marks_become_tags(tmp_path: Path) -> None:
    line = r"و{PERSON:سعد بن فهد} في {LOCATION:أبها}\nعند {?:برج المملكة} و{ORGANIZATION:سابك}" + "\n"
    (tmp_path / "x.txt").write_text(line, "utf-8")
    (message,) = written.messages(tmp_path)
    texts, tags = sentence_of(message)
    assert [tag for tag in tags if tag > 0] == [TAG[name] for name in ("B-PER", "I-PER", "I-PER", "B-LOC", "B-ORG")]
    assert [text for text, tag in zip(texts, tags, strict=True) if tag == IGNORED] == ["برج", "المملكة"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_message_is_well_marked(path: Path) -> None:
    for case in read_marked(path):
        assert "{" not in case.text and "}" not in case.text, case.id
        assert {zone.kind for zone in case.gold} <= {"PERSON", "LOCATION", "ORGANIZATION"}, case.id


def test_nothing_that_teaches_is_scored() -> None:
    """No held-back, own or unseen message is among those that the taggers learn from."""
    taught = {message.text for message in written.training()}
    scored = {message.text for message in written.held_back()}
    scored |= {case.text for path in (OWN_MESSAGES, UNSEEN_MESSAGES) for case in read_marked(path)}
    assert len(taught) > 1_000 and len(scored) > 500 and not taught & scored
