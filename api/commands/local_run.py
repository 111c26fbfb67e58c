"""Redacts documents in this process; parsers still run in the sandbox."""

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from api.commands.document import Done, Heard, Refused, figures, identify, read, redacted_folder_names

if TYPE_CHECKING:
    from pipeline.document_detection.caged import DocumentDetector
    from pipeline.document_run import Progress
    from pipeline.sandbox.parent import Sandbox
    from schemas.settings import Settings

_FEW = 3


@dataclass(frozen=True, slots=True)
class LocalRun:
    """The whole pipeline in this process. `readers` run OCR for all documents."""

    settings: "Settings"
    sandbox: "Sandbox"
    detector: "DocumentDetector"
    readers: Executor

    def redact(self, source: Path, name: str, heard: Heard, *, follow: bool = True, named: str | None = None) -> Done:
        """As `document.Run` says."""
        from api.commands.reports import signed_report
        from pipeline.document_run import redact_document
        from pipeline.sandbox.parent import ChildFailed
        from schemas.errors import ErrorCode, StageFailed

        began = time.monotonic()
        data = read(source, self.settings.max_upload_bytes, follow=follow)
        format_ = identify(name, data, named)
        try:
            redacted = redact_document(
                self.sandbox,
                self.detector,
                format_,
                data,
                max_pages=self.settings.max_file_pages,
                filename=name,
                readers=self.readers,
                on_progress=lambda progress: heard(*_told(progress)),
            )
        except StageFailed as failed:
            raise Refused(failed.code, reason=failed.reason) from None
        except ChildFailed:
            raise Refused(ErrorCode.INTERNAL_ERROR) from None
        seconds, proof = time.monotonic() - began, redacted.proof
        return Done(
            redacted.data,
            redacted.name,
            figures(format_.value, proof.findings, proof.pages, seconds),
            lambda: signed_report(self.settings, redacted, format_, round(seconds * 1000)),
        )

    def expect(self, documents: int) -> None:
        """As `document.Run` says: for more than a few it pays to load the parsers once."""
        if documents > _FEW:
            self.sandbox.warm_parsers()

    def folder_names(self, names: Iterable[str]) -> Mapping[str, str]:
        """As `document.Run` says."""
        return redacted_folder_names(names, self.detector)


def opened(settings: "Settings", readers: Executor) -> LocalRun:
    """Builds the sandbox and loads the detector. SandboxUnavailable."""
    return LocalRun(settings, *_tools(settings.sandbox_mode.value, settings.names_in_files), readers)


@cache
def _tools(mode: str, names: str) -> "tuple[Sandbox, DocumentDetector]":
    """One sandbox and one detector for all runs of a process."""
    from pipeline.document_detection.caged import CagedDetector
    from pipeline.sandbox.parent import Sandbox

    return Sandbox(mode), CagedDetector(mode, names)


def _told(progress: "Progress") -> tuple[str, float]:
    from schemas.stages import progress_at

    counted = f" {progress.read}/{progress.rasters}" if progress.rasters else ""
    return f"{progress.stage}{counted}", progress_at(progress.stage, progress.read, progress.rasters)
