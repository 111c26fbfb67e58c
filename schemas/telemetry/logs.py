"""The log of every process: a line for each event on standard error, JSON or text, with the same closed set of fields.

Messages of our own loggers are constant; what varies are fields, and only those of FIELDS are written. Of an exception
only its type is written, whoever logs it: its message and its traceback can quote what a caller sent.
"""

import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from structlog.dev import ConsoleRenderer

from schemas.clock import utc_now
from schemas.errors import type_name
from schemas.settings import LogFormat
from schemas.telemetry import tracing

FIELDS: Mapping[str, str] = {
    "request_id": "the call, as in its answer's `X-Request-Id`",
    "method": "of HTTP; `-` for an unusual one",
    "route": "the template of the path, such as `/api/v1/files/{file_id}`",
    "status": "of the answer, 0 when none was sent; of a process that ended",
    "milliseconds": "how long it took",
    "trace_id": "the trace, where traces are sent",
    "job_id": "the file",
    "stage": "the stage of the job",
    "part": "which page or picture of the job is read",
    "attempt": "which attempt it was, counted from 1",
    "code": "an `error_code` of the interface, or the code of a driver",
    "reason": "why, as a fixed word or phrase",
    "error": "the name of an exception's type",
    "failures": "unexpected exceptions of this process so far",
    "found": "entities by type",
    "swept": "what the sweeper did, by kind",
    "key_id": "the API key",
    "reference": "the charge in the ledger",
    "verb": "what a sandboxed process was asked to do",
    "missing": "measures of isolation that this machine refuses",
    "queues": "what a worker works on",
    "port": "where a process listens",
}

_QUIET = ("alembic", "botocore", "boto3", "urllib3", "s3transfer", "httpx", "httpcore", "dramatiq")
_SILENT = ("python_multipart",)  # its warnings quote bytes of the form


_around: ContextVar[Mapping[str, str | int]] = ContextVar("fields of the blocks around", default={})  # noqa: B039
_to_json = json.JSONEncoder(default=repr).encode


@contextmanager
def bound(**fields: str | int) -> Iterator[None]:
    """Every line that this thread or task logs inside the block has these fields, too."""
    before = _around.set({**_around.get(), **fields})
    try:
        yield
    finally:
        _around.reset(before)


def formatter(log_format: LogFormat, *, is_terminal: bool = False) -> logging.Formatter:
    """Makes one line of a record of any logger."""
    is_text = log_format is LogFormat.TEXT or (log_format is LogFormat.AUTO and is_terminal)
    if not is_text:
        return _Formatter(_to_json)
    console = ConsoleRenderer(colors=is_terminal, pad_event_to=0)
    return _Formatter(lambda line: str(console(None, "", line)))


class _Formatter(logging.Formatter):
    """Gathers what a line says, and has `render` write it."""

    def __init__(self, render: Callable[[dict[str, Any]], str]) -> None:
        super().__init__()
        self._render = render

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        raised, given = record.exc_info[1] if record.exc_info else None, record.__dict__
        # The messages of asyncio about an exception quote arguments; further lines of libraries hold what they saw.
        quotes = raised is not None and record.name == "asyncio"
        line: dict[str, Any] = {
            "event": "an exception in the event loop" if quotes else record.getMessage().partition("\n")[0],
            "timestamp": utc_now().isoformat().replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            **_around.get(),
        }
        if (trace_id := tracing.trace_id()) is not None:
            line["trace_id"] = trace_id
        line |= {name: given[name] for name in FIELDS if name in given}
        if raised is not None:
            line["error"] = type_name(raised)
        return self._render(line)


def configure(log_format: LogFormat) -> None:
    """Logs to standard error from INFO on, the libraries in _QUIET from WARNING on; for the whole process.

    Also what Python itself would print with a traceback: exceptions that end a thread or that nobody caught.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(log_format, is_terminal=sys.stderr.isatty()))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.captureWarnings(True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in _SILENT:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # No line says where it was logged, by which thread or process, so nobody finds out (Logging HOWTO, "Optimization").
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.raiseExceptions = False  # a line that cannot be written is lost, without a traceback that quotes it
    threading.excepthook = lambda raised: _uncaught("a thread broke off", raised.exc_type)
    sys.unraisablehook = lambda raised: _uncaught("an exception could not be raised", raised.exc_type)
    sys.excepthook = _ended


def _ended(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    _uncaught("the process broke off", kind)


def _uncaught(event: str, kind: type[BaseException]) -> None:
    if not issubclass(kind, (SystemExit, KeyboardInterrupt)):
        logging.getLogger("masker").critical(event, extra={"error": kind.__name__})
