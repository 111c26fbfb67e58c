"""A CSV file's hiding places: what stands there is gone from the bytes, and everything around it stays as it was."""

import re

import pytest

from pipeline.documents.csv.encoding import Decoded, decode
from pipeline.documents.csv.labels import Headings
from schemas.files import Format
from tests.hiding_places.csv.places import PLACES
from tests.hiding_places.proof.inspection import said, traces
from tests.hiding_places.proof.running import Place, run

PLACE = {place.name: place for place in PLACES}
# What handles a place: the module and name of a function, and what stands in for it where it is switched off.
SWITCHES = {
    "csv.handler.restored_number": lambda text, label: text,
    "csv.handler._joints_of_row": lambda row, columns: (),
    "csv.handler.find_headings": lambda cells: Headings(),
    "csv.encoding._wide_encoding": lambda sample: "",
    "csv.encoding._mixed": lambda data, mark: Decoded(data.decode("latin-1"), "latin-1", mark, str),
    "csv.labels._is_second_heading_row": lambda rows, first, second: False,
    "csv.labels._is_form": lambda rows: False,
    "csv.labels.with_spaced_words": lambda label: label,
    "csv.parse._delimiter": lambda sample, quote: ",",
}
SWITCHED_OFF = [
    ("csv.handler.restored_number", "power of ten"),
    ("csv.handler.restored_number", "power of ten that lost digits"),
    ("csv.handler.restored_number", "fraction"),
    ("csv.handler._joints_of_row", "country's code and number"),
    ("csv.handler.find_headings", "headings quoted"),
    ("csv.handler.find_headings", "first and last name"),
    ("csv.handler.find_headings", "spaces around"),
    ("csv.encoding._wide_encoding", "UTF-16-LE without a mark"),
    ("csv.encoding._wide_encoding", "UTF-16-BE without a mark"),
    ("csv.encoding._mixed", "windows-1256"),
    ("csv.encoding._mixed", "UTF-8 with odd bytes"),
    ("csv.encoding._mixed", "UTF-8 with a line of windows-1256"),
    ("csv.labels._is_second_heading_row", "heading in two rows, the lower one fuller"),
    ("csv.labels._is_form", "form of label and value"),
    ("csv.labels.with_spaced_words", "headings joined as programmers do"),
    ("csv.parse._delimiter", "delimiter named by its first line"),
]
_PLACEHOLDER = re.compile(r"[A-Z_]{2,}_\d{2,}")


def _seen(data: bytes, value: str) -> list[str]:
    """Where a value can be read; in encodings without a mark, which the looks do not try, by its characters."""
    return traces(data, value) or (["text"] if value in decode(data).text else [])


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_nothing_of_a_value_stays(place: Place) -> None:
    data = place.build()
    unseen = [value for value in place.planted if not _seen(data, value)]
    assert unseen == [], "the looks do not see what is planted"
    output = run(Format.CSV, data).clean
    assert {value: found for value in place.planted if (found := _seen(output, value))} == {}
    assert [words for words in place.kept if words not in said(Format.CSV, output)] == []


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_what_stands_around_a_value_stays_byte_for_byte(place: Place) -> None:
    """Encoding, mark, line ends and delimiters are those of the input; nothing became a formula."""
    data = place.build()
    output = run(Format.CSV, data).clean
    before = decode(data)
    assert output.startswith(before.mark)
    after = output[len(before.mark) :].decode(before.encoding, "surrogateescape")
    assert before.encode(after) == output
    assert not re.search(r"(?:^|[,;\t|\r\n\"])[=+@-][A-Z_]{2,}_\d\d", after)
    kept = _PLACEHOLDER.split(after)
    position = 0
    for piece in kept:  # every piece between placeholders stood in the input, in this order
        found = before.text.find(piece, position)
        assert found >= 0
        position = found + len(piece)


@pytest.mark.parametrize(("handled_by", "name"), SWITCHED_OFF)
def test_without_its_handling_a_place_is_noticed(handled_by: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Either the second reading refuses the output, or a value is left in it: no second round mends it here."""
    data = PLACE[name].build()
    monkeypatch.setattr("pipeline.document_run.MAX_ROUNDS", 1)
    monkeypatch.setattr(f"pipeline.documents.{handled_by}", SWITCHES[handled_by])
    outcome = run(Format.CSV, data)
    monkeypatch.undo()
    assert outcome.output is None or any(_seen(outcome.output, value) for value in PLACE[name].planted)
