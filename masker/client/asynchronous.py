"""The client for asyncio: the methods of the other one, to be awaited."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

import httpx

from masker.client import calls
from masker.client.answers import (
    Balance,
    EntitySet,
    FileList,
    FileRecord,
    Glossary,
    KeyEntities,
    MaskAnswer,
    RedactAnswer,
    Sealed,
    SignedReport,
    Upload,
)
from masker.client.calls import Call, Document
from masker.client.envelope import open_envelope
from masker.client.errors import FileFailed, MaskerError, NotAnswering, TimedOut
from masker.client.retries import Retries
from masker.client.wire import answer_of, opened

_TIMEOUT = httpx.Timeout(60.0, connect=10.0)  # seconds
_POLL = 0.5  # seconds between two looks at a file


class AsyncMasker:
    """A client with a bearer key. `timeout`: seconds for connecting and for each part of an answer."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        retries: Retries | None = None,
        timeout: float | httpx.Timeout = _TIMEOUT,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._key, self._retries, self._sleep = key, retries or Retries(), sleep
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx.AsyncClient(base_url=base_url.rstrip("/"), headers=headers, timeout=timeout)

    async def __aenter__(self) -> "AsyncMasker":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    # Texts.

    async def mask(self, text: str, **options: Any) -> MaskAnswer:
        """Tokens for personal data. Options are the other fields of the request: `key`, `glossary`, `min_score`, …"""
        answer: MaskAnswer = await self._send(calls.text("mask", text, options))
        return answer

    async def redact(self, text: str, **options: Any) -> RedactAnswer:
        """Numbered placeholders for personal data. Options: `transforms`, `replacement`, `glossary`, `min_score`, …"""
        answer: RedactAnswer = await self._send(calls.text("redact", text, options))
        return answer

    async def mask_batch(self, items: Iterable[str | Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Up to 100 texts, or requests as dictionaries: the answer of each, or `status` and `detail`."""
        results: list[dict[str, Any]] = (await self._send(calls.batch("mask", items)))["results"]
        return results

    async def redact_batch(self, items: Iterable[str | Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Up to 100 texts, or requests as dictionaries: the answer of each, or `status` and `detail`."""
        results: list[dict[str, Any]] = (await self._send(calls.batch("redact", items)))["results"]
        return results

    def open_envelope(self, answer: Sealed) -> dict[str, str]:
        """The mapping of an answer that this client's key made. EnvelopeError."""
        return open_envelope(answer, self._key)

    # Files.

    async def upload(
        self,
        document: Document,
        *,
        name: str | None = None,
        glossary: Sequence[str] | None = None,
        glossary_id: str | None = None,
        callback_url: str | None = None,
    ) -> Upload:
        """Sends a document: a path, bytes, or an open binary file, which is read from its beginning.

        `callback_url` is told of its end (see `verify_webhook`).
        """
        answer: Upload = await self._send(calls.upload(document, name, glossary, glossary_id, callback_url))
        return answer

    async def wait(
        self, file_id: str, *, timeout: float = 3600.0, on_progress: Callable[[FileRecord], None] = lambda record: None
    ) -> FileRecord:
        """The record when the file is ready; `on_progress` gets each before. FileFailed; TimedOut after `timeout` s."""
        end = time.monotonic() + timeout
        while True:
            record = await self.file(file_id)
            on_progress(record)
            if record["state"] not in ("queued", "processing"):
                break
            if time.monotonic() >= end:
                raise TimedOut(f"{record['state']} after {timeout:.0f} s")
            await self._sleep(_POLL)
        if record["error_code"] is not None:
            raise FileFailed(record["error_code"], record["reason"], record["remedy"])
        return record

    async def redact_file(self, document: Document, *, timeout: float = 3600.0, **options: Any) -> bytes:
        """Sends a document, waits, and returns the redacted one. Options as for `upload`. FileFailed, TimedOut."""
        file_id = (await self.upload(document, **options))["file_id"]
        await self.wait(file_id, timeout=timeout)
        return await self.download(file_id)

    async def file(self, file_id: str) -> FileRecord:
        """The record of a file."""
        answer: FileRecord = await self._send(calls.file("GET", file_id))
        return answer

    async def files(self, *, limit: int = 50, cursor: str | None = None) -> FileList:
        """A page of files, newest first; `next_cursor` as `cursor` gives the next page."""
        answer: FileList = await self._send(calls.files(limit, cursor))
        return answer

    async def download(self, file_id: str) -> bytes:
        """The redacted file."""
        content: bytes = await self._send(calls.file("GET", file_id, "/download", is_binary=True))
        return content

    async def output_name(self, file_id: str) -> str:
        """The name of a redacted file, free of personal data."""
        headers: Mapping[str, str] = await self._send(calls.file("HEAD", file_id, "/download"))
        return calls.name_in(headers)

    async def report(self, file_id: str) -> SignedReport:
        """The signed verification report of a ready file."""
        answer: SignedReport = await self._send(calls.file("GET", file_id, "/report"))
        return answer

    async def pin(self, file_id: str) -> FileRecord:
        """Keeps a ready file beyond its time."""
        answer: FileRecord = await self._send(calls.file("POST", file_id, "/pin"))
        return answer

    async def unpin(self, file_id: str) -> FileRecord:
        """Gives a file its time back."""
        answer: FileRecord = await self._send(calls.file("POST", file_id, "/unpin"))
        return answer

    async def delete_file(self, file_id: str) -> None:
        """Destroys a file and its record."""
        await self._send(calls.file("DELETE", file_id))

    # Glossaries.

    async def glossaries(self) -> list[Glossary]:
        """All glossaries of the account."""
        answer: list[Glossary] = await self._send(Call("GET", "/v1/glossaries"))
        return answer

    async def create_glossary(
        self, name: str, entries: Iterable[Mapping[str, Any]], *, enabled: bool = True
    ) -> Glossary:
        """A new glossary; an entry is `{"term": …}` with other fields where they are wanted."""
        body = {"name": name, "entries": [dict(entry) for entry in entries], "enabled": enabled}
        answer: Glossary = await self._send(Call("POST", "/v1/glossaries", body))
        return answer

    async def glossary(self, glossary_id: str) -> Glossary:
        """One glossary."""
        answer: Glossary = await self._send(calls.glossary("GET", glossary_id))
        return answer

    async def change_glossary(self, glossary_id: str, **fields: Any) -> Glossary:
        """Changes `name`, `enabled` or `entries`."""
        answer: Glossary = await self._send(calls.glossary("PATCH", glossary_id, calls.given(fields)))
        return answer

    async def delete_glossary(self, glossary_id: str) -> None:
        """Deletes a glossary."""
        await self._send(calls.glossary("DELETE", glossary_id))

    # Account.

    async def entities(self) -> EntitySet:
        """The types that text calls look for."""
        answer: EntitySet = await self._send(Call("GET", "/me/entities"))
        return answer

    async def set_entities(self, enabled: Iterable[str], *, min_score: float | None = None) -> EntitySet:
        """Replaces the account's types: those that are left out are switched off."""
        body = calls.given({"enabled": list(enabled), "min_score": min_score})
        answer: EntitySet = await self._send(Call("PUT", "/me/entities", body))
        return answer

    async def key_entities(self, key_id: str) -> KeyEntities:
        """A key's own types, or None where it has its account's, and those in effect."""
        answer: KeyEntities = await self._send(calls.key_entities("GET", key_id))
        return answer

    async def set_key_entities(self, key_id: str, override: Iterable[str] | None) -> KeyEntities:
        """Gives a key types of its own; with None it has its account's again."""
        body = {"override": None if override is None else list(override)}
        answer: KeyEntities = await self._send(calls.key_entities("PUT", key_id, body))
        return answer

    async def balance(self) -> Balance:
        """What the account can spend."""
        answer: Balance = await self._send(Call("GET", "/api/v1/balance"))
        return answer

    async def is_healthy(self) -> bool:
        """Whether the server answers."""
        try:
            await self._send(Call("GET", "/api/v1/health"))
        except (MaskerError, NotAnswering):
            return False
        return True

    async def _send(self, call: Call) -> Any:
        """The answer of a call, repeated where that may help. MaskerError, NotAnswering."""
        with opened(call) as document:
            number = 0
            while True:
                response, code, failure = None, "", None
                try:
                    response = await self._http.request(**document.request(call))
                except httpx.ConnectError as error:
                    failure = error
                except httpx.TransportError as error:  # it may have been done: the caller must decide
                    raise NotAnswering(type(error).__name__) from error
                if response is not None and response.is_success:
                    return answer_of(call, response)
                if response is not None:
                    code = MaskerError.of(response).code
                wait = self._retries.wait(number, response, code) if document.is_repeatable else None
                if wait is None:
                    raise NotAnswering(type(failure).__name__) if response is None else MaskerError.of(response)
                await self._sleep(wait)
                number += 1
