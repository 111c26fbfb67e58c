"""The answers of `/mask` and `/redact` as this code builds them: every field of their models, and no other."""

from datetime import date

import pytest

from api.engine.text_work import MaskWork, RedactWork, Work, run_work
from pipeline.detect.detector import Detector
from schemas.spans import DetectOptions
from schemas.text import MaskResponse, RedactResponse

TEXT = "رقم هويتي 1012345672. Call Noura Alharbi on 0501234567 or write to noura@example.com."
MASK = MaskWork("k" * 40, True, None, True, "mask_01234567", 0.0)
REDACT = RedactWork(("DATE_TIME",), date(2026, 11, 21), "redact_01234567", 0.0)
SYNTHETIC = RedactWork((), date(2026, 11, 21), "redact_01234567", 0.0, synthetic_under="k" * 40)


@pytest.mark.parametrize(
    ("work", "model", "only_when_asked"),
    [
        (MASK, MaskResponse, {"explanations"}),
        (REDACT, RedactResponse, {"explanations", "synthetic"}),
        (SYNTHETIC, RedactResponse, {"explanations"}),
    ],
)
@pytest.mark.parametrize("explain", [False, True])
def test_an_answer_has_the_fields_of_its_model(
    work: Work, model: type[MaskResponse | RedactResponse], only_when_asked: set[str], explain: bool
) -> None:
    found, raw = run_work(work, Detector().detect(TEXT, DetectOptions(explain=explain)))
    answer = model.model_validate_json(raw, strict=True, extra="forbid")
    assert answer.model_fields_set == model.model_fields.keys() - (
        only_when_asked - ({"explanations"} if explain else set())
    )
    assert found and answer.pii_count >= 4
