"""How a job ends when something goes wrong: one code, no bytes, no charge; and the worker lives."""

import io
import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw, ImageFont

from schemas.errors import ErrorCode
from schemas.files import Format, JobState
from schemas.spans import MatchMode, Term
from schemas.stages import STAGE, Stage
from schemas.telemetry.metrics import ENTITIES
from storage.jobs import leases
from storage.jobs import records as jobs
from storage.jobs.objects import artifact_key
from storage.objects.store import ObjectNotFound
from tests.pipeline.documents import papers
from tests.workers.workshop import CSV, SECRETS, Workshop, saboteur
from workers.run import ClaimLost, Run
from workers.stages import WORK


def card(line: str) -> bytes:
    """A PNG of one line."""
    buffer, font = io.BytesIO(), ImageFont.load_default(size=56)
    picture = Image.new("L", (900, 160), 255)
    ImageDraw.Draw(picture).text((30, 50), line, fill=0, font=font)
    picture.save(buffer, "PNG", dpi=(300, 300))
    return buffer.getvalue()


def assert_failed(workshop: Workshop, job_id: object, code: str) -> None:
    job = workshop.job(job_id)  # type: ignore[arg-type]
    assert (job.state, job.error_code) == (JobState.FAILED, code)
    assert job.processed_at is not None
    assert not job.has_residue
    assert job.terms_sealed is None
    assert workshop.keys(job.id) == []
    assert sum(entry.free_tokens + entry.paid_tokens for entry in workshop.entries()) == 0
    assert workshop.run() == []


@pytest.mark.parametrize(
    ("format_", "data"),
    [
        (Format.PDF, b"%PDF-1.7\nnot really a document"),
        (Format.PDF, b""),
        (Format.DOCX, b"PK\x03\x04 truncated"),
        (Format.PNG, b"\x89PNG\r\n\x1a\n" + bytes(100)),
        (Format.JPEG, b"\xff\xd8\xff\xe0 broken"),
    ],
)
def test_what_cannot_be_opened_is_unsupported(workshop: Workshop, format_: Format, data: bytes) -> None:
    job_id = workshop.upload(data, format_)
    workshop.run()
    assert_failed(workshop, job_id, ErrorCode.UNSUPPORTED_FORMAT)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("crashes", ErrorCode.REDACTION_INCOMPLETE),
        ("lies", ErrorCode.UNSUPPORTED_FORMAT),
        ("forgets", ErrorCode.VERIFY_FAILED),
    ],
)
def test_a_handler_gone_wrong_fails_its_own_job_alone(workshop: Workshop, name: str, code: str) -> None:
    workshop.with_sandbox(saboteur(name))
    job_id = workshop.upload(terms=[Term("Zephyr")])
    assert workshop.job(job_id).terms_sealed
    workshop.run()
    assert_failed(workshop, job_id, code)


@pytest.mark.slow
def test_a_scan_that_nobody_can_read_fails_the_job(workshop: Workshop) -> None:
    job_id = workshop.upload(papers.encoded(papers.illegible()), Format.PNG)
    assert workshop.run()[-1] == Stage.DETECT
    assert_failed(workshop, job_id, ErrorCode.IMAGE_REDACT_FAILED)


def test_too_many_pages_fail_the_job(workshop: Workshop) -> None:
    workshop.with_sandbox(saboteur("has_many_pages"))
    job_id = workshop.upload(b"%PDF-1.7", Format.PDF)
    assert workshop.run() == [Stage.SNIFF]
    assert_failed(workshop, job_id, ErrorCode.TOO_MANY_PAGES)


def test_a_format_without_pages_is_not_opened_to_count_them(workshop: Workshop) -> None:
    workshop.with_sandbox(saboteur("has_many_pages"))
    job_id = workshop.upload()
    workshop.run()
    job = workshop.job(job_id)
    assert (job.state, job.page_count) == (JobState.READY, 0)


def test_terms_that_overlap_without_end_fail_the_job_at_once(workshop: Workshop) -> None:
    terms = [Term("a" * length, match_mode=MatchMode.SUBSTRING) for length in range(1, 100)]
    job_id = workshop.upload(b"x\r\n" + b"a" * 20_000 + b"\r\n", terms=terms)
    assert workshop.run().count(Stage.DETECT) == 1
    assert_failed(workshop, job_id, ErrorCode.REDACTION_INCOMPLETE)


def test_a_document_has_time_for_each_of_its_pages(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    for stage in (Stage.EXTRACT, Stage.REDACT, Stage.VERIFY):
        monkeypatch.setitem(STAGE, stage, replace(STAGE[stage], seconds=0, seconds_per_page=100))
    one_page = papers.encoded(papers.picture("Office closed"))
    long, none = workshop.upload(one_page, Format.PNG), workshop.upload()
    workshop.run()
    assert [workshop.job(each).error_code for each in (long, none)] == [None, ErrorCode.TIMEOUT]


def test_a_hanging_handler_is_stopped(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STAGE, Stage.EXTRACT, replace(STAGE[Stage.EXTRACT], seconds=1))
    workshop.with_sandbox(saboteur("hangs"))
    job_id = workshop.upload()
    workshop.run()
    assert_failed(workshop, job_id, ErrorCode.TIMEOUT)


def test_a_redactor_that_forgot_gets_one_more_round(workshop: Workshop) -> None:
    honest = workshop.context.tools.sandbox
    workshop.with_sandbox(saboteur("forgets"))
    job_id = workshop.upload()
    counter = ENTITIES.labels("NATIONAL_ID")
    before = counter._value.get()
    workshop.run(until=Stage.VERIFY)
    counted = counter._value.get()
    assert counted > before
    workshop.with_sandbox(honest)
    assert workshop.run() == [Stage.VERIFY, Stage.REDACT, Stage.VERIFY, Stage.BILL, Stage.STORE]
    job = workshop.job(job_id)
    assert (job.state, job.round) == (JobState.READY, 2)
    assert counter._value.get() == counted, "the metric counts the file twice"
    assert not [secret for secret in SECRETS if secret in workshop.result(job_id)]


def test_a_picture_gets_one_more_round_too(workshop: Workshop) -> None:
    """The pixels of its first output are not mixed up with those of the second; progress never falls."""
    picture, honest = card("Mobile: 0501234567"), workshop.context.tools.sandbox
    workshop.with_sandbox(saboteur("forgets"))
    job_id = workshop.upload(picture, Format.PNG)
    stages, progress = [], [0.0]
    while (stage := workshop.step()) is not None:
        stages.append(stage)
        progress.append(leases.progress(workshop.job(job_id)))
        if stage is Stage.VERDICT:
            workshop.with_sandbox(honest)
    again = [Stage.REDACT, Stage.VERIFY, Stage.REREAD, Stage.VERDICT]
    assert stages == [Stage.SNIFF, Stage.EXTRACT, Stage.OCR, Stage.DETECT, *again, *again, Stage.BILL, Stage.STORE]
    assert progress == sorted(progress)
    job = workshop.job(job_id)
    assert (job.state, job.round, job.found) == (JobState.READY, 2, {"PHONE_NUMBER": 1})
    assert workshop.result(job_id) != picture
    assert [key for key in workshop.keys(job_id) if not key.startswith("results/")] == []


def test_too_few_tokens_fail_the_job(workshop: Workshop) -> None:
    workshop.context = replace(
        workshop.context, settings=workshop.settings.model_copy(update={"free_tokens_per_day": 3})
    )
    job_id = workshop.upload()
    workshop.run()
    assert_failed(workshop, job_id, ErrorCode.INSUFFICIENT_TOKENS)


def test_a_stage_that_keeps_breaking_is_tried_again_and_then_fails(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run(until=Stage.DETECT)
    job = workshop.job(job_id)
    workshop.storage.objects.delete(artifact_key(job_id, Stage.EXTRACT, job.outputs["extract"], "extraction"))
    for _ in range(workshop.settings.max_attempts):
        assert workshop.job(job_id).state == JobState.PROCESSING
        assert workshop.step() == Stage.DETECT
        workshop.turn_clock(minutes=1)
    assert_failed(workshop, job_id, ErrorCode.INTERNAL_ERROR)


def test_a_stage_that_broke_once_goes_on(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run(until=Stage.DETECT)
    key = artifact_key(job_id, Stage.EXTRACT, workshop.job(job_id).outputs["extract"], "extraction")
    kept = workshop.storage.objects.get(key)
    workshop.storage.objects.delete(key)
    assert workshop.step() == Stage.DETECT
    workshop.storage.objects.put(key, kept)
    workshop.turn_clock(minutes=1)
    workshop.run()
    assert workshop.job(job_id).state == JobState.READY


def test_a_tampered_artifact_is_never_used(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run(until=Stage.STORE)
    job = workshop.job(job_id)
    path = workshop.settings.data_dir / "objects" / artifact_key(job_id, "redact", job.outputs["redact"], "candidate")
    path.write_bytes(path.read_bytes()[:-1])
    for _ in range(workshop.settings.max_attempts):
        workshop.step()
        workshop.turn_clock(minutes=1)
    assert_failed(workshop, job_id, ErrorCode.INTERNAL_ERROR)


@pytest.mark.parametrize("stage", [Stage.SNIFF, Stage.EXTRACT, Stage.DETECT, Stage.REDACT, Stage.VERIFY, Stage.STORE])
def test_a_job_deleted_while_a_stage_works_leaves_nothing_behind(workshop: Workshop, stage: Stage) -> None:
    job_id = workshop.upload()
    workshop.run(until=stage)
    run = Run.claim_stage(workshop.context, stage, job_id, None)
    assert run is not None
    workshop.storage.objects.put(f"results/{job_id}/99", b"written just before the deletion")
    with workshop.storage.database.transaction() as session:
        jobs.delete_job(session, workshop.account, job_id, workshop.now)
    with pytest.raises(ClaimLost):
        WORK[stage](run)
    run.discard()
    assert workshop.keys(job_id) == []
    assert sum(entry.free_tokens for entry in workshop.entries()) == 0


def test_bytes_that_vanish_with_their_job_are_no_error(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run(until=Stage.DETECT)
    run = Run.claim_stage(workshop.context, Stage.DETECT, job_id, None)
    assert run is not None
    workshop.delete(job_id)
    with pytest.raises(ObjectNotFound):
        WORK[Stage.DETECT](run)
    run.try_again()
    assert workshop.run() == [Stage.DETECT]  # the message that was there before; nothing was announced
    assert workshop.keys(job_id) == []


def test_a_late_attempt_does_not_disturb_the_one_that_took_over(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run(until=Stage.REDACT)
    late = Run.claim_stage(workshop.context, Stage.REDACT, job_id, None)
    workshop.turn_clock(seconds=workshop.settings.lease_seconds)
    assert late is not None
    workshop.run(until=Stage.VERIFY)
    with pytest.raises(ClaimLost):
        WORK[Stage.REDACT](late)
    late.discard()
    workshop.run()
    assert workshop.job(job_id).state == JobState.READY
    assert len(workshop.keys(job_id)) == 1


def test_an_attempt_whose_commit_counted_although_the_answer_was_lost_keeps_its_file(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run(until=Stage.STORE)
    run = Run.claim_stage(workshop.context, Stage.STORE, job_id, None)
    assert run is not None
    WORK[Stage.STORE](run)
    run.try_again()
    run.discard()
    assert workshop.result(job_id)
    assert [entry.kind for entry in workshop.entries()] == ["hold", "settle"]


@pytest.mark.parametrize("break_it", [lambda shop: shop.with_sandbox(saboteur("forgets")), lambda shop: None])
def test_nothing_of_the_document_reaches_the_log(
    workshop: Workshop, caplog: pytest.LogCaptureFixture, break_it: Callable[[Workshop], None]
) -> None:
    caplog.set_level(logging.DEBUG)
    break_it(workshop)
    job_id = workshop.upload(filename="Salman-1012345672.csv")
    workshop.run(until=Stage.DETECT)
    workshop.storage.objects.put(
        artifact_key(job_id, Stage.EXTRACT, workshop.job(job_id).outputs["extract"], "extraction"), CSV
    )
    for _ in range(3):
        workshop.run()
        workshop.turn_clock(minutes=1)
    log = caplog.text
    assert str(job_id) in log
    assert not [secret for secret in (*SECRETS, b"Salman") if secret.decode() in log]
    assert "Traceback" not in log
