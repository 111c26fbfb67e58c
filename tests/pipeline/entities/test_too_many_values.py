"""A document with more different values than a process can search for is refused as too complex."""

import pytest

from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, TextUnit
from pipeline.entities import values
from pipeline.entities.findings import find
from schemas.errors import ErrorCode, StageFailed
from schemas.refusals import Reason
from schemas.spans import DetectOptions

IDS = ("1012345672", "1023456780", "1034567898", "1045678906")


def document(*texts: str) -> Extraction:
    units = (TextUnit(str(number), text, "National ID") for number, text in enumerate(texts))
    return Extraction(tuple(units))


def test_only_different_values_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MAX_VALUES", 3)
    detector = Detector()
    found = find(document(*IDS[:3], " ".join(IDS[:3]), IDS[0]), (), detector, DetectOptions())
    assert (len(found.values), len(found.places)) == (3, 7)
    for texts in (IDS, (" ".join(IDS),)):
        with pytest.raises(StageFailed) as failure:
            find(document(*texts), (), detector, DetectOptions())
        assert (failure.value.code, failure.value.reason) == (ErrorCode.UNSUPPORTED_FORMAT, Reason.TOO_COMPLEX)
