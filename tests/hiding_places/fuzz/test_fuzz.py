"""Thousands of broken documents: whatever they are, they are read or refused, and nothing of them stays behind."""

import tempfile
import traceback
from collections import Counter
from pathlib import Path

import pytest

from pipeline.sandbox import child
from pipeline.sniff import Sniffer
from schemas.errors import ErrorCode, StageFailed, UnsupportedFormat
from schemas.files import MEDIA_TYPE, SUPPORTED_FORMATS, Format, JobState
from tests.hiding_places.fuzz.mutations import Mutant, mutants
from tests.hiding_places.fuzz.seeds import VALUES, seeds
from tests.hiding_places.proof import warm
from tests.hiding_places.proof.inspection import traces
from tests.workers.workshop import Workshop

_SECONDS = 20  # of computing for one document, which takes a tenth of one; the worst of all took 0.7
_CODES = {ErrorCode.UNSUPPORTED_FORMAT, ErrorCode.TOO_MANY_PAGES, ErrorCode.TIMEOUT, ErrorCode.VERIFY_FAILED,
          ErrorCode.REDACTION_INCOMPLETE, ErrorCode.IMAGE_REDACT_FAILED}  # fmt: skip


def sniffed(mutant: Mutant) -> Format | None:
    """What the upload would take it for; None when it is refused."""
    sniffer = Sniffer(MEDIA_TYPE[mutant.format], f"file.{mutant.format.value}")
    try:
        for start in range(0, len(mutant.data), 65536):
            sniffer.feed(mutant.data[start : start + 65536])
        return sniffer.finish()
    except UnsupportedFormat:
        return None


def read(mutant: Mutant) -> str:
    """Sniffs and extracts, as upload and first stages do; what came of it."""
    format_ = sniffed(mutant)
    if format_ is None:
        return "refused at upload"
    try:
        handler = child.handler_of(format_)
        handler.inspect(mutant.data)
        handler.extract(mutant.data)
    except StageFailed as failure:
        return f"refused: {failure.code}"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in where if "/pipeline/" in frame.filename][-1:]
        return f"broken: {type(error).__name__} {[f'{Path(f.filename).name}:{f.lineno}' for f in ours]}"
    return "read"


def children() -> set[int]:
    """The processes that this one started and that still are."""
    return {int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Every parser is loaded before the first fork."""
    for format_ in SUPPORTED_FORMATS:
        child.handler_of(format_)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where programs put their temporary files during the test."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def judge(ended: dict[str, str]) -> Counter[str]:
    """How many ended in which way; fails with the names of those that ended badly."""
    good = {"read", "refused at upload", *(f"refused: {code}" for code in _CODES)}
    bad = {name: said for name, said in ended.items() if said not in good}
    assert not bad, f"{len(bad)} of {len(ended)}: {dict(list(bad.items())[:20])}"
    return Counter(ended.values())


@pytest.mark.slow
@pytest.mark.timeout(1800)  # two minutes of computing
def test_two_thousand_broken_documents_are_read_or_refused(scratch: Path) -> None:
    own = children()
    ended = {mutant.name: result.said for mutant, result in warm.each(read, mutants(seeds(), 2400), seconds=_SECONDS)}
    counts = judge(ended)
    assert sum(counts.values()) == 2400
    assert counts["read"] > 300 and counts["refused: unsupported_format"] > 100, counts
    assert children() == own
    assert not list(scratch.iterdir())


def test_a_child_that_never_ends_is_killed_and_named() -> None:
    def endless(_: int) -> str:
        while True:
            pass

    own = children()
    ((_, ended),) = warm.each(endless, [1], seconds=1)
    assert ended.said == "signal 24" and children() == own  # SIGXCPU


@pytest.mark.slow
def test_some_broken_documents_of_every_format_are_read_or_refused() -> None:
    """A taste of the thousands, for every run of the tests."""
    chosen = list(mutants(seeds(), 300))[::7]
    assert {mutant.format for mutant in chosen} == SUPPORTED_FORMATS
    judge({mutant.name: result.said for mutant, result in warm.each(read, chosen, seconds=_SECONDS)})


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_hundred_broken_documents_through_the_whole_job(workshop: Workshop, scratch: Path) -> None:
    taken = [mutant for mutant in mutants(seeds(), 1200) if sniffed(mutant) is not None]
    chosen = taken[:: len(taken) // 100][:100]
    assert len(chosen) == 100
    own = children()
    states: Counter[str] = Counter()
    for mutant in chosen:
        job_id = workshop.upload(mutant.data, mutant.format, filename=f"file.{mutant.format.value}")
        workshop.run()
        job = workshop.job(job_id)
        assert job.state in (JobState.READY, JobState.FAILED), mutant.name
        assert job.state == JobState.READY or job.error_code in _CODES, (mutant.name, job.error_code)
        kept = [key for key in workshop.keys(job_id) if not key.startswith("results/")]
        assert not kept, mutant.name
        if job.state == JobState.READY:
            output = workshop.result(job_id)
            assert not [found for value in VALUES for found in traces(output, value)], mutant.name
        states[job.error_code or job.state] += 1
    assert {child for child in children() - own if not is_zygote(child)} == set() and not list(scratch.iterdir())
    assert states[JobState.READY] >= 10, states
    stored = [path.read_bytes() for path in workshop.settings.data_dir.rglob("*") if path.is_file()]
    assert stored and not [found for data in stored for value in VALUES for found in traces(data, value)]


def is_zygote(process: int) -> bool:
    """Whether a process is the one that OCR children are forked from: it lives as long as its sandbox."""
    try:
        return b"zygote.py" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return True
