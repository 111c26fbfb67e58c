"""Each import rule holds, and a planted import that breaks it is reported."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("api", "masker", "workers", "pipeline", "storage", "schemas")

VIOLATIONS = [
    ("packages", "schemas/planted.py", "import pipeline.sniff"),
    ("packages", "pipeline/planted.py", "import storage.ledger"),
    ("packages", "workers/planted.py", "import api.app"),
    ("packages", "api/planted.py", "import workers.actors"),
    ("pure-pipeline", "pipeline/planted.py", "import httpx"),
    ("pure-pipeline", "pipeline/detect/planted.py", "import schemas.settings"),
    ("sandboxed-parsers", "workers/planted.py", "import pipeline.documents.pdf.page.raster"),
    ("sandboxed-parsers", "api/planted.py", "import pipeline.ocr.recognition"),
    ("independent-verifier", "pipeline/verification/pdf/planted.py", "import pipeline.documents.csv.parse"),
    ("independent-verifier", "pipeline/verification/planted.py", "import pipeline.entities.findings"),
    ("independent-verifier", "pipeline/verification/planted.py", "import pymupdf"),
    ("sql-and-s3", "api/planted.py", "import sqlmodel"),
    ("silent-runtime", "pipeline/detect/tagger/planted.py", "import onnxruntime"),
    ("client-alone", "masker/client/planted.py", "import schemas.errors"),
    ("silent-runtime", "workers/planted.py", "from onnxruntime.capi import onnxruntime_pybind11_state"),
    ("inside-api", "api/planted.py", ""),
    ("inside-workers", "workers/planted.py", ""),
    ("sandboxed-parsers", "pipeline/entities/planted.py", "import pipeline.ocr.recognition"),
    ("inside-pipeline", "pipeline/detect/planted.py", "import pipeline.transform.mask"),
    ("inside-storage", "storage/planted.py", ""),
    ("inside-schemas", "schemas/planted.py", ""),
    ("no-cycles", "pipeline/detect/planted.py", "import pipeline.transform.mask"),
    ("no-cycles", "pipeline/documents/pdf/page/planted.py", "import pipeline.documents.pdf.handler"),
]


@pytest.fixture(scope="module")
def copy_of_code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages and their contracts, to plant in."""
    copy = tmp_path_factory.mktemp("code")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def lint(copy_of_code: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    chosen = [argument for contract in contracts for argument in ("--contract", contract)]
    code = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command as c; c()"
    return subprocess.run(
        [sys.executable, "-c", code, "--no-cache", *chosen],
        cwd=copy_of_code,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_import_rules_hold(copy_of_code: Path) -> None:
    result = lint(copy_of_code)
    assert result.returncode == 0, result.stdout
    assert " 0 broken" in result.stdout


@pytest.mark.parametrize(("contract", "place", "code"), VIOLATIONS)
@pytest.mark.slow
def test_a_planted_violation_is_seen(copy_of_code: Path, contract: str, place: str, code: str) -> None:
    planted = copy_of_code / place
    planted.write_text(f'"""Planted."""\n\n{code}\n')
    try:
        result = lint(copy_of_code, contract)
    finally:
        planted.unlink()
    assert result.returncode == 1, result.stdout
    assert " 1 broken" in result.stdout
