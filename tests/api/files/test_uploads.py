"""Uploads over a raw socket: clients that disconnect, early answers, storage that fails."""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import httpx
import pytest

from storage.database import Database
from storage.jobs.objects import stored
from tests.api.forms import CSV, FORM_TYPE, file_part, form
from tests.api.serving import Account, Served, serving, settings_for

UPLOAD = "/api/v1/files/redact"


@contextmanager
def next_access_line(status: int) -> Iterator[Event]:
    """An event that is set when the access log has a line with `status`: the request and its clean-up are over."""
    seen = Event()

    class Watch(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if vars(record)["status"] == status:
                seen.set()

    logger, watch = logging.getLogger("masker.access"), Watch()
    level = logger.level
    logger.addHandler(watch)
    logger.setLevel(logging.INFO)
    try:
        yield seen
    finally:
        logger.removeHandler(watch)
        logger.setLevel(level)


def connection(served: Served) -> socket.socket:
    host, _, port = served.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=20)


def head(account: Account | None, length: int) -> bytes:
    lines = [f"POST {UPLOAD} HTTP/1.1", "Host: x", f"Content-Type: {FORM_TYPE}", f"Content-Length: {length}"]
    if account is not None:
        lines.append(f"Authorization: Bearer {account.bearer}")
    return "\r\n".join([*lines, "", ""]).encode()


def bytes_on_disk(served: Served) -> int:
    root = served.services.settings.data_dir / "objects"
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


def test_nothing_stays_of_an_upload_whose_client_disconnects(served: Served, account: Account) -> None:
    """Client disconnect mid-upload: cleaned up."""
    body = form(file_part(CSV * 50_000))
    before = bytes_on_disk(served)
    with next_access_line(0) as over, connection(served) as wire:
        wire.sendall(head(account, len(body)) + body[: len(body) // 2])
        wire.shutdown(socket.SHUT_RDWR)
        wire.close()
        assert over.wait(20)
    assert bytes_on_disk(served) == before
    with served.client(account) as client:
        assert client.get("/api/v1/files").json()["files"] == []


@pytest.mark.parametrize(("authenticated", "length", "status"), [(True, 10**10, 413), (False, 10**6, 401)])
def test_a_refusal_does_not_wait_for_the_body(
    served: Served, account: Account, authenticated: bool, length: int, status: int
) -> None:
    """By its declared length, and after authentication."""
    with connection(served) as wire:
        wire.sendall(head(account if authenticated else None, length))
        assert wire.recv(4096).startswith(f"HTTP/1.1 {status} ".encode())


def test_a_failure_after_the_bytes_are_stored_destroys_them(
    tmp_path_factory: pytest.TempPathFactory, caplog: pytest.LogCaptureFixture
) -> None:
    """A database that goes away while the body comes in: 503, and what cannot be judged stays for the sweeper."""
    with serving(settings_for(tmp_path_factory.mktemp("lost"))) as served:
        account, services = served.account(), served.services
        body = form(file_part(CSV * 10_000))
        with next_access_line(503) as over, connection(served) as wire:
            wire.sendall(head(account, len(body)) + body[:1000])
            # The writer's draft appears when authentication and quotas are behind it.
            wait_for_draft(served)
            object.__setattr__(services.storage, "database", Database("postgresql+psycopg://x@127.0.0.1:1/none"))
            wire.sendall(body[1000:])
            assert wire.recv(4096).startswith(b"HTTP/1.1 503 ")
            assert over.wait(20)
        assert "may not have been taken" in caplog.text
        assert len(list(stored(services.storage.objects))) == 1


def wait_for_draft(served: Served) -> None:
    drafts = served.services.settings.data_dir / "objects" / ".drafts"
    while not any(drafts.iterdir()):
        os.sched_yield()


def test_a_connection_is_usable_after_a_refusal(served: Served, account: Account) -> None:
    """The server reads a refused body to its end, so that the client can read the answer."""
    with served.client(account) as client:
        for _ in range(3):
            big = client.post(UPLOAD, content=form(file_part(bytes(9_000_000))), headers={"Content-Type": FORM_TYPE})
            assert big.status_code == 413
        assert client.get("/api/v1/files").status_code == 200


def test_an_upload_without_a_broker(tmp_path_factory: pytest.TempPathFactory, caplog: pytest.LogCaptureFixture) -> None:
    """The job is in the database; the sweeper announces it later."""
    settings = settings_for(tmp_path_factory.mktemp("unheard"), redis_url="redis://127.0.0.1:1/0")
    with serving(settings) as served, served.client() as client:
        answer = client.post(UPLOAD, files={"file": ("a.csv", CSV, "text/csv")})
        assert answer.status_code == 201
        assert "was not announced" in caplog.text
        assert client.get("/api/v1/health/ready").json()["checks"]["broker"] == "unavailable"


def test_a_password_protected_pdf(client: httpx.Client) -> None:
    for password, status in (("", 201), ("secret", 400)):
        data = encrypted_pdf(password)
        answer = client.post(UPLOAD, files={"file": ("a.pdf", data, "application/pdf")})
        assert answer.status_code == status, answer.text


def encrypted_pdf(password: str) -> bytes:
    from io import BytesIO

    from pypdf import PdfWriter

    writer, out = PdfWriter(), BytesIO()
    writer.add_blank_page(100, 100)
    writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
    writer.write(out)
    return out.getvalue()
