"""The stages of a file job: ONE table of name, queue and what follows; queues, workers and compose derive from it."""

from dataclasses import dataclass
from enum import StrEnum


class Queue(StrEnum):
    """Dramatiq queues; each scales by itself."""

    LIGHT = "light"
    DOCUMENTS = "documents"
    OCR = "ocr"
    DETECT = "detect"
    VERIFY = "verify"


class Stage(StrEnum):
    """The steps of a job, in order; the row's `stage` names the next one to run."""

    SNIFF = "sniff"
    EXTRACT = "extract"
    OCR = "ocr"
    DETECT = "detect"
    REDACT = "redact"
    VERIFY = "verify"
    BILL = "bill"
    STORE = "store"


@dataclass(frozen=True, slots=True)
class StageInfo:
    """One row: the actor's name is the stage's name."""

    stage: Stage
    queue: Queue
    seconds: int  # wall-clock limit of one sandboxed call of this stage
    begins: float  # how much of a job is done when it begins, 0 to 1


STAGES: tuple[StageInfo, ...] = (
    StageInfo(Stage.SNIFF, Queue.LIGHT, 60, 0.0),
    StageInfo(Stage.EXTRACT, Queue.DOCUMENTS, 300, 0.05),
    StageInfo(Stage.OCR, Queue.OCR, 120, 0.15),
    StageInfo(Stage.DETECT, Queue.DETECT, 300, 0.65),
    StageInfo(Stage.REDACT, Queue.DOCUMENTS, 300, 0.75),
    StageInfo(Stage.VERIFY, Queue.VERIFY, 300, 0.85),
    StageInfo(Stage.BILL, Queue.LIGHT, 60, 0.97),
    StageInfo(Stage.STORE, Queue.LIGHT, 300, 0.98),
)

STAGE: dict[Stage, StageInfo] = {row.stage: row for row in STAGES}
FIRST_STAGE = STAGES[0].stage


def reached(stage: Stage, read: int = 0, rasters: int = 0) -> float:
    """How much of a job is done at a stage, 0 to 1; at one that reads rasters, every one that was read counts."""
    begins = STAGE[stage].begins
    if not rasters:
        return begins
    following = min((row.begins for row in STAGES if row.begins > begins), default=1.0)
    return begins + (following - begins) * read / rasters
