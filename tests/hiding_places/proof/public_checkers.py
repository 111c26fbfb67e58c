"""Asks public checkers about redacted PDFs: x-ray for text beneath boxes, QPDF for damage."""

import json
import subprocess
import tempfile
from pathlib import Path

_ROOT = Path(__file__).parents[3]
_PYTHON = _ROOT / ".venv-checkers/bin/python"
# In the checkers' own environment: one answer per file, in order, as a line of JSON.
_ASK = """
import asyncio, json, sys, xray
for path in sys.argv[1:]:
    try:
        print(json.dumps(asyncio.run(xray.inspect(open(path, "rb").read()))))
    except Exception as error:
        print(json.dumps({"error": type(error).__name__}))
"""


def is_ready() -> bool:
    """Whether the checkers' environment is there (`scripts/setup checkers`)."""
    return _PYTHON.exists()


def bad_redactions(files: dict[str, bytes]) -> dict[str, object]:
    """What x-ray finds, by name of the file; files without a finding are left out."""
    with tempfile.TemporaryDirectory() as folder:
        paths = _written(files, Path(folder))
        done = subprocess.run(
            [_PYTHON, "-c", _ASK, *paths.values()], capture_output=True, text=True, check=True, timeout=1200
        )
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(answers) == len(files)
    return {name: answer for name, answer in zip(paths, answers, strict=True) if answer}


def damaged(files: dict[str, bytes]) -> dict[str, str]:
    """What `qpdf --check` complains about, by name of the file; sound files are left out."""
    complaints = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, path in _written(files, Path(folder)).items():
            done = subprocess.run(["qpdf", "--check", path], capture_output=True, text=True, check=False, timeout=300)
            if done.returncode or "WARNING" in done.stderr:
                complaints[name] = done.stderr.strip() or done.stdout.strip()
    return complaints


def _written(files: dict[str, bytes], folder: Path) -> dict[str, str]:
    paths = {name: str(folder / f"{number}.pdf") for number, name in enumerate(files)}
    for name, data in files.items():
        Path(paths[name]).write_bytes(data)
    return paths
