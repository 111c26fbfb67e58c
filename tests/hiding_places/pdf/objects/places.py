"""The hiding places of a PDF that no page shows: what stands there and must be gone."""

from tests.hiding_places.pdf.objects import annotations as pdf_object_places_notes
from tests.hiding_places.pdf.objects import file_structure as pdf_object_places_file
from tests.hiding_places.pdf.objects import inner as pdf_object_places_inner
from tests.hiding_places.pdf.objects import metadata as pdf_object_places_beside

PLACES = (
    *pdf_object_places_notes.PLACES,
    *pdf_object_places_beside.PLACES,
    *pdf_object_places_file.PLACES,
    *pdf_object_places_inner.PLACES,
)
