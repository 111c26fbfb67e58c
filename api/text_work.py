"""What is done with a detection to answer a text call: plain data, so that another process can do it as well."""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from time import perf_counter
from typing import NamedTuple

from api.text_answers import masked_answer, redacted_answer
from schemas.entities import EntityType
from schemas.spans import Detection
from schemas.text import MaskResponse, RedactResponse


@dataclass(frozen=True, slots=True)
class MaskWork:
    """Masks, and seals the mapping; fields as for `masked_answer`. `started`: when the call came, on perf_counter."""

    key_material: str
    show_mapping: bool
    own_key: bytes | None
    legacy_spans: bool
    request_id: str
    started: float

    def __call__(self, detection: Detection) -> bytes:
        """The answer's JSON."""
        answer = masked_answer(
            detection,
            key_material=self.key_material,
            show_mapping=self.show_mapping,
            own_key=self.own_key,
            legacy_spans=self.legacy_spans,
            request_id=self.request_id,
        )
        return _json(answer, self.started)


@dataclass(frozen=True, slots=True)
class RedactWork:
    """Redacts; fields as for `redacted_answer`. `started`: when the call came, on perf_counter."""

    transforms: tuple[str, ...]
    today: date
    request_id: str
    started: float

    def __call__(self, detection: Detection) -> bytes:
        """The answer's JSON."""
        answer = redacted_answer(detection, self.transforms, today=self.today, request_id=self.request_id)
        return _json(answer, self.started)


Work = MaskWork | RedactWork


class Done(NamedTuple):
    """How many entities of each type were found, and the answer's JSON."""

    found: Counter[EntityType]
    answer: bytes


def do(work: Work, detection: Detection) -> Done:
    """The work on a detection."""
    return Done(Counter(span.type for span in detection.spans), work(detection))


def _json(answer: MaskResponse | RedactResponse, started: float) -> bytes:
    elapsed = round((perf_counter() - started) * 1000)  # one clock for all processes of a machine
    answer.processing_time_ms = elapsed
    return answer.model_dump_json(exclude_unset=True).encode()
