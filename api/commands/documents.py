"""`masker redact-file`: redacts a document or a folder, in this process or by a server."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, NoReturn

import typer

from api.commands import publishing
from api.commands.console import Json, load, plain, printable, show, stop
from api.commands.remote import ApiKey, Server, client

if TYPE_CHECKING:
    from api.commands.document import Refused, Run
    from schemas.settings import Settings

_STDOUT = "-"
_REMOTE_JOBS = 2  # what an account may have queued or processing by default
_INTERRUPTED = 130  # exit status after SIGINT in shells (128 + 2)


def redact_file_command(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="PDF, DOCX, XLSX, PPTX, CSV, PNG, JPEG or TIFF; with -r a folder.", show_default=False
        ),
    ],
    target: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Written only when proven clean; - is standard output.",
            show_default=False,
        ),
    ],
    recursive: Annotated[
        bool, typer.Option("-r", "--recursive", help="Every document in the folder IN, into the folder OUT.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=256, help="With -r: documents at once; the number of cores.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace outputs that exist; write to a terminal.")] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the signed verification report; with -r a folder.")
    ] = None,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Redact one document, or a folder of them. Exit status 1 and no OUT when the result cannot be proven clean.

    An ending of OUT must be one of IN's format, and nothing that exists is replaced without --force. With --server
    documents are redacted and paid there.
    """
    place = _Place(source, target, report, force)
    if server is None:
        settings = load()
        begin = partial(_local, settings)
    else:
        begin = partial(_remote, server, api_key)
    if recursive:
        at_once = jobs or (_REMOTE_JOBS if server else os.cpu_count() or 1)
        _folder(place, begin, at_once, as_json=as_json)
    else:
        _one(place, begin, as_json=as_json)


class _Place(NamedTuple):
    """The document or folder, where its outputs and reports belong, and whether existing files may be replaced."""

    source: Path
    target: Path
    report: Path | None
    force: bool


_Begin = Callable[[Path | None], AbstractContextManager["Run"]]  # of the folder that may hold notes


@contextmanager
def _local(settings: "Settings", _notes: Path | None) -> Iterator["Run"]:
    """Redaction in this process. The threads that run OCR are not waited for when the command ends early."""
    from api.commands.local_run import opened

    readers = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="reader")
    try:
        yield opened(settings, readers)
    finally:
        readers.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _remote(server: str, api_key: str | None, notes: Path | None) -> Iterator["Run"]:
    """Redaction by a server."""
    from api.commands.remote_run import RemoteRun, Uploads

    with client(server, api_key) as masker:
        yield RemoteRun(masker, Uploads.of(notes))


def _one(place: _Place, begin: _Begin, *, as_json: bool) -> None:
    from api.commands.document import Refused, WrongEnding
    from api.commands.progress import display

    source, target, report, force = place
    to_stdout = str(target) == _STDOUT
    files = [*([] if to_stdout else [target]), *([report] if report else [])]
    if to_stdout:
        _check_stdout(force=force, as_json=as_json)
    _check(source, files, force=force)
    try:
        with _quitting(), begin(None) as run:
            with display(1) as shown:
                heard = shown.begin(source.name)
                # In a thread, so that Ctrl-C need not wait for a child process.
                work = partial(run.redact, source, plain(source.name), heard, named=_ending_of(target))
                done = ThreadPoolExecutor(1).submit(work).result()
            signed = [] if report is None else [(report, done.report())]
            _write([*([] if to_stdout else [(target, done.data)]), *signed], force=force)
            if to_stdout:
                sys.stdout.buffer.write(done.data)
                sys.stdout.buffer.flush()
    except WrongEnding as wrong:
        stop(f"{printable(str(target))}: {wrong}", 2)
    except Refused as refused:
        stop(*_said_of(refused, source))
    if as_json:
        show({"output": plain(str(target)), **done.figures}, as_json=True)


def _folder(place: _Place, begin: _Begin, jobs: int, *, as_json: bool) -> None:
    from api.commands import folder
    from api.commands.summary import show_summary

    source, target, reports, force = place
    folder.check(source, [target, *([reports] if reports else [])])
    with _quitting(), begin(target) as run:
        rows = folder.redact_folder(run, source, folder.Place(target, reports, force), jobs)
    show_summary(rows, as_json=as_json)
    raise SystemExit(int(any(row.result == "failed" for row in rows)))


def _check(source: Path, outputs: Sequence[Path], *, force: bool) -> None:
    """Ends the command when IN or an output is a folder, or when an output exists."""
    if source.is_dir():
        stop(f"{printable(str(source))}: Is a directory (-r redacts what is in it)", 2)
    for output in outputs:
        if output.is_dir():
            stop(f"{printable(str(output))}: Is a directory", 2)
        if not output.parent.is_dir():
            stop(f"{printable(str(output))}: No such file or directory", 2)
        if not force and output.exists():
            is_source = source.exists() and output.samefile(source)
            stop(f"{printable(str(output))}: {'is IN itself' if is_source else 'exists'} (--force replaces it)", 2)
    if len({output.resolve() for output in outputs}) < len(outputs):
        stop(f"{printable(str(outputs[0]))}: is both OUT and the report", 2)


def _check_stdout(*, force: bool, as_json: bool) -> None:
    """Ends the command when standard output is a terminal or also carries the JSON result."""
    if as_json:
        stop("--json and -o - both write to standard output", 2)
    if sys.stdout.isatty() and not force:
        stop("standard output is a terminal (--force writes the document to it)", 2)


def _ending_of(target: Path) -> str | None:
    """The ending that OUT has; None without one, and for standard output."""
    return None if str(target) == _STDOUT else target.suffix.lower() or None


def _said_of(refused: "Refused", source: Path) -> tuple[str, int]:
    """Message and exit status for a document without output."""
    from schemas.refusals import REMEDY

    if refused.system:
        return f"{printable(str(source))}: {refused.system}", 2
    if refused.reason is None:
        return refused.code, 1
    return f"{refused.code} ({refused.reason.value}): {REMEDY[refused.reason]}", 1


def _write(outputs: Sequence[tuple[Path, bytes]], *, force: bool) -> None:
    """Writes all outputs or none."""
    try:
        publishing.write(*outputs, force=force)
    except FileExistsError as error:
        stop(f"{printable(str(error.filename))}: exists (--force replaces it)", 2)
    except OSError as error:
        stop(f"{printable(str(error.filename))}: {error.strerror}", 2)


@contextmanager
def _quitting() -> Iterator[None]:
    """SIGINT and SIGTERM end the process at once: its children end with the threads that started them."""

    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write("masker: interrupted\n")
        sys.stderr.flush()
        os._exit(_INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, before)
