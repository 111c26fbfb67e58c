"""`POST /api/v1/mask` and `POST /api/v1/redact`, for one text and for many."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from fastapi import APIRouter, Request, Response

from api.auth.bearer import Authenticated
from api.dependencies import CallerDep, services_of
from api.engine.text_work import MaskWork, RedactWork, Work
from api.http.answer_headers import types_header
from api.http.bodies import json_body, read_json, wait_for_disconnect
from api.http.call_route import CallRoute, operation_id
from api.text.batch import run_batch
from api.text.calls import PaidAnswer, read_text, run_paid
from api.text.judging import JUDGE_PARAMETER, check_judge_model, with_judge_header
from pipeline.transform.envelope import decode_key
from schemas.clock import riyadh_day, utc_now
from schemas.text import (
    MAX_BATCH_BYTES,
    MaskBatchRequest,
    MaskBatchResponse,
    MaskRequest,
    MaskResponse,
    RedactBatchRequest,
    RedactBatchResponse,
    RedactRequest,
    RedactResponse,
    TextRequest,
)

router = APIRouter(prefix="/api/v1", tags=["text"], route_class=CallRoute, generate_unique_id_function=operation_id)

Body = TypeVar("Body", bound=TextRequest)


@router.post("/mask", response_model=MaskResponse, openapi_extra=json_body(MaskRequest) | JUDGE_PARAMETER)
async def mask_text(request: Request, caller: CallerDep) -> Response:
    """Replace personal data by tokens; the mapping comes back sealed for the caller alone."""
    services = services_of(request)
    body = with_judge_header(request.headers, await read_text(request, services, caller.caller, MaskRequest))
    work = _mask_work(request, caller, body)
    check_judge_model(services.settings, body.judge_model)
    return _json(
        await run_paid(services, caller.caller, body, work, disconnected=partial(wait_for_disconnect, request))
    )


@router.post("/redact", response_model=RedactResponse, openapi_extra=json_body(RedactRequest) | JUDGE_PARAMETER)
async def redact_text(request: Request, caller: CallerDep) -> Response:
    """Replace personal data by numbered placeholders or, where asked, by generalized values or synthetic ones."""
    services = services_of(request)
    body = with_judge_header(request.headers, await read_text(request, services, caller.caller, RedactRequest))
    check_judge_model(services.settings, body.judge_model)
    work = _redact_work(request, caller, body)
    return _json(
        await run_paid(services, caller.caller, body, work, disconnected=partial(wait_for_disconnect, request))
    )


@router.post(
    "/mask/batch", response_model=MaskBatchResponse, openapi_extra=json_body(MaskBatchRequest) | JUDGE_PARAMETER
)
async def mask_batch(request: Request, caller: CallerDep) -> Response:
    """Mask up to 100 texts in one call, with one charge."""
    body = await read_json(request, MaskBatchRequest, _batch_limit(request))
    return await _batch(request, caller, body.items, partial(_mask_work, request, caller))


@router.post(
    "/redact/batch", response_model=RedactBatchResponse, openapi_extra=json_body(RedactBatchRequest) | JUDGE_PARAMETER
)
async def redact_batch(request: Request, caller: CallerDep) -> Response:
    """Redact up to 100 texts in one call, with one charge; numbering begins anew in each."""
    body = await read_json(request, RedactBatchRequest, _batch_limit(request))
    return await _batch(request, caller, body.items, partial(_redact_work, request, caller))


def _batch_limit(request: Request) -> int:
    return min(MAX_BATCH_BYTES, services_of(request).settings.max_text_bytes)


async def _batch(
    request: Request, caller: Authenticated, items: Sequence[Body], work_of: Callable[[Body], Work]
) -> Response:
    judged = [with_judge_header(request.headers, item) for item in items]
    disconnected = partial(wait_for_disconnect, request)
    return _json(await run_batch(services_of(request), caller.caller, judged, work_of, disconnected=disconnected))


def _mask_work(request: Request, caller: Authenticated, body: MaskRequest) -> MaskWork:
    """InvalidKeyMaterial."""
    return MaskWork(
        key_material=caller.key_material,
        show_mapping=caller.by_session,
        own_key=None if body.key is None else decode_key(body.key),
        legacy_spans=services_of(request).settings.legacy_spans,
        request_id=request.state.request_id,
        started=request.state.started,
    )


def _redact_work(request: Request, caller: Authenticated, body: RedactRequest) -> RedactWork:
    state = request.state
    return RedactWork(
        tuple(body.transforms or ()),
        riyadh_day(utc_now()),
        state.request_id,
        state.started,
        synthetic_under=caller.key_material if body.replacement == "synthetic" else None,
    )


def _json(answer: PaidAnswer) -> Response:
    return Response(answer.content, media_type="application/json", headers=types_header(answer.searched))
