"""Builds the answers of `/mask` and `/redact` from a detection, as plain data that another process can run too.

An answer is a dictionary with the fields of its model in `schemas/text.py`. Models of each answer and its spans would
cost a short call as much as the masking itself, and check what this code has just computed.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from time import perf_counter
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from pipeline.transform import envelope
from pipeline.transform.mask import mask, token_key
from pipeline.transform.redact import StandIn, redact
from pipeline.transform.synthetic.choices import synthetic_key
from schemas.entities import LEGACY, EntityType
from schemas.spans import Detection, Span, Why
from schemas.text import ExplainedPlace, ExplainedSpan, ExplainedWhy, Explanation

Answer = dict[str, Any]
_ANSWER = TypeAdapter(Answer)


def masked_answer(
    detection: Detection,
    *,
    key_material: str,
    own_key: bytes | None,
    legacy_spans: bool,
    request_id: str,
    show_mapping: bool = False,
) -> Answer:
    """A `MaskResponse`: tokens keyed by `key_material`; the mapping sealed under it, or under `own_key` (BYOK).

    `legacy_spans`: after each span whose type had another name before, a second span has that name. `show_mapping`:
    the mapping is also given in the clear, for callers without a key to open the envelope.
    """
    masked = mask(detection, token_key(key_material))
    sealed = envelope.seal_byok(masked.mapping, own_key) if own_key else envelope.seal(masked.mapping, key_material)
    return {
        "masked_text": masked.text,
        "ciphertext": envelope.to_base64(sealed.ciphertext),
        "nonce_payload": envelope.to_base64(sealed.nonce_payload),
        "wrapped_dek": envelope.to_base64(sealed.wrapped_dek) if sealed.wrapped_dek else None,
        "nonce_dek": envelope.to_base64(sealed.nonce_dek) if sealed.nonce_dek else None,
        "pii_count": len(masked.spans),
        "spans": _mask_spans(masked.spans, legacy_spans),
        "request_id": request_id,
        "processing_time_ms": 0,
        "judge_used": detection.judge_model is not None,
        "judge_model": detection.judge_model,
        "mappings": masked.mapping if show_mapping else None,
        **_explained(detection),
    }


def redacted_answer(
    detection: Detection,
    transforms: Iterable[str],
    *,
    today: date,
    request_id: str,
    synthetic_under: str | None = None,
) -> Answer:
    """A `RedactResponse`: placeholders, or values generalized as of `today` for the types in `transforms`.

    `synthetic_under`: the caller's key material, for stand-ins instead of placeholders.
    """
    key = None if synthetic_under is None else synthetic_key(synthetic_under)
    redacted = redact(detection, frozenset(EntityType(name) for name in transforms), today, key)
    return {
        "redacted_text": redacted.text,
        "pii_count": redacted.pii_count,
        "entity_counts": redacted.entity_counts,
        "generalized_count": redacted.generalized_count,
        "request_id": request_id,
        "processing_time_ms": 0,
        "judge_used": detection.judge_model is not None,
        "judge_model": detection.judge_model,
        **_explained(detection),
        **({} if key is None else _stand_ins(redacted.synthetic)),
    }


def _stand_ins(places: Iterable[StandIn]) -> Answer:
    """The field `synthetic`."""
    return {"synthetic": [{"start": place.start, "end": place.end, "type": str(place.type)} for place in places]}


def _explained(detection: Detection) -> Answer:
    """The field `explanations`; no field when the detection has no reasons."""
    why = detection.why
    return {} if why is None else {"explanations": [_explanation(span, why[span]) for span in detection.spans]}


def _explanation(span: Span, why: Why) -> Explanation:
    return Explanation(
        start=span.start,
        end=span.end,
        type=span.type.value,
        recognizer=span.recognizer,
        score=span.score,
        why=ExplainedWhy(
            shape=why.shape,
            check=why.check,
            cue=None if why.cue is None else ExplainedPlace(start=why.cue.start, end=why.cue.end),
            outranked=[ExplainedSpan(start=lost.start, end=lost.end, type=lost.type.value) for lost in why.outranked],
        ),
    )


def _mask_spans(spans: Iterable[Span], legacy_spans: bool) -> list[Answer]:
    legacy = LEGACY if legacy_spans else {}
    return [
        {"start": span.start, "end": span.end, "type": name}
        for span in spans
        for name in ((str(span.type), legacy[span.type]) if span.type in legacy else (str(span.type),))
    ]


@dataclass(frozen=True, slots=True)
class MaskWork:
    """Masks and seals the mapping. Fields as for `masked_answer`; `started`: when the call came, by perf_counter."""

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
    """Redacts. Fields as for `redacted_answer`; `started`: when the call came, by perf_counter."""

    transforms: tuple[str, ...]
    today: date
    request_id: str
    started: float
    synthetic_under: str | None = None

    def __call__(self, detection: Detection) -> bytes:
        """The answer's JSON."""
        answer = redacted_answer(
            detection,
            self.transforms,
            today=self.today,
            request_id=self.request_id,
            synthetic_under=self.synthetic_under,
        )
        return _json(answer, self.started)


Work = MaskWork | RedactWork


class WorkResult(NamedTuple):
    """The number of entities found by type, and the JSON of the answer."""

    found: Counter[EntityType]
    answer: bytes


def run_work(work: Work, detection: Detection) -> WorkResult:
    """Runs the work on a detection."""
    return WorkResult(Counter([span.type for span in detection.spans]), work(detection))


def _json(answer: Answer, started: float) -> bytes:
    elapsed = round((perf_counter() - started) * 1000)  # perf_counter is one clock for all processes of a machine
    return _ANSWER.dump_json(answer | {"processing_time_ms": elapsed})
