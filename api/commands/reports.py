"""`masker verify-report`: checks a verification report offline, and that it belongs to a file."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.commands.console import Json, load, plain, printable, show, stop

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from pipeline.document_run import Redacted
    from schemas.files import Format
    from schemas.reports import SignedReport
    from schemas.settings import Settings

_CHUNK = 1024 * 1024
_MOST = 4 * 1024 * 1024  # bytes of a report or of a key


def verify_report_command(
    report: Annotated[Path, typer.Argument(metavar="REPORT", help="The report, as JSON.", show_default=False)],
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="The redacted file that the report came with.")
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            metavar="KEY",
            help="Public key: PEM, base64, or what /api/v1/files/report-key answers. This installation's without it.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a verification report offline. Exit status 1 when signature or file do not match."""
    from schemas.reports import MalformedReport, parse_signed
    from storage.report_key import NotAPublicKey, is_genuine

    try:
        raw, signed = parse_signed(_read(report))
    except MalformedReport as error:
        stop(f"{report}: {error}")
    try:
        keys = _keys(key)
    except NotAPublicKey as error:
        stop(f"{key}: {error}", 2)
    if not any(is_genuine(raw, signed.signature, known) for known in keys):
        expected = "this key" if key else "this installation"
        stop(f"{report}: the signature is not that of {expected} (signer: key {signed.signature.key_id})")
    if file is not None and _digest(file) != signed.report.output.sha256:
        stop(f"{file}: not the file that the report speaks of")
    _show(signed, file, "this installation" if key is None else plain(str(key)), as_json=as_json)


def _show(signed: "SignedReport", file: Path | None, signer: str, *, as_json: bool) -> None:
    """Prints the report and its signer: this installation, or the file of the public key."""
    if as_json:
        checked = {"verified": True, "signer": signer, "file_matches": None if file is None else True}
        show({**checked, **signed.model_dump(mode="json")}, as_json=True)
        return
    report = signed.report
    show(
        {
            "signature": "good",
            "signer": f"{printable(signer)}, key {signed.signature.key_id}",
            "file": "not checked (--file)" if file is None else "matches",
            "sha256": report.output.sha256,
            "format": report.format.value,
            "verified at": report.verified_at.isoformat().replace("+00:00", "Z"),
            "removed": _listed(report.findings.items()),
            "removed unread": _listed(report.removed_unread.items()),
            "left over": report.residual_count,
            "second reading": f"{report.second_reading.parts} parts, {report.second_reading.pages} pages, "
            + ", ".join(report.second_reading.readers),
        },
        as_json=False,
    )  # fmt: skip


def _listed(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{kind} {number}" for kind, number in counts) or "nothing"


def signed_report(settings: "Settings", redacted: "Redacted", format_: "Format", milliseconds: int) -> bytes:
    """The signed report of a document that was redacted without a server, as JSON."""
    from schemas.clock import utc_now
    from storage.opening import open_keyring
    from storage.report_key import signed

    report = redacted.proof.report(
        format_, redacted.rounds, file_id=None, milliseconds=milliseconds, verified_at=utc_now()
    )
    return signed(open_keyring(settings), report).model_dump_json(indent=2).encode() + b"\n"


def _keys(path: Path | None) -> "list[Ed25519PublicKey]":
    """The keys that may have signed the report. NotAPublicKey."""
    from storage.opening import open_keyring
    from storage.report_key import load_public_key, public_keys

    if path is not None:
        return load_public_key(_read(path))
    settings = load()
    if settings.master_key is None and not (settings.data_dir / "master.key").exists():
        stop(f"no master key in {settings.data_dir}: name the public key with --key", 2)
    return load_public_key(public_keys(open_keyring(settings)).model_dump_json().encode())


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(_MOST + 1)
    except OSError as error:
        stop(f"{path}: {error.strerror}", 2)
    return data if len(data) <= _MOST else b""


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        stop(f"{path}: {error.strerror}", 2)
    return digest.hexdigest()
