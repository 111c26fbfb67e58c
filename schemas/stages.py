"""The stages of a file job in order, with their queues and time limits. Queues and workers derive from this table."""

from dataclasses import dataclass
from enum import StrEnum


class Queue(StrEnum):
    """Dramatiq queues; each one can be scaled separately.

    OCR and REREAD hold pages of scans, which take seconds each. No other work waits behind them.
    """

    LIGHT = "light"
    DOCUMENTS = "documents"
    OCR = "ocr"
    DETECT = "detect"
    VERIFY = "verify"
    REREAD = "reread"


class Stage(StrEnum):
    """The steps of a job, in order. A job's `stage` is the next one to run.

    OCR reads the rasters of the input one by one, REREAD those of the output; without rasters a job skips it and
    VERDICT.
    """

    SNIFF = "sniff"
    EXTRACT = "extract"
    OCR = "ocr"
    DETECT = "detect"
    REDACT = "redact"
    VERIFY = "verify"
    REREAD = "reread"
    VERDICT = "verdict"
    BILL = "bill"
    STORE = "store"


@dataclass(frozen=True, slots=True)
class StageInfo:
    """One row of the table. The Dramatiq actor has the name of the stage."""

    stage: Stage
    queue: Queue
    seconds: int  # wall-clock limit of one sandboxed call of this stage
    starts_at: float  # progress of the job, 0 to 1, when the stage starts
    seconds_per_page: int = 0  # what is added to the limit for each page of the document

    def limit(self, pages: int) -> int:
        """The wall-clock limit in seconds of one sandboxed call about a document of so many pages."""
        return self.seconds + self.seconds_per_page * pages


_PER_PAGE = 3  # a scanned page is drawn or burned, and packed, in one second

STAGES: tuple[StageInfo, ...] = (
    StageInfo(Stage.SNIFF, Queue.LIGHT, 60, 0.0),
    StageInfo(Stage.EXTRACT, Queue.DOCUMENTS, 300, 0.05, _PER_PAGE),
    StageInfo(Stage.OCR, Queue.OCR, 120, 0.15),
    StageInfo(Stage.DETECT, Queue.DETECT, 300, 0.65),
    StageInfo(Stage.REDACT, Queue.DOCUMENTS, 300, 0.75, _PER_PAGE),
    StageInfo(Stage.VERIFY, Queue.VERIFY, 300, 0.85, _PER_PAGE),
    StageInfo(Stage.REREAD, Queue.REREAD, 120, 0.86),
    StageInfo(Stage.VERDICT, Queue.VERIFY, 300, 0.90),
    StageInfo(Stage.BILL, Queue.LIGHT, 60, 0.97),
    StageInfo(Stage.STORE, Queue.LIGHT, 300, 0.98),
)

STAGE: dict[Stage, StageInfo] = {row.stage: row for row in STAGES}
FIRST_STAGE = STAGES[0].stage
AFTER_PARTS = {Stage.OCR: Stage.DETECT, Stage.REREAD: Stage.VERDICT}
"""The stages that work on the rasters of a job, each a message and a lease of its own; and what follows."""


def progress_at(stage: Stage, read: int = 0, rasters: int = 0) -> float:
    """The progress of a job at a stage, 0 to 1. In a stage with `rasters`, those that are `read` count too."""
    starts_at = STAGE[stage].starts_at
    if not rasters:
        return starts_at
    following = min((row.starts_at for row in STAGES if row.starts_at > starts_at), default=1.0)
    return starts_at + (following - starts_at) * read / rasters
