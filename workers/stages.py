"""The work of each stage: load artifacts, one call of the pipeline, save the result, move the job on."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from pipeline import stages
from pipeline.documents.document import VIEW, Extraction, Findings, Reading
from pipeline.entities.output_name import output_name, with_name, without_name
from pipeline.entities.proof import Proof, counts_by_type
from pipeline.legibility import is_illegible
from pipeline.second_reading import MAX_ROUNDS, FirstReading, verify_candidate
from pipeline.verification.reading import SecondReading
from schemas.errors import ErrorCode, StageFailed
from schemas.spans import DetectOptions, TermSet, load_terms
from schemas.stages import STAGE, Stage
from schemas.telemetry.metrics import ENTITIES, PAGES
from storage.jobs import records as jobs
from workers.run import Run

_SETS_REMEMBERED = 4
_FIRST_VIEW = "1"  # number of the first further view of an image

_Place = tuple[int, int, int, int]  # left, top, right, bottom


def sniff(run: Run) -> None:
    """Counts the pages of the document."""
    settings, job = run.context.settings, run.claim.job
    pages = stages.count_pages(
        run.context.tools.sandbox, job.format, run.artifacts.document(), settings.max_file_pages, _seconds(run)
    )
    run.advance(Stage.EXTRACT, {"page_count": pages})
    PAGES.labels(job.format).inc(pages)


def extract(run: Run) -> None:
    """Extracts text units and rasters."""
    extraction, pixels = stages.extract(
        run.context.tools.sandbox, run.claim.job.format, run.artifacts.document(), _seconds(run)
    )
    run.artifacts.save_extraction(extraction, pixels)
    if extraction.rasters:
        run.split(Stage.OCR, len(extraction.rasters))
    else:
        run.advance(Stage.DETECT)


def ocr(run: Run) -> None:
    """Reads one raster by OCR."""
    _read_raster(run, again=False)


def detect(run: Run) -> None:
    """Finds the personal data of the document and of its name, and counts words."""
    (extraction, readings), filename = _whole_text(run)
    if is_illegible(extraction, readings):
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    findings = run.context.tools.detector.find(extraction, readings, _options(run))
    run.artifacts.save_findings(findings)
    run.advance(Stage.REDACT, {"word_count": _words(extraction, readings), **_facts(run, findings, filename)})
    for type_, count in run.found.items():  # not again in a second round
        ENTITIES.labels(type_).inc(count)


def redact(run: Run) -> None:
    """Writes the document without the findings."""
    readings = run.artifacts.readings(run.part_attempts(Stage.OCR))
    candidate = stages.redact(
        run.context.tools.sandbox,
        run.claim.job.format,
        run.artifacts.document(),
        without_name(run.artifacts.findings()),
        readings,
        _seconds(run),
    )
    run.artifacts.save_candidate(candidate)
    run.advance(Stage.VERIFY)


def verify(run: Run) -> None:
    """Reads the output with other libraries. The verdict follows at once, or when its rasters are read."""
    candidate = run.artifacts.candidate()
    second, pixels = stages.second_reading(run.context.tools.sandbox, run.claim.job.format, candidate, _seconds(run))
    if second.rasters:
        run.artifacts.save_second_reading(second, pixels)
        run.split(Stage.REREAD, len(second.rasters))
    else:
        _decide(run, candidate, second, ())


def reread(run: Run) -> None:
    """Reads one raster of the output, with other engines than OCR."""
    _read_raster(run, again=True)


def verdict(run: Run) -> None:
    """Decides about an output whose rasters are read."""
    again = run.artifacts.readings_again(run.part_attempts(Stage.REREAD))
    _decide(run, run.artifacts.candidate(), run.artifacts.second_reading(), again)


def bill(run: Run) -> None:
    """Holds the tokens that the job costs."""
    run.hold()


def store(run: Run) -> None:
    """Copies the proven output to where downloads read it, charges, and makes the job ready."""
    run.publish(run.artifacts.save_result())


WORK: dict[Stage, Callable[[Run], None]] = {
    Stage.SNIFF: sniff,
    Stage.EXTRACT: extract,
    Stage.OCR: ocr,
    Stage.DETECT: detect,
    Stage.REDACT: redact,
    Stage.VERIFY: verify,
    Stage.REREAD: reread,
    Stage.VERDICT: verdict,
    Stage.BILL: bill,
    Stage.STORE: store,
}


def _read_raster(run: Run, *, again: bool) -> None:
    raster, pixels = run.artifacts.raster(run.claim.part or 0)
    sandbox, seconds = run.context.tools.sandbox, _seconds(run)
    waiting = run.claim.parts_left
    reading = stages.read_raster(sandbox, raster, pixels, seconds, waiting=waiting, again=again)
    run.artifacts.save_reading(reading)
    run.finish_part()


def _decide(run: Run, candidate: bytes, second: SecondReading, again: Sequence[Reading]) -> None:
    """The file is clean, is redacted once more, or fails."""
    job, (said, filename) = run.claim.job, _whole_text(run)
    first = FirstReading(*said, run.artifacts.findings())
    is_last = job.round >= MAX_ROUNDS
    looked = verify_candidate(run.context.tools, candidate, first, second, again, _options(run), is_last=is_last)
    if isinstance(looked, Proof):
        run.advance(Stage.BILL, {"report": run.report(looked)})
    elif is_last:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    else:
        run.artifacts.save_amended(looked.findings, looked.readings)
        facts = {"round": job.round + 1, **_facts(run, looked.findings, filename)}
        run.advance(Stage.REDACT, facts, instead_of=(Stage.DETECT,))


def _whole_text(run: Run) -> tuple[tuple[Extraction, tuple[Reading, ...]], str]:
    """The extraction with the file name as its last unit, what OCR read, and the file name."""
    filename = jobs.filename(run.claim.job, run.context.storage.keyring)
    extraction = with_name(run.artifacts.extraction(), filename)
    attempts = run.part_attempts(Stage.OCR) if extraction.rasters else {}
    return (extraction, run.artifacts.readings(attempts)), filename


def _options(run: Run) -> DetectOptions:
    """All types, identifiers also when their check digit fails, and the terms that applied at upload."""
    terms = _set(jobs.written_terms(run.claim.job, run.context.storage.keyring))
    return DetectOptions(strict_checksums=False, terms=(terms,) if terms.terms else ())


@lru_cache(maxsize=_SETS_REMEMBERED)
def _set(written: bytes) -> TermSet:
    """Cached: two stages of a job, and jobs of one account, ask for the same terms, which are compiled once."""
    return TermSet(load_terms(written))


def _facts(run: Run, findings: Findings, filename: str) -> dict[str, object]:
    run.found = found = counts_by_type(without_name(findings))
    name = output_name(filename, findings)
    return {
        "entity_count": found.total(),
        "found": dict(found),
        "output_name_sealed": jobs.seal_output_name(run.context.storage.keyring, run.claim.job_id, name),
    }


def _words(extraction: Extraction, readings: tuple[Reading, ...]) -> int:
    """Billed words, between blanks: of the content and of the text from OCR, where each place counts once."""
    typed = sum(len(unit.text.split()) for unit in extraction.units if unit.billed)
    words = {reading.raster: _places(reading) for reading in readings}
    read = sum(sum(own.values()) for raster, own in words.items() if VIEW not in raster)
    return typed + read + sum(_only_in_a_view(words))


def _places(reading: Reading) -> dict[_Place, int]:
    """The words in each place. Lines at the end of the text repeat words in another order: repeats have their boxes."""
    found: dict[_Place, int] = {}
    for word in reading.words:
        place = (word.left, word.top, word.left + word.width, word.top + word.height)
        found.setdefault(place, len(reading.text[word.start : word.end].split()))
    return found


def _only_in_a_view(words: dict[str, dict[_Place, int]]) -> Iterator[int]:
    """The words in places of the first further view of an image whose own view has no word there."""
    for raster, own in words.items():
        plain, _, view = raster.partition(VIEW)
        if view == _FIRST_VIEW:
            known = words.get(plain, {})
            for (left, top, right, bottom), count in own.items():
                x, y = (left + right) / 2, (top + bottom) / 2
                if not any(a <= x <= c and b <= y <= d for a, b, c, d in known):
                    yield count


def _seconds(run: Run) -> int:
    return STAGE[run.claim.stage].limit(run.claim.job.page_count or 0)
