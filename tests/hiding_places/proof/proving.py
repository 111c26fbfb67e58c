"""Says of a hiding place whether its test would go red: each place of each table, run with functions out of service."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from unittest import mock

from pipeline import document_run
from pipeline.document_detection.direct import DirectDetector
from pipeline.documents.document import Findings, Reading
from pipeline.documents.image import handler as image
from pipeline.verification.image import reader as second
from schemas.errors import ErrorCode, StageFailed
from tests.hiding_places.csv import places as csv_places
from tests.hiding_places.csv import test_places as test_csv_places
from tests.hiding_places.docx import places as docx_places
from tests.hiding_places.image import pixels
from tests.hiding_places.image import test_pixels as test_image_pixels
from tests.hiding_places.image import test_places as test_image_places
from tests.hiding_places.pdf.objects import places as pdf_object_places
from tests.hiding_places.pdf.text import places as pdf_text_places
from tests.hiding_places.pdf.text import test_places as test_pdf_text_places
from tests.hiding_places.pptx import places as pptx_places
from tests.hiding_places.proof import inspection
from tests.hiding_places.proof.running import InProcess, Place, detector
from tests.hiding_places.proof.switching import READING, without
from tests.hiding_places.xlsx import places as xlsx_places

_NOTICED = (ErrorCode.VERIFY_FAILED, ErrorCode.REDACTION_INCOMPLETE)

Remaining = Callable[[bytes], bool]


class Case(NamedTuple):
    """A place of a table, and how to tell whether what is planted stays in the bytes of an output.

    `whole`: taken through the whole run; else, for pictures, through the handler alone, without OCR.
    """

    table: str
    place: Place
    stays: Remaining
    whole: bool = True


@cache
def cases() -> tuple[Case, ...]:
    """Every place of every table."""
    return (
        *_cases("docx", docx_places.PLACES, _traces),
        *_cases("pptx", pptx_places.PLACES, _traces),
        *_cases("xlsx", xlsx_places.PLACES, _traces),
        *_cases("csv", csv_places.PLACES, _any(lambda place, v, data: bool(test_csv_places._seen(data, v)))),
        *_cases("pdf_objects", pdf_object_places.PLACES, _traces),
        *_cases("pdf_text", pdf_text_places.FAST, _any(lambda place, v, data: test_pdf_text_places.is_there(v, data))),
        *_cases("pdf_pictures", pdf_text_places.SLOW, _in_sight),
        *_cases("pictures", test_image_places.PLACES, _beside, whole=False),
        *(
            case
            for place in pixels.PLACES
            for case in _cases("pixels", (place,), _in_pixels, whole=place in pixels.SHOWN or _is_read(place))
        ),
    )


def _is_read(place: Place) -> bool:
    return place.name in test_image_pixels._READ


def _cases(
    table: str, places: Sequence[Any], stays: Callable[[Any, bytes], bool], *, whole: bool = True
) -> Iterator[Case]:
    for place in places:
        yield Case(table, place, lambda data, place=place: stays(place, data), whole)


def _any(seen: Callable[[Place, str, bytes], bool]) -> Callable[[Place, bytes], bool]:
    return lambda place, data: any(seen(place, value, data) for value in place.planted)


_traces = _any(lambda place, value, data: bool(inspection.traces(data, value)))


def _in_sight(place: Place, data: bytes) -> bool:
    there = any(test_pdf_text_places.is_there(value, data) for value in place.planted)
    return there or any(test_pdf_text_places.is_seen(value, data) for value in place.planted)


def _beside(place: Any, data: bytes) -> bool:
    return bool(test_image_places.traces(place, data))


def _in_pixels(place: Any, data: bytes) -> bool:
    return test_image_pixels._id_is_in(test_image_pixels.look(place, data))


class Recording(InProcess):
    """Keeps what the redactor wrote, whatever the second reading says of it; OCR reads each picture once for all.

    `away`: the functions that are out of service; some of them may be OCR's.
    """

    read: dict[bytes, tuple[dict[str, Any], dict[str, bytes]]] = {}  # noqa: RUF012 - shared on purpose

    def __init__(self, away: Sequence[str] = ()) -> None:
        self.written: list[bytes] = []
        self._readers = [name for name in away if READING in name]

    def call(
        self, verb: str, meta: Mapping[str, Any], blobs: Mapping[str, bytes], seconds: float, *, forks: bool = False
    ) -> tuple[dict[str, Any], dict[str, bytes]]:
        """What a child would reply."""
        if verb == "read_raster":
            asked = repr([self._readers, sorted(meta.items())]).encode() + b"".join(blobs.values())
            key = hashlib.sha256(asked).digest()
            if key not in self.read:
                self.read[key] = super().call(verb, meta, blobs, seconds, forks=forks)
            return self.read[key]
        said, bytes_ = super().call(verb, meta, blobs, seconds, forks=forks)
        if verb == "redact":
            self.written.append(bytes_["data"])
        return said, bytes_


class Ended(NamedTuple):
    """What the redactor wrote, if it did, and the failure, if there was one."""

    written: bytes | None
    failure: StageFailed | None


def ended(case: Case, data: bytes, away: Sequence[str] = ()) -> Ended:
    """One round, without a second that mends what the first left, while the functions `away` are out of service."""
    with without(*away):
        return _ended(case, data, away)


def _ended(case: Case, data: bytes, away: Sequence[str]) -> Ended:
    if not case.whole:
        return _by_handler(data)
    run = Recording(away)
    try:
        with mock.patch.object(document_run, "MAX_ROUNDS", 1):
            document_run.redact_document(run, DirectDetector(detector()), case.place.format, data, max_pages=500)  # type: ignore[arg-type]
    except StageFailed as failure:
        return Ended(run.written[0] if run.written else None, failure)
    return Ended(run.written[0], None)


def _by_handler(data: bytes) -> Ended:
    """A picture through its handler alone, in which there is nothing to read."""
    extraction, _ = image.extract(data)
    output = image.redact(data, Findings(()), [Reading(raster.id, "", ()) for raster in extraction.rasters])
    try:
        reading, _ = second.read(output)
    except StageFailed as failure:
        return Ended(output, failure)
    return Ended(output, StageFailed(ErrorCode.VERIFY_FAILED) if reading.texts else None)


def _is_no_accident(failure: StageFailed) -> None:
    """Raises what led to a failure when that was an exception of another kind: a program that broke proves nothing."""
    cause: BaseException | None = failure
    while cause is not None:
        if not isinstance(cause, StageFailed):
            raise cause
        cause = cause.__cause__ or cause.__context__


@cache
def _clean(table: str, name: str) -> bytes:
    """The output of a place when everything is in service."""
    (case,) = (case for case in cases() if (case.table, case.place.name) == (table, name))
    done = ended(case, case.place.build())
    assert done.written is not None and not case.stays(done.written), (table, name)
    return done.written


def verdict(case: Case, names: Sequence[str]) -> str:
    """What happens to a place while these functions do nothing: `stays`, `refused`, or `green`.

    stays: what is planted is seen in what the redactor wrote. refused: the second reading, or the handler, would not
    let it out, and does let out the clean document that the same run without the planted value would see. Raises what
    a function's absence breaks.
    """
    done = ended(case, case.place.build(), names)
    if done.written is not None and case.stays(done.written):
        return "stays"
    if done.failure is None:
        return "green"
    _is_no_accident(done.failure)
    if done.failure.code not in _NOTICED:
        return f"failed: {done.failure.code}"
    clean = _clean(case.table, case.place.name)
    control = ended(case, clean, names)
    return "refused" if control.failure is None else "refused whatever it holds"
