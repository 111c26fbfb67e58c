"""Redacts documents by a server: sends each, waits, fetches the output and checks it against its report.

What was sent is noted beside the outputs, so that a command that is run again after an interruption waits for the files
that the server has instead of sending and paying for them twice.
"""

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from api.commands import publishing
from api.commands.document import Done, Heard, Refused, figures, identify, read, redacted_folder_names

if TYPE_CHECKING:
    from masker.client import FileRecord, Masker
    from schemas.refusals import Reason

NOTES = ".masker-uploads.json"
MOST_BYTES = 1024 * 1024 * 1024  # the server says what it takes; this bounds memory
_PLACE_SECONDS = 2.0  # between two looks whether the account may send one more
_WAIT_SECONDS = 24 * 3600.0  # the longest that a server keeps a file
_BUSY = "too_many_concurrent_jobs"  # for the rate limit the client waits


@dataclass(slots=True)
class Uploads:
    """The files that the server has, by the hash of the document; in `folder`, or nowhere when that is None."""

    folder: Path | None
    files: dict[str, str] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, folder: Path | None) -> "Uploads":
        """The notes of earlier runs; none where they cannot be read."""
        try:
            found = {} if folder is None else json.loads((folder / NOTES).read_bytes())
            return cls(folder, {str(key): str(value) for key, value in found.items()})
        except (OSError, ValueError, AttributeError, RecursionError):
            return cls(folder)

    def note(self, key: str, file_id: str | None) -> None:
        """Notes a file, or with None that it is no longer waited for."""
        with self._lock:
            if file_id is None:
                self.files.pop(key, None)
            else:
                self.files[key] = file_id
            if self.folder is None:
                return
            try:
                publishing.write((self.folder / NOTES, json.dumps(self.files).encode()), force=True)
            except OSError:
                return  # the output will not be written either, and that is said


@dataclass(frozen=True, slots=True)
class RemoteRun:
    """Redacts by a server; used from many threads."""

    masker: "Masker"
    uploads: Uploads

    def redact(self, source: Path, name: str, heard: Heard, *, follow: bool = True, named: str | None = None) -> Done:
        """As `document.Run` says. What the server refuses is Refused, too, and `server_not_answering`."""
        from masker.client import FileFailed, MaskerError, NotAnswering

        began = time.monotonic()
        data = read(source, MOST_BYTES, follow=follow)
        identify(name, data, named)
        key = hashlib.sha256(name.encode("utf-8", "surrogateescape") + b"\0" + data).hexdigest()
        heard("sending", 0.0)
        try:
            file_id = self._known(key) or self._sent(key, data, name)
            self.masker.wait(file_id, timeout=_WAIT_SECONDS, on_progress=lambda record: heard(*_told(record)))
            done = self._fetched(file_id, began)
        except FileFailed as failed:
            self.uploads.note(key, None)
            raise Refused(failed.code, reason=_reason(failed.reason)) from None
        except MaskerError as error:
            raise Refused(error.code, reason=_reason(error.extra.get("reason"))) from None
        except NotAnswering:  # the file goes on there, and the next run waits for it
            raise Refused("server_not_answering") from None
        self.uploads.note(key, None)
        return done

    def expect(self, documents: int) -> None:
        """As `document.Run` says: nothing to do."""

    def folder_names(self, names: Iterable[str]) -> Mapping[str, str]:
        """As `document.Run` says, in this process: texts lose the types of the account, documents every type."""
        listed = list(names)
        if not any(listed):
            return dict.fromkeys(listed, "")
        from pipeline.detect.detector import Detector
        from pipeline.document_detection.direct import DirectDetector

        return redacted_folder_names(listed, DirectDetector(Detector(names="accurate")))

    def _known(self, key: str) -> str | None:
        """The file of an earlier run that the server still has, done or on its way."""
        from masker.client import MaskerError

        file_id = self.uploads.files.get(key)
        if file_id is None:
            return None
        try:
            record = self.masker.file(file_id)
        except MaskerError as error:
            if error.status != 404:
                raise
            return None
        return file_id if record["state"] in ("queued", "processing", "ready") else None

    def _sent(self, key: str, data: bytes, name: str) -> str:
        """Sends a document as soon as the account may; its file."""
        from masker.client import MaskerError

        while True:
            try:
                file_id = self.masker.upload(data, name=name)["file_id"]
            except MaskerError as error:
                if error.code != _BUSY:
                    raise
                time.sleep(_PLACE_SECONDS)
                continue
            self.uploads.note(key, file_id)
            return file_id

    def _fetched(self, file_id: str, began: float) -> Done:
        signed, data = self.masker.report(file_id), self.masker.download(file_id)
        seconds = time.monotonic() - began
        report = signed["report"]
        if hashlib.sha256(data).hexdigest() != report["output"]["sha256"]:
            raise Refused("damaged_download")
        return Done(
            data,
            self.masker.output_name(file_id),
            figures(report["format"], report["findings"], report["second_reading"]["pages"], seconds),
            lambda: json.dumps(signed, indent=2).encode() + b"\n",
        )


def _told(record: "FileRecord") -> tuple[str, float]:
    counted = f" {record['pages_read']}/{record['pages_to_read']}" if record["stage"] == "ocr" else ""
    return f"{record['stage'] or record['state']}{counted}", record["progress"]


def _reason(value: object) -> "Reason | None":
    from schemas.refusals import Reason

    try:
        return Reason(value) if isinstance(value, str) else None
    except ValueError:
        return None
