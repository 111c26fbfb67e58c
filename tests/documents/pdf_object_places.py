"""The hiding places of a PDF that no page shows: what stands there and must be gone."""

from tests.documents import (
    pdf_object_places_beside,
    pdf_object_places_file,
    pdf_object_places_inner,
    pdf_object_places_notes,
)

PLACES = (
    *pdf_object_places_notes.PLACES,
    *pdf_object_places_beside.PLACES,
    *pdf_object_places_file.PLACES,
    *pdf_object_places_inner.PLACES,
)
