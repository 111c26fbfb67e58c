"""A PDF's hiding places that no page shows: what stands there is gone from bytes and text, and the page stays."""

from importlib import import_module

import pytest

from schemas.files import Format
from tests.conftest import every
from tests.hiding_places.pdf.objects.places import PLACES
from tests.hiding_places.proof.inspection import said, traces
from tests.hiding_places.proof.running import Place, run


@pytest.mark.parametrize("place", every(3, PLACES), ids=str)
def test_nothing_of_a_value_stays(place: Place) -> None:
    data = place.build()
    unseen = [value for value in place.planted if not traces(data, value)]
    assert unseen == [], "the looks do not see what is planted"
    output = run(Format.PDF, data).clean
    left = {value: found for value in place.planted if (found := traces(output, value))}
    assert left == {}
    text = said(Format.PDF, output)
    assert [words for words in place.kept if words not in text] == []


@pytest.mark.parametrize("place", [place for place in PLACES if place.handled_by], ids=str)
def test_without_its_handling_a_place_is_noticed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    module, _, name = place.handled_by.rpartition(".")
    monkeypatch.setattr(import_module(f"pipeline.documents.{module}"), name, place.switched_off)
    output = run(Format.PDF, place.build()).output
    assert output is None or any(traces(output, value) for value in place.planted)
