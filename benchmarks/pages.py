"""False alarms per page, and recall, on the real documents of ../shared/data/documents, for `make eval`.

labelled/document_labels.csv holds the verdicts of a reader about what the tiers found and about persons that none did.
The documents name real people: a label holds a digest of the words, not the words. Documents without a text layer do
not count. A part of `make eval`; by itself, `python -m benchmarks.pages` prints the table, with `--unjudged` also what
has no label, in lines that `--label` reads when each begins with a verdict.
"""

import argparse
import csv
import hashlib
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pipeline import stages
from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction
from pipeline.entities.findings import find
from pipeline.sandbox.parent import Sandbox
from schemas.entities import EntityType
from schemas.errors import StageFailed
from schemas.files import Format
from schemas.spans import DetectOptions

DOCUMENTS = Path(__file__).parents[1] / "../shared/data/documents"
LABELS = Path(__file__).with_name("labelled") / "document_labels.csv"
TIERS = ("rules", "fast", "accurate")
TYPES = (
    EntityType.PERSON,
    EntityType.ORGANIZATION,
    EntityType.LOCATION,
    EntityType.ADDRESS,
    EntityType.DATE_TIME,
    EntityType.PHONE_NUMBER,
    EntityType.SSN,
    EntityType.VEHICLE_PLATE,
)
# The verdicts: an entity of the type; at least half of it is one; less or nothing of it is.
TRUE, PART, FALSE = "1", "half", "0"
_OPEN = "?"
_SECONDS = 120  # for a document to be read
_LEAST = 25  # letters of a document with a text layer
_ON_PAGE = 2_500  # characters of a page, where the format has none
_MOST_WORDS = 10  # of a labelled surface
_AROUND = 60  # characters shown on each side
_WORD = re.compile(r"[^\W_]+")
_COVERED = 0.9
_DEFAULT = DetectOptions()
_LEAST_SCORES = (0.0, 0.7)
_COLUMNS = ("document", "type", "digest", "verdict")

Labels = dict[tuple[str, str, str], str]
"""Verdicts by document, type and digest."""


class Found(NamedTuple):
    """A distinct finding: its type, its words as they are compared, how it is written and what is around it."""

    type: str
    words: str
    surface: str
    context: str


@dataclass
class Counts:
    """Distinct findings of one type by verdict; labelled surfaces and how many of them are covered."""

    true: int = 0
    false: int = 0
    unjudged: int = 0
    labelled: int = 0
    covered: int = 0


@dataclass
class Measured:
    """The counts by tier and type, over the pages of the documents; and what has no label, by document."""

    documents: int = 0
    pages: int = 0
    counts: dict[tuple[str, str], Counts] = field(default_factory=lambda: defaultdict(Counts))
    unjudged: dict[tuple[str, str, str], Found] = field(default_factory=dict)


def words_of(surface: str) -> str:
    """What is compared of a surface: its words in small letters, with single blanks and without marks."""
    return " ".join(_WORD.findall(surface.casefold()))


def digest(document: str, type_: str, words: str) -> str:
    """The first 12 hexadecimal digits of SHA-256 over the document's name, the type and the words."""
    return hashlib.sha256(f"{document}\n{type_}\n{words}".encode()).hexdigest()[:12]


def read_labels(path: Path = LABELS) -> Labels:
    """The labels of a file; none if there is no file."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as rows:
        return {(row["document"], row["type"], row["digest"]): row["verdict"] for row in csv.DictReader(rows)}


def write_labels(labels: Labels, path: Path = LABELS) -> None:
    """The labels, sorted."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(_COLUMNS)
        rows.writerows((*key, verdict) for key, verdict in sorted(labels.items()))


def line_of(document: str, found: Found, verdict: str = _OPEN) -> str:
    """A line to judge: verdict, document, type, surface and context, between tabs."""
    return "\t".join((verdict, document, found.type, found.surface, found.context))


def labels_of(lines: Iterable[str]) -> Labels:
    """The labels of judged lines. Lines without a verdict are left out; their context is not read."""
    labels: Labels = {}
    for line in lines:
        verdict, document, type_, surface, *_ = [*line.rstrip("\n").split("\t"), "", "", "", ""]
        if verdict in (TRUE, PART, FALSE):
            labels[document, type_, digest(document, type_, words_of(surface))] = verdict
    return labels


def read_documents(folder: Path = DOCUMENTS) -> Iterator[tuple[str, Extraction]]:
    """The readable documents that have text, by name."""
    sandbox = Sandbox("best-effort")
    formats = {item.value: item for item in Format}
    with (folder / "manifest.csv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            path = folder / row["file"]
            if path.suffix[1:] not in formats or row["expected"] != "redactable":
                continue
            try:
                extraction, _ = stages.extract(sandbox, formats[path.suffix[1:]], path.read_bytes(), _SECONDS)
            except StageFailed:
                continue
            if sum(char.isalpha() for unit in extraction.units if unit.billed for char in unit.text) >= _LEAST:
                yield row["file"], extraction


def pages_of(extraction: Extraction) -> int:
    """The pages of a document; of a format without pages as many as its text would fill."""
    written = sum(len(unit.text) for unit in extraction.units if unit.billed)
    return extraction.pages or -(-written // _ON_PAGE) or 1


def measure(
    documents: Iterable[tuple[str, Extraction]],
    detectors: Mapping[str, Detector],
    labels: Labels,
    options: DetectOptions = _DEFAULT,
) -> Measured:
    """Detects in each document as a file job does, with each detector, and compares with the labels."""
    measured = Measured()
    for name, extraction in documents:
        measured.documents += 1
        measured.pages += pages_of(extraction)
        texts = {unit.id: unit.text for unit in extraction.units}
        wanted = {
            (type_, code)
            for document, type_, code in labels
            if document == name and labels[document, type_, code] == TRUE
        }
        gold = list(_labelled_places(name, texts, wanted))
        for tier, detector in detectors.items():
            covered: dict[tuple[str, str], bytearray] = {}
            distinct: dict[tuple[str, str], Found] = {}
            for place in find(extraction, (), detector, options).places:
                text = texts[place.unit]
                found = _found(text, place.type, place.start, place.end)
                if place.type not in TYPES or not found.words:
                    continue
                distinct.setdefault((found.type, found.words), found)
                marks = covered.setdefault((place.type, place.unit), bytearray(len(text)))
                marks[place.start : place.end] = b"\1" * (place.end - place.start)
            _count_findings(measured, tier, name, distinct.values(), labels)
            _count_gold(measured, tier, gold, texts, covered)
    return measured


def _found(text: str, type_: str, start: int, end: int) -> Found:
    before, inside, after = (
        " ".join(part.split())
        for part in (text[max(0, start - _AROUND) : start], text[start:end], text[end : end + _AROUND])
    )
    return Found(type_, words_of(inside), inside, f"{before} [[{inside}]] {after}")


def _count_findings(measured: Measured, tier: str, name: str, findings: Iterable[Found], labels: Labels) -> None:
    for found in findings:
        counts = measured.counts[tier, found.type]
        verdict = labels.get((name, found.type, digest(name, found.type, found.words)))
        if verdict is None:
            counts.unjudged += 1
            measured.unjudged.setdefault((name, found.type, found.words), found)
        elif verdict == FALSE:
            counts.false += 1
        else:
            counts.true += 1


class _Place(NamedTuple):
    """Where a labelled surface stands."""

    type: str
    code: str
    unit: str
    start: int
    end: int


def _labelled_places(name: str, texts: Mapping[str, str], wanted: Collection[tuple[str, str]]) -> Iterator[_Place]:
    """Where the texts hold the labelled surfaces: every run of words is compared with the digests."""
    types = sorted({type_ for type_, _ in wanted})
    known: dict[str, list[tuple[str, str]]] = {}
    for unit, text in texts.items() if types else ():
        words = [(match[0].casefold(), *match.span()) for match in _WORD.finditer(text)]
        for first in range(len(words)):
            run = ""
            for word, _, end in words[first : first + _MOST_WORDS]:
                run = f"{run} {word}" if run else word
                if run not in known:
                    codes = ((type_, digest(name, type_, run)) for type_ in types)
                    known[run] = [pair for pair in codes if pair in wanted]
                for type_, code in known[run]:
                    yield _Place(type_, code, unit, words[first][1], end)


def _count_gold(
    measured: Measured,
    tier: str,
    gold: Iterable[_Place],
    texts: Mapping[str, str],
    covered: Mapping[tuple[str, str], bytearray],
) -> None:
    """A labelled surface is covered if one of its places is: files redact a value in all its places."""
    seen: dict[tuple[str, str], bool] = {}
    for place in gold:
        marks = covered.get((place.type, place.unit))
        at = [i for i in range(place.start, place.end) if texts[place.unit][i].isalnum()]
        is_covered = marks is not None and sum(marks[i] for i in at) >= _COVERED * len(at)
        seen[place.type, place.code] = seen.get((place.type, place.code), False) or is_covered
    for type_, counted in Counter(type_ for type_, _ in seen).items():
        measured.counts[tier, type_].labelled += counted
        measured.counts[tier, type_].covered += sum(seen[key] for key in seen if key[0] == type_)


def table(measured: Measured) -> str:
    """A Markdown table with a row for each type and tier."""
    head = ["type", "tier", "true", "false", "false per page", "unjudged", "labelled", "recall"]
    lines = [head, ["---"] * len(head)]
    tiers = [tier for tier in TIERS if any(found == tier for found, _ in measured.counts)]
    for type_ in TYPES:
        for tier in tiers:
            counts = measured.counts[tier, type_.value]
            if counts == Counts():
                continue
            recall = f"{counts.covered / counts.labelled:.3f}" if counts.labelled else "-"
            per_page = f"{counts.false / max(measured.pages, 1):.3f}"
            numbers = [str(counts.true), str(counts.false), per_page, str(counts.unjudged), str(counts.labelled)]
            lines.append([type_.value, tier, *numbers, recall])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_TEXT = """{documents} public documents with a text layer, {pages} pages, read as a file job reads them: distinct
findings of each document, judged by reading them in their context; no other data labels them. `unjudged` findings have
no label yet. Recall: labelled surfaces of which findings of the type cover 90 % in one place or more. The labelled ones
are those that a tier found, and persons and telephone numbers beside them that none found.
"""


_OF_SCORES = """What a least score takes and costs: false persons per page, and recall of persons. Text calls may ask
for one (`min_score`); file jobs have none, and remove what has any score."""


def section(folder: Path = DOCUMENTS, labels: Path = LABELS) -> str:
    """The part of docs/accuracy.md about real documents, without its heading; empty where they are absent."""
    return text_of(measure_all(folder, labels)) if folder.exists() else ""


def measure_all(folder: Path, labels: Path) -> dict[float, Measured]:
    """Every tier on the documents, by least score."""
    documents = list(read_documents(folder))
    detectors = {tier: Detector(names=tier) for tier in TIERS}
    known = read_labels(labels)
    return {least: measure(documents, detectors, known, DetectOptions(min_score=least)) for least in _LEAST_SCORES}


def text_of(by_score: Mapping[float, Measured]) -> str:
    """The introduction and the tables."""
    measured = by_score[0.0]
    text = _TEXT.format(documents=measured.documents, pages=measured.pages)
    return f"{text}\n{table(measured)}\n\n{_OF_SCORES}\n\n{table_of_scores(by_score)}"


def table_of_scores(by_score: Mapping[float, Measured]) -> str:
    """A Markdown table: false persons per page and recall of persons, by least score and tier."""
    head = ["least score", *TIERS]
    lines = [head, ["---"] * len(head)]
    for least, measured in by_score.items():
        cells = []
        for tier in TIERS:
            counts = measured.counts[tier, EntityType.PERSON.value]
            recall = counts.covered / max(counts.labelled, 1)
            cells.append(f"{counts.false / max(measured.pages, 1):.3f}, recall {recall:.3f}")
        lines.append([str(least), *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(arguments: list[str], folder: Path = DOCUMENTS, labels: Path = LABELS) -> None:
    """Prints the section, or adds labels."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pages", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--label", type=Path, metavar="FILE", help="add the labels in a file of judged lines, no more")
    parser.add_argument("--unjudged", action="store_true", help="list what has no label, in lines to judge")
    chosen = parser.parse_args(arguments)
    if chosen.label:
        lines = chosen.label.read_text("utf-8").splitlines()
        write_labels(read_labels(labels) | labels_of(lines), labels)
        return
    if not folder.exists():
        print(f"Not found: {folder.name}. Real documents are not scored.")
        return
    by_score = measure_all(folder, labels)
    print(text_of(by_score))
    if chosen.unjudged:
        unjudged = {key: found for measured in by_score.values() for key, found in measured.unjudged.items()}
        for (document, _, _), found in sorted(unjudged.items()):
            print(line_of(document, found))


if __name__ == "__main__":
    main(sys.argv[1:])
