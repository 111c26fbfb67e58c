"""Generated training messages: their spans lie right, and a seed decides everything."""

import pytest

from scripts.names.generator.messages import Labelled, generate

COUNT = 3000


@pytest.fixture(scope="module")
def made() -> list[Labelled]:
    return list(generate(11, COUNT))


def test_spans_are_sorted_inside_the_text_and_without_blanks_at_their_edges(made: list[Labelled]) -> None:
    for message in made:
        end = 0
        for start, stop, label in message.spans:
            assert end <= start < stop <= len(message.text) and label in ("PER", "LOC", "ORG")
            assert message.text[start:stop] == message.text[start:stop].strip()
            end = stop


def test_a_seed_decides_everything(made: list[Labelled]) -> None:
    assert list(generate(11, COUNT)) == made
    assert list(generate(12, 50)) != made[:50]


def test_both_languages_names_and_messages_without_any(made: list[Labelled]) -> None:
    people = [message for message in made if any(label == "PER" for *_, label in message.spans)]
    assert 0.5 * COUNT < len(people) < 0.95 * COUNT
    arabic = sum("\u0621" <= message.text[start] <= "\u064a" for message in people for start, _, label in message.spans)
    spans = sum(len(message.spans) for message in people)
    assert 0.25 * spans < arabic < 0.75 * spans
