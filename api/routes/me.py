"""`/me` and `/api/v1/balance`: what an account may see of itself."""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query

from api.account import profile
from api.dependencies import CallerDep, CookieCallerDep, ServicesDep
from schemas.accounts import BalanceAnswer, LedgerPage, Profile, UsageAnswer
from schemas.clock import utc_now

router = APIRouter(tags=["account"])


@router.get("/api/v1/balance")
async def balance(caller: CallerDep, services: ServicesDep) -> BalanceAnswer:
    """What the account can spend, for its keys too."""
    return (await to_thread.run_sync(profile.get_profile, services, caller.caller, utc_now())).balance


@router.get("/me")
async def me(caller: CookieCallerDep, services: ServicesDep) -> Profile:
    """Who is logged in, and what can be spent."""
    return await to_thread.run_sync(profile.get_profile, services, caller.caller, utc_now())


@router.get("/me/usage")
async def usage(caller: CookieCallerDep, services: ServicesDep, days: Annotated[int, Query()] = 30) -> UsageAnswer:
    """Tokens, calls and entities by type, per day."""
    return await to_thread.run_sync(profile.get_usage, services, caller.caller, days, utc_now())


@router.get("/me/ledger")
async def ledger(
    caller: CookieCallerDep, services: ServicesDep, limit: Annotated[int, Query()] = 50, cursor: str | None = None
) -> LedgerPage:
    """How tokens moved, newest first."""
    return await to_thread.run_sync(profile.ledger_page, services, caller.caller, limit, cursor)
