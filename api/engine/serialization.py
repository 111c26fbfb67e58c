"""Serializes questions and answers between the API and its text processes. Both sides run the same code."""

import base64
import json
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any, Final
from weakref import WeakKeyDictionary

from api.engine.text_work import MaskWork, RedactWork, Work
from api.llm.model import MaskedPrompt, MaskingOptions, Minted, Provider
from schemas.entities import ALL_TYPES, EntityType
from schemas.spans import Action, Cue, Detection, DetectOptions, MatchMode, Span, Term, TermSet, Why

Meta = dict[str, Any]
Blobs = dict[str, bytes]

_TYPES: Final = tuple(EntityType)
_CACHED_SETS = 64  # that the child process keeps compiled
_serialized_sets: WeakKeyDictionary[TermSet, bytes] = WeakKeyDictionary()


def pack_question(text: str, options: DetectOptions) -> tuple[Meta, Blobs]:
    """A text and its detection options."""
    meta = {
        "enabled": None if options.enabled == ALL_TYPES else sorted(options.enabled),
        "strict_checksums": options.strict_checksums,
        "terms": len(options.terms),
        "context": options.context,
        "explain": options.explain,
        "min_score": options.min_score,
        "from_pixels": options.from_pixels,
    }
    return meta, {"text": text.encode("utf-8", "surrogatepass"), **pack_terms(options.terms)}


def unpack_question(meta: Mapping[str, Any], blobs: Mapping[str, bytes]) -> tuple[str, DetectOptions]:
    """The arguments of `pack_question`. An equal set of terms is the same object, so it is compiled once."""
    options = DetectOptions(
        enabled=ALL_TYPES if meta["enabled"] is None else frozenset(map(EntityType, meta["enabled"])),
        strict_checksums=meta["strict_checksums"],
        terms=unpack_terms(meta["terms"], blobs),
        context=meta["context"],
        explain=meta["explain"],
        min_score=meta["min_score"],
        from_pixels=meta["from_pixels"],
    )
    return blobs["text"].decode("utf-8", "surrogatepass"), options


def pack_terms(sets: Sequence[TermSet]) -> Blobs:
    """Sets of terms; each is serialized once for all calls."""
    return {f"terms{number}": _write_set(terms) for number, terms in enumerate(sets)}


def unpack_terms(number: int, blobs: Mapping[str, bytes]) -> tuple[TermSet, ...]:
    """The `number` sets that `pack_terms` was given; an equal set is the same object."""
    return tuple(_read_set(blobs[f"terms{each}"]) for each in range(number))


def pack_work(work: Work) -> Meta:
    """The fields of a work."""
    if isinstance(work, MaskWork):
        own_key = None if work.own_key is None else base64.b64encode(work.own_key).decode()
        return {"kind": "mask", **_fields(work), "own_key": own_key}
    return {"kind": "redact", **_fields(work), "today": work.today.isoformat()}


def unpack_work(meta: Mapping[str, Any]) -> Work:
    """The work that `pack_work` was given."""
    fields = {name: value for name, value in meta.items() if name != "kind"}
    if meta["kind"] == "mask":
        own_key = None if fields["own_key"] is None else base64.b64decode(fields["own_key"])
        return MaskWork(**{**fields, "own_key": own_key})
    today = date.fromisoformat(fields["today"])
    return RedactWork(**{**fields, "today": today, "transforms": tuple(fields["transforms"])})


def pack_detection(detection: Detection) -> tuple[Meta, Blobs]:
    """The spans as columns, one array per field, because that is fast for a hundred thousand of them."""
    spans = detection.spans
    recognizers = {name: number for number, name in enumerate(dict.fromkeys(span.recognizer for span in spans))}
    types = {type_: number for number, type_ in enumerate(_TYPES)}
    columns: dict[str, array[Any]] = {
        "starts": array("I", [span.start for span in spans]),
        "ends": array("I", [span.end for span in spans]),
        "types": array("B", [types[span.type] for span in spans]),
        "scores": array("d", [span.score for span in spans]),
        "recognizers": array("H", [recognizers[span.recognizer] for span in spans]),
        "ranks": array("B", [span.rank for span in spans]),
    }
    why = None if detection.why is None else [_write_why(detection.why.get(span)) for span in spans]
    meta = {"recognizers": list(recognizers), "why": why, "judge_model": detection.judge_model}
    return meta, {name: column.tobytes() for name, column in columns.items()}


def unpack_detection(text: str, meta: Mapping[str, Any], blobs: Mapping[str, bytes]) -> Detection:
    """The detection that `pack_detection` was given. Its text is not sent back."""
    names = meta["recognizers"]
    spans = tuple(
        map(
            Span,
            _column("I", blobs["starts"]),
            _column("I", blobs["ends"]),
            [_TYPES[number] for number in blobs["types"]],
            _column("d", blobs["scores"]),
            [names[number] for number in _column("H", blobs["recognizers"])],
            blobs["ranks"],
        )
    )
    why = meta["why"]
    if why is not None:
        why = {span: _read_why(raw) for span, raw in zip(spans, why, strict=True) if raw is not None}
    return Detection(text, spans, why, meta["judge_model"])


def _fields(work: Work) -> Meta:
    return {name: getattr(work, name) for name in work.__dataclass_fields__}


def _column(code: str, raw: bytes) -> list[Any]:
    column = array(code)
    column.frombytes(raw)
    return column.tolist()


def _write_set(terms: TermSet) -> bytes:
    written = _serialized_sets.get(terms)
    if written is None:
        rows = [(t.term, t.type, t.match_mode, t.case_sensitive, t.locale, t.action) for t in terms.terms]
        written = _serialized_sets[terms] = json.dumps(rows, separators=(",", ":")).encode()
    return written


@lru_cache(maxsize=_CACHED_SETS)
def _read_set(written: bytes) -> TermSet:
    return TermSet(
        tuple(
            Term(term, EntityType(type_), MatchMode(mode), case_sensitive, locale, Action(action))
            for term, type_, mode, case_sensitive, locale, action in json.loads(written)
        )
    )


def _write_why(why: Why | None) -> list[Any] | None:
    return None if why is None else [why.shape, why.check, why.cue, why.whole, why.outranked]


def _read_why(raw: list[Any]) -> Why:
    shape, check, cue, whole, outranked = raw
    lost = tuple(Span(start, end, EntityType(type_), *rest) for start, end, type_, *rest in outranked)
    return Why(shape, check, None if cue is None else Cue(*cue), whole, lost)


def pack_prompt_request(raw: bytes, asked: MaskingOptions) -> tuple[Meta, Blobs]:
    """A proxied body and how it is to be masked."""
    meta = {
        "provider": asked.provider,
        "key": base64.b64encode(asked.key).decode(),
        "today": asked.today.isoformat(),
        "terms": len(asked.terms),
        "transforms": list(asked.transforms),
        "preserve_tags": asked.preserve_tags,
        "allow_attachments": asked.allow_attachments,
        "min_score": asked.min_score,
    }
    return meta, {"raw": raw, **pack_terms(asked.terms)}


def unpack_prompt_request(meta: Mapping[str, Any], blobs: Mapping[str, bytes]) -> tuple[bytes, MaskingOptions]:
    """The arguments of `pack_prompt_request`; an equal set of terms is the same object."""
    asked = MaskingOptions(
        provider=Provider(meta["provider"]),
        key=base64.b64decode(meta["key"]),
        today=date.fromisoformat(meta["today"]),
        terms=unpack_terms(meta["terms"], blobs),
        transforms=tuple(map(EntityType, meta["transforms"])),
        preserve_tags=meta["preserve_tags"],
        allow_attachments=meta["allow_attachments"],
        min_score=meta["min_score"],
    )
    return blobs["raw"], asked


def pack_prompt(prompt: MaskedPrompt) -> tuple[Meta, Blobs]:
    """A masked prompt and the tokens that were made for it."""
    meta = {"streams": prompt.streams, "found": dict(prompt.found), "numbers": sorted(prompt.minted.numbers)}
    meta["prefill"] = prompt.minted.prefill
    originals = json.dumps(
        list(prompt.minted.originals.items())
    )  # ASCII JSON, because a value can hold half a surrogate pair
    return meta, {"body": prompt.body, "originals": originals.encode()}


def unpack_prompt(meta: Mapping[str, Any], blobs: Mapping[str, bytes]) -> MaskedPrompt:
    """The prompt that `pack_prompt` was given."""
    minted = Minted(dict(json.loads(blobs["originals"])), frozenset(meta["numbers"]), meta["prefill"])
    found = Counter({EntityType(name): count for name, count in meta["found"].items()})
    return MaskedPrompt(blobs["body"], minted, meta["streams"], found)
