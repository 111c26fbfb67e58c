"""`masker serve` as a process of its own: embedded workers, clean logs, a clean end."""

import signal
import subprocess
from pathlib import Path

import httpx

from examples.server import MASKER, free_port, wait_until_ready
from schemas.clock import utc_now
from storage.accounts import keys
from storage.accounts import records as accounts
from storage.opening import Storage
from tests.api.polling import ended
from tests.api.serving import settings_for

SECRET = "noura.secret@example.com"


def bearer(data_dir: Path) -> str:
    """A key of a new account, made before the server starts."""
    storage = Storage.open(settings_for(data_dir))
    storage.database.migrate()
    with storage.database.transaction() as session:
        now = utc_now()
        account = accounts.create(session, email="someone@example.com", password_hash="-", now=now)
        pepper = keys.pepper(session, storage.keyring)
        _, key = keys.mint(session, pepper, account_id=account.id, name="test", now=now)
    storage.close()
    return key


def use(client: httpx.Client) -> str:
    """Calls with personal data in every place that a call has; the id of the file."""
    body = {"text": f"mail {SECRET}", "glossary": [SECRET]}
    assert SECRET not in client.post("/api/v1/mask", json=body, params={"q": SECRET}).json()["masked_text"]
    client.get(f"/{SECRET}")
    client.post("/api/v1/mask", content=SECRET)
    page = {"Origin": str(client.base_url).rstrip("/").replace("127.0.0.1", "localhost")}
    assert client.post("/auth/register", json={"email": SECRET, "password": SECRET}, headers=page).status_code == 201
    files = {"file": (f"{SECRET}.csv", f"email\n{SECRET}\n".encode(), "text/csv")}
    job = ended(client, client.post("/api/v1/files/redact", files=files).json())
    assert client.get(job["download_url"]).text == "email\nEMAIL_01\n"
    return str(job["file_id"])


def children(pid: int) -> bytes:
    """The command lines of a process's children."""
    started = Path(f"/proc/{pid}/task").glob("*/children")
    return b"".join(Path(f"/proc/{child}/cmdline").read_bytes() for at in started for child in at.read_text().split())


def test_a_whole_life(tmp_path: Path) -> None:
    """It works in embedded mode, says nothing personal, refuses a taken port, and ends with status 0 on SIGTERM."""
    data, log, port = tmp_path / "data", tmp_path / "log", str(free_port())
    key, environment = bearer(data), {"PATH": "/usr/bin:/bin", "MASKER_DATA_DIR": str(data)}
    command = [MASKER, "serve", "--port", port]
    with log.open("wb") as stream:
        process = subprocess.Popen(command, env=environment, stdout=stream, stderr=stream, cwd=tmp_path)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_ready(url, process, log)
        assert b"pool_child.py" in children(process.pid)  # the first text of some length does not wait for it
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=30) as client:
            file_id = use(client)
        second = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, cwd=tmp_path)
        assert second.returncode != 0
        assert "Traceback" not in second.stderr and "ddress already in use" in second.stderr
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
    written = log.read_text()
    assert f"serving on {url}, " in written
    assert '"route": "/api/v1/mask", "status": 200' in written and file_id in written
    assert SECRET not in written and "noura" not in written and "Traceback" not in written
