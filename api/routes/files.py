"""`/api/v1/files`: upload, list, poll, download, pin, delete."""

from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from api.dependencies import CallerDep, ServicesDep
from api.files import jobs
from api.files.uploads import receive_upload, refuse_by_length
from schemas.clock import utc_now
from schemas.files import MEDIA_TYPE, FileList, JobRecord, UploadResponse

router = APIRouter(prefix="/api/v1/files", tags=["files"])

_FORM_SCHEMA = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {"type": "string", "format": "binary"},
        "glossary_id": {"type": "string", "format": "uuid"},
        "glossary": {"type": "string", "description": "a JSON array of strings, or a comma-separated list"},
        "callback_url": {
            "type": "string",
            "description": "an https address that is told when the file is ready or has failed; signed",
        },
    },
}
_DOWNLOAD_CONTENT: dict[str, Any] = {
    media_type: {"schema": {"type": "string", "format": "binary"}} for media_type in MEDIA_TYPE.values()
}
_UPLOAD_BODY = {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM_SCHEMA}}}}


@router.post("/redact", status_code=201, openapi_extra=_UPLOAD_BODY)
async def upload(request: Request, caller: CallerDep, services: ServicesDep) -> UploadResponse:
    """Take a document in; it is redacted in the background."""
    refuse_by_length(request, services.settings.max_upload_bytes)
    await to_thread.run_sync(jobs.check_quotas, services, caller.caller, utc_now())
    async with receive_upload(request, services, caller.caller.account_id) as incoming:
        terms = await to_thread.run_sync(jobs.upload_terms, services, caller.caller, incoming.fields)
        callback = jobs.callback_of(services, caller, incoming.fields)
        stored = await incoming.identified()
        return await to_thread.run_sync(jobs.enqueue, services, caller.caller, stored, terms, callback, utc_now())


@router.get("")
async def list_files(
    caller: CallerDep, services: ServicesDep, limit: Annotated[int, Query()] = 50, cursor: str | None = None
) -> FileList:
    """The account's files, newest first."""
    return await to_thread.run_sync(jobs.list_records, services, caller.caller, limit, cursor, utc_now())


@router.get("/{file_id}")
async def poll(file_id: str, caller: CallerDep, services: ServicesDep) -> JobRecord:
    """One file's record."""
    return await to_thread.run_sync(jobs.get_record, services, caller.caller, file_id, utc_now())


@router.get("/{file_id}/download", response_class=StreamingResponse, responses={200: {"content": _DOWNLOAD_CONTENT}})
async def download(file_id: str, caller: CallerDep, services: ServicesDep) -> StreamingResponse:
    """The redacted file."""
    file = await to_thread.run_sync(jobs.Download, services, caller.caller, file_id, utc_now())
    return StreamingResponse(file.stream(), headers=file.headers)


@router.head("/{file_id}/download", response_class=Response, responses={200: {"content": _DOWNLOAD_CONTENT}})
async def download_head(file_id: str, caller: CallerDep, services: ServicesDep) -> Response:
    """What a download would say of the redacted file, without its bytes."""
    file = await to_thread.run_sync(jobs.Download, services, caller.caller, file_id, utc_now())
    await to_thread.run_sync(file.close)
    return Response(headers=file.headers)


@router.post("/{file_id}/pin")
async def pin(file_id: str, caller: CallerDep, services: ServicesDep) -> JobRecord:
    """Keep a ready file beyond its time to live."""
    return await to_thread.run_sync(jobs.pin, services, caller.caller, file_id, utc_now())


@router.post("/{file_id}/unpin")
async def unpin(file_id: str, caller: CallerDep, services: ServicesDep) -> JobRecord:
    """Give a file its time to live back."""
    return await to_thread.run_sync(jobs.unpin, services, caller.caller, file_id, utc_now())


@router.delete("/{file_id}", status_code=204, response_class=Response)
async def delete(file_id: str, caller: CallerDep, services: ServicesDep) -> None:
    """Remove a file's row and bytes now."""
    await to_thread.run_sync(jobs.delete, services, caller.caller, file_id, utc_now())
