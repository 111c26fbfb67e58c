"""Redacts a document from a path: reads it, tells its format, and runs the whole pipeline."""

import os
import stat
import time
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline.detect.detector import Detector
    from pipeline.document_run import ProgressListener, Redacted
    from pipeline.sandbox.parent import Sandbox
    from schemas.files import Format
    from schemas.refusals import Reason
    from schemas.settings import Settings

_CHUNK = 1024 * 1024
# Other endings of the names of supported documents.
_ENDINGS = {"jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "tif": "tiff", "tsv": "csv", "tab": "csv"}


class Refused(Exception):
    """There is no output. `code` is that of a failed job or a refused upload, or `unreadable`.

    `system`: the system's message for a file that cannot be read. `reason`: why a format is not supported.
    """

    def __init__(self, code: str, system: str = "", reason: "Reason | None" = None) -> None:
        super().__init__(code)
        self.code, self.system, self.reason = code, system, reason


class WrongEnding(Exception):
    """The name of the output does not end as documents of its format do."""

    def __init__(self, format_: "Format") -> None:
        endings = [format_.value, *(ending for ending, name in _ENDINGS.items() if name == format_.value)]
        super().__init__(f"a redacted {format_.name} ends with .{' or .'.join(endings)}")


@dataclass(frozen=True, slots=True)
class Done:
    """A document that was proven clean, and the seconds that it took."""

    redacted: "Redacted"
    format: "Format"
    seconds: float


@dataclass(frozen=True, slots=True)
class Run:
    """Redacts documents; made once, used from many threads. `readers` run OCR for all of them."""

    settings: "Settings"
    sandbox: "Sandbox"
    detector: "Detector"
    readers: Executor

    def redact(
        self, source: Path, name: str, heard: "ProgressListener", *, follow: bool = True, named: str | None = None
    ) -> Done:
        """The document at `source`, called `name`. Refused; also for a symbolic link that is not to be followed.

        `named`: the ending (`.pdf`) that the output is to have. WrongEnding, before any work, when that is not one of
        the format.
        """
        from pipeline.document_run import redact_document
        from schemas.errors import StageFailed, UnsupportedFormat

        began = time.monotonic()
        data = _read(source, self.settings.max_upload_bytes, 0 if follow else os.O_NOFOLLOW)
        try:
            format_ = _format(name, data)
            if named is not None and format_of(f"x{named}") is not format_:
                raise WrongEnding(format_)
            redacted = redact_document(
                self.sandbox,
                self.detector,
                format_,
                data,
                max_pages=self.settings.max_file_pages,
                filename=name,
                readers=self.readers,
                on_progress=heard,
            )
        except UnsupportedFormat as error:
            raise Refused(error.detail, reason=error.reason) from None
        except StageFailed as failed:
            raise Refused(failed.code, reason=failed.reason) from None
        return Done(redacted, format_, time.monotonic() - began)


def figures(done: Done) -> dict[str, Any]:
    """Figures of a document: entities by type as its report counts them, pages (sheets, slides, frames), seconds."""
    found = done.redacted.proof.findings
    return {
        "entity_count": sum(found.values()),
        "entities": dict(sorted(found.items())),
        "format": done.format.value,
        "pages": done.redacted.proof.pages,
        "seconds": round(done.seconds, 2),
    }


def is_document(name: str) -> bool:
    """Whether the ending of a name is that of a supported format."""
    return format_of(name) is not None


def _read(source: Path, most: int, flags: int) -> bytes:
    """The bytes of a regular file. Refused."""
    try:
        # O_NONBLOCK: opening a pipe without a writer would block.
        with os.fdopen(os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Refused("unreadable", "Not a regular file")
            data = file.read(most + 1)
    except OSError as error:
        raise Refused("unreadable", error.strerror or "Unreadable") from None
    if len(data) > most:
        raise Refused("file_too_large")
    return data


def _format(name: str, data: bytes) -> "Format":
    """What the bytes are; the ending of the name stands for a declared content type. UnsupportedFormat."""
    from pipeline.sniff import Sniffer
    from schemas.files import MEDIA_TYPE

    format_ = format_of(name)
    sniffer = Sniffer("application/octet-stream" if format_ is None else MEDIA_TYPE[format_], name)
    for start in range(0, len(data), _CHUNK):
        sniffer.feed(data[start : start + _CHUNK])
    return sniffer.finish()


def format_of(name: str) -> "Format | None":
    """The format that the ending of a name stands for; None for any other ending."""
    from schemas.files import Format

    ending = Path(name).suffix[1:].lower()
    try:
        return Format(_ENDINGS.get(ending, ending))
    except ValueError:
        return None


def opened(settings: "Settings", readers: Executor) -> Run:
    """Builds the sandbox and loads the detector. SandboxUnavailable."""
    from pipeline.detect.detector import Detector
    from pipeline.sandbox.parent import Sandbox

    return Run(settings, Sandbox(settings.sandbox_mode.value), Detector(names=settings.names_in_files), readers)
