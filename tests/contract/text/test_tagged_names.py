"""`MASKER_NAMES`: names by context, in texts of every size."""

from collections.abc import Iterator

import pytest

from api.engine.scheduler import LARGE_CHARACTERS, MEDIUM_CHARACTERS
from tests.api.serving import Served, serving, settings_for

NAME = "Ottoline Brancaster"  # no word of it is in the lexicon
TEXT = f"Please call {NAME} about the invoice of last spring. "


@pytest.fixture(scope="module", params=["fast", "accurate"])
def tagging(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(settings_for(tmp_path_factory.mktemp("tagging"), names=request.param)) as served:
        yield served


@pytest.mark.clause("DETECT-41")
def test_rules_do_not_know_the_name(tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(settings_for(tmp_path_factory.mktemp("rules"), names="rules")) as served, served.client() as client:
        assert client.post("/api/v1/redact", json={"text": TEXT}).json()["redacted_text"] == TEXT


@pytest.mark.clause("DETECT-41")
@pytest.mark.parametrize(
    "size",
    [
        pytest.param(0, id="short"),
        pytest.param(MEDIUM_CHARACTERS, id="medium", marks=pytest.mark.slow),
        pytest.param(LARGE_CHARACTERS, id="large", marks=pytest.mark.slow),
    ],
)
def test_the_tagger_does(tagging: Served, size: int) -> None:
    filler = "12 34 " * (size // 6)
    with tagging.client(tagging.account(paid_tokens=200_000)) as client:
        answer = client.post("/api/v1/redact", json={"text": filler + TEXT, "explain": True}).json()
    assert answer["redacted_text"] == filler + TEXT.replace(NAME, "PERSON_NAME_01")
    (found,) = answer["explanations"]
    assert found["recognizer"] == "tagger" and 0.3 <= found["score"] <= 1


@pytest.mark.clause("DETECT-40", "DETECT-41")
def test_a_least_score_counts_for_it_too(tagging: Served) -> None:
    with tagging.client() as client:
        assert client.post("/api/v1/redact", json={"text": TEXT, "min_score": 1}).json()["redacted_text"] == TEXT
