"""A document on its way through the command line: reading it, telling its format, and what comes of it."""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pipeline.document_detection.caged import DocumentDetector
    from schemas.files import Format
    from schemas.refusals import Reason

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
    """A document that was proven clean: bytes and name of the output, its figures, and its signed report as JSON.

    `figures`: `entity_count`, `entities` by type as the report counts them, `format`, `pages` (sheets, slides,
    frames), `seconds`.
    """

    data: bytes
    name: str
    figures: Mapping[str, Any]
    report: Callable[[], bytes]


Heard = Callable[[str, float], None]  # what is being done, and the share that is done, 0 to 1


class Run(Protocol):
    """Redacts documents, here or by a server; made once, used from many threads."""

    def redact(self, source: Path, name: str, heard: Heard, *, follow: bool = True, named: str | None = None) -> Done:
        """The document at `source`, called `name`. Refused; also for a symbolic link that is not to be followed.

        `named`: the ending (`.pdf`) that the output is to have. WrongEnding, before any work, when that is not one of
        the format.
        """

    def expect(self, documents: int) -> None:
        """That many documents will come."""

    def folder_names(self, names: Iterable[str]) -> Mapping[str, str]:
        """The redacted form of each name of a folder."""


def figures(format_: str, entities: Mapping[str, int], pages: int, seconds: float) -> dict[str, Any]:
    """The figures of a document."""
    return {
        "entity_count": sum(entities.values()),
        "entities": dict(sorted(entities.items())),
        "format": format_,
        "pages": pages,
        "seconds": round(seconds, 2),
    }


def identify(name: str, data: bytes, named: str | None) -> "Format":
    """The format of a document whose output is to end with `named`. Refused, WrongEnding."""
    from schemas.errors import UnsupportedFormat

    try:
        format_ = _format(name, data)
    except UnsupportedFormat as error:
        raise Refused(error.detail, reason=error.reason) from None
    if named is not None and format_of(f"x{named}") is not format_:
        raise WrongEnding(format_)
    return format_


def redacted_folder_names(names: Iterable[str], detector: "DocumentDetector") -> Mapping[str, str]:
    """The names of folders as documents' own names are redacted: every type, also in words that `_` joins."""
    from pipeline.entities import output_name
    from schemas.spans import DetectOptions

    options = DetectOptions(strict_checksums=False)
    return output_name.folder_names(names, lambda extraction: detector.find(extraction, (), options))


def is_document(name: str) -> bool:
    """Whether the ending of a name is that of a supported format."""
    return format_of(name) is not None


def read(source: Path, most: int, *, follow: bool) -> bytes:
    """The bytes of a regular file. Refused."""
    flags = 0 if follow else os.O_NOFOLLOW
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
