"""`GET /api/v1/health` (is the process alive) and `/api/v1/health/ready` (can it do its work)."""

from typing import Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from api.dependencies import ServicesDep
from api.services.readiness import check
from schemas.version import VERSION

router = APIRouter(prefix="/api/v1/health", tags=["health"])

State = Literal["ok", "unavailable"]


class Liveness(BaseModel):
    """The process answers."""

    status: Literal["ok"]
    version: str


class Checks(BaseModel):
    """Each server behind the API."""

    database: State
    broker: State
    object_store: State


class Readiness(BaseModel):
    """`ok` when all of them are."""

    status: State
    checks: Checks


@router.get("")
async def health() -> Liveness:
    """Liveness: answers as long as the process does."""
    return Liveness(status="ok", version=VERSION)


@router.get("/ready", response_model=Readiness, responses={503: {"model": Readiness}})
async def ready(services: ServicesDep) -> JSONResponse:
    """Readiness: 200, or 503 when the database, the broker or the object store does not answer."""
    checks = await check(services)
    good = all(state == "ok" for state in checks.values())
    return JSONResponse({"status": "ok" if good else "unavailable", "checks": checks}, 200 if good else 503)
