"""The log: what a line holds, and that nothing of an exception or an unknown field does."""

import ast
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.settings import LogFormat
from schemas.telemetry import logs

ROOT = Path(__file__).parents[3]
PACKAGES = ("api", "workers", "pipeline", "storage", "schemas")
SECRET = "1012345672"


def line(caplog: pytest.LogCaptureFixture) -> dict[str, object]:
    (written,) = caplog.text.splitlines()
    told = json.loads(written)
    assert isinstance(told, dict)
    assert told.pop("timestamp").endswith("Z")
    return told


def test_fields_of_the_block_and_of_the_event(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("masker.test")
    with logs.bound(job_id="a", stage="ocr"), logs.bound(stage="detect"):
        log.warning("went on", extra={"error": "OSError"})
    assert line(caplog) == {
        "event": "went on", "level": "warning", "logger": "masker.test",
        "job_id": "a", "stage": "detect", "error": "OSError",
    }  # fmt: skip
    caplog.clear()
    log.warning("outside")
    assert line(caplog) == {"event": "outside", "level": "warning", "logger": "masker.test"}


def test_unknown_fields_are_not_written(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("masker.test").warning("seen", extra={"text": SECRET, "color_message": SECRET})
    assert line(caplog) == {"event": "seen", "level": "warning", "logger": "masker.test"}


def test_of_an_exception_only_its_type(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ExceptionGroup("both", [ValueError(SECRET), KeyError(SECRET)])
    except ExceptionGroup:
        logging.getLogger("somebody").exception("broke\nExceptionGroup: %s", SECRET, stack_info=True)
    assert line(caplog) == {
        "event": "broke", "level": "error", "logger": "somebody", "error": "ExceptionGroup(ValueError, KeyError)",
    }  # fmt: skip


PROGRAM = f"""
import asyncio, gc, logging, sys, threading, warnings
from schemas.telemetry import logs
from schemas.settings import LogFormat
logs.configure(LogFormat(sys.argv[1]))

class Broken:
    def __del__(self): raise ValueError("{SECRET}")

def fail(*_): raise ValueError("{SECRET}")

async def main():
    asyncio.get_running_loop().call_soon(fail, "{SECRET}")
    task = asyncio.create_task(asyncio.sleep(0))
    task.add_done_callback(fail)
    async def forgotten(): fail()
    asyncio.create_task(forgotten())
    await asyncio.sleep(0.05)
    gc.collect()

thread = threading.Thread(target=fail)
thread.start()
thread.join()
Broken()
asyncio.run(main())
warnings.warn("{SECRET[:4]} is old\\n{SECRET}")
fail()
"""


@pytest.mark.parametrize(("log_format", "is_json"), [("json", True), ("auto", True), ("text", False)])
def test_what_python_would_print_itself(log_format: str, is_json: bool) -> None:
    """Exceptions that nobody caught: in a thread, a destructor, the event loop and the program itself."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, log_format], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 7
    assert SECRET not in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.count("ValueError") == 6
    if is_json:
        assert {tuple(json.loads(line))[:3] for line in lines} == {("event", "timestamp", "level")}


def test_every_field_of_the_code_is_known() -> None:
    """Else it would silently not be written; and none is known that nobody writes."""
    used: set[str] = set()
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.keyword) and node.arg == "extra" and isinstance(node.value, ast.Dict):
                used |= {key.value for key in node.value.keys if isinstance(key, ast.Constant)}
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "bound":
                used |= {keyword.arg for keyword in node.keywords if keyword.arg}
    assert used - set(logs.FIELDS) == set()


def test_formats() -> None:
    record = logging.makeLogRecord({"name": "masker.test", "msg": "went on", "levelname": "INFO", "port": 80})
    text, at_a_terminal, piped = (
        logs.formatter(LogFormat.TEXT).format(record),
        logs.formatter(LogFormat.AUTO, is_terminal=True).format(record),
        logs.formatter(LogFormat.AUTO).format(record),
    )
    assert "went on" in text and "port=80" in text and "\x1b" not in text
    assert "\x1b" in at_a_terminal
    assert json.loads(piped)["port"] == 80


def test_the_docs_name_every_field() -> None:
    rows = [f"| `{name}` | {meaning} |" for name, meaning in logs.FIELDS.items()]
    assert "\n".join(rows) in (ROOT / "docs" / "operating.md").read_text()


def test_a_line_that_cannot_be_written_is_lost_without_a_traceback() -> None:
    """As when the reader of standard error is gone: Python would print the line with a traceback."""
    script = f"""
import logging, os, sys
from schemas.settings import LogFormat
from schemas.telemetry import logs
kept = os.dup(2)
os.close(2)
logs.configure(LogFormat.JSON)
sys.stderr = open(kept, "w", closefd=False)
logging.getLogger("masker").warning("{SECRET}")
print("goes on")
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", "")
