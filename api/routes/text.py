"""`POST /api/v1/mask` and `POST /api/v1/redact`."""

from functools import partial

from fastapi import APIRouter, Request, Response

from api.dependencies import CallerDep, services_of
from api.engine.text_work import MaskWork, RedactWork
from api.http.answer_headers import types_header
from api.http.bodies import json_body, wait_for_disconnect
from api.text.calls import PaidAnswer, read_text, run_paid
from api.text.judging import JUDGE_PARAMETER, check_judge_model, with_judge_header
from pipeline.transform.envelope import decode_key
from schemas.clock import riyadh_day, utc_now
from schemas.text import MaskRequest, MaskResponse, RedactRequest, RedactResponse

router = APIRouter(prefix="/api/v1", tags=["text"])


@router.post("/mask", response_model=MaskResponse, openapi_extra=json_body(MaskRequest) | JUDGE_PARAMETER)
async def mask_text(request: Request, caller: CallerDep) -> Response:
    """Replace personal data by tokens; the mapping comes back sealed for the caller alone."""
    services = services_of(request)
    settings = services.settings
    body = with_judge_header(request.headers, await read_text(request, services, caller.caller, MaskRequest))
    own_key = None if body.key is None else decode_key(body.key)
    check_judge_model(settings, body.judge_model)
    work = MaskWork(
        key_material=caller.key_material,
        show_mapping=caller.by_session,
        own_key=own_key,
        legacy_spans=settings.legacy_spans,
        request_id=request.state.request_id,
        started=request.state.started,
    )
    return _json(
        await run_paid(services, caller.caller, body, work, disconnected=partial(wait_for_disconnect, request))
    )


@router.post("/redact", response_model=RedactResponse, openapi_extra=json_body(RedactRequest) | JUDGE_PARAMETER)
async def redact_text(request: Request, caller: CallerDep) -> Response:
    """Replace personal data by numbered placeholders or, where asked, by generalized values."""
    services = services_of(request)
    body = with_judge_header(request.headers, await read_text(request, services, caller.caller, RedactRequest))
    check_judge_model(services.settings, body.judge_model)
    state = request.state
    work = RedactWork(tuple(body.transforms or ()), riyadh_day(utc_now()), state.request_id, state.started)
    return _json(
        await run_paid(services, caller.caller, body, work, disconnected=partial(wait_for_disconnect, request))
    )


def _json(answer: PaidAnswer) -> Response:
    return Response(answer.content, media_type="application/json", headers=types_header(answer.searched))
