"""The log of every process: a line for each event on standard error, JSON or text, with the same closed set of fields.

Messages of our own loggers are constant; what varies are fields, and only those of FIELDS are written. Of an exception
only its type is written, whoever logs it: its message and its traceback can quote what a caller sent.
"""

import logging
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from opentelemetry import trace
from structlog.contextvars import bound_contextvars, merge_contextvars
from structlog.dev import ConsoleRenderer
from structlog.processors import JSONRenderer, TimeStamper
from structlog.stdlib import ExtraAdder, add_log_level, add_logger_name
from structlog.typing import EventDict, Processor, WrappedLogger

from schemas.errors import type_name
from schemas.settings import LogFormat

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


def bound(**fields: str | int) -> AbstractContextManager[None]:
    """Every line that this thread or task logs inside the block has these fields, too."""
    return bound_contextvars(**fields)


def formatter(log_format: LogFormat, *, is_terminal: bool = False) -> logging.Formatter:
    """Makes one line of a record of any logger."""
    is_text = log_format is LogFormat.TEXT or (log_format is LogFormat.AUTO and is_terminal)
    renderer: Processor = ConsoleRenderer(colors=is_terminal, pad_event_to=0) if is_text else JSONRenderer()
    return _Formatter(
        (
            TimeStamper(fmt="iso", utc=True),
            add_log_level,
            add_logger_name,
            merge_contextvars,
            _with_trace,
            ExtraAdder(allow=FIELDS),
            _without_what_was_raised,
        ),
        renderer,
    )


class _Formatter(logging.Formatter):
    """Passes records through processors of structlog, whose own formatter copies each record first."""

    def __init__(self, processors: Sequence[Processor], renderer: Processor) -> None:
        super().__init__()
        self._processors, self._renderer = processors, renderer

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        event: Any = {"event": record.getMessage(), "exc_info": record.exc_info, "_record": record}
        logger, level = logging.getLogger(record.name), record.levelname.lower()
        for processor in self._processors:
            event = processor(logger, level, event)
        del event["_record"]
        return str(self._renderer(logger, level, event))


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


def _with_trace(logger: WrappedLogger, level: str, event: EventDict) -> EventDict:
    around = trace.get_current_span().get_span_context()
    if around.is_valid:
        event["trace_id"] = trace.format_trace_id(around.trace_id)
    return event


def _without_what_was_raised(logger: WrappedLogger, level: str, event: EventDict) -> EventDict:
    raised: Any = event.pop("exc_info", None)
    event.pop("stack_info", None)
    if raised and raised[1] is not None:
        event["error"] = type_name(raised[1])
        if event["logger"] == "asyncio":  # its messages quote arguments
            event["event"] = "an exception in the event loop"
    event["event"] = event["event"].partition("\n")[0]  # further lines of libraries hold what they saw
    return event
