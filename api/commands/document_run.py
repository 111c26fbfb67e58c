"""Takes a document from a path through the whole file run: what its bytes are, how large it may be, how it ended."""

import os
import stat
import time
from collections import Counter
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline.detect.detector import Detector
    from pipeline.document_run import ProgressListener, Redacted
    from pipeline.sandbox.parent import Sandbox
    from schemas.files import Format
    from schemas.settings import Settings

_CHUNK = 1024 * 1024
# Other endings of names that say what a document is.
_ENDINGS = {"jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "tif": "tiff", "tsv": "csv", "tab": "csv"}


class Refused(Exception):
    """No output: `code` says why, in the words of a failed job or of a refused upload, or `unreadable`.

    `reason`: what the system said, of a file that cannot be read.
    """

    def __init__(self, code: str, reason: str = "") -> None:
        super().__init__(code)
        self.code, self.reason = code, reason


@dataclass(frozen=True, slots=True)
class Done:
    """A document that was proven clean, and the seconds that it took."""

    redacted: "Redacted"
    format: "Format"
    seconds: float


@dataclass(frozen=True, slots=True)
class Run:
    """What runs documents: made once, used from many threads. `readers` read pictures for all of them."""

    settings: "Settings"
    sandbox: "Sandbox"
    detector: "Detector"
    readers: Executor

    def redact(self, source: Path, name: str, heard: "ProgressListener", *, follow: bool = True) -> Done:
        """The document at `source`, called `name`. Refused; also for a symbolic link that is not to be followed."""
        from pipeline.document_run import redact_document
        from schemas.errors import StageFailed, UnsupportedFormat

        began = time.monotonic()
        data = _read(source, self.settings.max_upload_bytes, 0 if follow else os.O_NOFOLLOW)
        try:
            format_ = _format(name, data)
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
            raise Refused(error.detail) from None
        except StageFailed as failed:
            raise Refused(failed.code) from None
        return Done(redacted, format_, time.monotonic() - began)


def figures(done: Done) -> dict[str, Any]:
    """What there is to say of it: entities by type, pages (sheets, slides, frames) and seconds."""
    found = Counter(place.type for place in done.redacted.findings.places)
    return {
        "entity_count": found.total(),
        "entities": dict(sorted(found.items())),
        "format": done.format.value,
        "pages": done.redacted.proof.pages,
        "seconds": round(done.seconds, 2),
    }


def is_document(name: str) -> bool:
    """Whether a name's ending is one of the formats that are redacted."""
    return _format_of(name) is not None


def _read(source: Path, most: int, flags: int) -> bytes:
    """The bytes of a regular file. Refused."""
    try:
        # A pipe that nobody writes to would be waited for.
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
    """What the bytes are, the name's ending standing for a declared content type. UnsupportedFormat."""
    from pipeline.sniff import Sniffer
    from schemas.errors import UnsupportedFormat
    from schemas.files import MEDIA_TYPE

    format_ = _format_of(name)
    if format_ is None:
        raise UnsupportedFormat
    sniffer = Sniffer(MEDIA_TYPE[format_], name)
    for start in range(0, len(data), _CHUNK):
        sniffer.feed(data[start : start + _CHUNK])
    return sniffer.finish()


def _format_of(name: str) -> "Format | None":
    from schemas.files import Format

    ending = Path(name).suffix[1:].lower()
    try:
        return Format(_ENDINGS.get(ending, ending))
    except ValueError:
        return None


def opened(settings: "Settings", readers: Executor) -> Run:
    """Builds the parsers' sandbox and loads the detector. SandboxUnavailable."""
    from pipeline.detect.detector import Detector
    from pipeline.sandbox.parent import Sandbox

    return Run(settings, Sandbox(settings.sandbox_mode.value), Detector(), readers)
