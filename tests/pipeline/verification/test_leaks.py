"""An output that still has a found value is refused, in every hiding place and in every spelling."""

import io
from collections.abc import Callable
from types import ModuleType

import pytest
from PIL import Image

from pipeline.detect.detector import Detector
from pipeline.documents.document import Findings, FoundValue, Reading
from pipeline.verification import csv
from pipeline.verification.image import reader as image
from pipeline.verification.ooxml import docx, pptx, xlsx
from pipeline.verification.pdf import reader as pdf
from pipeline.verification.verdict import leftovers
from schemas.errors import StageFailed
from schemas.spans import DetectOptions
from tests.pipeline.documents.office import word
from tests.pipeline.verification import plants_image, plants_office, plants_pdf, samples

# Plainly fictional; both are distinctive, so they may stand nowhere.
NUMBER, NAME, ARABIC = "1058374925", "Noura Salem Almithali", "نورة سالم المثالي"
VALUES = Findings(
    (),
    tuple(
        FoundValue(type_, surface, surface, f"{type_}_01", True)
        for type_, surface in (("NATIONAL_ID", NUMBER), ("PERSON", NAME), ("PERSON", ARABIC))
    ),
)


def refuses(reader: ModuleType, data: bytes, detector: Detector) -> bool:
    try:
        second, _ = reader.read(data)
    except StageFailed as failure:
        return failure.code == "verify_failed"
    readings = [Reading(raster.id, "", ()) for raster in second.rasters]  # what its pixels show is not asked here
    return any(left.known for left in leftovers(second, readings, VALUES, detector, DetectOptions()))


@pytest.fixture(scope="module")
def clean() -> dict[str, bytes]:
    """A document of each format without personal data."""
    book, show = samples.openpyxl.Workbook(), samples.powerpoint.Presentation()
    book.active["A1"] = "Nothing of this cell is about anybody."
    show.slides.add_slide(show.slide_layouts[6])
    parts = {name: content for name, content in plants_office.parts_of(samples._saved(show)).items()
             if "printerSettings" not in name}  # fmt: skip
    return {
        "docx": word("<w:p><w:r><w:t>Nothing of this line is about anybody.</w:t></w:r></w:p>"),
        "xlsx": samples._saved(book),
        "pptx": plants_office.packed(parts),
        "pdf": plants_pdf.clean(),
        "png": plants_office.clean_picture(),
        "jpeg": plants_image.clean_jpeg(),
        "csv": b"Name,Note\r\nPERSON_NAME_01,nothing\r\n",
    }


def _csv(text: Callable[[str], bytes]) -> Callable[[bytes, str], bytes]:
    return lambda data, value: data + text(value)


CSV_PLACES = {
    "a cell": _csv(lambda v: f"x,{v}\r\n".encode()),
    "a quoted cell": _csv(lambda v: f'x,"{v}"\r\n'.encode()),
    "a heading": lambda data, value: data.replace(b"Note", value.encode()),
    "a ragged row": _csv(lambda v: f"a,b,c,d,e,{v}".encode()),
    "two lines": _csv(lambda v: f'x,"{v[:5]}\r\n{v[5:]}"\r\n'.encode()),
    "two cells": _csv(lambda v: f"{v[:5]},{v[5:]}\r\n".encode()),
    "behind a quote that never closes": _csv(lambda v: f'x,"y\r\n{v}'.encode()),
    "another code page": _csv(lambda v: f"x,{v}\r\n".encode("cp1256", "replace")),
    "UTF-16 amid": _csv(lambda v: f"x,{v}\r\n".encode("utf-16-le")),
    "a formula": _csv(lambda v: f'"=HYPERLINK(""mailto:{v}"")",x\r\n'.encode()),
    "percent signs": _csv(lambda v: ("x," + "".join(f"%{b:02X}" for b in v.encode()) + "\r\n").encode()),
}
TABLE = [
    *((kind, reader, place, plant) for kind, reader in (("docx", docx), ("xlsx", xlsx), ("pptx", pptx))
      for place, plant in plants_office.PLACES.items()),
    *(("pdf", pdf, place, plant) for place, plant in plants_pdf.PLACES.items()),
    *(("png", image, place, plant) for place, plant in plants_image.PNG_PLACES.items()),
    *(("jpeg", image, place, plant) for place, plant in plants_image.JPEG_PLACES.items()),
    *(("csv", csv, place, plant) for place, plant in CSV_PLACES.items()),
]  # fmt: skip


READERS = {"docx": docx, "xlsx": xlsx, "pptx": pptx, "pdf": pdf, "csv": csv, "png": image, "jpeg": image}


@pytest.mark.parametrize("kind", READERS)
def test_a_clean_document_passes(kind: str, clean: dict[str, bytes], detector: Detector):
    assert not refuses(READERS[kind], clean[kind], detector)


SPELLED = {"number": NUMBER, "name": NAME, "arabic": ARABIC}
# The common engine of packages is walked once in the fast run; PDF strings differ by script.
OFTEN = {
    ("docx", "number"),
    ("pdf", "number"),
    ("pdf", "arabic"),
    ("png", "number"),
    ("jpeg", "arabic"),
    ("csv", "number"),
}
LEAKS = [
    pytest.param(
        *row, value, id=f"{row[0]}: {row[2]}, {name}", marks=() if (row[0], name) in OFTEN else pytest.mark.slow
    )
    for row in TABLE
    for name, value in SPELLED.items()
]


@pytest.mark.parametrize(("kind", "reader", "place", "plant", "value"), LEAKS)
def test_a_value_in_this_place_is_refused(kind, reader, place, plant, value, clean, detector: Detector):
    planted = plant(clean[kind], value)
    assert planted != clean[kind]
    assert refuses(reader, planted, detector)


def test_the_places_are_many():
    assert len(TABLE) > 200
    assert Image.open(io.BytesIO(plants_office.clean_picture())).size == (40, 40)
