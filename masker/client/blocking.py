"""The client for ordinary programs: every call waits for its answer."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
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


class Masker:
    """A client with a bearer key. `timeout`: seconds for connecting and for each part of an answer."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        retries: Retries | None = None,
        timeout: float | httpx.Timeout = _TIMEOUT,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._key, self._retries, self._sleep = key, retries or Retries(), sleep
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(base_url=base_url.rstrip("/"), headers=headers, timeout=timeout)

    def __enter__(self) -> "Masker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    # Texts.

    def mask(self, text: str, **options: Any) -> MaskAnswer:
        """Tokens for personal data. Options are the other fields of the request: `key`, `glossary`, `min_score`, …"""
        answer: MaskAnswer = self._send(calls.text("mask", text, options))
        return answer

    def redact(self, text: str, **options: Any) -> RedactAnswer:
        """Numbered placeholders for personal data. Options: `transforms`, `replacement`, `glossary`, `min_score`, …"""
        answer: RedactAnswer = self._send(calls.text("redact", text, options))
        return answer

    def mask_batch(self, items: Iterable[str | Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Up to 100 texts, or requests as dictionaries: the answer of each, or `status` and `detail`."""
        results: list[dict[str, Any]] = (self._send(calls.batch("mask", items)))["results"]
        return results

    def redact_batch(self, items: Iterable[str | Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Up to 100 texts, or requests as dictionaries: the answer of each, or `status` and `detail`."""
        results: list[dict[str, Any]] = (self._send(calls.batch("redact", items)))["results"]
        return results

    def open_envelope(self, answer: Sealed) -> dict[str, str]:
        """The mapping of an answer that this client's key made. EnvelopeError."""
        return open_envelope(answer, self._key)

    # Files.

    def upload(
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
        answer: Upload = self._send(calls.upload(document, name, glossary, glossary_id, callback_url))
        return answer

    def wait(
        self, file_id: str, *, timeout: float = 3600.0, on_progress: Callable[[FileRecord], None] = lambda record: None
    ) -> FileRecord:
        """The record when the file is ready; `on_progress` gets each before. FileFailed; TimedOut after `timeout` s."""
        end = time.monotonic() + timeout
        while True:
            record = self.file(file_id)
            on_progress(record)
            if record["state"] not in ("queued", "processing"):
                break
            if time.monotonic() >= end:
                raise TimedOut(f"{record['state']} after {timeout:.0f} s")
            self._sleep(_POLL)
        if record["error_code"] is not None:
            raise FileFailed(record["error_code"], record["reason"], record["remedy"])
        return record

    def redact_file(self, document: Document, *, timeout: float = 3600.0, **options: Any) -> bytes:
        """Sends a document, waits, and returns the redacted one. Options as for `upload`. FileFailed, TimedOut."""
        file_id = (self.upload(document, **options))["file_id"]
        self.wait(file_id, timeout=timeout)
        return self.download(file_id)

    def file(self, file_id: str) -> FileRecord:
        """The record of a file."""
        answer: FileRecord = self._send(calls.file("GET", file_id))
        return answer

    def files(self, *, limit: int = 50, cursor: str | None = None) -> FileList:
        """A page of files, newest first; `next_cursor` as `cursor` gives the next page."""
        answer: FileList = self._send(calls.files(limit, cursor))
        return answer

    def download(self, file_id: str) -> bytes:
        """The redacted file."""
        content: bytes = self._send(calls.file("GET", file_id, "/download", is_binary=True))
        return content

    def output_name(self, file_id: str) -> str:
        """The name of a redacted file, free of personal data."""
        headers: Mapping[str, str] = self._send(calls.file("HEAD", file_id, "/download"))
        return calls.name_in(headers)

    def report(self, file_id: str) -> SignedReport:
        """The signed verification report of a ready file."""
        answer: SignedReport = self._send(calls.file("GET", file_id, "/report"))
        return answer

    def pin(self, file_id: str) -> FileRecord:
        """Keeps a ready file beyond its time."""
        answer: FileRecord = self._send(calls.file("POST", file_id, "/pin"))
        return answer

    def unpin(self, file_id: str) -> FileRecord:
        """Gives a file its time back."""
        answer: FileRecord = self._send(calls.file("POST", file_id, "/unpin"))
        return answer

    def delete_file(self, file_id: str) -> None:
        """Destroys a file and its record."""
        self._send(calls.file("DELETE", file_id))

    # Glossaries.

    def glossaries(self) -> list[Glossary]:
        """All glossaries of the account."""
        answer: list[Glossary] = self._send(Call("GET", "/v1/glossaries"))
        return answer

    def create_glossary(self, name: str, entries: Iterable[Mapping[str, Any]], *, enabled: bool = True) -> Glossary:
        """A new glossary; an entry is `{"term": …}` with other fields where they are wanted."""
        body = {"name": name, "entries": [dict(entry) for entry in entries], "enabled": enabled}
        answer: Glossary = self._send(Call("POST", "/v1/glossaries", body))
        return answer

    def glossary(self, glossary_id: str) -> Glossary:
        """One glossary."""
        answer: Glossary = self._send(calls.glossary("GET", glossary_id))
        return answer

    def change_glossary(self, glossary_id: str, **fields: Any) -> Glossary:
        """Changes `name`, `enabled` or `entries`."""
        answer: Glossary = self._send(calls.glossary("PATCH", glossary_id, calls.given(fields)))
        return answer

    def delete_glossary(self, glossary_id: str) -> None:
        """Deletes a glossary."""
        self._send(calls.glossary("DELETE", glossary_id))

    # Account.

    def entities(self) -> EntitySet:
        """The types that text calls look for."""
        answer: EntitySet = self._send(Call("GET", "/me/entities"))
        return answer

    def set_entities(self, enabled: Iterable[str], *, min_score: float | None = None) -> EntitySet:
        """Replaces the account's types: those that are left out are switched off."""
        body = calls.given({"enabled": list(enabled), "min_score": min_score})
        answer: EntitySet = self._send(Call("PUT", "/me/entities", body))
        return answer

    def key_entities(self, key_id: str) -> KeyEntities:
        """A key's own types, or None where it has its account's, and those in effect."""
        answer: KeyEntities = self._send(calls.key_entities("GET", key_id))
        return answer

    def set_key_entities(self, key_id: str, override: Iterable[str] | None) -> KeyEntities:
        """Gives a key types of its own; with None it has its account's again."""
        body = {"override": None if override is None else list(override)}
        answer: KeyEntities = self._send(calls.key_entities("PUT", key_id, body))
        return answer

    def balance(self) -> Balance:
        """What the account can spend."""
        answer: Balance = self._send(Call("GET", "/api/v1/balance"))
        return answer

    def is_healthy(self) -> bool:
        """Whether the server answers."""
        try:
            self._send(Call("GET", "/api/v1/health"))
        except (MaskerError, NotAnswering):
            return False
        return True

    def _send(self, call: Call) -> Any:
        """The answer of a call, repeated where that may help. MaskerError, NotAnswering."""
        with opened(call) as document:
            number = 0
            while True:
                response, code, failure = None, "", None
                try:
                    response = self._http.request(**document.request(call))
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
                self._sleep(wait)
                number += 1
