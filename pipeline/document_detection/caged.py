"""Detection in documents, each in a caged process of its own.

What is to be removed from a document, and what is left of it in an output. Both take up to minutes and gigabytes when
somebody means them to, and a thread cannot be stopped. The calling process never loads recognizers and lexicons.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from pipeline import stages
from pipeline.codec import (
    Malformed,
    decode_leftovers,
    dump,
    dump_readings,
    encode_leftovers,
    from_bytes,
    load,
    to_bytes,
)
from pipeline.detect.tagger.release import ACCURATE, FAST, read
from pipeline.documents.document import Extraction, Findings, Reading
from pipeline.sandbox.parent import Limits, Sandbox
from pipeline.verification.reading import Leftover, SecondReading
from schemas.errors import ErrorCode, StageFailed
from schemas.spans import DetectOptions, dump_terms
from schemas.stages import STAGE, Stage

LIMITS = Limits(memory=3 * 1024**3)
_SECONDS = STAGE[Stage.DETECT].seconds  # of one document; also for its second reading
SECONDS_PER_BYTE = 60e-6  # on top: twice what a table of names takes on one core


class DocumentDetector(Protocol):
    """Finds personal data in documents. StageFailed if a document takes too much time or memory."""

    def find(self, extraction: Extraction, readings: Sequence[Reading], options: DetectOptions) -> Findings:
        """As `pipeline.entities.findings.find`."""

    def leftovers(
        self, second: SecondReading, readings: Sequence[Reading], findings: Findings, options: DetectOptions
    ) -> tuple[Leftover, ...]:
        """As `pipeline.document_detection.leftovers.all_leftovers`, by the rules alone."""

    def merge(
        self,
        findings: Findings,
        leftovers: Sequence[Leftover],
        extraction: Extraction,
        readings: Sequence[Reading],
        options: DetectOptions,
    ) -> Findings:
        """As `pipeline.entities.findings.merge`."""

    def warm(self) -> None:
        """Loads what the first document would wait for."""

    def close(self) -> None:
        """Ends the processes when their documents are done."""


class CagedDetector:
    """Forks a caged child for each document from a process that has loaded the detector.

    `mode` as for Sandbox: SandboxUnavailable. `names`: `rules` or `accurate`, as for Detector: WrongWeights. The
    detector is loaded by `warm`, or with the first document. Where there can be no such process, each child loads it.
    `seconds`: of each document; by its size when None.
    """

    def __init__(self, mode: str, names: str, *, limits: Limits = LIMITS, seconds: float | None = None) -> None:
        if names == ACCURATE:
            for tier in (ACCURATE, FAST):
                read(tier)  # now, not with the first document
        self._names, self._seconds = names, seconds
        self._sandbox = Sandbox(
            mode,
            limits=limits,
            answers="pipeline.document_detection.child:answer",
            preload=f"pipeline.document_detection.child:{'load_accurate' if names == ACCURATE else 'load_rules'}",
            programs=False,
        )

    def warm(self) -> None:
        """As the protocol says."""
        self._sandbox.warm()

    def close(self) -> None:
        """As the protocol says."""
        self._sandbox.close()

    def find(self, extraction: Extraction, readings: Sequence[Reading], options: DetectOptions) -> Findings:
        """As the protocol says."""
        blobs = {"extraction": dump(extraction), **dump_readings(readings)}
        return _findings(self._ask("find", blobs, options))

    def leftovers(
        self, second: SecondReading, readings: Sequence[Reading], findings: Findings, options: DetectOptions
    ) -> tuple[Leftover, ...]:
        """As the protocol says."""
        values = replace(findings, places=())  # what is looked for; its places in the input are not needed
        blobs = {"second": dump(second), "findings": dump(values), **dump_readings(readings)}
        answer = self._ask("leftovers", blobs, options)
        try:
            return decode_leftovers(from_bytes(answer))
        except Malformed:
            raise StageFailed(ErrorCode.VERIFY_FAILED) from None

    def merge(
        self,
        findings: Findings,
        leftovers: Sequence[Leftover],
        extraction: Extraction,
        readings: Sequence[Reading],
        options: DetectOptions,
    ) -> Findings:
        """As the protocol says."""
        blobs = {
            "findings": dump(findings),
            "left": to_bytes(encode_leftovers(leftovers)),
            "extraction": dump(extraction),
            **dump_readings(readings),
        }
        return _findings(self._ask("merge", blobs, options))

    def _ask(self, verb: str, blobs: dict[str, bytes], options: DetectOptions) -> bytes:
        meta: dict[str, Any] = {"names": self._names, "strict_checksums": options.strict_checksums}
        terms = {f"terms:{number}": dump_terms(each.terms) for number, each in enumerate(options.terms)}
        seconds = self._seconds or _SECONDS + SECONDS_PER_BYTE * sum(map(len, blobs.values()))
        _, answer = stages.call(self._sandbox, verb, meta, {**blobs, **terms}, seconds, None, forks=True)
        return answer.get("answer", b"")


def _findings(answer: bytes) -> Findings:
    try:
        return load(Findings, answer)
    except Malformed:
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE) from None
