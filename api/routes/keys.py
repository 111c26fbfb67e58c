"""`/v1/keys`: the account's bearer keys, from the dashboard alone."""

from anyio import to_thread
from fastapi import APIRouter, Request, Response

from api.account import keys
from api.dependencies import CookieCallerDep, ServicesDep
from api.http.bodies import json_body, read_json
from schemas.accounts import KeyRequest, KeyRow, MintedKey
from schemas.clock import utc_now

router = APIRouter(prefix="/v1/keys", tags=["keys"])

_MAX_BODY_BYTES = 64 * 1024


@router.get("")
async def list_keys(caller: CookieCallerDep, services: ServicesDep) -> list[KeyRow]:
    """The account's keys, oldest first; the last 900 revoked ones stay listed for 90 days."""
    return await to_thread.run_sync(keys.list_all, services, caller.caller)


@router.post("", status_code=201, openapi_extra=json_body(KeyRequest))
async def create_key(request: Request, caller: CookieCallerDep, services: ServicesDep) -> MintedKey:
    """Create a key. Its bearer is in this answer and in no other."""
    body = await read_json(request, KeyRequest, _MAX_BODY_BYTES)
    return await to_thread.run_sync(keys.create, services, caller.caller, body.name, utc_now())


@router.patch("/{key_id}", openapi_extra=json_body(KeyRequest))
async def rename_key(key_id: str, request: Request, caller: CookieCallerDep, services: ServicesDep) -> KeyRow:
    """Give a key another name."""
    body = await read_json(request, KeyRequest, _MAX_BODY_BYTES)
    return await to_thread.run_sync(keys.rename, services, caller.caller, key_id, body.name)


@router.delete("/{key_id}", status_code=204, response_class=Response)
async def revoke_key(key_id: str, caller: CookieCallerDep, services: ServicesDep) -> None:
    """Revoke a key: what it sealed cannot be opened with the service any more."""
    id_ = keys.parse_key_id(key_id)
    try:
        await to_thread.run_sync(keys.revoke, services, caller.caller, id_, utc_now())
    finally:
        services.auth_cache.revoke(id_)
