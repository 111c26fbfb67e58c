"""`GET /api/v1/health` (is the process alive) and `/api/v1/health/ready` (can it do its work)."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from api import __version__
from api.dependencies import ServicesDep
from api.readiness import check

router = APIRouter(prefix="/api/v1/health", tags=["health"])


@router.get("")
async def health() -> dict[str, str]:
    """Liveness: answers as long as the process does."""
    return {"status": "ok", "version": __version__}


@router.get("/ready")
async def ready(services: ServicesDep) -> JSONResponse:
    """Readiness: 200, or 503 when the database, the broker or the object store does not answer."""
    checks = await check(services)
    good = all(state == "ok" for state in checks.values())
    return JSONResponse({"status": "ok" if good else "unavailable", "checks": checks}, 200 if good else 503)
