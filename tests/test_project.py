"""What the repository says of itself is true: compose file, environment example, locked requirements, documents."""

import re
import shlex
import subprocess
import sys
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.http.server import GRACE_SECONDS
from schemas.settings import PREFIX, Settings
from schemas.stages import Queue
from workers.processes import DRAIN_SECONDS

ROOT = Path(__file__).parents[1]
VARIABLES = {PREFIX + name.upper() for name in Settings.model_fields}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def command(service: dict[str, Any]) -> list[str]:
    value = service.get("command", [])
    return shlex.split(value) if isinstance(value, str) else value


def test_every_queue_has_a_worker_service(compose: dict[str, Any]) -> None:
    served: list[str] = []
    for service in compose["services"].values():
        words = command(service)
        if words[:2] == ["masker", "worker"]:
            served += words[words.index("--queues") + 1].split(",")
    assert sorted(served) == sorted(queue.value for queue in Queue)


def test_the_compose_file_is_one() -> None:
    """By the schema of the Compose specification, which the checker carries with it."""
    checker = Path(sys.executable).with_name("check-jsonschema")
    command = [checker, "--builtin-schema", "vendor.compose-spec", "--no-cache", ROOT / "compose.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_variable_of_the_compose_file_exists_in_settings(compose: dict[str, Any]) -> None:
    named = set(re.findall(rf"{PREFIX}[A-Z0-9_]+", (ROOT / "compose.yaml").read_text()))
    assert named
    assert named <= VARIABLES


def test_every_service_is_bounded(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["mem_limit"] and service["pids_limit"] and service["cpus"], name


def test_no_service_has_more_rights_than_it_needs(compose: dict[str, Any]) -> None:
    """Masker's image names its user (Dockerfile); the others would start as root."""
    for name, service in compose["services"].items():
        assert service["read_only"] is True and service["tmpfs"], name
        assert service["cap_drop"] == ["ALL"] and "cap_add" not in service and "privileged" not in service, name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert "build" in service or re.fullmatch(r"[1-9]\d*:[1-9]\d*", service["user"]), name
        assert "user" not in service or "build" not in service, name


def test_no_secret_has_a_default(compose: dict[str, Any]) -> None:
    secrets = []
    for service in compose["services"].values():
        for name, value in service["environment"].items() if "environment" in service else ():
            if re.search(r"PASSWORD|SECRET|ACCESS_KEY|MASTER_KEY", name):
                assert re.fullmatch(r"\$\{\w+:\?[^}]+\}", value), name
                secrets.append(name)
            assert re.findall(r"://\w+:([^@]*)@", str(value)) in ([], ["${POSTGRES_PASSWORD:?set it in .env}"]), name
    assert {"POSTGRES_PASSWORD", "MASKER_MASTER_KEY", "AWS_SECRET_ACCESS_KEY"} <= set(secrets)


def seconds(duration: str) -> int:
    return int(duration.removesuffix("s"))


def test_a_service_that_is_stopped_has_time_to_end_what_it_does(compose: dict[str, Any]) -> None:
    """Docker kills after 10 seconds unless the file says otherwise."""
    for name, service in compose["services"].items():
        if command(service)[:2] == ["masker", "worker"]:
            assert seconds(service["stop_grace_period"]) >= DRAIN_SECONDS + 30, name
        elif command(service)[:2] == ["masker", "serve"]:
            assert seconds(service["stop_grace_period"]) >= GRACE_SECONDS + 30, name


def test_every_long_running_service_is_watched(compose: dict[str, Any]) -> None:
    """By a question to the service itself, which a process that hangs does not answer."""
    asking = {"postgres": "pg_isready", "redis": "redis-cli", "objects": "wget"}
    for name, service in compose["services"].items():
        if service.get("restart") != "no":
            assert asking.get(name, "urlopen") in " ".join(service["healthcheck"]["test"]), name


class Answering(BaseHTTPRequestHandler):
    """Answers with the server's status, and notes what was asked."""

    status, asked = 200, ""

    def do_GET(self) -> None:
        type(self).asked = self.path
        self.send_response(self.status)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.mark.parametrize(
    ("name", "port", "path"), [("api", 8000, "/api/v1/health/ready"), ("worker", 9100, "/metrics")]
)
def test_a_health_check_fails_when_nobody_answers_well(
    compose: dict[str, Any], name: str, port: int, path: str
) -> None:
    found = {tuple(service["healthcheck"]["test"]) for each, service in compose["services"].items() if name in each}
    ((kind, *words),) = found
    assert kind == "CMD" and f"http://127.0.0.1:{port}{path}" in words[-1]
    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        words[-1] = words[-1].replace(f":{port}/", f":{server.server_port}/")

        def fails() -> bool:
            return bool(subprocess.run(words, stderr=subprocess.DEVNULL, timeout=30, check=False).returncode)

        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            for status, wrong in ((200, False), (503, True)):
                Answering.status = status
                assert fails() is wrong
                assert Answering.asked == path
        finally:
            server.shutdown()
            thread.join()
    assert fails()


def test_workers_are_asked_where_they_answer(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        if command(service)[:2] == ["masker", "worker"]:
            assert f":{service['environment']['MASKER_METRICS_PORT']}/metrics" in service["healthcheck"]["test"][-1], (
                name
            )
            assert "MASKER_METRICS_HOST" not in service["environment"], name


def test_every_foreign_image_is_pinned(compose: dict[str, Any]) -> None:
    """By an exact version at least: a tag that moves, or that its publisher withdraws, is no release."""
    images = {service["image"] for service in compose["services"].values() if "build" not in service}
    assert len(images) == 3
    for image in images:
        assert re.fullmatch(r"[a-z0-9/]+:\d+\.\d+(\.\d+)?(@sha256:[0-9a-f]{64})?", image), image


def test_every_dependency_of_a_service_is_a_service(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        assert set(service.get("depends_on", {})) <= set(compose["services"])


def test_every_command_of_a_service_is_one_of_ours(compose: dict[str, Any]) -> None:
    from typer.main import get_command

    from api.cli import app

    known = get_command(app)
    for service in compose["services"].values():
        words = command(service)
        if words[:1] == ["masker"]:
            known.commands[words[1]].make_context(words[1], words[2:])  # type: ignore[attr-defined]


def test_the_image_has_every_package_and_runs_as_an_ordinary_user() -> None:
    text = (ROOT / "Dockerfile").read_text()
    for package in ("schemas", "storage", "pipeline", "workers", "api"):
        assert f"COPY {package} {package}" in text
        assert f"!{package}" in (ROOT / ".dockerignore").read_text()
    assert re.findall(r"^USER (\w+)", text, re.MULTILINE)[-1] not in {"root", "0"}


def test_the_environment_example_names_every_setting_and_no_other() -> None:
    named = set(re.findall(rf"^#?({PREFIX}[A-Z0-9_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert named == VARIABLES


def test_the_environment_example_describes_every_setting_as_the_code_does() -> None:
    lines = (ROOT / ".env.example").read_text().splitlines()
    told = {line.partition("=")[0].lstrip("#"): above for above, line in pairwise(lines) if f"{PREFIX}" in line[:8]}
    assert told == {PREFIX + name.upper(): f"# {field.description}" for name, field in Settings.model_fields.items()}


def test_requirements_are_pinned_with_hashes_and_name_no_registry() -> None:
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        text = path.read_text()
        assert "://" not in text, path.name
        assert "--index-url" not in text
        requirements = re.split(r"\n(?=[a-z0-9])", text.strip())
        for requirement in requirements:
            assert re.match(r"[a-zA-Z0-9._-]+(\[[a-z,0-9]+\])?==", requirement), requirement.splitlines()[0]
            assert "--hash=sha256:" in requirement


def test_every_direct_dependency_is_locked_and_justified() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.match(r"[A-Za-z0-9._-]+", item).group().lower() for item in project["dependencies"]]  # type: ignore[union-attr]
    locked = (ROOT / "requirements" / "runtime.txt").read_text().lower()
    reasons = (ROOT / "docs" / "dependencies.md").read_text().lower()
    for name in names:
        assert re.search(rf"^{re.escape(name)}(\[.*\])?==", locked, re.MULTILINE), name
        assert f"| {name} |" in reasons, name
