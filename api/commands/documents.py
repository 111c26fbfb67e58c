"""`masker redact-file`: one document through the whole pipeline in process, parsing still in the sandbox child."""

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.commands.console import Json, load, show, stop

if TYPE_CHECKING:
    from collections.abc import Callable

    from schemas.files import Format
    from schemas.settings import Settings

_CHUNK = 1024 * 1024
_STEPS = 5  # inspect, extract, OCR, redact, verify


def redact_file_command(
    source: Annotated[Path, typer.Argument(metavar="IN", help="PDF, DOCX, CSV, PNG or JPEG.", show_default=False)],
    target: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="Written only when proven clean.")],
    as_json: Json = False,
) -> None:
    """Redact one document. Exit status 1 and no OUT when the result cannot be proven clean."""
    from schemas.errors import StageFailed, UnsupportedFormat

    settings = load()
    if target.is_dir():
        stop(f"{target}: Is a directory", 2)
    try:
        data = source.read_bytes()
    except OSError as error:
        stop(f"{source}: {error.strerror}", 2)
    try:
        with _progress() as step:
            output, counts = _redact(settings, data, _format(source, data), step)
    except UnsupportedFormat:
        stop("unsupported_format")
    except StageFailed as failed:
        stop(failed.code)
    _publish(target, output)
    if as_json:
        show({"output": str(target), "entity_count": sum(counts.values()), "entities": counts}, as_json=True)


def _redact(
    settings: "Settings", data: bytes, format_: "Format", step: "Callable[[str], None]"
) -> tuple[bytes, dict[str, int]]:
    """The proven output, and how many places of each type were removed. StageFailed."""
    from collections import Counter

    from pipeline.detect.detector import Detector
    from pipeline.file_run import redact_document
    from pipeline.sandbox import Sandbox

    redacted = redact_document(
        Sandbox(settings.sandbox_mode.value),
        Detector(),
        format_,
        data,
        max_pages=settings.max_file_pages,
        heard=lambda progress: step(progress.stage),
    )
    return redacted.data, dict(Counter(place.type for place in redacted.findings.places))


def _format(source: Path, data: bytes) -> "Format":
    """What the bytes are, the suffix standing for a declared content type. UnsupportedFormat."""
    from pipeline.sniff import Sniffer
    from schemas.errors import UnsupportedFormat
    from schemas.files import MEDIA_TYPE, Format

    suffix = {"jpg": "jpeg", "tif": "tiff"}.get(source.suffix[1:].lower(), source.suffix[1:].lower())
    if suffix not in [known.value for known in Format]:
        raise UnsupportedFormat
    sniffer = Sniffer(MEDIA_TYPE[Format(suffix)], source.name)
    for start in range(0, len(data), _CHUNK):
        sniffer.feed(data[start : start + _CHUNK])
    return sniffer.finish()


def _publish(target: Path, output: bytes) -> None:
    """The whole file or none of it: written beside its place, then moved there."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            file.write(output)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        stop(f"{target}: {error.strerror}", 2)


@contextmanager
def _progress() -> Iterator["Callable[[str], None]"]:
    """A bar on standard error, where that is a terminal; the function names the step that begins."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("starting", total=_STEPS)

        def step(name: str) -> None:
            progress.update(task, description=name, advance=1)

        yield step
