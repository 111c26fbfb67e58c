"""The `masker` command as operators run it: its exit status and its two streams."""

import base64
import io
import json
import secrets
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api import cli
from api.cli import main
from examples.server import MASKER
from pipeline.sandbox.parent import ChildFailed
from pipeline.transform.mask import restore
from schemas.errors import StageFailed
from schemas.refusals import REMEDY, Reason
from schemas.version import VERSION

TEXT = "Write to noura@example.com or call 0501234567 — all good\r\n"


class Done(NamedTuple):
    """How a run ended, and its two streams."""

    returncode: int
    stdout: bytes
    stderr: bytes


class Run(Protocol):
    """One run of `masker` with nothing in its environment but the given settings."""

    def __call__(self, *arguments: str | Path, text: str | bytes = b"", **settings: str) -> Done: ...


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, warm: None) -> Run:
    """The command's own `main`, in this process and in a directory of its own; settings go to its environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ".data"))

    def once(*arguments: str | Path, text: str | bytes = b"", **settings: str) -> Done:
        data = io.BytesIO(text.encode() if isinstance(text, str) else text)
        with monkeypatch.context() as patch:
            patch.setattr("sys.argv", ["masker", *map(str, arguments)])
            patch.setattr("sys.stdin", io.TextIOWrapper(data, "utf-8", newline=""))
            for name, value in settings.items():
                patch.setenv(f"MASKER_{name}", value)
            with pytest.raises(SystemExit) as ended:
                main()
        return Done(int(ended.value.code or 0), *capfdbinary.readouterr())

    return once


def answer(done: Done) -> Mapping[str, object]:
    """Its one JSON line."""
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    return dict(json.loads(line))


def test_help_is_quick_and_whole(run: Run) -> None:
    """No heavy package is imported for it."""
    commands = ["serve", "worker", "migrate", "sweep", "mask", "redact", "redact-file"]
    listed = run("--help").stdout.decode()
    assert all(command in listed for command in [*commands, "account", "key"])
    code = "import sys, api.cli; print([m for m in ('fastapi','sqlalchemy','numpy','dramatiq') if m in sys.modules])"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert imported.stdout.strip() == "[]"


def test_mask_and_redact_print_the_text_alone(run: Run, tmp_path: Path) -> None:
    masked = run("mask", text=TEXT)
    assert masked.returncode == 0 and b"noura" not in masked.stderr
    assert b"noura" not in masked.stdout and masked.stdout.endswith(" — all good\r\n".encode())
    file = tmp_path / "text.txt"
    file.write_bytes(TEXT.encode())
    redacted = run("redact", file)
    assert redacted.stdout.decode().startswith("Write to EMAIL_01 or call PHONE_01 ")


def test_mask_with_json_prints_the_whole_answer(run: Run) -> None:
    body = answer(run("mask", "--json", text=TEXT))
    mapping = body["mappings"]
    assert isinstance(mapping, dict)
    assert restore(str(body["masked_text"]), mapping) == TEXT
    assert str(body["request_id"]).startswith("mask_")
    assert body["wrapped_dek"] is not None


@pytest.mark.parametrize("command", ["mask", "redact"])
def test_explanations_are_a_table_beside_the_text(run: Run, command: str) -> None:
    text = "MRN: 664120, ID 1000000008"
    done = run(command, "--explain", text=text)
    assert done.stdout.startswith(b"MRN: ") and b"START" not in done.stdout
    assert [" ".join(line.split()) for line in done.stderr.decode().splitlines()][-3:] == [
        "START END TYPE SCORE RECOGNIZER WHY",
        "5 11 MRN 0.85 mrn record number, beside a label; cue at 0-3",
        "16 26 NATIONAL_ID 0.95 identity 10 digits, leading 1; passes luhn",
    ]
    body = answer(run(command, "--explain", "--json", text=text))
    assert [(item["start"], item["type"]) for item in body["explanations"]] == [(5, "MRN"), (16, "NATIONAL_ID")]  # type: ignore[attr-defined]
    assert "explanations" not in answer(run(command, "--json", text=text))


def test_mask_under_a_key_of_ones_own(run: Run) -> None:
    key = secrets.token_bytes(32)
    body = answer(run("mask", "--json", "--key", base64.b64encode(key).decode(), text=TEXT))
    nonce, ciphertext = (base64.b64decode(str(body[name])) for name in ("nonce_payload", "ciphertext"))
    assert json.loads(AESGCM(key).decrypt(nonce, ciphertext, None)) == body["mappings"]
    refused = run("mask", "--key", "short", text=TEXT)
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert refused.stderr == b"masker: key must be valid base64\n"


def test_a_mapping_is_kept_and_restores(run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "mapping.json"
    masked = run("mask", "--mapping", kept, text=TEXT)
    assert (masked.returncode, masked.stderr) == (0, b"")
    assert kept.stat().st_mode & 0o777 == 0o600
    reply = masked.stdout + b"and <MASKED_PERSON_00000000> stays"
    restored = run("restore", "--mapping", kept, text=reply)
    assert (restored.returncode, restored.stdout.decode()) == (0, TEXT + "and <MASKED_PERSON_00000000> stays")
    again = run("mask", "--mapping", kept, text="other")
    assert (again.returncode, again.stdout, again.stderr) == (2, b"", f"masker: {kept}: exists\n".encode())
    assert b"--mapping FILE keeps it" in run("mask", text=TEXT).stderr
    assert run("mask", text="nothing to see").stderr == b""


@pytest.mark.parametrize("content", [b"", b"[]", b'{"a": 1}', b"{" * 100_000, b"\xff", None])
def test_what_is_no_mapping(run: Run, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "mapping.json"
    if content is not None:
        path.write_bytes(content)
    done = run("restore", "--mapping", path, text="x")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1


def test_the_version(run: Run) -> None:
    assert run("--version").stdout.decode() == f"masker {VERSION}\n"


def test_lists_of_accounts_and_keys(run: Run) -> None:
    for email in ("noura@example.com", "reem@example.com"):
        run("account", "create", "--email", email, "--paid-tokens", "7", "--json")
    made = answer(run("key", "create", "--email", "reem@example.com", "--name", "batch\x1b[31m", "--json"))
    accounts = answer(run("account", "list", "--json"))["accounts"]
    assert [(row["email"], row["free_tokens"], row["paid_tokens"]) for row in accounts] == [
        ("noura@example.com", 10_000, 7), ("reem@example.com", 10_000, 7),
    ]  # fmt: skip
    (key,) = answer(run("key", "list", "--email", "reem@example.com", "--json"))["keys"]
    assert key["key_id"] == made["key_id"]
    assert made["key"].startswith(key["prefix"]) and made["key"] not in json.dumps(key)
    assert "reem@example.com" in run("account", "list").stdout.decode()
    shown = run("key", "list", "--email", "reem@example.com").stdout
    assert made["key_id"].encode() in shown and b"\x1b" not in shown
    assert answer(run("key", "list", "--email", "noura@example.com", "--json")) == {"keys": []}


def test_a_failure_with_json_is_json(run: Run, tmp_path: Path) -> None:
    done = run("key", "list", "--email", "nobody@example.com", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"error": "no account has this e-mail address", "exit_status": 1}
    assert done.stderr == b"masker: no account has this e-mail address\n"
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 broken")
    done = run("redact-file", broken, "-o", tmp_path / "out.pdf", "--json")
    assert done.returncode != 0
    assert json.loads(done.stdout)["exit_status"] == done.returncode


def test_redact_generalizes_where_asked(run: Run) -> None:
    done = run("redact", "--generalize", "DATE_TIME", text="Invoice of 02/17/2025")
    assert done.stdout == b"Invoice of 2025"
    assert run("redact", "--generalize", "PERSON", text="x").returncode == 2


@pytest.mark.parametrize("arguments", [["mask"], ["redact"], ["mask", "nowhere.txt"]])
def test_a_text_that_cannot_be_read(run: Run, arguments: list[str], tmp_path: Path) -> None:
    done = run(*arguments, text=b"Noura \xff\xfe")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"masker: the text ") and b"Traceback" not in done.stderr


def test_accounts_and_keys(run: Run, tmp_path: Path) -> None:
    kept = {"DATA_DIR": str(tmp_path)}
    email = ("--email", "someone@example.com")
    created = answer(run("account", "create", *email, "--paid-tokens", "5", "--json", **kept))
    assert UUID(str(created["account_id"])) and len(str(created["password"])) >= 8
    assert answer(run("account", "credit", *email, "--tokens", "7", "--json", **kept))["paid_tokens"] == 12
    key = answer(run("key", "create", *email, "--name", "ci", "--judge-allowed", "--json", **kept))
    assert key.keys() == {"key_id", "key"} and str(key["key"]).startswith("mk_live_")
    assert answer(run("key", "revoke", str(key["key_id"]), "--json", **kept))["revoked"] is True
    for arguments, message in (
        (("account", "create", *email), "Email already registered"),
        (("account", "create", "--email", "nonsense"), "Value is not an e-mail address"),
        (("key", "create", "--email", "nobody@example.com"), "no account has this e-mail address"),
        (("key", "revoke", "nonsense"), "no such key"),
        (("key", "revoke", str(UUID(int=1))), "no such key"),
        (("account", "create", "--email", "x@example.com", "--password-stdin"), "At least 8 characters"),
    ):
        done = run(*arguments, text="short\n", **kept)
        assert done.returncode != 0 and done.stdout == b""
        assert done.stderr.decode() == f"masker: {message}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("account", "create", "--email", "\udcff@example.com"), "Value is not an e-mail address"),
        (("account", "create", "--paid-tokens", "9" * 20), "A credit adds 1 to 1000000000000000 tokens"),
        (("account", "create", "--created-at", "0001-01-01T00:00+14:00"), "--created-at: not an ISO 8601 moment"),
        (("key", "create", "--name", "\udcff"), "The name must be valid Unicode without NUL"),
        (("key", "create", "--name", "x" * 201), "A name has 1 to 200 characters"),
        (("key", "create", "--name", " "), "A name has 1 to 200 characters"),
    ],
)
def test_what_no_account_takes(run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    """Bytes that are no UTF-8 arrive in arguments as lone surrogates."""
    kept, email = {"DATA_DIR": str(tmp_path)}, () if "--email" in arguments else ("--email", "someone@example.com")
    if arguments[0] == "key":
        answer(run("account", "create", *email, "--json", **kept))
    done = run(*arguments, *email, **kept)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", f"masker: {message}\n")


def test_a_master_key_that_opens_nothing(run: Run, tmp_path: Path) -> None:
    """What was sealed under another master key is named as such; keys cannot be made beside it."""
    kept, email = {"DATA_DIR": str(tmp_path)}, ("--email", "someone@example.com")
    answer(run("account", "create", *email, "--json", **kept))
    answer(run("key", "create", *email, "--json", **kept))
    done = run("key", "create", *email, MASTER_KEY=base64.b64encode(secrets.token_bytes(32)).decode(), **kept)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"masker: MASKER_MASTER_KEY: ")


def test_a_data_directory_that_is_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    done = run("migrate", DATA_DIR=str(tmp_path / "file"))
    assert (done.returncode, done.stderr) == (2, b"masker: MASKER_DATA_DIR: File exists\n")


def test_an_output_that_is_full(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([MASKER, "redact"], input=b"x", stdout=full, stderr=subprocess.PIPE, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, b"masker: No space left on device\n")


def test_a_sweep_and_a_migration(run: Run, tmp_path: Path) -> None:
    kept = {"DATA_DIR": str(tmp_path)}
    assert answer(run("migrate", "--json", **kept)) == {"migrated": True}
    assert answer(run("sweep", "--json", **kept))["expired"] == 0


@pytest.mark.parametrize("command", ["serve", "worker"])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"RATE_LIMIT_PER_MINUTE": "many-secret"}, "MASKER_RATE_LIMIT_PER_MINUTE: "),
        ({"MASTER_KEY": "c2VjcmV0"}, "MASKER_MASTER_KEY: must be base64 of 32 bytes"),
        ({"DATABASE_URL": "postgresql://u:secret@127.0.0.1:1/x"}, "MASKER_MASTER_KEY is required"),
        ({"DATABASE_URL": "mysql://u:secret@127.0.0.1:1/x", "MASTER_KEY": "A" * 43 + "="}, "MASKER_DATABASE_URL: "),
    ],
)
def test_a_bad_setting_is_named_and_ends_the_start(
    run: Run, tmp_path: Path, command: str, settings: dict[str, str], message: str
) -> None:
    done = run(command, **{"DATA_DIR": str(tmp_path), "REDIS_URL": "redis://127.0.0.1:1", **settings})
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"masker: {message}")
    assert b"Traceback" not in done.stderr and b"secret" not in done.stderr


def test_a_damaged_key_file_stops_the_start(run: Run, tmp_path: Path) -> None:
    (tmp_path / "master.key").write_text("secret")
    done = run("serve", DATA_DIR=str(tmp_path))
    assert done.returncode == 2
    assert b"master.key must hold base64 of 32 bytes" in done.stderr and b"Traceback" not in done.stderr


def test_an_unknown_variable_is_a_warning(run: Run, tmp_path: Path) -> None:
    done = run("migrate", DATA_DIR=str(tmp_path), RATE_LIMIT="5")
    assert done.returncode == 0
    assert done.stderr == b"masker: warning: MASKER_RATE_LIMIT is not a setting of Masker\n"


def test_workers_for_unknown_queues(run: Run, tmp_path: Path) -> None:
    done = run("worker", "--queues", "light,nonsense", DATA_DIR=str(tmp_path))
    assert done.returncode == 2 and done.stderr.startswith(b"masker: --queues: only light, ")


def test_redact_file(run: Run, tmp_path: Path) -> None:
    """One document through the whole pipeline, without a server."""
    source, target = tmp_path / "people.csv", tmp_path / "out.csv"
    source.write_text("name,email\nNoura Almithali,noura@example.com\n", "utf-8")
    body = answer(run("redact-file", source, "-o", target, "--json"))
    assert body["entity_count"] == 2
    assert target.read_text("utf-8") == "name,email\nPERSON_NAME_01,EMAIL_01\n"


def test_an_output_that_is_a_directory(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_bytes(b"a,b\n")
    for target in (tmp_path, "/"):
        done = run("redact-file", source, "-o", target)
        assert (done.returncode, done.stderr.decode()) == (2, f"masker: {target}: Is a directory\n")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.csv", b"", "empty"),
        ("a.xyz", b"a", "unknown_type"),
        ("a.pdf", b"%PDF-1.7 nothing more %%EOF", "corrupt"),
        ("a.docx", b"PK\x03\x04 cut off", "corrupt"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "legacy_office"),
    ],
)
def test_no_output_unless_proven_clean(run: Run, tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    source, target = tmp_path / name, tmp_path / "out"
    source.write_bytes(data)
    done = run("redact-file", source, "-o", target)
    message = f"masker: unsupported_format ({reason}): {REMEDY[Reason(reason)]}\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", message)
    assert [path.name for path in tmp_path.iterdir()] == [name]


PEOPLE = b"name,email\nNoura Almithali,noura@example.com\n"
REDACTED = b"name,email\nPERSON_NAME_01,EMAIL_01\n"


def test_nothing_that_exists_is_replaced_unless_asked_for(run: Run, tmp_path: Path) -> None:
    source, target, report = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "report.json"
    source.write_bytes(PEOPLE)
    for there in (target, report):
        there.write_bytes(b"precious")
        done = run("redact-file", source, "-o", target, "--report", report)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode() == f"masker: {there}: exists (--force replaces it)\n"
        assert there.read_bytes() == b"precious" and {path.name for path in tmp_path.iterdir()} == {
            "in.csv",
            there.name,
        }
        there.unlink()
    assert run("redact-file", source, "-o", source).stderr.endswith(b"is IN itself (--force replaces it)\n")
    target.write_bytes(b"old")
    assert run("redact-file", source, "-o", target, "--force").returncode == 0
    assert target.read_bytes() == REDACTED


def test_the_document_on_standard_output(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(PEOPLE)
    done = run("redact-file", source, "-o", "-", "--report", tmp_path / "report.json")
    assert (done.returncode, done.stdout) == (0, REDACTED)
    assert (tmp_path / "report.json").exists() and not (tmp_path / "-").exists()
    done = run("redact-file", source, "-o", "-", "--json")
    assert (done.returncode, json.loads(done.stdout)["exit_status"]) == (2, 2)
    source.write_bytes(b"\0")
    assert run("redact-file", source, "-o", "-").stdout == b""


@pytest.mark.parametrize(("name", "fits"), [("out.pdf", False), ("out.txt", False), ("out.TSV", True), ("out", True)])
def test_the_ending_of_the_output(run: Run, tmp_path: Path, name: str, fits: bool) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(PEOPLE)
    done = run("redact-file", source, "-o", tmp_path / name)
    assert (done.returncode == 0) is (tmp_path / name).exists() is fits
    assert fits or b"a redacted CSV ends with .csv or .tsv or .tab" in done.stderr


def test_a_name_without_an_ending_is_no_obstacle(run: Run, tmp_path: Path) -> None:
    """The content tells what the document is."""
    source, sample = tmp_path / "scan", Path(__file__).parents[3] / "examples" / "documents" / "customer-letter.docx"
    source.write_bytes(sample.read_bytes())
    assert answer(run("redact-file", source, "-o", tmp_path / "out.docx", "--json"))["format"] == "docx"


def test_one_count(run: Run, tmp_path: Path) -> None:
    """The command and its signed report count alike, also where a page is read in two orders."""
    source = Path(__file__).parents[3] / "examples" / "documents" / "customer-letter.pdf"
    report = tmp_path / "report.json"
    said = answer(run("redact-file", source, "-o", tmp_path / "out.pdf", "--report", report, "--json"))
    assert said["entities"] == json.loads(report.read_text())["report"]["findings"]


def test_one_key_for_every_directory(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(PEOPLE)
    keys = set()
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert run("redact-file", source, "-o", "out.csv", "--report", "report.json").returncode == 0
        assert {path.name for path in Path().iterdir()} == {"out.csv", "report.json"}
        done = run("verify-report", "report.json")
        keys.add(next(line for line in done.stdout.decode().splitlines() if line.startswith("signer: ")))
    (signer,) = keys
    assert signer.startswith("signer: this installation, key ")


@pytest.mark.parametrize(
    ("error", "said"), [(StageFailed("timeout"), "timeout"), (ChildFailed("died"), "a process of the sandbox ended")]
)
def test_a_sandbox_that_fails_is_one_line(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith(f"masker: {said}")
