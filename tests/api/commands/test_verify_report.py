"""`masker redact-file --report` and `masker verify-report`: a proof handed over and checked, without a server."""

import hashlib
import json
from pathlib import Path

import pytest

from storage.encryption import load_keyring
from storage.report_key import public_keys
from tests.api.commands.test_cli import Run, answer, run

__all__ = ["run"]
CSV = "Name,National ID\nNoura Almithali,1058374925\nnobody,-\n"


@pytest.fixture
def handed_over(run: Run, tmp_path: Path) -> tuple[Path, Path]:
    """A redacted file and its report."""
    source, output, report = (tmp_path / name for name in ("in.csv", "out.csv", "report.json"))
    source.write_text(CSV)
    done = run("redact-file", source, "-o", output, "--report", report)
    assert done.returncode == 0, done.stderr
    return output, report


def test_a_report_is_written_with_the_file_and_verified(
    run: Run, handed_over: tuple[Path, Path], tmp_path: Path
) -> None:
    output, report = handed_over
    said = json.loads(report.read_text())["report"]
    assert said["output"]["sha256"] == hashlib.sha256(output.read_bytes()).hexdigest()
    assert said["findings"] == {"NATIONAL_ID": 1, "PERSON": 1} and said["file_id"] is None
    assert "Noura" not in report.read_text() and "1058374925" not in report.read_text()
    done = run("verify-report", report, "--file", output)
    assert done.returncode == 0 and b"signature: good" in done.stdout and b"file: matches" in done.stdout
    whole = answer(run("verify-report", report, "--file", output, "--json"))
    assert whole["verified"] is True and whole["file_matches"] is True and whole["report"] == said
    assert answer(run("verify-report", report, "--json"))["file_matches"] is None


@pytest.mark.parametrize("form", ["pem", "public_key", "json"])
def test_it_is_verified_elsewhere_with_the_public_key(
    run: Run, handed_over: tuple[Path, Path], tmp_path: Path, form: str
) -> None:
    output, report = handed_over
    keys, key = public_keys(load_keyring(tmp_path / ".data" / "masker", None)), tmp_path / "key"
    key.write_text(keys.model_dump_json() if form == "json" else getattr(keys, form))
    elsewhere = str(tmp_path / "elsewhere")
    done = run("verify-report", report, "--file", output, "--key", key, DATA_DIR=elsewhere)
    assert done.returncode == 0, done.stderr
    assert not Path(elsewhere).exists(), "verifying makes no key"
    done = run("verify-report", report, DATA_DIR=elsewhere)
    assert done.returncode == 2 and b"--key" in done.stderr


def test_another_file_is_not_the_one(run: Run, handed_over: tuple[Path, Path]) -> None:
    output, report = handed_over
    output.write_bytes(output.read_bytes() + b"\n")
    done = run("verify-report", report, "--file", output)
    assert done.returncode == 1 and b"not the file" in done.stderr and not done.stdout


def test_a_report_of_another_installation_or_a_changed_one(
    run: Run, handed_over: tuple[Path, Path], tmp_path: Path
) -> None:
    _, report = handed_over
    load_keyring(tmp_path / "other", None)
    done = run("verify-report", report, DATA_DIR=str(tmp_path / "other"))
    assert done.returncode == 1 and b"signature" in done.stderr
    changed = report.read_text().replace('"NATIONAL_ID": 1', '"NATIONAL_ID": 2')
    assert changed != report.read_text()
    report.write_text(changed)
    assert run("verify-report", report).returncode == 1


@pytest.mark.parametrize("text", ["", "{}", "[]", "\udc80", '{"report": {}, "signature": {}}', "[" * 99_999])
def test_what_is_no_report(run: Run, tmp_path: Path, text: str) -> None:
    report = tmp_path / "report.json"
    report.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = run("verify-report", report)
    assert done.returncode == 1 and b"not a signed verification report" in done.stderr


def test_what_cannot_be_opened(run: Run, tmp_path: Path) -> None:
    assert run("verify-report", tmp_path / "missing").returncode == 2
    report = tmp_path / "report.json"
    report.write_text("{}")
    assert run("verify-report", report, "--key", tmp_path / "missing").returncode in (1, 2)


def test_no_report_unless_proven_clean(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.pdf").write_bytes(b"%PDF-1.7 not one")
    done = run("redact-file", tmp_path / "in.pdf", "-o", tmp_path / "out.pdf", "--report", tmp_path / "report.json")
    assert done.returncode == 1 and not (tmp_path / "report.json").exists()
