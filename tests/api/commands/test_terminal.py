"""The commands at a terminal: bars for each document while it is redacted, by a server or in this process."""

import os
import pty
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from examples.demo import DOCUMENTS
from examples.server import Server
from tests.servers.embedded import Embedded


@pytest.fixture(scope="module")
def server(embedded: Embedded) -> Server:
    return embedded.account()


def at_terminal(*arguments: str, **environment: str) -> tuple[int, str, str]:
    """A command whose standard error is a terminal: status, standard output, what the terminal got."""
    mine, its = pty.openpty()
    got = bytearray()

    def listen() -> None:
        while True:
            try:
                piece = os.read(mine, 65536)
            except OSError:  # the last end of the terminal was closed
                return
            got.extend(piece)

    reader = threading.Thread(target=listen)
    reader.start()
    process = subprocess.Popen(
        [sys.executable, "-m", "api.cli", *arguments], stdout=subprocess.PIPE, stderr=its, text=True,
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm", **environment},
    )  # fmt: skip
    os.close(its)
    out, _ = process.communicate(timeout=120)
    reader.join(timeout=10)
    os.close(mine)
    return process.returncode, out, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", got.decode())


@pytest.mark.slow
@pytest.mark.parametrize(
    "is_remote",
    [pytest.param(True, id="by a server", marks=pytest.mark.slow), pytest.param(False, id="in this process")],
)
def test_each_document_has_a_bar_while_it_is_redacted(server: Server, tmp_path: Path, *, is_remote: bool) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for name in ("payroll.csv", "customer-letter.docx", "open-cases.pptx"):
        shutil.copy(DOCUMENTS / name, source)
    remote = {"MASKER_SERVER": server.url, "MASKER_API_KEY": server.key} if is_remote else {}
    status, out, terminal = at_terminal("redact-file", "-r", str(source), "-o", str(target), "--json", **remote)
    assert status == 0, terminal
    assert len(list(target.iterdir())) >= 3
    assert out.lstrip().startswith("{")  # the result is alone on standard output
    assert "documents" in terminal and "━" in terminal
    for name in ("payroll.csv", "customer-letter.docx", "open-cases.pptx"):
        assert re.search(rf"{re.escape(name)}: \w+", terminal), name
    assert "Traceback" not in terminal
