"""No page of a redacted PDF shows what was planted in its text or among its objects: OCR reads the render of each.

The places that take OCR to be found at all are looked at in test_pdf_text_places.py.
"""

import pytest

from schemas.files import Format
from tests.hiding_places.pdf.objects import places as pdf_object_places
from tests.hiding_places.pdf.text import places as pdf_text_places
from tests.hiding_places.pdf.text.test_places import is_said
from tests.hiding_places.proof import inspection
from tests.hiding_places.proof.running import Place, run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

_AT_ONCE = 20
_PLACES = (*pdf_text_places.FAST, *pdf_object_places.PLACES)


@pytest.mark.parametrize("first", range(0, len(_PLACES), _AT_ONCE))
def test_no_page_shows_what_was_planted(first: int) -> None:
    places = _PLACES[first : first + _AT_ONCE]
    said = inspection.all_shown([run(Format.PDF, place.build()).clean for place in places])
    assert {
        place.name: _seen(place, text) for place, text in zip(places, said, strict=True) if _seen(place, text)
    } == {}


def test_ocr_sees_what_is_planted_in_plain_sight() -> None:
    places = _PLACES[60:80]
    said = inspection.all_shown([place.build() for place in places])
    assert sum(bool(_seen(place, text)) for place, text in zip(places, said, strict=True)) > len(places) / 2


def _seen(place: Place, text: str) -> list[str]:
    return [value for value in place.planted if is_said(value, text)]
