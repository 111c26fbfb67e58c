"""`masker redact-file -r` as operators run it: what it writes, what it passes over, what it says, how it ends."""

import hashlib
import json
import os
import pty
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest

from api.cli import main
from api.commands.finished import NAME
from examples.server import MASKER

PEOPLE = "name,email\nNoura Almithali,noura@example.com\n"
CLEAN = "name,email\nPERSON_NAME_01,EMAIL_01\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, warm: None) -> Run:
    """The command's own `main`, in this process: its status and its two streams."""
    monkeypatch.chdir(tmp_path)

    def once(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["masker", "redact-file", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capfd.readouterr()

    return once


def tree(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def written(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("[!.]*")) if not path.is_dir()}


def summary(done: tuple[int, str, str]) -> dict[str, Any]:
    (line,) = done[1].splitlines()
    return dict(json.loads(line))


def by_file(done: tuple[int, str, str]) -> dict[str, Any]:
    return {row["file"]: row for row in summary(done)["files"]}


def test_a_folder_keeps_its_tree_and_its_names_keep_nobody(run: Run, tmp_path: Path) -> None:
    source = tree(
        tmp_path / "in",
        {
            "Noura Salem Almithali/2024/1012345672.csv": PEOPLE,
            "Noura Salem Almithali/note.tsv": PEOPLE.replace(",", "\t"),
            "plain/deep/er/x.csv": PEOPLE,
        },
    )
    status, _, _ = run("-r", source, "-o", tmp_path / "new/out")
    assert status == 0
    assert written(tmp_path / "new/out") == {
        "PERSON_NAME_01/2024/NATIONAL_ID_01.csv": CLEAN,
        "PERSON_NAME_01/note.tsv": CLEAN.replace(",", "\t"),
        "plain/deep/er/x.csv": CLEAN,
    }


def test_names_that_become_one_stay_apart(run: Run, tmp_path: Path) -> None:
    """Also from names that were so before, and where a file system takes both cases for one."""
    source = tree(
        tmp_path / "in",
        {
            "id 1000000008.csv": "a,b\nfirst,1\n",
            "id 1012345672.csv": "a,b\nsecond,1\n",
            "id NATIONAL_ID_01 (2).csv": "a,b\nthird,1\n",
            "ID national_id_01.csv": "a,b\nfourth,1\n",
            "Noura Salem Almithali.x/a.csv": "a,b\nx,1\n",
            "PERSON_NAME_01.x/a.csv": "a,b\ny,1\n",
        },
    )
    status, _, _ = run("-r", source, "-o", tmp_path / "out", "--jobs", "3")
    assert status == 0
    found = written(tmp_path / "out")
    assert len(found) == 6 == len({name.casefold() for name in found})
    rows = sorted(text.split("\n")[1] for text in found.values())
    assert rows == ["first,1", "fourth,1", "second,1", "third,1", "x,1", "y,1"]
    assert not [name for name in found if "1000000008" in name or "1012345672" in name or "Noura" in name]


def test_what_is_no_document_is_named_and_passed_over(run: Run, tmp_path: Path) -> None:
    """No link is followed: what it leads to lies outside, or is there already."""
    outside = tree(tmp_path / "outside", {"secret.csv": PEOPLE})
    source = tree(
        tmp_path / "in",
        {"a.csv": PEOPLE, ".hidden.csv": PEOPLE, ".git/b.csv": PEOPLE, "~$a.docx": "owner", "notes.txt": "Noura"},
    )
    (source / "link.csv").symlink_to(outside / "secret.csv")
    (source / "same.csv").symlink_to(source / "a.csv")
    (source / "folder").symlink_to(outside)
    os.mkfifo(source / "pipe.csv")
    done = run("-r", source, "-o", tmp_path / "out", "--json")
    assert done[0] == 0
    assert written(tmp_path / "out") == {"a.csv": CLEAN}
    assert {name: row["code"] for name, row in by_file(done).items() if row["result"] == "skipped"} == {
        ".hidden.csv": "hidden",
        ".git": "hidden",
        "~$a.docx": "hidden",
        "notes.txt": "not a document",
        "link.csv": "symbolic link",
        "same.csv": "symbolic link",
        "folder": "symbolic link",
        "pipe.csv": "not a file",
    }


def test_what_is_refused_is_told_by_its_code_and_the_others_are_written(run: Run, tmp_path: Path) -> None:
    source = tree(
        tmp_path / "in",
        {
            "a.csv": PEOPLE,
            "empty.csv": "",
            "old.doc": OLE,
            "locked.docx": OLE + "EncryptedPackage".encode("utf-16-le"),  # an encrypted package is an OLE file
            "macro.xlsm": b"PK\x03\x04 whatever",
            "broken.pdf": b"%PDF-1.7\nno document at all\nstartxref\n0\n%%EOF\n",
            "z.csv": PEOPLE,
        },
    )
    done = run("-r", source, "-o", tmp_path / "out", "--json")
    assert done[0] == 1
    codes = {name: row["code"] for name, row in by_file(done).items()}
    reasons = {name: row["reason"] for name, row in by_file(done).items() if row["reason"]}
    assert reasons == {
        "empty.csv": "empty",
        "old.doc": "legacy_office",
        "locked.docx": "encrypted",
        "macro.xlsm": "macro_enabled",
        "broken.pdf": "corrupt",
    }
    assert codes == {"a.csv": None, "z.csv": None, **dict.fromkeys(reasons, "unsupported_format")}
    assert written(tmp_path / "out") == {"a.csv": CLEAN, "z.csv": CLEAN}
    totals = summary(done)["totals"]
    assert (totals["ready"], totals["failed"], totals["skipped"], totals["entity_count"]) == (2, 5, 0, 4)
    assert totals["entities"] == {"EMAIL_ADDRESS": 2, "PERSON": 2}


def test_the_table_says_the_same_to_people(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", {"a.csv": PEOPLE, "old.xls": OLE, "n.txt": "x"})
    status, table, log = run("-r", source, "-o", tmp_path / "out")
    lines = [" ".join(line.split()) for line in table.splitlines()]
    assert status == 1
    assert lines[0] == "FILE FORMAT ENTITIES PAGES SECONDS RESULT"
    assert lines[1].startswith("a.csv csv EMAIL_ADDRESS 1, PERSON 1 0 ") and lines[1].endswith(" a.csv")
    assert lines[2] == "n.txt - skipped: not a document"
    assert lines[3] == "old.xls - failed: unsupported_format (legacy_office)"
    assert lines[4].startswith("3 files ") and lines[4].endswith(" 1 ready, 1 failed, 1 skipped")
    assert log == "masker: a.csv: ready\nmasker: old.xls: unsupported_format (legacy_office)\n"


def test_names_cannot_play_with_the_terminal(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", {"a\x1b[31m\u202eb\nc.csv": PEOPLE, os.fsdecode(b"\xff.csv"): PEOPLE})
    for arguments in ((), ("--json", "--force")):
        status, out, log = run("-r", source, "-o", tmp_path / "out", *arguments)
        assert status == 0
        assert not {"\x1b", "\u202e"} & {*log}
        assert arguments or not {"\x1b", "\u202e"} & {*out}
    assert [row["file"] for row in json.loads(out)["files"]] == ["a\x1b[31m\u202eb\nc.csv", "\ufffd.csv"]


def test_nothing_is_overwritten_unless_asked_for(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", {"a.csv": PEOPLE, "b.csv": PEOPLE})
    out = tree(tmp_path / "out", {"a.csv": "mine"})
    done = run("-r", source, "-o", out, "--json")
    assert (done[0], by_file(done)["a.csv"]["code"]) == (1, "exists")
    assert written(out) == {"a.csv": "mine", "b.csv": CLEAN}
    assert run("-r", source, "-o", out, "--force")[0] == 0
    assert written(out) == {"a.csv": CLEAN, "b.csv": CLEAN}


def test_a_run_that_is_repeated_does_only_what_is_left(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", {"a.csv": PEOPLE, "sub/b.csv": PEOPLE, "broken.pdf": "no"})
    out = tmp_path / "out"
    assert run("-r", source, "-o", out)[0] == 1
    (source / "broken.pdf").unlink()
    tree(source, {"a0.csv": PEOPLE, "sub/b.csv": PEOPLE + "Reem,reem@example.com\n"})
    (out / "sub" / "b.csv").unlink()
    done = run("-r", source, "-o", out, "--json")
    rows = by_file(done)
    assert (done[0], summary(done)["totals"]["skipped"]) == (0, 1)
    assert (rows["a.csv"]["result"], rows["a.csv"]["code"], rows["a.csv"]["output"]) == (
        "skipped",
        "done before",
        "a.csv",
    )
    assert {rows["a0.csv"]["result"], rows["sub/b.csv"]["result"]} == {"ready"}
    assert "reem" not in written(out)["sub/b.csv"]
    assert run("-r", source, "-o", out, "--json")[0] == 0  # nothing is left
    (out / "a.csv").write_text("mine")
    done = run("-r", source, "-o", out, "--json")  # an output that somebody changed stays
    assert (done[0], by_file(done)["a.csv"]["code"], written(out)["a.csv"]) == (1, "exists", "mine")
    assert summary(run("-r", source, "-o", out, "--force", "--json"))["totals"]["ready"] == 3


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', '{"a": ["../../etc/passwd", "0"]}', "{" * 100_000])
def test_a_damaged_list_of_finished_documents_is_as_none(run: Run, tmp_path: Path, content: str) -> None:
    source, out = tree(tmp_path / "in", {"a.csv": PEOPLE}), tree(tmp_path / "out", {NAME: content})
    assert run("-r", source, "-o", out)[0] == 0
    assert written(out) == {"a.csv": CLEAN}


def test_reports_that_are_wanted_later_are_made(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", {"a.csv": PEOPLE})
    run("-r", source, "-o", tmp_path / "out")
    done = run("-r", source, "-o", tmp_path / "out", "--report", tmp_path / "reports", "--json")
    assert by_file(done)["a.csv"]["code"] == "exists"  # said, not passed over
    assert run("-r", source, "-o", tmp_path / "out", "--report", tmp_path / "reports", "--force")[0] == 0
    assert (tmp_path / "reports" / "a.csv.report.json").exists()


def test_a_link_among_the_outputs_leads_nowhere(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", {"sub/a.csv": PEOPLE, "b.csv": PEOPLE})
    elsewhere = tree(tmp_path / "elsewhere", {"b.csv": "mine"})
    out = tmp_path / "out"
    out.mkdir()
    (out / "sub").symlink_to(elsewhere)
    (out / "b.csv").symlink_to(elsewhere / "b.csv")
    assert run("-r", source, "-o", out, "--force")[0] == 1
    assert written(elsewhere) == {"b.csv": "mine"}
    assert (out / "b.csv").read_text() == CLEAN


@pytest.mark.parametrize("target", ["in", "in/out", ".", "in/../in/sub", "link/x"])
def test_outputs_lie_apart_from_the_folder(run: Run, tmp_path: Path, target: str) -> None:
    source = tree(tmp_path / "in", {"a.csv": PEOPLE})
    (tmp_path / "link").symlink_to(source)
    before = written(tmp_path)
    status, out, log = run("-r", source, "-o", target)
    assert (status, out) == (2, "")
    assert "must lie apart" in log
    assert written(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("in", "-o", "out"), "in: Is a directory (-r redacts what is in it)"),
        (("-r", "in/a.csv", "-o", "out"), "in/a.csv: Not a directory"),
        (("-r", "nowhere", "-o", "out"), "nowhere: No such file or directory"),
        (("-r", "in", "-o", "in2/a.csv"), "in2/a.csv: File exists"),
        (("nowhere.csv", "-o", "out"), "nowhere.csv: No such file or directory"),
        (("in/a.csv", "-o", "in/a.csv"), "in/a.csv: is IN itself (--force replaces it)"),
        (("in/a.csv", "-o", "nowhere/a.csv"), "nowhere/a.csv: No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    tree(tmp_path, {"in/a.csv": PEOPLE, "in2/a.csv": "mine"})
    before = written(tmp_path)
    assert run(*arguments) == (2, "", f"masker: {message}\n")
    assert written(tmp_path) == before


def test_jobs_are_counted(run: Run, tmp_path: Path) -> None:
    tree(tmp_path, {"in/a.csv": PEOPLE})
    for jobs in ("0", "-1", "many"):
        assert run("-r", "in", "-o", "out", "--jobs", jobs)[0] == 2
    assert not (tmp_path / "out").exists()


def test_a_folder_without_documents(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    done = run("-r", "in", "-o", "out", "--json")
    assert done[0] == 0
    assert summary(done) == {
        "files": [],
        "totals": {
            "ready": 0, "failed": 0, "skipped": 0, "entity_count": 0, "entities": {}, "pages": 0, "seconds": 0,
        },
    }  # fmt: skip


def test_folders_deeper_than_a_path_may_be_long(run: Run, tmp_path: Path) -> None:
    """What cannot be looked at is named, and the command does not end well."""
    deep, before = tmp_path / "in", Path.cwd()
    deep.mkdir()
    try:
        os.chdir(deep)
        for _ in range(2100):
            Path("d").mkdir()
            os.chdir("d")
        os.chdir(before)
        tree(deep, {"a.csv": PEOPLE, "d/d/d/a.csv": PEOPLE})
        done = run("-r", "in", "-o", "out", "--json")
    finally:
        os.chdir(before)
        subprocess.run(["rm", "-rf", deep], check=True)  # the test's own tidying up is not made for it
    assert done[0] == 1
    assert [row["code"] for row in by_file(done).values()] == [None, None, "unreadable"]
    assert written(tmp_path / "out") == {"a.csv": CLEAN, "d/d/d/a.csv": CLEAN}


@pytest.mark.parametrize("command", ["folder", pytest.param("file", marks=pytest.mark.slow)])
@pytest.mark.parametrize("end", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_ctrl_c_leaves_no_file_and_no_child(tmp_path: Path, command: str, end: signal.Signals) -> None:
    source = tree(tmp_path / "in", {f"{number}.csv": "a,b\n" + PEOPLE * 40_000 for number in range(4)})
    arguments = f"-r {source} -o out --jobs 2" if command == "folder" else f"{source / '0.csv'} -o x.csv"
    process = subprocess.Popen(
        [MASKER, "redact-file", *arguments.split()],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
    )
    children = until(lambda: living_children(process.pid))
    process.send_signal(end)
    out, log = process.communicate(timeout=30)
    assert (process.returncode, out, log) == (130, b"", b"masker: interrupted\n")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and path.parent != source] == []
    until(lambda: not any(Path(f"/proc/{child}").exists() for child in children))


def living_children(pid: int) -> list[int]:
    """The parsers that run for a process."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def until(found: Callable[[], Any]) -> Any:
    """The first truthy answer within half a minute."""
    deadline, pause = monotonic() + 30, Event()
    while not (answer := found()):
        assert monotonic() < deadline
        pause.wait(0.01)
    return answer


def test_reports_come_beside(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each output, named after it; each speaks of that very file."""
    monkeypatch.setenv("MASKER_DATA_DIR", str(tmp_path / "data"))
    source = tree(tmp_path / "in", {"sub/1012345672.csv": PEOPLE, "b.csv": PEOPLE, "old.doc": OLE})
    assert run("-r", source, "-o", "out", "--report", "reports")[0] == 1
    reports, outputs = written(tmp_path / "reports"), written(tmp_path / "out")
    assert {name.removesuffix(".report.json") for name in reports} == set(outputs)
    assert set(outputs) == {"b.csv", "sub/NATIONAL_ID_01.csv"}
    for name, text in reports.items():
        output = outputs[name.removesuffix(".report.json")].encode()
        assert json.loads(text)["report"]["output"]["sha256"] == hashlib.sha256(output).hexdigest()
    assert run(source / "b.csv", "-o", "one.csv", "--report", "one.json")[0] == 0
    assert json.loads((tmp_path / "one.json").read_text())["report"]["findings"] == {"EMAIL_ADDRESS": 1, "PERSON": 1}


@pytest.mark.parametrize(
    "arguments",
    [pytest.param(("in/a.csv", "-o", "out.csv"), marks=pytest.mark.slow), ("-r", "in", "-o", "out")],
)
def test_on_a_terminal_bars_say_what_is_under_way(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    tree(tmp_path, {"in/a.csv": PEOPLE, "in/b.csv": PEOPLE})
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [MASKER, "redact-file", *arguments, "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(end)
    shown = b""
    try:
        while piece := os.read(terminal, 65536):
            shown += piece
    except OSError:  # how Linux says that the other end is closed
        pass
    out, _ = process.communicate(timeout=30)
    os.close(terminal)
    assert process.returncode == 0
    assert json.loads(out)
    assert b"a.csv: " in shown
    assert (b"documents" in shown) == (arguments[0] == "-r")
