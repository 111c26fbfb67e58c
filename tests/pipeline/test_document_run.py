"""A whole document in one call, in the real sandbox, with working and with failing handlers."""

import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from pipeline.detect.detector import Detector
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import Progress, redact_document
from pipeline.sandbox.parent import Sandbox
from schemas.errors import ErrorCode, StageFailed
from schemas.files import Format
from schemas.stages import STAGE, Stage
from tests.pipeline.documents import papers
from tests.pipeline.sandbox.shared import shared

TESTS = Path(__file__).parents[1]
CSV = b"name,email\r\nNoura Almithali,noura@example.com\r\nb@example.com,\r\n"


@pytest.fixture(scope="module")
def detector() -> DirectDetector:
    return DirectDetector(Detector())


def test_a_document_is_redacted_and_every_step_is_announced(detector: DirectDetector) -> None:
    heard: list[Progress] = []
    redacted = redact_document(
        shared(),
        detector,
        Format.CSV,
        CSV,
        max_pages=500,
        filename="b@example.com.csv",
        on_progress=heard.append,
    )
    assert redacted.data == b"name,email\r\nPERSON_NAME_01,EMAIL_01\r\nEMAIL_02,\r\n"
    assert [place.type for place in redacted.findings.places] == ["PERSON", "EMAIL_ADDRESS", "EMAIL_ADDRESS"]
    assert redacted.name == "EMAIL_02.csv"
    assert heard == [
        Progress(stage) for stage in (Stage.SNIFF, Stage.EXTRACT, Stage.DETECT, Stage.REDACT, Stage.VERIFY)
    ]


def test_a_document_has_time_for_each_of_its_pages(detector: DirectDetector, monkeypatch: pytest.MonkeyPatch) -> None:
    for stage in (Stage.EXTRACT, Stage.REDACT, Stage.VERIFY):
        monkeypatch.setitem(STAGE, stage, replace(STAGE[stage], seconds=0, seconds_per_page=100))
    page = papers.encoded(papers.picture("Office closed"))
    assert redact_document(shared(), detector, Format.PNG, page, max_pages=1).data
    with pytest.raises(StageFailed) as failure:
        redact_document(shared(), detector, Format.CSV, CSV, max_pages=1)
    assert failure.value.code is ErrorCode.TIMEOUT


def test_a_redacted_document_redacted_again_keeps_its_placeholders_and_loses_what_only_begins_as_one(
    detector: DirectDetector,
) -> None:
    again = (
        b"name,email,seen,note\r\nPERSON_NAME_12,EMAIL_05,DATE_10,17\r\n"
        b"PERSON_NAME_07 10 1234,EMAIL_11 - 3,DATE_02. 4,ok\r\n"
    )
    both = again + b"PERSON_NAME_08,PERSON_NAME_01@example.com,12,PHONE_966 50 123 4567\r\n"
    kept, cleaned = (
        redact_document(shared(), detector, Format.CSV, data, max_pages=500).data for data in (again, both)
    )
    assert kept == again
    assert cleaned == again + b"PERSON_NAME_08,EMAIL_01,12,PHONE_PHONE_01\r\n"


def test_every_raster_that_is_read_is_told(detector: DirectDetector) -> None:
    picture = io.BytesIO()
    Image.new("L", (40, 40), 255).save(picture, "PNG")
    heard: list[Progress] = []
    with ThreadPoolExecutor(1) as readers:
        redact_document(
            shared(),
            detector,
            Format.PNG,
            picture.getvalue(),
            max_pages=5,
            readers=readers,
            on_progress=heard.append,
        )
        assert readers.submit(int).result() == 0  # they serve on: they belong to the caller
    assert [item for item in heard if item.stage is Stage.OCR] == [Progress(Stage.OCR, read, 1) for read in (0, 1)]


def test_who_hears_may_end_it(detector: DirectDetector) -> None:
    def stop(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        redact_document(shared(), detector, Format.CSV, CSV, max_pages=500, on_progress=stop)


@pytest.mark.parametrize(
    ("saboteur", "format_", "code"),
    [
        ("forgets", Format.CSV, ErrorCode.VERIFY_FAILED),
        ("crashes", Format.CSV, ErrorCode.REDACTION_INCOMPLETE),
        ("lies", Format.CSV, ErrorCode.UNSUPPORTED_FORMAT),
        ("has_many_pages", Format.PDF, ErrorCode.TOO_MANY_PAGES),
    ],
)
def test_nothing_comes_back_from_a_handler_that_goes_wrong(
    detector: DirectDetector, saboteur: str, format_: Format, code: str
) -> None:
    sandbox = Sandbox("best-effort", answers=f"tests.workers.saboteurs:{saboteur}", code=[TESTS])
    with pytest.raises(StageFailed) as failed:
        redact_document(sandbox, detector, format_, CSV, max_pages=500)
    assert failed.value.code == code
