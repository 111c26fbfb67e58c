"""The upload's form as careless and hostile callers write it: nothing is guessed at, and nothing has no end."""

import logging
import sys
import threading
from collections.abc import Iterator

import httpx
import pytest

from schemas.settings import LogFormat
from schemas.telemetry import logs
from tests.api.forms import FORM_TYPE, Part, field_part, file_part, form
from tests.api.serving import Served

UPLOAD = "/api/v1/files/redact"


def post(client: httpx.Client, body: bytes | Iterator[bytes]) -> httpx.Response:
    return client.post(UPLOAD, content=body, headers={"Content-Type": FORM_TYPE})


@pytest.mark.clause("FILE-13")
@pytest.mark.parametrize("name", ["glossary", "glossary_id"])
def test_a_field_that_comes_twice(client: httpx.Client, name: str) -> None:
    """Two strings joined would be a term that nobody named, and both would stay."""
    answer = post(client, form(field_part(name, ""), file_part(), field_part(name, "Salem")))
    assert answer.status_code == 422
    assert answer.json()["detail"] == [
        {"type": "multipart_invalid", "loc": ["body", name], "msg": "Field given more than once"}
    ]


@pytest.mark.clause("GLOSS-21")
@pytest.mark.parametrize("terms", ["سالم".encode("cp1256"), b'["\xd3"]', "Salem".encode("utf-16")])
def test_terms_that_are_no_utf_8(client: httpx.Client, terms: bytes) -> None:
    """A term read wrongly would not be found in the document."""
    answer = post(client, form(Part('name="glossary"', None, terms), file_part()))
    assert answer.status_code == 422
    assert answer.json()["detail"] == [
        {"type": "string_unicode", "loc": ["body", "glossary"], "msg": "Input should be valid Unicode"}
    ]


@pytest.mark.clause("FILE-22")
def test_a_form_that_goes_on_after_its_end(client: httpx.Client, served: Served) -> None:
    blank = b"x" * 500_000
    rounds = served.services.settings.max_upload_bytes // len(blank) + 10

    def body() -> Iterator[bytes]:
        yield form(file_part())
        for _ in range(rounds):
            yield blank

    answer = post(client, body())
    assert (answer.status_code, answer.json()) == (413, {"detail": "file_too_large"})
    assert client.get("/api/v1/files").json()["files"] == []


@pytest.mark.clause("FILE-27")
def test_the_log_of_a_malformed_form(
    client: httpx.Client, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the input is in the log, not even the byte at which the parser gave up."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    for owner, name in ((sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook")):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # what `configure` changes comes back
    logs.configure(LogFormat.JSON)
    try:
        for body in (b"Noura", form(file_part())[:60] + b"\rNoura", b"--" + b"N" * 100):
            assert post(client, body).status_code == 422
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers
        logging.captureWarnings(False)
    written = capfd.readouterr().err
    assert '"status": 422' in written
    assert "multipart" not in written and "character" not in written
