"""A workbook's hiding places: what stands there is gone from bytes and text, and the words around it stay."""

import io
import warnings

import openpyxl
import pytest

from schemas.files import Format
from tests.conftest import every
from tests.hiding_places.office_build import ID
from tests.hiding_places.proof.inspection import said, traces
from tests.hiding_places.proof.running import Place, run
from tests.hiding_places.xlsx.places import PLACES


@pytest.mark.parametrize("place", every(3, PLACES), ids=str)
def test_nothing_of_a_value_stays(place: Place) -> None:
    data = place.build()
    unseen = [value for value in place.planted if not traces(data, value)]
    assert unseen == [], "the looks do not see what is planted"
    output = run(Format.XLSX, data).clean
    left = {value: found for value in place.planted if (found := traces(output, value))}
    assert left == {}
    assert traces(output, ID) == []
    text = said(Format.XLSX, output)
    assert [words for words in place.kept if words not in text] == []
    assert _opens(output) or not _opens(data)


def _opens(data: bytes) -> bool:
    """Whether a strict reader of the format takes the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            openpyxl.load_workbook(io.BytesIO(data))
    except (KeyError, ValueError, TypeError, IndexError, AttributeError):
        return False
    return True
