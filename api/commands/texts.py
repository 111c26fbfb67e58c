"""`masker mask` and `masker redact`: detection in a text, in this process or by a server."""

import json
import os
import secrets
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from api.commands.console import Json, load, printable, say, stop, table, write
from api.commands.remote import ApiKey, Server, client

if TYPE_CHECKING:
    from schemas.spans import Detection
    from schemas.text import Explanation, MaskResponse, RedactResponse

File = Annotated[Path | None, typer.Argument(help="UTF-8 text; standard input when left out.", show_default=False)]

Explain = Annotated[
    bool, typer.Option("--explain", help="Say on standard error what made each entity; with --json, in the answer.")
]


def mask_command(
    file: File = None,
    key: Annotated[str | None, typer.Option(help="Seal the mapping under your own key: base64 of 32 bytes.")] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="Write what `masker restore` needs to this new file, for its owner alone.")
    ] = None,
    explain: Explain = False,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Replace personal data by tokens: masker mask letter.txt --mapping letter.json > masked.txt

    With --json the whole answer, the mapping included. Without --key, tokens and envelope are made with a key of this
    run alone: only the mapping restores.
    """
    from pipeline.transform.envelope import decode_key

    own_key = None if key is None else decode_key(key)
    started, text = perf_counter(), _read(file)
    if server is None:
        answer = _masked_here(text, key, own_key, explain=explain)
    else:
        answer = _masked_there(text, key, server, api_key, explain=explain)
    if mapping is not None:
        _write_mapping(mapping, answer.mappings or {})
    elif answer.mappings and not as_json:
        say("the mapping is lost with this run; --mapping FILE keeps it for `masker restore`")
    _print(answer, answer.masked_text, started, as_json=as_json)


def _masked_here(text: str, key: str | None, own_key: bytes | None, *, explain: bool) -> "MaskResponse":
    from api.engine.text_work import masked_answer
    from schemas.text import MaskResponse

    answer = masked_answer(
        _detection(text, explain=explain),
        key_material=key or secrets.token_urlsafe(32),
        own_key=own_key,
        legacy_spans=False,
        request_id=f"mask_{secrets.token_hex(4)}",
        show_mapping=True,
    )
    return MaskResponse.model_validate(answer)


def _masked_there(text: str, key: str | None, server: str, api_key: str | None, *, explain: bool) -> "MaskResponse":
    """The answer of a server, with the mapping that its envelope holds."""
    from masker.client import open_envelope
    from schemas.text import MaskResponse

    with client(server, api_key) as masker:
        sealed = masker.mask(text, key=key, explain=explain or None)
        mapping = masker.open_envelope(sealed) if key is None else open_envelope(sealed, key)
    return MaskResponse.model_validate({**sealed, "mappings": mapping})


def restore_command(
    mapping: Annotated[Path, typer.Option(help="What `masker mask --mapping` wrote.")],
    file: File = None,
) -> None:
    """Put the values back where their tokens stand: masker restore reply.txt --mapping letter.json"""
    from pipeline.transform.mask import restore

    try:
        known = json.loads(mapping.read_bytes())
        if not isinstance(known, dict) or not all(isinstance(value, str) for value in known.values()):
            raise ValueError
    except OSError as error:
        stop(f"{printable(str(mapping))}: {error.strerror}", 2)
    except (ValueError, RecursionError):
        stop(f"{printable(str(mapping))}: no mapping of `masker mask --mapping`", 2)
    write(restore(_read(file), known))


def _write_mapping(path: Path, mapping: dict[str, str]) -> None:
    """Creates the file with mode 0600; an existing one stays as it is."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as target:
            json.dump(mapping, target, ensure_ascii=False)
            target.write("\n")
    except FileExistsError:
        stop(f"{printable(str(path))}: exists", 2)
    except OSError as error:
        stop(f"{printable(str(path))}: {error.strerror}", 2)


def redact_command(
    file: File = None,
    generalize: Annotated[
        list[str] | None, typer.Option(help="DATE_TIME or ADDRESS: give a year, an age or a city where it is safe.")
    ] = None,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="Plausible stand-ins instead of placeholders; others in each run.")
    ] = False,
    explain: Explain = False,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Replace personal data by numbered placeholders; nothing is recoverable. With --json the whole answer."""
    from pydantic import ValidationError

    from schemas.text import RedactRequest

    try:
        transforms = dict.fromkeys(generalize or (), "generalize")
        RedactRequest.model_validate({"text": "-", "transforms": transforms})
    except ValidationError:
        stop("--generalize: only DATE_TIME and ADDRESS", 2)
    started, text = perf_counter(), _read(file)
    if server is None:
        answer = _redacted_here(text, transforms, synthetic=synthetic, explain=explain)
    else:
        answer = _redacted_there(text, transforms, server, api_key, synthetic=synthetic, explain=explain)
    _print(answer, answer.redacted_text, started, as_json=as_json)


def _redacted_here(text: str, transforms: dict[str, str], *, synthetic: bool, explain: bool) -> "RedactResponse":
    from api.engine.text_work import redacted_answer
    from schemas.clock import riyadh_day, utc_now
    from schemas.text import RedactResponse

    answer = redacted_answer(
        _detection(text, explain=explain),
        transforms,
        today=riyadh_day(utc_now()),
        request_id=f"redact_{secrets.token_hex(4)}",
        synthetic_under=secrets.token_urlsafe(32) if synthetic else None,
    )
    return RedactResponse.model_validate(answer)


def _redacted_there(
    text: str, transforms: dict[str, str], server: str, api_key: str | None, *, synthetic: bool, explain: bool
) -> "RedactResponse":
    from schemas.text import RedactResponse

    replacement = "synthetic" if synthetic else None
    with client(server, api_key) as masker:
        answer = masker.redact(text, transforms=transforms or None, replacement=replacement, explain=explain or None)
    return RedactResponse.model_validate(answer)


def _detection(text: str, *, explain: bool) -> "Detection":
    """Detects with all types on."""
    from pipeline.detect.detector import Detector
    from schemas.spans import DetectOptions

    return Detector(names=load().names_in_files).detect(text, DetectOptions(explain=explain))


def _read(file: Path | None) -> str:
    try:
        return (sys.stdin.buffer.read() if file is None else file.read_bytes()).decode()
    except UnicodeDecodeError:
        stop("the text is not UTF-8", 2)
    except OSError as error:
        stop(f"the text cannot be read: {error.strerror}", 2)


def _print(answer: "MaskResponse | RedactResponse", text: str, started: float, *, as_json: bool) -> None:
    if not as_json:
        write(text)
        if "explanations" in answer.model_fields_set:
            _print_table([_row(item) for item in answer.explanations])
        return
    elapsed = round((perf_counter() - started) * 1000)
    write(answer.model_copy(update={"processing_time_ms": elapsed}).model_dump_json(exclude_unset=True) + "\n")


def _row(item: "Explanation") -> tuple[str, ...]:
    why = item.why
    reasons = [why.shape]
    if why.check is not None:
        reasons.append(f"passes {why.check}")
    if why.cue is not None:
        reasons.append(f"cue at {why.cue.start}-{why.cue.end}")
    if why.outranked:
        reasons.append("outranks " + ", ".join(f"{lost.type} {lost.start}-{lost.end}" for lost in why.outranked))
    return str(item.start), str(item.end), item.type, f"{item.score:.2f}", item.recognizer, "; ".join(reasons)


def _print_table(rows: list[tuple[str, ...]]) -> None:
    """Prints explanations on standard error, so that standard output holds only the text. Places, never values."""
    typer.echo(err=True)
    table(("START", "END", "TYPE", "SCORE", "RECOGNIZER", "WHY"), rows, err=True)
