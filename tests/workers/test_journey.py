"""A file job's whole way, one message at a time."""

import io
import json
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw, ImageFont

from schemas.files import Format, JobState
from schemas.settings import Settings
from schemas.spans import Term
from schemas.stages import AFTER_PARTS, Stage
from storage import ledger
from storage.jobs import records as jobs
from tests.workers.workshop import CSV, SECRETS, Workshop

TEXT_STAGES = [Stage.SNIFF, Stage.EXTRACT, Stage.DETECT, Stage.REDACT, Stage.VERIFY, Stage.BILL, Stage.STORE]


def test_a_csv_passes_every_stage_and_comes_out_clean(workshop: Workshop) -> None:
    job_id = workshop.upload()
    assert workshop.run() == TEXT_STAGES
    job, output = workshop.job(job_id), workshop.result(job_id)
    assert (job.state, job.error_code, job.round) == (JobState.READY, None, 1)
    assert not [secret for secret in SECRETS if secret in output]
    assert "سلمان".encode() not in output
    assert b"NATIONAL_ID_01" in output and b"first visit" in output
    assert output.count(b"\r\n") == CSV.count(b"\r\n")
    assert job.size_out == len(output)
    assert set(job.timings) == {stage.value for stage in TEXT_STAGES}


def test_words_are_billed_once_and_entities_counted(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run()
    job = workshop.job(job_id)
    words = len(CSV.decode().replace(",", " ").split())
    assert (job.word_count, job.page_count) == (words, 0)
    assert job.entity_count == sum(job.found.values()) >= 6
    assert [(entry.kind, entry.free_tokens) for entry in workshop.entries()] == [("hold", -words), ("settle", 0)]


def test_a_finished_job_leaves_its_result_and_nothing_else(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run()
    job = workshop.job(job_id)
    assert workshop.keys(job_id) == [jobs.download_key(job)]
    assert not job.has_residue


def test_messages_carry_ids_only(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run()
    assert len(workshop.messages) == len(TEXT_STAGES)
    for data in workshop.messages:
        message = json.loads(data)
        assert (message["args"], message["kwargs"]) == ([str(job_id)], {})


def test_a_message_delivered_twice_does_nothing_the_second_time(workshop: Workshop) -> None:
    job_id = workshop.upload()
    for stage in TEXT_STAGES:
        workshop.storage.queue.announce(stage, job_id)
    workshop.run()
    for stage in TEXT_STAGES:
        workshop.storage.queue.announce(stage, job_id)
    workshop.run()
    assert workshop.job(job_id).state == JobState.READY
    assert [entry.kind for entry in workshop.entries()] == ["hold", "settle"]
    assert len(workshop.keys(job_id)) == 1


def test_the_terms_of_the_upload_are_removed(workshop: Workshop) -> None:
    job_id = workshop.upload(b"Project,Owner\r\nFalcon Nine,accounts\r\n", terms=[Term("Falcon Nine")])
    workshop.run()
    assert workshop.result(job_id) == b"Project,Owner\r\nCUSTOM_TERM_01,accounts\r\n"
    assert workshop.job(job_id).terms_sealed is None  # and they are not kept longer than they are needed


def test_values_in_the_files_name_are_replaced_by_the_same_placeholders(workshop: Workshop) -> None:
    job_id = workshop.upload(filename="salary_1012345672.csv")
    workshop.run()
    job = workshop.job(job_id)
    assert jobs.output_name(job, workshop.storage.keyring) == "salary_NATIONAL_ID_01.csv"
    assert jobs.record(job, workshop.storage.keyring, workshop.now).original_filename == "salary_1012345672.csv"


def test_a_file_without_anything_personal_is_ready_too(workshop: Workshop) -> None:
    data = b"colour,weight\r\nred,heavy\r\n"
    job_id = workshop.upload(data)
    workshop.run()
    job = workshop.job(job_id)
    assert (job.state, job.entity_count, job.word_count) == (JobState.READY, 0, 4)
    assert workshop.result(job_id) == data


def test_a_job_waits_for_its_message_as_long_as_the_sweeper_is_away(workshop: Workshop) -> None:
    job_id = workshop.upload(announce=False)
    assert workshop.run() == []
    with workshop.storage.database.reading() as session:
        balance = ledger.balance(session, workshop.account, free_per_day=100, now=workshop.now)
    assert balance.free_tokens == 100
    assert workshop.job(job_id).state == JobState.QUEUED


def scan(*lines: str) -> bytes:
    """A PDF of pictures: one page for each line."""
    pages = []
    for line in lines:
        page = Image.new("L", (1000, 200), 255)
        ImageDraw.Draw(page).text((40, 70), line, fill=0, font=ImageFont.load_default(size=56))
        pages.append(page)
    buffer = io.BytesIO()
    pages[0].save(buffer, "PDF", save_all=True, append_images=pages[1:], resolution=200)
    return buffer.getvalue()


@pytest.mark.slow
def test_what_several_views_of_a_picture_show_counts_once(workshop: Workshop) -> None:
    """White and black words on nothing: on white only the black ones are seen, on gray both."""
    picture = Image.new("RGBA", (1000, 200))
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(size=56)
    draw.text((40, 30), "Mobile:0501234567", fill="white", font=font)
    draw.text((40, 110), "Office closed for all of the summer", fill="black", font=font)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    job_id = workshop.upload(buffer.getvalue(), Format.PNG)
    stages = workshop.run()
    job = workshop.job(job_id)
    assert (job.state, job.found) == (JobState.READY, {"PHONE_NUMBER": 1})
    assert stages.count(Stage.OCR) > 1
    assert job.word_count == 8


@pytest.mark.slow
def test_one_page_comes_in_between_the_pages_of_a_long_scan(workshop: Workshop, settings: Settings) -> None:
    workshop.context = replace(workshop.context, settings=settings.model_copy(update={"ocr_pages_at_once": 2}))
    long = workshop.upload(scan(*["Office closed"] * 6), Format.PDF)
    short = workshop.upload(scan("Mobile: 0501234567"), Format.PDF)
    order: list[str] = []
    again: list[str] = []
    while message := workshop.next_message():
        workshop.put_back(message)
        if message.actor_name in (Stage.OCR, Stage.REREAD):
            of_stage = order if message.actor_name == Stage.OCR else again
            of_stage.append("short" if message.args[0] == str(short) else "long")
        workshop.step()
    assert order.index("short") == 2
    assert (order.count("long"), order.count("short")) == (6, 1)
    assert again.index("short") <= 2
    assert (again.count("long"), again.count("short")) == (6, 1)
    assert [workshop.job(job_id).state for job_id in (long, short)] == [JobState.READY] * 2


def test_every_page_of_a_scan_is_read_by_itself(workshop: Workshop) -> None:
    job_id = workshop.upload(scan("Mobile: 0501234567", "Mobile: 0559876543"), Format.PDF)
    stages = workshop.run()
    job = workshop.job(job_id)
    assert (job.state, job.error_code) == (JobState.READY, None)
    assert stages == [
        *(Stage.SNIFF, Stage.EXTRACT, Stage.OCR, Stage.OCR, Stage.DETECT, Stage.REDACT),
        *(Stage.VERIFY, Stage.REREAD, Stage.REREAD, Stage.VERDICT, Stage.BILL, Stage.STORE),
    ]
    assert job.found == {"PHONE_NUMBER": 2}
    assert (job.page_count, job.word_count) == (2, 4)
    assert [entry.free_tokens for entry in workshop.entries()] == [-24, 0]
    messages = [json.loads(data)["args"] for data in workshop.messages]
    assert [args for args in messages if len(args) > 1] == [[str(job_id), 0], [str(job_id), 1]] * 2


def test_in_a_worker_of_all_queues_pages_come_last(workshop: Workshop) -> None:
    broker = workshop.context.storage.broker
    of_stage = {stage: broker.get_actor(stage.value).priority for stage in Stage}  # the lowest number first
    pages = [of_stage.pop(stage) for stage in AFTER_PARTS]
    assert max(of_stage.values()) < min(pages)
    assert of_stage[Stage.SNIFF] == of_stage[Stage.STORE] < of_stage[Stage.DETECT]
