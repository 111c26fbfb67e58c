"""The caged child: detects in one document, with a detector that was loaded before."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

from pipeline.codec import decode_leftovers, dump, encode_leftovers, from_bytes, load, load_readings, to_bytes
from pipeline.detect.detector import ACCURATE, RULES, Detector
from pipeline.document_detection.leftovers import all_leftovers
from pipeline.documents.document import Extraction, Findings, TextUnit
from pipeline.entities.findings import find, merge
from pipeline.sandbox.isolation import leaks
from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed, Unprocessable
from schemas.spans import DetectOptions, TermSet, load_terms

_EXAMPLE = ("Patient: Reem Alharbi, 0501234567, 1 May 2020", "المريضة: ريم الحربي، 0501234567")
_TABLE = Extraction(
    (
        TextUnit("0:0", "Name"),
        TextUnit("0:1", "National ID"),
        TextUnit("0:2", "Mobile"),
        TextUnit("1:0", "Reem Alharbi", "Name"),
        TextUnit("1:1", "1012345672", "National ID"),
        TextUnit("1:2", "0501234567", "Mobile"),
        TextUnit("2:0", "ريم الحربي", "Name"),
    )
)
_OUTPUT = SecondReading((Passage("Name"), Passage("PERSON_NAME_01", "Name")), raw=("Name,Mobile",))


@lru_cache
def _detector(names: str) -> Detector:
    return Detector(names=names)


def load_rules() -> Callable[[], None]:
    """Loads the detector without taggers, for the children that are forked later. What each can rehearse."""
    return _load(RULES)


def load_accurate() -> Callable[[], None]:
    """Loads the detector with its taggers. What each child can rehearse."""
    return _load(ACCURATE)


def _load(names: str) -> Callable[[], None]:
    """Works on examples, too: what is compiled and cached then, no child needs to."""
    detector = _detector(names)
    for one in (detector, detector.of_document((text, "") for text in _EXAMPLE)[0], detector.by_rules):
        for text in _EXAMPLE:
            one.detect(text, DetectOptions(strict_checksums=False))
    _rehearse(names)
    return partial(_rehearse, names)


def _rehearse(names: str) -> None:
    meta = {"names": names, "strict_checksums": False}
    found = _answer("find", meta, {"extraction": dump(_TABLE)})
    _answer("leftovers", meta, {"second": dump(_OUTPUT), "findings": found})


def answer(verb: str, meta: Mapping[str, Any], blobs: Mapping[str, bytes]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The answer to `find`, `leftovers`, `merge` or the sandbox's `probe`.

    StageFailed for what would fail again: terms that overlap too often in this document, or more memory than a child
    may take.
    """
    if verb == "probe":  # the sandbox tests its isolation when it is built
        return {"leaks": leaks()}, {}
    try:
        return {}, {"answer": _answer(verb, meta, blobs)}
    except (Unprocessable, MemoryError):
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE) from None


def _answer(verb: str, meta: Mapping[str, Any], blobs: Mapping[str, bytes]) -> bytes:
    detector = _detector(meta["names"])
    terms = tuple(TermSet(load_terms(blob)) for name, blob in blobs.items() if name.startswith("terms:"))
    options = DetectOptions(strict_checksums=meta["strict_checksums"], terms=terms)
    readings = load_readings(blobs)
    if verb == "find":
        return dump(find(load(Extraction, blobs["extraction"]), readings, detector, options))
    findings = load(Findings, blobs["findings"])
    if verb == "merge":
        left, extraction = decode_leftovers(from_bytes(blobs["left"])), load(Extraction, blobs["extraction"])
        return dump(merge(findings, left, extraction, readings, options))
    second = load(SecondReading, blobs["second"])
    return to_bytes(encode_leftovers(all_leftovers(second, readings, findings, detector.by_rules, options)))
