"""`/v1/glossaries`: the account's own terms."""

from anyio import to_thread
from fastapi import APIRouter, Request, Response

from api.account import glossaries
from api.dependencies import CallerDep, ServicesDep
from api.http.bodies import json_body, read_json
from api.services.container import Services
from schemas.clock import utc_now
from schemas.glossaries import MAX_BODY_BYTES, EntriesChange, GlossaryAnswer, GlossaryChange, NewGlossary

router = APIRouter(prefix="/v1/glossaries", tags=["glossaries"])


@router.get("", response_model=list[GlossaryAnswer])
async def list_glossaries(caller: CallerDep, services: ServicesDep) -> Response:
    """The account's glossaries with their entries, oldest first."""
    return _json(await to_thread.run_sync(glossaries.list_all, services, caller.caller))


@router.post("", status_code=201, response_model=GlossaryAnswer, openapi_extra=json_body(NewGlossary))
async def create_glossary(request: Request, caller: CallerDep, services: ServicesDep) -> Response:
    """Save terms under a name; from the next request on they apply to every text and file of the account."""
    body = await read_json(request, NewGlossary, _limit(services))
    return _json(await to_thread.run_sync(glossaries.create, services, caller.caller, body, utc_now()), 201)


@router.get("/{glossary_id}", response_model=GlossaryAnswer)
async def read_glossary(glossary_id: str, caller: CallerDep, services: ServicesDep) -> Response:
    """One glossary."""
    return _json(await to_thread.run_sync(glossaries.get, services, caller.caller, glossary_id))


@router.patch("/{glossary_id}", response_model=GlossaryAnswer, openapi_extra=json_body(GlossaryChange))
async def change_glossary(glossary_id: str, request: Request, caller: CallerDep, services: ServicesDep) -> Response:
    """Rename it, turn it on or off, replace its entries."""
    body = await read_json(request, GlossaryChange, _limit(services))
    return _json(await to_thread.run_sync(glossaries.change, services, caller.caller, glossary_id, body, utc_now()))


@router.delete("/{glossary_id}", status_code=204, response_class=Response)
async def delete_glossary(glossary_id: str, caller: CallerDep, services: ServicesDep) -> None:
    """Delete it for good."""
    await to_thread.run_sync(glossaries.delete, services, caller.caller, glossary_id)


@router.patch("/{glossary_id}/entries", response_model=GlossaryAnswer, openapi_extra=json_body(EntriesChange))
async def replace_entries(glossary_id: str, request: Request, caller: CallerDep, services: ServicesDep) -> Response:
    """Replace all of its entries."""
    body = await read_json(request, EntriesChange, _limit(services))
    change = GlossaryChange.model_construct({"entries"}, entries=body.entries)
    return _json(await to_thread.run_sync(glossaries.change, services, caller.caller, glossary_id, change, utc_now()))


def _limit(services: Services) -> int:
    return min(MAX_BODY_BYTES, services.settings.max_text_bytes)


def _json(content: bytes, status: int = 200) -> Response:
    return Response(content, status, media_type="application/json")
