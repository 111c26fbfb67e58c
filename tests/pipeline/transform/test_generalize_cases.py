"""The development cases of smart generalization, through the real detector."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pipeline.detect.detector import Detector
from pipeline.transform.redact import redact
from schemas.entities import CORE_TYPES, EntityType
from schemas.spans import DetectOptions

CORE = DetectOptions(enabled=frozenset(CORE_TYPES))


@pytest.fixture(scope="module")
def cases(shared_dir: Path) -> list[dict[str, Any]]:
    lines = (shared_dir / "data/cases/generalize.jsonl").read_text("utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["expected_status"] == 200]


def test_every_case(cases: list[dict[str, Any]]) -> None:
    detector = Detector()
    wrong = []
    for case in cases:
        detection = detector.detect(case["text"], CORE)
        types = [EntityType(name) for name in case["transforms"]]
        redacted = redact(detection, types, date.fromisoformat(case["today"]))
        if not _accepts(case, redacted.text) or not _counts(case, redacted._asdict()):
            wrong.append((case["id"], redacted))
    assert len(cases) >= 30
    assert wrong == []


def _accepts(case: dict[str, Any], text: str) -> bool:
    accepted = text in (case["expected"], *case["accept"])
    accepted = accepted or any(re.search(pattern, text) for pattern in case["accept_regex"])
    return accepted and not any(re.search(pattern, text) for pattern in case["must_not_match"])


def _counts(case: dict[str, Any], redacted: dict[str, Any]) -> bool:
    return all(case[name] in (None, redacted[name]) for name in ("generalized_count", "pii_count", "entity_counts"))
