"""Real Word files and presentations through whole runs: as the manifest expects, and what comes out opens."""

import csv
import io
from pathlib import Path

import docx
import pptx
import pytest

from schemas.files import Format
from tests.documents.running import run

OPENING = {Format.DOCX: docx.Document, Format.PPTX: pptx.Presentation}
# Marked redactable, but the list of content types is no XML: no program opens it.
BROKEN = {"docx/41e0e4-broken_xml_content_types.docx"}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("format_", OPENING, ids=str)
def test_real_documents_end_as_expected(format_: Format, shared_dir: Path) -> None:
    folder = shared_dir / "data" / "documents"
    wrong = []
    with (folder / "manifest.csv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            if row["file"].partition("/")[0] == format_.value:
                outcome = run(format_, (folder / row["file"]).read_bytes())
                if outcome.output is not None:
                    OPENING[format_](io.BytesIO(outcome.output))
                elif row["expected"] == "redactable" and row["file"] not in BROKEN:
                    wrong.append((row["file"], outcome.code))
    assert wrong == []
