"""`/me/entities` and `/v1/keys/{key_id}/entities`: which types text detection looks for, and with which score."""

from anyio import to_thread
from fastapi import APIRouter, Request

from api.account import entities
from api.dependencies import CallerDep, ServicesDep
from api.http.bodies import json_body, read_json
from schemas.entity_sets import EntitySetAnswer, EntitySetRequest, KeyEntitiesAnswer, KeyEntitiesRequest

router = APIRouter(tags=["entities"])

_MAX_BODY_BYTES = 64 * 1024


@router.get("/me/entities")
async def read_entities(caller: CallerDep, services: ServicesDep) -> EntitySetAnswer:
    """The account's types and least score, and all types there are."""
    return await to_thread.run_sync(entities.get_for_account, services, caller.caller)


@router.put("/me/entities", openapi_extra=json_body(EntitySetRequest))
async def replace_entities(request: Request, caller: CallerDep, services: ServicesDep) -> EntitySetAnswer:
    """Replace the account's types, and its least score where the body has one. Types that are left out are off."""
    body = await read_json(request, EntitySetRequest, _MAX_BODY_BYTES)
    return await to_thread.run_sync(entities.set_for_account, services, caller.caller, body.enabled, body.min_score)


@router.get("/v1/keys/{key_id}/entities")
async def read_key_entities(key_id: str, caller: CallerDep, services: ServicesDep) -> KeyEntitiesAnswer:
    """A key's own types, or null where it inherits its account's, and what is looked for with it."""
    return await to_thread.run_sync(entities.get_for_key, services, caller.caller, key_id)


@router.put("/v1/keys/{key_id}/entities", openapi_extra=json_body(KeyEntitiesRequest))
async def replace_key_entities(
    key_id: str, request: Request, caller: CallerDep, services: ServicesDep
) -> KeyEntitiesAnswer:
    """Give a key types of its own, or let it inherit its account's again."""
    body = await read_json(request, KeyEntitiesRequest, _MAX_BODY_BYTES)
    return await to_thread.run_sync(entities.set_for_key, services, caller.caller, key_id, body.override)
