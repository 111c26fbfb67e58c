"""The programs of examples/integrations, run as their readers do: a real server, and a scripted provider."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from examples.demo import DOCUMENTS
from examples.server import Server, free_port
from tests.api.proxy.provider import ScriptedProvider
from tests.servers.embedded import Embedded

ROOT = Path(__file__).parents[2]
QUESTION = "I am Noura Salem Almithali, national ID 1058374925. Greet me."
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def server(embedded: Embedded) -> Server:
    return embedded.account()


@pytest.fixture
def provider(embedded: Embedded) -> ScriptedProvider:
    return embedded.scripted()


@pytest.fixture
def environment(server: Server) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MASKER_")}
    return {**kept, "MASKER_SERVER": server.url, "MASKER_API_KEY": server.key, "PROVIDER_KEY": "sk-provider"}


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    def once(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", f"examples.integrations.{module}", *arguments]
        return subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
        )

    return once


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "replies"),
    [("anthropic_chat", 1), pytest.param("openai_chat", 1, marks=pytest.mark.slow), ("langchain_chat", 2)],
)
def test_chats_restore_what_the_model_never_saw(
    run: Run, provider: ScriptedProvider, module: str, replies: int
) -> None:
    done = run(module, QUESTION)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == [QUESTION] * replies
    assert len(provider.turns) == replies
    received = b"".join(turn.raw for turn in provider.turns)
    assert b"<MASKED_NATIONAL_ID_" in received or b"MASKED_NATIONAL_ID" in received
    assert not [value for value in (b"1058374925", b"Almithali", b"mk_live_") if value in received]


def test_a_folder_of_texts(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for number in range(103):
        (source / f"{number:03d}.txt").write_text(f"Call 05012345{number % 90 + 10}")
    (source / "empty.txt").write_text("")
    done = run("batch_folder", str(source), str(target))
    assert (done.returncode, done.stdout.splitlines()) == (0, ["100 texts", "4 texts"]), done.stderr
    assert {path.read_text() for path in target.iterdir()} == {"Call PHONE_01"}
    assert len(list(target.iterdir())) == 103


@contextmanager
def application(environment: dict[str, str]) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "examples.integrations.fastapi_app:app", "--port", str(port)]
    process = subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_an_application_keeps_no_personal_data_and_is_called_back(environment: dict[str, str]) -> None:
    with application(environment) as url, httpx.Client(base_url=url, timeout=60) as client:
        made = client.post("/comments", json={"text": QUESTION})
        assert (made.status_code, made.json()["text"]) == (
            201,
            "I am PERSON_NAME_01, national ID NATIONAL_ID_01. Greet me.",
        )
        with (DOCUMENTS / "payroll.csv").open("rb") as document:
            file_id = client.post("/documents", files={"file": document}).json()["file_id"]
        for _ in range(300):
            state = client.get(f"/documents/{file_id}").json()["state"]
            if state == "ready":
                break
            time.sleep(0.2)
        assert state == "ready"
        assert client.post("/hooks/masker", content=b"{}").status_code == 401
    with application({**environment, "MASKER_API_KEY": "mk_live_wrong"}) as url:
        assert httpx.post(f"{url}/comments", json={"text": QUESTION}, timeout=60).status_code == 503
