"""A whole file run in the test's own process: the real steps, detector and OCR, without the parsers' sandbox."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from pipeline.detect.detector import Detector
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import redact_document
from pipeline.documents.document import Findings
from pipeline.sandbox import child
from schemas.errors import StageFailed
from schemas.files import Format


class InProcess:
    """Answers as the sandbox does, in this process: a bug shows with its traceback, a patch takes effect."""

    def call(
        self, verb: str, meta: Mapping[str, Any], blobs: Mapping[str, bytes], seconds: float, *, forks: bool = False
    ) -> tuple[dict[str, Any], dict[str, bytes]]:
        """What a child would reply; StageFailed as the child reports it."""
        return child.answer(verb, dict(meta), blobs)


class Outcome(NamedTuple):
    """How a run ended: with `output` (proven clean) and `findings`, or with the failure's `code`."""

    output: bytes | None
    code: str | None
    findings: Findings

    @property
    def clean(self) -> bytes:
        """The output; fails the test with the code when there is none."""
        assert self.output is not None, f"the run failed: {self.code}"
        return self.output


@dataclass(frozen=True)
class Place:
    """One hiding place: `build` makes a document of `format` that holds `planted` there and nowhere else.

    `kept` are harmless words that must survive, in the independent text. `handled_by` names the function whose absence
    must be noticed, as `module.function` below `pipeline.documents`; `switched_off` is what stands in for it. `shown`:
    the eye sees the value, so that a render is looked at as well.
    """

    name: str
    format: Format
    build: Callable[[], bytes]
    planted: Sequence[str]
    kept: Sequence[str] = ()
    shown: bool = False
    whole_tokens: bool = False  # a short or ordinary value: looked for as a token of the text, not in raw bytes
    handled_by: str = ""
    switched_off: Callable[..., Any] | None = None

    def __str__(self) -> str:
        return self.name


@cache
def detector() -> Detector:
    """One for all tests of a process."""
    return Detector()


def run(format_: Format, data: bytes, *, max_pages: int = 500) -> Outcome:
    """The document through the whole run: inspect, extract, OCR, find, redact, verify; a second round if need be."""
    try:
        redacted = redact_document(InProcess(), DirectDetector(detector()), format_, data, max_pages=max_pages)  # type: ignore[arg-type]
    except StageFailed as failure:
        return Outcome(None, str(failure.code), Findings(()))
    return Outcome(redacted.data, None, redacted.findings)


def in_parallel(work: Callable[[Place], Any], places: Sequence[Place]) -> list[Any]:
    """The results of slow work on many places, two at a time."""
    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(work, places))
