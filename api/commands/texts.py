"""`masker mask` and `masker redact`: the detection stage on a text, in process, without server or account."""

import secrets
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from api.commands.console import Json, stop, write

if TYPE_CHECKING:
    from schemas.spans import Detection
    from schemas.text import MaskResponse, RedactResponse

File = Annotated[Path | None, typer.Argument(help="UTF-8 text; standard input when left out.", show_default=False)]


def mask_command(
    file: File = None,
    key: Annotated[str | None, typer.Option(help="Seal the mapping under your own key: base64 of 32 bytes.")] = None,
    as_json: Json = False,
) -> None:
    """Replace personal data by tokens. With --json the whole answer, the mapping included.

    Without --key, tokens and envelope are made with a key of this run alone: only the mapping in the answer restores.
    """
    from api.text_answers import masked_answer
    from pipeline.transform.envelope import decode_key

    own_key = None if key is None else decode_key(key)
    started = perf_counter()
    answer = masked_answer(
        _detection(_read(file)),
        key_material=key or secrets.token_urlsafe(32),
        own_key=own_key,
        legacy_spans=False,
        request_id=f"mask_{secrets.token_hex(4)}",
        show_mapping=True,
    )
    _print(answer, answer.masked_text, started, as_json=as_json)


def redact_command(
    file: File = None,
    generalize: Annotated[
        list[str] | None, typer.Option(help="DATE_TIME or ADDRESS: give a year, an age or a city where it is safe.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Replace personal data by numbered placeholders; nothing is recoverable. With --json the whole answer."""
    from pydantic import ValidationError

    from api.text_answers import redacted_answer
    from schemas.clock import riyadh_day, utc_now
    from schemas.text import RedactRequest

    try:
        transforms = dict.fromkeys(generalize or (), "generalize")
        RedactRequest.model_validate({"text": "-", "transforms": transforms})
    except ValidationError:
        stop("--generalize: only DATE_TIME and ADDRESS", 2)
    started, request_id = perf_counter(), f"redact_{secrets.token_hex(4)}"
    answer = redacted_answer(_detection(_read(file)), transforms, today=riyadh_day(utc_now()), request_id=request_id)
    _print(answer, answer.redacted_text, started, as_json=as_json)


def _detection(text: str) -> "Detection":
    """With every type on."""
    from pipeline.detect.detector import Detector

    return Detector().detect(text)


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
        return
    elapsed = round((perf_counter() - started) * 1000)
    write(answer.model_copy(update={"processing_time_ms": elapsed}).model_dump_json() + "\n")
