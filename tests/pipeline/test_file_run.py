"""A whole document in one call, in the real sandbox, by handlers that work and by handlers that go wrong."""

from pathlib import Path

import pytest

from pipeline.detect.detector import Detector
from pipeline.file_run import redact_document
from pipeline.sandbox import Sandbox
from schemas.errors import ErrorCode, StageFailed
from schemas.files import Format

TESTS = Path(__file__).parents[1]
CSV = b"name,email\r\nNoura Almithali,noura@example.com\r\nb@example.com,\r\n"


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def test_a_document_is_redacted_and_every_step_is_announced(detector: Detector) -> None:
    heard: list[str] = []
    redacted = redact_document(Sandbox("best-effort"), detector, Format.CSV, CSV, max_pages=500, step=heard.append)
    assert redacted.data == b"name,email\r\nPERSON_NAME_01,EMAIL_01\r\nEMAIL_02,\r\n"
    assert [place.type for place in redacted.findings.places] == ["PERSON", "EMAIL_ADDRESS", "EMAIL_ADDRESS"]
    assert heard == ["inspect", "extract", "read", "redact", "verify"]


@pytest.mark.parametrize(
    ("saboteur", "code"),
    [
        ("forgets", ErrorCode.VERIFY_FAILED),
        ("crashes", ErrorCode.REDACTION_INCOMPLETE),
        ("lies", ErrorCode.UNSUPPORTED_FORMAT),
        ("has_many_pages", ErrorCode.TOO_MANY_PAGES),
    ],
)
def test_nothing_comes_back_from_a_handler_that_goes_wrong(detector: Detector, saboteur: str, code: str) -> None:
    sandbox = Sandbox("best-effort", answers=f"tests.workers.saboteurs:{saboteur}", code=[TESTS])
    with pytest.raises(StageFailed) as failed:
        redact_document(sandbox, detector, Format.CSV, CSV, max_pages=500)
    assert failed.value.code == code
