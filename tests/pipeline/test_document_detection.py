"""Detection in caged children: the same results as in this process, and bounds that hold."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pipeline.detect.detector import ACCURATE, RULES, Detector
from pipeline.detect.tagger import release
from pipeline.document_detection.caged import CagedDetector, DocumentDetector
from pipeline.document_detection.direct import DirectDetector
from pipeline.documents.document import Extraction, Findings, Fragment, JoinedText, Reading, TextUnit
from pipeline.sandbox.parent import ChildFailed, Limits
from pipeline.verification.reading import Leftover, Passage, SecondReading
from schemas.errors import StageFailed
from schemas.spans import Action, DetectOptions, MatchMode, Term, TermSet
from schemas.telemetry.metrics import SANDBOX_FAILURES
from tests.conftest import every
from tests.pipeline.ocr.words import Word
from tests.servers.process import descendants

OPTIONS = DetectOptions(strict_checksums=False)
UNITS = (
    TextUnit("heading", "Patient: Reem Alharbi", "", billed=True),
    TextUnit("cell/1", "SA03 8000 0000 ", "", billed=True),
    TextUnit("cell/2", "6080 1016 7519", "", billed=True),
    TextUnit("number", "482133", "MRN", billed=True),
    TextUnit("arabic", "اسم المريضة: نورة سالم المثلي، رقم الهوية ١٠١٢٣٤٥٦٧٢", "", billed=True),
    TextUnit("half", "\U0001f4de 0501234567", "", billed=False),
    TextUnit("term", "Project Orion is allowed, project Borealis is not", "", billed=True),
)
JOINTS = (JoinedText((Fragment("cell/1", 0, 15), Fragment("cell/2", 0, 14)), "", "IBAN", True),)
READINGS = (Reading("page/0", "call 0559876543", (Word(0, 4, 0, 0, 9, 9, 90.0), Word(5, 15, 10, 0, 9, 9, 80.0))),)
TERMS = (TermSet((Term("Borealis"), Term("Orion", action=Action.ALLOW))), TermSet((Term("أوريون"),)))
EXTRACTION = Extraction(UNITS, (), pages=1, unread=(), joints=JOINTS)
SECOND = SecondReading((Passage("We wrote to Reem Alharbi"), Passage("482133", "MRN"), Passage("call 0551112223")))


@pytest.fixture(scope="module", params=every(2, [RULES, ACCURATE]))
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[CagedDetector, DirectDetector]]:
    caged = CagedDetector("strict", request.param)  # as in production: without the whole cage it does not start
    caged.warm()
    yield caged, DirectDetector(Detector(names=request.param))
    caged.close()


@pytest.mark.parametrize("terms", [(), TERMS])
def test_a_caged_detector_finds_the_same(
    pair: tuple[CagedDetector, DirectDetector], terms: tuple[TermSet, ...]
) -> None:
    options = DetectOptions(strict_checksums=False, terms=terms)
    caged, direct = (each.find(EXTRACTION, READINGS, options) for each in pair)
    assert caged == direct
    assert {"PERSON", "IBAN", "MRN", "NATIONAL_ID", "PHONE_NUMBER"} <= {place.type for place in caged.places}
    assert ("CUSTOM_TERM" in {place.type for place in caged.places}) == bool(terms)
    left = [each.leftovers(SECOND, (), caged, options) for each in pair]
    assert left[0] == left[1]
    assert {(item.surface, item.known) for item in left[0]} >= {("482133", True), ("0551112223", False)}
    more = [Leftover("PERSON", "call", known=False), *left[0]]
    merged = [each.merge(caged, more, EXTRACTION, READINGS, options) for each in pair]
    assert merged[0] == merged[1]
    assert ("page/0", 0, 4) in {(place.unit, place.start, place.end) for place in merged[0].places}


def many(numbers: int) -> Extraction:
    text = " ".join(f"{1_000_000_000 + 7 * number}" for number in range(numbers))
    return Extraction((TextUnit("field", text, "", billed=True),), (), pages=1, unread=(), joints=())


def spent(caged: DocumentDetector, extraction: Extraction) -> tuple[str, float]:
    """The error code of a document, and the CPU seconds of this process for it."""
    began = time.process_time()
    with pytest.raises(StageFailed) as failure:
        caged.find(extraction, (), OPTIONS)
    return str(failure.value.code), time.process_time() - began


def test_a_document_that_takes_too_long_is_given_up() -> None:
    idle = set(descendants(os.getpid()))
    caged = CagedDetector("best-effort", RULES, seconds=1)
    caged.warm()
    before = SANDBOX_FAILURES.labels("find", "timeout")._value.get()
    began = time.monotonic()
    code, own = spent(caged, many(400_000))
    assert code == "timeout"
    assert time.monotonic() - began < 20
    assert own < 2, "the work was done here"
    assert SANDBOX_FAILURES.labels("find", "timeout")._value.get() == before + 1
    assert caged.find(EXTRACTION, (), OPTIONS).places
    assert set(descendants(os.getpid())) - idle
    caged.close()
    assert not set(descendants(os.getpid())) - idle


def test_a_document_that_takes_too_much_memory_is_given_up() -> None:
    caged = CagedDetector("best-effort", RULES, limits=Limits(memory=350 * 1024**2))
    assert spent(caged, many(400_000))[0] == "redaction_incomplete"
    assert caged.find(EXTRACTION, (), OPTIONS).places
    caged.close()


def test_terms_that_match_without_end_fail_the_document() -> None:
    terms = TermSet(tuple(Term("a" * length, match_mode=MatchMode.SUBSTRING) for length in range(1, 200)))
    caged = CagedDetector("best-effort", RULES)
    unit = TextUnit("text", "a" * 20_000, "", billed=True)
    with pytest.raises(StageFailed, match="redaction_incomplete"):
        caged.find(Extraction((unit,), ()), (), DetectOptions(terms=(terms,)))
    caged.close()


def test_a_child_that_is_killed_is_no_verdict_about_the_document() -> None:
    """A stage that ends so is tried again."""
    idle = set(descendants(os.getpid()))
    caged = CagedDetector("best-effort", RULES)
    caged.warm()
    zygote = next(child for child in descendants(os.getpid()) if child not in idle)

    has_ended = threading.Event()

    def kill() -> None:
        while not has_ended.wait(0.3):  # on a busy machine the first ones still wait for their work
            for child in descendants(zygote)[1:]:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(ChildFailed, match="died"):
        caged.find(many(300_000), (), OPTIONS)
    has_ended.set()
    killer.join()
    assert caged.find(EXTRACTION, (), OPTIONS).places
    caged.close()


def test_an_answer_that_is_none_fail_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    caged = CagedDetector("best-effort", RULES)
    for answer in (b"", b"[]", b'{"places":[["u",0,1,"NOBODY","X_01"]],"values":[],"dismissed":[]}'):
        monkeypatch.setattr(caged._sandbox, "call", lambda *_, said=answer, **__: ({}, {"answer": said}))
        with pytest.raises(StageFailed, match="redaction_incomplete"):
            caged.find(EXTRACTION, (), OPTIONS)
    for answer in (b"", b"{}", b'[["NOBODY","surface",true,true]]'):
        monkeypatch.setattr(caged._sandbox, "call", lambda *_, said=answer, **__: ({}, {"answer": said}))
        with pytest.raises(StageFailed, match="verify_failed"):
            caged.leftovers(SECOND, (), Findings(()), OPTIONS)
    monkeypatch.setattr(caged._sandbox, "call", lambda *_, **__: ({}, {}))
    with pytest.raises(StageFailed, match="redaction_incomplete"):
        caged.find(EXTRACTION, (), OPTIONS)


def test_wrong_weights_are_noticed_before_a_document_comes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for path in release.FOLDER.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
        (tmp_path / path.name).with_suffix(".onnx").write_bytes(b"others")
    monkeypatch.setattr(release, "FOLDER", tmp_path)
    with pytest.raises(release.WrongWeights):
        CagedDetector("best-effort", ACCURATE)
