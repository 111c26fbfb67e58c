"""A workbook through the real sandbox: parsed, redacted and read again in children of their own."""

import io

import openpyxl
import pytest

from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import redact_document
from pipeline.sniff import Sniffer
from schemas.files import MEDIA_TYPE, SUPPORTED_FORMATS, Format
from tests.hiding_places.office_build import ID, NAME
from tests.hiding_places.proof.running import detector
from tests.hiding_places.xlsx.workbook import book, formula, number, row, text
from tests.pipeline.sandbox.shared import shared

DATA = book(row(1, text("A1", NAME), number("B1", ID), formula("C1", "A1", NAME)))


def test_an_upload_of_a_workbook_is_known() -> None:
    sniffer = Sniffer(MEDIA_TYPE[Format.XLSX], "harvest.xlsx")
    sniffer.feed(DATA)
    assert sniffer.finish() is Format.XLSX
    assert Format.XLSX in SUPPORTED_FORMATS


@pytest.mark.slow
def test_a_workbook_through_the_sandbox() -> None:
    output = redact_document(shared(), DirectDetector(detector()), Format.XLSX, DATA, max_pages=10).data
    sheet = openpyxl.load_workbook(io.BytesIO(output))["Harvest"]
    assert [sheet[a].value for a in ("A1", "B1", "C1")] == ["PERSON_NAME_01", "NATIONAL_ID_01", "PERSON_NAME_01"]
