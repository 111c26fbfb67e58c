"""The commands by a real server: the same results as in this process, and what they say when the server refuses."""

import hashlib
import json
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from api.cli import main
from api.commands.remote_run import NOTES
from examples.demo import DOCUMENTS
from examples.server import Server
from masker.client import Masker, Retries, blocking, restore
from masker.client.calls import name_in
from tests.servers.embedded import Embedded

TEXT = "Reem Alharbi, national ID 1012345672"
PEOPLE = "name,email\nNoura Almithali,noura@example.com\n"
CLEAN = "name,email\nPERSON_NAME_01,EMAIL_01\n"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def server(embedded: Embedded) -> Server:
    return embedded.account()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, server: Server) -> Run:
    """The command's own `main`, in this process, with the server of the environment: status and both streams."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(blocking, "Retries", lambda: Retries(waits=(0.01, 0.02, 0.04)))

    def once(*arguments: str | Path, **environment: str) -> tuple[int, str, str]:
        with monkeypatch.context() as patched:
            for name, value in {"MASKER_SERVER": server.url, "MASKER_API_KEY": server.key, **environment}.items():
                patched.setenv(name, value)
            patched.setattr("sys.argv", ["masker", *map(str, arguments)])
            with pytest.raises(SystemExit) as ended:
                main()
        return int(ended.value.code or 0), *capfd.readouterr()

    return once


def tree(root: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


def by_file(out: str) -> dict[str, Any]:
    return {row["file"]: row for row in json.loads(out)["files"]}


def test_texts(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "letter.txt"
    source.write_text(TEXT)
    status, out, _ = run("redact", source)
    assert (status, out) == (0, "PERSON_NAME_01, national ID NATIONAL_ID_01")
    mapping = tmp_path / "mapping.json"
    status, masked, err = run("mask", source, "--mapping", mapping)
    assert status == 0 and not err and "1012345672" not in masked
    assert restore(masked, json.loads(mapping.read_text())) == TEXT
    assert mapping.stat().st_mode & 0o777 == 0o600
    answer = json.loads(run("mask", source, "--json")[1])
    assert restore(answer["masked_text"], answer["mappings"]) == TEXT
    own = "A" * 43 + "="
    assert json.loads(run("mask", source, "--json", "--key", own)[1])["wrapped_dek"] is None
    assert json.loads(run("redact", source, "--json", "--synthetic")[1])["synthetic"]
    assert "RECOGNIZER" in run("redact", source, "--explain")[2]


def test_a_document_with_its_report(run: Run, tmp_path: Path) -> None:
    target, report = tmp_path / "out.pdf", tmp_path / "report.json"
    source = DOCUMENTS / "customer-letter.pdf"
    status, out, err = run("redact-file", source, "-o", target, "--report", report, "--json")
    assert status == 0, err
    figures, signed = json.loads(out), json.loads(report.read_text())["report"]
    assert figures["output"] == str(target) and figures["entities"] == signed["findings"] and figures["format"] == "pdf"
    assert hashlib.sha256(target.read_bytes()).hexdigest() == signed["output"]["sha256"]
    status, _, err = run("redact-file", source, "-o", tmp_path / "out.csv")
    assert (status, "a redacted PDF ends with" in err) == (2, True)


def test_what_the_server_refuses_leaves_no_output(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\nnothing")
    status, _, err = run("redact-file", broken, "-o", tmp_path / "out.pdf")
    assert status == 1 and err.startswith("masker: unsupported_format (")
    assert not (tmp_path / "out.pdf").exists()


def test_a_folder_and_its_names(run: Run, tmp_path: Path) -> None:
    source = tree(
        tmp_path / "in",
        {
            "a.csv": PEOPLE,
            "Noura Almithali/b.csv": PEOPLE,
            "Noura Almithali/Noura Almithali.csv": PEOPLE,
            "notes.md": "x",
        },
    )
    status, out, err = run(
        "redact-file", "-r", source, "-o", tmp_path / "out", "--json", "--report", tmp_path / "reports"
    )
    assert status == 0, err
    written = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("[!.]*.csv")}
    assert written == {"a.csv", "PERSON_NAME_01/b.csv", "PERSON_NAME_01/PERSON_NAME_01.csv"}
    assert {(tmp_path / "out" / name).read_text() for name in written} == {CLEAN}
    assert {row["result"] for row in by_file(out).values()} == {"ready", "skipped"}
    assert len(list((tmp_path / "reports").rglob("*.report.json"))) == 3
    assert json.loads((tmp_path / "out" / NOTES).read_text()) == {}
    again = by_file(
        run("redact-file", "-r", source, "-o", tmp_path / "out", "--json", "--report", tmp_path / "reports")[1]
    )
    assert again["a.csv"]["code"] == "done before"


def test_folder_names_lose_every_type(run: Run, tmp_path: Path, server: Server) -> None:
    """Whatever texts of the account are searched for, and where `_` joins the words."""
    source = tree(tmp_path / "in", {"Noura_Almithali/a.csv": PEOPLE, "ID 1058374925/b.csv": PEOPLE})
    with Masker(server.url, server.key) as masker:
        before = masker.entities()["enabled"]
        masker.set_entities(["EMAIL_ADDRESS"])
        status, _, err = run("redact-file", "-r", source, "-o", tmp_path / "out")
        masker.set_entities(before)
    assert status == 0, err
    made = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("[!.]*.csv")}
    assert made == {"PERSON_NAME_01/a.csv", "ID NATIONAL_ID_01/b.csv"}


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="a b.csv"', "a b.csv"), ("attachment; filename*=UTF-8''%D8%A3.csv", "أ.csv"),
        ('attachment; filename="../../x.csv"', "x.csv"), ('attachment; filename=".."', "redacted"), ("", "redacted"),
    ],
)  # fmt: skip
def test_names_that_a_server_gives_are_names(header: str, name: str) -> None:
    assert name_in({"content-disposition": header}) == name


def test_an_interrupted_folder_waits_for_what_was_sent(run: Run, tmp_path: Path, server: Server) -> None:
    """What a run had sent when it was killed is noted; the next one fetches it and sends and pays nothing again."""
    source = tree(tmp_path / "in", {"a.csv": PEOPLE})
    out = tmp_path / "out"
    out.mkdir()
    with Masker(server.url, server.key) as masker:
        file_id = masker.upload((source / "a.csv").read_bytes(), name="a.csv")["file_id"]
        masker.wait(file_id)
        key = hashlib.sha256(b"a.csv\0" + PEOPLE.encode()).hexdigest()
        (out / NOTES).write_text(json.dumps({key: file_id}))
        before = len(masker.files()["files"])
        assert run("redact-file", "-r", source, "-o", out)[0] == 0
        assert (out / "a.csv").read_text() == CLEAN
        assert len(masker.files()["files"]) == before
        (out / "a.csv").unlink()
        (out / NOTES).write_text(json.dumps({key: "0" * 36}))  # the server forgot it
        assert run("redact-file", "-r", source, "-o", out)[0] == 0
        assert len(masker.files()["files"]) == before + 1


@pytest.mark.parametrize("notes", ["", "[]", "{", "[" * 100_000])
def test_damaged_notes_are_as_none(run: Run, tmp_path: Path, notes: str) -> None:
    source = tree(tmp_path / "in", {"a.csv": PEOPLE})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / NOTES).write_text(notes)
    assert run("redact-file", "-r", source, "-o", tmp_path / "out")[0] == 0


@pytest.mark.parametrize("command", [("redact",), ("mask",)])
def test_refusals_are_one_line(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    text = tmp_path / "x.txt"
    text.write_text(TEXT)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = f"http://127.0.0.1:{taken.getsockname()[1]}"
    for environment, status, said in (
        ({"MASKER_API_KEY": "mk_wrong"}, 1, "does not accept the key"),
        ({"MASKER_API_KEY": ""}, 2, "set MASKER_API_KEY"),
        ({"MASKER_API_KEY": "naïve\nkey"}, 2, "not a bearer key"),
        ({"MASKER_SERVER": "nowhere"}, 2, "must be http://HOST"),
        ({"MASKER_SERVER": "http://[::1"}, 2, "must be http://HOST"),
        ({"MASKER_SERVER": closed}, 1, "does not answer"),
    ):
        ended, out, err = run(*command, text, **environment)
        assert (ended, out) == (status, ""), err
        assert err.startswith("masker: ") and said in err and err.count("\n") == 1 and "Reem" not in err


def test_a_server_that_is_away_fails_each_document(run: Run, tmp_path: Path) -> None:
    source = tree(tmp_path / "in", {"a.csv": PEOPLE})
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = f"http://127.0.0.1:{taken.getsockname()[1]}"
    status, _, err = run("redact-file", source / "a.csv", "-o", tmp_path / "a.csv", MASKER_SERVER=closed)
    assert (status, err) == (1, "masker: server_not_answering\n")


def test_the_variables_of_clients_are_no_unknown_settings(run: Run, tmp_path: Path) -> None:
    assert "is not a setting" not in run("redact-file", tmp_path / "none.csv", "-o", tmp_path / "x.csv")[2]
    text = tmp_path / "x.txt"
    text.write_text(TEXT)
    assert run("redact", text, MASKER_SERVER="")[1:] == ("PERSON_NAME_01, national ID NATIONAL_ID_01", "")
