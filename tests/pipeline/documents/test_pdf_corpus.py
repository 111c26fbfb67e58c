"""Real PDFs and pictures, odd and damaged: each is redacted or refused as a careful service does, never a crash."""

import csv
from pathlib import Path

import pypdfium2
import pytest

from pipeline.documents import image, pdf
from pipeline.documents.document import Findings, Reading
from schemas.errors import StageFailed

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["pdf", "png", "jpg"])
@pytest.mark.timeout(600)
def test_every_document_of_the_corpus(shared_dir: Path, kind: str) -> None:
    folder = shared_dir / "data/documents"
    handler = pdf if kind == "pdf" else image
    with (folder / "manifest.csv").open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["file"].startswith(f"{kind}/")]
    assert rows
    wrong = []
    for row in rows:
        data = (folder / row["file"]).read_bytes()
        try:
            pages = handler.inspect(data)
            extraction, pixels = handler.extract(data)
            readings = [Reading(raster.id, "", ()) for raster in extraction.rasters]
            output = handler.redact(data, Findings(()), readings)
        except StageFailed as failure:
            if row["expected"] == "redactable" or failure.code != "unsupported_format":
                wrong.append((row["file"], failure.code))
            continue
        if row["expected"] == "unsupported_format":
            wrong.append((row["file"], "accepted"))
        assert pages == extraction.pages and pixels.keys() == {reading.raster for reading in readings}
        if kind == "pdf":
            with pypdfium2.PdfDocument(output) as document:
                assert len(document) == pages, row["file"]
    assert wrong == []
