"""`kill -9` in the middle of every stage: the job still ends ready, charged once, and nothing lies around."""

import io
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from schemas.files import Format, JobState
from schemas.stages import Stage
from tests.faults.plant import HONEST, SABOTAGED, Plant
from tests.faults.sabotaged import POINTS
from tests.workers.workshop import CSV

# Stages that parse nothing have no child to be killed beside.
WITHOUT_CHILD = (Stage.DETECT, Stage.VERDICT, Stage.BILL, Stage.STORE)
# A table has no pages to be counted, and no pictures to be read.
OF_PICTURES = (Stage.SNIFF, Stage.OCR, Stage.REREAD, Stage.VERDICT)
ALL = [(stage, point) for stage in Stage for point in POINTS if not (point == "working" and stage in WITHOUT_CHILD)]
QUICK = [(Stage.REDACT, "working")]


def scan() -> bytes:
    """A small picture with a mobile number."""
    picture = Image.new("L", (900, 160), 255)
    ImageDraw.Draw(picture).text((30, 50), "Mobile: 0501234567", fill=0, font=ImageFont.load_default(size=56))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", dpi=(300, 300))
    return buffer.getvalue()


@pytest.mark.parametrize(("stage", "point"), QUICK)
def test_a_worker_killed_in_a_stage_loses_nothing(plant: Plant, tmp_path: Path, stage: Stage, point: str) -> None:
    check(plant, tmp_path / "sprung", stage, point)


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "point"), [case for case in ALL if case not in QUICK])
def test_a_worker_killed_anywhere_loses_nothing(plant: Plant, tmp_path: Path, stage: Stage, point: str) -> None:
    check(plant, tmp_path / "sprung", stage, point)


@pytest.mark.slow
def test_workers_end_with_the_runner_that_started_them(plant: Plant) -> None:
    with plant.worker((*HONEST, "--processes", "2")) as runner:
        job_id = plant.upload(CSV)
        assert plant.finished(job_id).state == JobState.READY
        children = plant.wait(lambda: children_of(runner.pid), lambda found: len(found) >= 2)
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait()
        try:
            plant.wait(lambda: [child for child in children if Path(f"/proc/{child}").exists()], lambda left: not left)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(runner.pid, signal.SIGKILL)


def children_of(parent: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def check(plant: Plant, marker: Path, stage: Stage, point: str) -> None:
    trap = {"FAULT_STAGE": stage.value, "FAULT_POINT": point, "FAULT_MARKER": str(marker)}
    with plant.worker(SABOTAGED, **trap) as victim:
        job_id = plant.upload(scan(), Format.PNG) if stage in OF_PICTURES else plant.upload(CSV)
        assert plant.wait(victim.poll, lambda status: status is not None) == -signal.SIGKILL
    assert marker.exists()
    with plant.worker():
        plant.check_whole(job_id)
