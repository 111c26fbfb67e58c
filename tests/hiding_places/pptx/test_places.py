"""A presentation's hiding places: what stands there is gone from bytes and text, and the words around it stay."""

import pytest

from schemas.files import Format
from tests.conftest import every
from tests.hiding_places.pptx.places import PLACES
from tests.hiding_places.proof.inspection import said, traces
from tests.hiding_places.proof.running import Place, run


@pytest.mark.parametrize("place", every(3, PLACES), ids=str)
def test_nothing_of_a_value_stays(place: Place) -> None:
    data = place.build()
    unseen = [value for value in place.planted if not traces(data, value)]
    assert unseen == [], "the looks do not see what is planted"
    output = run(Format.PPTX, data).clean
    left = {value: found for value in place.planted if (found := traces(output, value))}
    assert left == {}
    text = said(Format.PPTX, output)
    assert [words for words in place.kept if words not in text] == []
