"""Configures logging to standard error. Of an exception only its type is logged: messages can quote personal data."""

import logging
import sys
from types import TracebackType

_QUIET = ("alembic", "botocore", "boto3", "urllib3", "s3transfer", "httpx", "httpcore", "dramatiq")
_SILENT = ("python_multipart",)  # its warnings quote bytes of the form


class ExceptionTypeFormatter(logging.Formatter):
    """Leaves out tracebacks and exception messages, whoever logs them, because both can quote what a caller sent."""

    def formatException(  # noqa: N802 - the library's name
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        """The name of the exception's type: its message may hold text."""
        return f"({ei[0].__name__})" if ei[0] else ""

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - the library's name
        """Nothing: a stack may hold text."""
        return ""

    def format(self, record: logging.LogRecord) -> str:
        """One line for a record."""
        record.exc_text = None  # another handler's formatter may have filled it
        return super().format(record)


def configure() -> None:
    """Logs to standard error from INFO on; the libraries in _QUIET from WARNING on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ExceptionTypeFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in _SILENT:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
