"""Each wall of the house stands: a planted import that crosses it turns its contract red."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("api", "workers", "pipeline", "storage", "schemas")

VIOLATIONS = [
    ("rooms", "schemas/planted.py", "import pipeline.sniff"),
    ("rooms", "pipeline/planted.py", "import storage.ledger"),
    ("rooms", "workers/planted.py", "import api.app"),
    ("rooms", "api/planted.py", "import workers.actors"),
    ("pure-pipeline", "pipeline/planted.py", "import httpx"),
    ("pure-pipeline", "pipeline/detect/planted.py", "import schemas.settings"),
    ("caged-parsers", "workers/planted.py", "import pipeline.documents.pdf.page.raster"),
    ("caged-parsers", "api/planted.py", "import pipeline.ocr.tesseract"),
    ("independent-verifier", "pipeline/verification/pdf/planted.py", "import pipeline.documents.csv.parse"),
    ("independent-verifier", "pipeline/verification/planted.py", "import pipeline.entities.findings"),
    ("independent-verifier", "pipeline/verification/planted.py", "import pymupdf"),
    ("storage-speaks", "api/planted.py", "import sqlmodel"),
    ("inside-api", "api/planted.py", ""),
    ("inside-workers", "workers/planted.py", ""),
    ("caged-parsers", "pipeline/entities/planted.py", "import pipeline.ocr.tesseract"),
    ("inside-pipeline", "pipeline/detect/planted.py", "import pipeline.transform.mask"),
    ("inside-storage", "storage/planted.py", ""),
    ("inside-schemas", "schemas/planted.py", ""),
    ("no-circles", "pipeline/detect/planted.py", "import pipeline.transform.mask"),
    ("no-circles", "pipeline/documents/pdf/page/planted.py", "import pipeline.documents.pdf.handler"),
]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages and their contracts, to plant in."""
    copy = tmp_path_factory.mktemp("house")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def lint(house: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    chosen = [argument for contract in contracts for argument in ("--contract", contract)]
    code = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command as c; c()"
    return subprocess.run(
        [sys.executable, "-c", code, "--no-cache", *chosen], cwd=house, capture_output=True, text=True, check=False
    )


def test_the_walls_hold_as_the_house_stands(house: Path) -> None:
    result = lint(house)
    assert result.returncode == 0, result.stdout
    assert " 0 broken" in result.stdout


@pytest.mark.parametrize(("contract", "place", "code"), VIOLATIONS)
def test_a_planted_violation_is_seen(house: Path, contract: str, place: str, code: str) -> None:
    planted = house / place
    planted.write_text(f'"""Planted."""\n\n{code}\n')
    try:
        result = lint(house, contract)
    finally:
        planted.unlink()
    assert result.returncode == 1, result.stdout
    assert " 1 broken" in result.stdout
