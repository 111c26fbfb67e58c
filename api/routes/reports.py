"""`/api/v1/files/{file_id}/report` and `/api/v1/files/report-key`: signed reports, and the key to check them with."""

from anyio import to_thread
from fastapi import APIRouter

from api.dependencies import CallerDep, ServicesDep
from api.files import jobs
from schemas.clock import utc_now
from schemas.reports import ReportKeys, SignedReport
from storage import report_key

router = APIRouter(prefix="/api/v1/files", tags=["files"])


@router.get("/report-key")
async def public_key(services: ServicesDep) -> ReportKeys:
    """The public key of the reports' signatures. No authentication: everybody who has a report may check it."""
    return report_key.public_keys(services.storage.keyring)


@router.get("/{file_id}/report")
async def report(file_id: str, caller: CallerDep, services: ServicesDep) -> SignedReport:
    """The signed verification report of a ready file; it outlives the file's bytes as long as the record is there."""
    return await to_thread.run_sync(jobs.get_report, services, caller.caller, file_id, utc_now())
