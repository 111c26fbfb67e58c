"""The stages trust no reply of a child, and turn every failure into the error code of the job."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from pipeline import stages
from pipeline.documents.document import Findings, Raster
from pipeline.sandbox.parent import Limits, Sandbox
from schemas.errors import StageFailed
from tests.conftest import every

TESTS = Path(__file__).parents[1]
RASTER = Raster("page/0", 100, 50, 300)
SECONDS = 20


@pytest.fixture(scope="module")
def liar() -> Sandbox:
    """A sandbox with hostile parsers: they reply what the bytes of the document say."""
    return Sandbox(
        "strict",
        limits=Limits(memory=512 * 1024**2),
        answers="tests.pipeline.sandbox.hostile_parsers:answer",
        code=(TESTS,),
    )


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox("strict")


def code(call, *arguments) -> str:
    with pytest.raises(StageFailed) as failure:
        call(*arguments)
    return failure.value.code


INSPECTIONS = ['{"pages": -1}', '{"pages": "3"}', '{"pages": true}', "{}", '{"pages": 1e3}', '{"pages": 99999999999}']
EXTRACTIONS = [
    ('{"units": [], "rasters": [], "pages": 0, "more": 1}', ""),
    ('{"units": [["a", "x", "", 1, false]], "rasters": [], "pages": 0}', ""),
    ('{"units": [], "rasters": [["r", 5, 5, 0, 0]], "pages": 0}', ""),  # a raster without pixels
    ('{"units": [], "rasters": [], "pages": 0}', "r"),  # pixels without a raster
]
READINGS = [
    '{"raster": "page/1", "text": "", "words": [], "unread": [], "unread_lines": []}',  # of another raster
    # outside
    '{"raster": "page/0", "text": "ab", "words": [[0, 2, 90, 0, 11, 5, 50, "code"]], "unread": [], "unread_lines": []}',
    '{"raster": "page/0", "text": "ab", "words": [[0, 3, 0, 0, 11, 5, 50, "code"]], "unread": [], "unread_lines": []}',
    '{"raster": "page/0", "text": "", "words": [], "unread": [[0, 40, 5, 11]], "unread_lines": []}',
    *(
        f'{{"raster": "page/0", "text": "", "words": [], "unread": [], "unread_lines": [{line}]}}'
        for line in (
            "[0, 40, 5, 11]",
            "[0, 4, 5, 1, 0, true]",
            "[0, 4, 0, 0, 9, true]",
            "[0, 4, 1e6, 0, 9, true]",
            "[0, 4, 5, 1, 9, 1]",
            "[NaN, 4, 5, 1, 9, true]",
            "[true, 4, 5, 1, 9, true]",
        )
    ),
]


@pytest.mark.parametrize("answer", INSPECTIONS)
def test_a_page_count_that_is_none(liar: Sandbox, answer: str):
    assert code(stages.inspect, liar, "pdf", answer.encode(), 500, SECONDS) == "unsupported_format"


def test_too_many_pages(liar: Sandbox):
    assert stages.inspect(liar, "pdf", b'{"pages": 500}', 500, SECONDS) == 500
    assert code(stages.inspect, liar, "pdf", b'{"pages": 501}', 500, SECONDS) == "too_many_pages"


@pytest.mark.parametrize(("answer", "blob"), EXTRACTIONS)
def test_an_extraction_that_is_none(liar: Sandbox, answer: str, blob: str):
    data = f"{answer}\n{blob}".encode()
    assert code(stages.extract, liar, "pdf", data, SECONDS) == "unsupported_format"
    second = answer.replace('"units": []', '"texts": [], "raw": []').replace(', "pages": 0', "")
    assert code(stages.second_reading, liar, "pdf", f"{second}\n{blob}".encode(), SECONDS) == "verify_failed"


@pytest.mark.parametrize("answer", READINGS)
def test_a_reading_that_is_none(liar: Sandbox, answer: str):
    assert code(stages.read_raster, liar, RASTER, answer.encode(), SECONDS) == "image_redact_failed"


@pytest.mark.parametrize(
    ("waiting", "processors", "first", "second"),
    [(1, 1, 1, 3), (1, 2, 2, 5), (2, 2, 1, 3), (20, 2, 1, 1), (3, 8, 2, 5)],
)
def test_the_last_pages_are_read_by_the_processors_that_would_lie_idle(
    waiting: int, processors: int, first: int, second: int
):
    threads = [stages.threads_of_reading(waiting, processors, again=again) for again in (False, True)]
    assert threads == [first, second]


def test_a_document_of_many_rasters_lets_another_in_between(liar: Sandbox):
    def read(name: str, count: int, done: list[str], started: Event) -> None:
        rasters = [replace(RASTER, id=f"{name}/{number}") for number in range(count)]
        said = {
            raster.id: json.dumps(
                {"raster": raster.id, "text": "", "words": [], "unread": [], "unread_lines": []}
            ).encode()
            for raster in rasters
        }

        def hear(read: int, _: int) -> None:
            done.append(name)
            if read == 1:
                started.set()

        readings = stages.read_rasters(liar, readers, rasters, said, SECONDS, on_progress=hear)
        assert [reading.raster for reading in readings] == [raster.id for raster in rasters]

    many, done, started = 10 * stages._READ_AT_ONCE, [], Event()
    with ThreadPoolExecutor(1) as readers, ThreadPoolExecutor(2) as documents:
        long = documents.submit(read, "long", many, done, started)
        started.wait(20)
        documents.submit(read, "short", 1, done, Event()).result()
        before = done[: len(done) - done[::-1].index("short")].count("long")
        long.result()
    assert before < many / 2


def test_an_output_that_is_none(liar: Sandbox):
    for answer in (b"{}\n", b"{}\nother", b"{}\ndata\nother"):
        assert code(stages.redact, liar, "pdf", answer, Findings(()), (), SECONDS) == "redaction_incomplete"


@pytest.mark.parametrize(
    ("fate", "codes"),
    [
        ("hang", ["timeout"] * 5),
        ("crash", ["unsupported_format"] * 2 + ["image_redact_failed", "redaction_incomplete", "verify_failed"]),
        ("refuse", ["unsupported_format"] * 5),  # a handler's own choice of code stands
    ],
)
def test_every_way_to_fail_has_its_code(liar: Sandbox, fate: str, codes: list[str]):
    data = fate.encode()
    seconds = 0.5 if fate == "hang" else SECONDS
    assert [
        code(stages.inspect, liar, "pdf", data, 500, seconds),
        code(stages.extract, liar, "pdf", data, seconds),
        code(stages.read_raster, liar, RASTER, data, seconds),
        code(stages.redact, liar, "pdf", data, Findings(()), (), seconds),
        code(stages.second_reading, liar, "pdf", data, seconds),
    ] == codes


def test_a_document_goes_through_the_real_child(sandbox: Sandbox):
    data = b"Name,ID\nFahad Altajribi,1012345672\n"
    assert stages.inspect(sandbox, "csv", data, 500, SECONDS) == 0
    extraction, pixels = stages.extract(sandbox, "csv", data, SECONDS)
    assert [unit.text for unit in extraction.units] == ["Name", "ID", "Fahad Altajribi", "1012345672"]
    assert pixels == {}
    assert stages.redact(sandbox, "csv", data, Findings(()), (), SECONDS) == data
    second, _ = stages.second_reading(sandbox, "csv", data, SECONDS)
    assert "1012345672" in [passage.text for passage in second.texts if passage.context.startswith("ID")]


@pytest.mark.parametrize("format_", every(2, ["pdf", "docx", "png", "jpeg"]))
@pytest.mark.parametrize("data", [b"", b"%PDF-1.7\n", b"PK\x03\x04" + b"\0" * 50, b"\x89PNG\r\n\x1a\n" + b"\0" * 50])
def test_what_is_no_document_is_refused_by_every_handler(sandbox: Sandbox, format_: str, data: bytes):
    assert code(stages.inspect, sandbox, format_, data, 500, SECONDS) == "unsupported_format"


@pytest.mark.parametrize("format_", ["pdf", "docx", "png", "jpeg"])
def test_an_output_that_cannot_be_read_is_not_clean(sandbox: Sandbox, format_: str):
    for data in (b"", b"%PDF-1.7\n%%EOF", b"PK\x05\x06" + b"\0" * 18, b"\xff\xd8\xff\xe0\x00\x10"):
        assert code(stages.second_reading, sandbox, format_, data, SECONDS) == "verify_failed"
