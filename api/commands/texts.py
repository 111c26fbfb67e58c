"""`masker mask` and `masker redact`: detection in a text, in this process, without server or account."""

import json
import os
import secrets
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from api.commands.console import Json, load, printable, say, stop, table, write

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
    as_json: Json = False,
) -> None:
    """Replace personal data by tokens: masker mask letter.txt --mapping letter.json > masked.txt

    With --json the whole answer, the mapping included. Without --key, tokens and envelope are made with a key of this
    run alone: only the mapping restores.
    """
    from api.engine.text_work import masked_answer
    from pipeline.transform.envelope import decode_key

    own_key = None if key is None else decode_key(key)
    started = perf_counter()
    answer = masked_answer(
        _detection(_read(file), explain=explain),
        key_material=key or secrets.token_urlsafe(32),
        own_key=own_key,
        legacy_spans=False,
        request_id=f"mask_{secrets.token_hex(4)}",
        show_mapping=True,
    )
    if mapping is not None:
        _write_mapping(mapping, answer.mappings or {})
    elif answer.mappings and not as_json:
        say("the mapping is lost with this run; --mapping FILE keeps it for `masker restore`")
    _print(answer, answer.masked_text, started, as_json=as_json)


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
    as_json: Json = False,
) -> None:
    """Replace personal data by numbered placeholders; nothing is recoverable. With --json the whole answer."""
    from pydantic import ValidationError

    from api.engine.text_work import redacted_answer
    from schemas.clock import riyadh_day, utc_now
    from schemas.text import RedactRequest

    try:
        transforms = dict.fromkeys(generalize or (), "generalize")
        RedactRequest.model_validate({"text": "-", "transforms": transforms})
    except ValidationError:
        stop("--generalize: only DATE_TIME and ADDRESS", 2)
    started, request_id = perf_counter(), f"redact_{secrets.token_hex(4)}"
    detection = _detection(_read(file), explain=explain)
    answer = redacted_answer(
        detection,
        transforms,
        today=riyadh_day(utc_now()),
        request_id=request_id,
        synthetic_under=secrets.token_urlsafe(32) if synthetic else None,
    )
    _print(answer, answer.redacted_text, started, as_json=as_json)


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
