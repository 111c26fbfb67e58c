"""What all stages of a process share: settings, storage, sandbox and detector."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from pipeline.document_detection.caged import CagedDetector
from pipeline.sandbox.parent import Sandbox
from pipeline.second_reading import ReadingTools
from schemas.clock import utc_now
from schemas.settings import Settings
from storage.opening import Storage


@dataclass(frozen=True, slots=True)
class Context:
    """Built once per process; safe to use from many threads."""

    settings: Settings
    storage: Storage
    tools: ReadingTools
    clock: Callable[[], datetime] = utc_now

    @classmethod
    def open(cls, settings: Settings, storage: Storage) -> Self:
        """Builds the sandbox first: in strict mode SandboxUnavailable, before anything is connected to."""
        mode = settings.sandbox_mode.value
        tools = ReadingTools(Sandbox(mode), CagedDetector(mode, settings.names_in_files))
        return cls(settings=settings, storage=storage, tools=tools)

    def close(self) -> None:
        """Ends what the sandbox keeps. The caller closes the storage."""
        self.tools.sandbox.close()
        self.tools.detector.close()
