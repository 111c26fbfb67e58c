"""A CSV file's hiding places: what stands there is gone from the bytes, and everything around it stays as it was."""

import re

import pytest

from pipeline.documents.csv_encoding import decode
from schemas.files import Format
from tests.documents.csv_places import PLACES
from tests.documents.looking import said, traces
from tests.documents.running import Place, run

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
