"""The Python client against a real server, and against one that fails as servers fail."""

import asyncio
import inspect
import io
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from examples.demo import DOCUMENTS
from examples.server import Server
from masker.client import (
    AsyncMasker,
    EnvelopeError,
    FileFailed,
    Masker,
    MaskerError,
    NotAnswering,
    Retries,
    StreamRestorer,
    TimedOut,
    new_key,
    open_envelope,
    restore,
)
from tests.contract.vectors.make import cases
from tests.servers.embedded import Embedded

TEXT = "Reem Alharbi, national ID 1012345672"
CSV = b"name,phone\nReem Alharbi,0501234567\n"
REDACTED = b"name,phone\nPERSON_NAME_01,PHONE_01\n"


@pytest.fixture(scope="module")
def server(embedded: Embedded) -> Server:
    return embedded.account()


@pytest.fixture
def masker(server: Server) -> Iterator[Masker]:
    with Masker(server.url, server.key) as client:
        yield client


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_the_vectors(case: dict[str, Any]) -> None:
    if case["mapping"] is None:
        with pytest.raises(EnvelopeError):
            open_envelope(case["answer"], case["key"])
    else:
        assert open_envelope(case["answer"], case["key"]) == case["mapping"]


def test_a_text_goes_out_masked_and_comes_back(masker: Masker) -> None:
    answer = masker.mask(TEXT)
    assert "1012345672" not in answer["masked_text"] and answer["pii_count"] == 2
    assert restore(answer["masked_text"], masker.open_envelope(answer)) == TEXT
    own = new_key()
    assert restore(masker.mask(TEXT, key=own)["masked_text"], open_envelope(masker.mask(TEXT, key=own), own)) == TEXT
    with pytest.raises(EnvelopeError):
        open_envelope(answer, own)
    assert masker.redact(TEXT)["redacted_text"] == "PERSON_NAME_01, national ID NATIONAL_ID_01"
    assert [each.get("status", 200) for each in masker.mask_batch(["a", {"text": "b", "key": "x"}])] == [200, 400]
    assert [each["pii_count"] for each in masker.redact_batch(["a", TEXT])] == [0, 2]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_stream_is_restored_like_the_whole(size: int) -> None:
    mapping = {"<MASKED_PERSON_0a1b2c3d>": "ريم"}
    text = "a < b, <b> <MASKED_PERSON_0a1b2c3d>! <MASKED_PERSON_ffffffff> <MASKED_PERSON_0a1b2c3 <MASKED_"
    restorer = StreamRestorer(mapping)
    pieces = [restorer.push(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join(pieces) + restorer.end() == restore(text, mapping)
    assert StreamRestorer(mapping).push("a < b and <b>") == "a < b and <b>"


@pytest.mark.parametrize("kind", ["path", "bytes", "stream"])
def test_a_file_from_upload_to_deletion(masker: Masker, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(CSV)
    document: Any = {"path": path, "bytes": CSV, "stream": io.BytesIO(CSV)}[kind]
    made = masker.upload(document, name="people.csv", glossary=["Falcon"])
    seen: list[float] = []
    record = masker.wait(made["file_id"], on_progress=lambda each: seen.append(each["progress"]))
    assert (record["state"], record["original_filename"]) == ("ready", "people.csv")
    assert seen == sorted(seen) and seen[-1] == 1
    assert masker.download(made["file_id"]) == REDACTED
    assert masker.report(made["file_id"])["report"]["residual_count"] == 0
    assert masker.pin(made["file_id"])["is_persisted"] and not masker.unpin(made["file_id"])["is_persisted"]
    assert made["file_id"] in [each["file_id"] for each in masker.files()["files"]]
    masker.delete_file(made["file_id"])
    with pytest.raises(MaskerError) as missing:
        masker.file(made["file_id"])
    assert (missing.value.status, missing.value.code) == (404, "File not found")


def test_files_that_fail_or_take_long(masker: Masker) -> None:
    with pytest.raises(MaskerError) as refused:
        masker.redact_file(b"no pdf", name="letter.pdf")
    assert (refused.value.status, refused.value.code) == (400, "unsupported_format")
    assert refused.value.extra["remedy"]
    broken = masker.upload(b"%PDF-1.7\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n", name="broken.pdf")
    with pytest.raises(FileFailed) as failed:
        masker.wait(broken["file_id"])
    assert failed.value.code == "unsupported_format"
    slow = masker.upload(DOCUMENTS / "customer-letter.pdf")
    with pytest.raises(TimedOut):
        masker.wait(slow["file_id"], timeout=0)
    masker.wait(slow["file_id"])


def test_glossaries_types_and_balance(masker: Masker) -> None:
    made = masker.create_glossary("Projects", [{"term": "Falcon"}])
    assert masker.redact("the Falcon budget")["redacted_text"] == "the CUSTOM_TERM_01 budget"
    assert masker.change_glossary(made["id"], enabled=False)["enabled"] is False
    assert masker.glossary(made["id"])["entries"][0]["term"] == "Falcon"
    assert [each["id"] for each in masker.glossaries()] == [made["id"]]
    masker.delete_glossary(made["id"])
    assert masker.glossaries() == []
    before = masker.entities()["enabled"]
    assert masker.set_entities(["NATIONAL_ID"])["enabled"] == ["NATIONAL_ID"]
    masker.set_entities(before)
    assert masker.balance()["free_tokens"] > 0
    with pytest.raises(MaskerError, match="404"):
        masker.set_key_entities("0" * 36, None)
    assert masker.is_healthy()


def test_the_same_for_asyncio(server: Server) -> None:
    async def run() -> None:
        async with AsyncMasker(server.url, server.key) as client:
            answer = await client.mask(TEXT)
            assert restore(answer["masked_text"], client.open_envelope(answer)) == TEXT
            assert await client.redact_file(CSV, name="people.csv") == REDACTED
            with pytest.raises(MaskerError):
                await client.file("00000000-0000-4000-8000-000000000000")

    asyncio.run(run())


def test_both_clients_have_the_same_methods() -> None:
    def public(kind: type) -> dict[str, Any]:
        methods = inspect.getmembers(kind, inspect.isfunction)
        return {
            name: (list(inspect.signature(method).parameters), inspect.getdoc(method))
            for name, method in methods
            if not name.startswith("_")
        }

    assert public(Masker) == public(AsyncMasker)


Answer = tuple[int, dict[str, str], Any]


@pytest.fixture
def scripted() -> Iterator[Callable[..., tuple[str, list[bytes]]]]:
    """Servers that give the answers that they were told, one after the other, and note the bodies."""
    servers: list[ThreadingHTTPServer] = []

    def start(*answers: Answer) -> tuple[str, list[bytes]]:
        left, bodies = list(answers), []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                bodies.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
                status, headers, body = left.pop(0)
                self.send_response(status)
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}", bodies

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


BUSY: Answer = (503, {}, {"detail": "masker_unavailable"})
DONE: Answer = (200, {}, {"redacted_text": "ok"})


def waits(url: str, **options: Any) -> tuple[Any, list[float]]:
    slept: list[float] = []
    with Masker(url, "mk_live_x", sleep=slept.append, **options) as client:
        try:
            return client.redact("text"), slept
        except (MaskerError, NotAnswering) as error:
            return error, slept


def test_what_is_repeated_and_after_how_long(scripted: Callable[..., tuple[str, list[bytes]]]) -> None:
    url, bodies = scripted(
        BUSY, (500, {}, b"<html>"), (429, {"Retry-After": "17"}, {"detail": "Rate limit exceeded"}), DONE
    )
    assert waits(url) == ({"redacted_text": "ok"}, [1.0, 2.0, 17.0])
    assert len(set(bodies)) == 1


@pytest.mark.parametrize(
    ("answers", "slept", "code"),
    [
        ([BUSY] * 4, [1.0, 2.0, 4.0], "masker_unavailable"),
        ([(400, {}, {"detail": "unknown_judge_model"})], [], "unknown_judge_model"),
        ([(402, {}, {"detail": "insufficient_tokens", "needed_tokens": 3})], [], "insufficient_tokens"),
        ([(422, {}, {"detail": [{"type": "missing", "loc": ["body", "text"], "msg": "m"}]})], [], "missing"),
        ([(429, {}, {"detail": "too_many_files_today"})], [], "too_many_files_today"),
        ([(503, {"Retry-After": "3600"}, {"detail": "masker_unavailable"})], [], "masker_unavailable"),
        ([(502, {}, b"bad gateway")], [], "Bad Gateway"),
        ([(403, {}, b"")], [], "Forbidden"),
    ],
)
def test_what_is_not_repeated(
    scripted: Callable[..., tuple[str, list[bytes]]], answers: list[Answer], slept: list[float], code: str
) -> None:
    url, bodies = scripted(*answers)
    error, waited = waits(url)
    assert (error.code, waited, len(bodies)) == (code, slept, len(answers))


def test_an_upload_is_repeated_whole(scripted: Callable[..., tuple[str, list[bytes]]]) -> None:
    url, bodies = scripted(BUSY, (201, {}, {"file_id": "x"}))
    with Masker(url, "mk_live_x", sleep=lambda _: None) as client:
        assert client.upload(io.BytesIO(CSV), name="people.csv")["file_id"] == "x"
    assert [CSV in body for body in bodies] == [True, True]


def test_a_stream_that_cannot_be_read_again_is_sent_once(scripted: Callable[..., tuple[str, list[bytes]]]) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    url, bodies = scripted(BUSY, DONE)
    with Masker(url, "mk_live_x", sleep=lambda _: None) as client, pytest.raises(MaskerError):
        client.upload(Pipe(CSV), name="people.csv")
    assert len(bodies) == 1


def test_nobody_there() -> None:
    error, slept = waits("http://127.0.0.1:9", retries=Retries(waits=(0.5,)))
    assert isinstance(error, NotAnswering) and slept == [0.5]
    with Masker("http://127.0.0.1:9", "k", retries=Retries(waits=())) as client:
        assert not client.is_healthy()


def test_the_key_is_in_no_error(server: Server) -> None:
    with Masker(server.url, "mk_live_wrong") as client, pytest.raises(MaskerError) as refused:
        client.redact("text")
    assert (refused.value.status, refused.value.code) == (401, "Malformed authentication token")
    assert "mk_live" not in str(refused.value) + repr(refused.value)
    assert isinstance(client._http, httpx.Client)
