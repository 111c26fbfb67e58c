"""A FastAPI application that keeps comments without the personal data in them, and is told when documents are redacted.

MASKER_SERVER=http://127.0.0.1:8000 MASKER_API_KEY=mk_live_... uvicorn examples.integrations.fastapi_app:app --port 9000
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, HTTPException, Request, UploadFile
from pydantic import BaseModel

from masker.client import AsyncMasker, MaskerError, NotAnswering, WebhookError, verify_webhook, webhook_secret

comments: list[str] = []
documents: dict[str, str] = {}  # the state of each file


@asynccontextmanager
async def _lifespan(application: FastAPI) -> AsyncIterator[None]:
    key = os.environ["MASKER_API_KEY"]
    async with AsyncMasker(os.environ["MASKER_SERVER"], key) as masker:
        application.state.masker, application.state.secret = masker, webhook_secret(key)
        yield


app = FastAPI(lifespan=_lifespan)


class Comment(BaseModel):
    """What a customer wrote."""

    text: str


@app.post("/comments", status_code=201)
async def add_comment(comment: Comment, request: Request) -> dict[str, Any]:
    """Stores the comment redacted. When it cannot be redacted it is not stored."""
    try:
        answer = await request.app.state.masker.redact(comment.text)
    except (MaskerError, NotAnswering):
        raise HTTPException(503, "the comment cannot be checked for personal data now") from None
    comments.append(answer["redacted_text"])
    return {"id": len(comments), "text": comments[-1]}


@app.post("/documents", status_code=202)
async def add_document(file: UploadFile, request: Request) -> dict[str, str]:
    """Sends a document for redaction; Masker calls `/hooks/masker` when it is done."""
    upload = await request.app.state.masker.upload(
        await file.read(), name=file.filename, callback_url=str(request.url_for("masker_hook"))
    )
    documents[upload["file_id"]] = "queued"
    return {"file_id": upload["file_id"]}


@app.post("/hooks/masker", status_code=204)
async def masker_hook(request: Request) -> None:
    """A call of Masker; anybody else's is refused."""
    try:
        event = verify_webhook(await request.body(), request.headers, request.app.state.secret)
    except WebhookError:
        raise HTTPException(401) from None
    documents[event["data"]["file_id"]] = event["data"]["state"]


@app.get("/documents/{file_id}")
async def document_state(file_id: str) -> dict[str, str | None]:
    """What is known of a document."""
    return {"state": documents.get(file_id)}
