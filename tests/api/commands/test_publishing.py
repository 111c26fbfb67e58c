"""A document and its report appear together or not at all, whatever ends the command in between."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.cli import main
from api.commands import publishing

PEOPLE = "name,email\nNoura Almithali,noura@example.com\n"
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def after(function: Callable[..., Any], calls: int, error: BaseException, *, done: bool = False) -> Callable[..., Any]:
    """The function, which `error` ends at a call of this number, or, once `done`, right behind it."""
    left = [calls]

    def broken(*args: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] == 0 and not done:
            raise error
        answer = function(*args, **named)
        if left[0] == 0:
            raise error
        return answer

    return broken


def files(folder: Path) -> dict[str, bytes]:
    """Everything in the folder, hidden files too."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("there", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()], ids=["disk full", "Ctrl-C"])
@pytest.mark.parametrize("done", [False, True], ids=["before", "behind"])
@pytest.mark.parametrize(
    ("owner", "name", "call"),
    [
        (os, "fsync", 1), (os, "fsync", 2), (os, "link", 1), (os, "link", 2),
        (Path, "replace", 1), (Path, "replace", 2), (publishing, "move", 1), (publishing, "move", 2),
        (publishing, "_fill", 2), (publishing, "_keep", 1), (publishing, "_keep", 2),
    ],
)  # fmt: skip
def test_all_of_it_or_nothing(
    owner: Any, name: str, call: int, done: bool, error: BaseException, there: bool, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    out, report = tmp_path / "out", tmp_path / "report"
    if there:
        out.write_bytes(b"old out")
        report.write_bytes(b"old report")
    before = files(tmp_path)
    with monkeypatch.context() as broken:
        broken.setattr(owner, name, after(getattr(owner, name), call, error, done=done))
        try:
            publishing.write((out, b"new out"), (report, b"new report"), force=True)
        except type(error):
            assert files(tmp_path) == before
        else:  # nothing to keep, or a file system without links: no reason to fail
            assert name == "link" and (not there or isinstance(error, OSError))
    publishing.write((out, b"new out"), (report, b"new report"), force=True)
    assert files(tmp_path) == {"out": b"new out", "report": b"new report"}


@pytest.mark.parametrize("done", [False, True], ids=["before", "behind"])
@pytest.mark.parametrize("name", ["link", "unlink"])
def test_drafts_that_cannot_all_be_named_are_not(
    name: str, done: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = [(publishing.draft(tmp_path, name.encode()), tmp_path / name) for name in ("one", "two")]
    (tmp_path / "two").write_bytes(b"taken")
    with pytest.raises(FileExistsError):
        publishing.publish(drafts, force=False)
    assert not (tmp_path / "one").exists() and (tmp_path / "two").read_bytes() == b"taken"
    drafts = [(publishing.draft(tmp_path, b"1"), tmp_path / "1"), (publishing.draft(tmp_path, b"2"), tmp_path / "2")]
    owner: Any = os if name == "link" else Path
    with monkeypatch.context() as broken:
        broken.setattr(owner, name, after(getattr(owner, name), 2, KeyboardInterrupt(), done=done))
        with pytest.raises(KeyboardInterrupt):
            publishing.publish(drafts, force=False)
    assert not (tmp_path / "1").exists() and not (tmp_path / "2").exists()


def redact_file(monkeypatch: pytest.MonkeyPatch, *arguments: Path | str) -> int:
    monkeypatch.setattr("sys.argv", ["masker", "redact-file", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_no_report_stays_where_the_document_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text(PEOPLE)
    (tmp_path / "x").mkdir()
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if Path(target).name == "out.csv":
            raise FULL
        return real(self, target)

    with monkeypatch.context() as broken:
        broken.setattr(Path, "replace", replace)
        assert (
            redact_file(broken, "in.csv", "-o", tmp_path / "x/out.csv", "--report", tmp_path / "x/out.json", "--force")
            == 2
        )
    assert files(tmp_path / "x") == {}
    assert capfd.readouterr().err.endswith(f"{tmp_path}/x/out.csv: No space left on device\n")
    assert redact_file(monkeypatch, "in.csv", "-o", "x/out.csv", "--report", "x/out.json") == 0
    assert sorted(files(tmp_path / "x")) == ["out.csv", "out.json"]


def test_a_report_does_not_take_the_place_of_its_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text(PEOPLE)
    assert redact_file(monkeypatch, "in.csv", "-o", "out.csv", "--report", "./out.csv") == 2
    assert "is both OUT and the report" in capfd.readouterr().err and sorted(files(tmp_path)) == ["in.csv"]
