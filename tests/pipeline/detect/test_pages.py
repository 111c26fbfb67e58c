"""Real documents in `make eval`: the labels are well-formed, and judging a document labels all that is found in it."""

import csv
import re
from pathlib import Path

import pytest

from benchmarks import pages
from pipeline.documents.document import Extraction, TextUnit
from tests.pipeline.detect.marked import detector

NAME = "docx/letter.docx"
LETTER = Extraction(
    (TextUnit("1", "Dear Dr. Priya Nair,\nplease call 0501234567 on 12/03/2024. Zzyx Qwrt agrees."),), pages=2
)


def measured(labels: pages.Labels) -> pages.Measured:
    return pages.measure([(NAME, LETTER)], {"rules": detector()}, labels)


def test_the_labels_are_well_formed() -> None:
    with pages.LABELS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    keys = [(row["document"], row["type"], row["digest"]) for row in rows]
    assert keys == sorted(set(keys))
    assert {row["type"] for row in rows} <= {type_.value for type_ in pages.TYPES}
    assert {row["verdict"] for row in rows} == {pages.TRUE, pages.PART, pages.FALSE}
    assert all(re.fullmatch("[0-9a-f]{12}", row["digest"]) for row in rows)
    assert all(re.fullmatch(r"[a-z]+/[0-9a-f]{6}-\S+", row["document"]) for row in rows)


def test_labels_belong_to_documents_that_are_there(shared_dir: Path) -> None:
    documents = {document for document, _, _ in pages.read_labels()}
    assert not [document for document in documents if not (shared_dir / "data/documents" / document).exists()]


def test_what_is_judged_counts(tmp_path: Path) -> None:
    before = measured({})
    assert {type_: counts.unjudged for (_, type_), counts in before.counts.items()} == {
        "PERSON": 1, "PHONE_NUMBER": 1, "DATE_TIME": 1,
    }  # fmt: skip
    lines = [pages.line_of(NAME, found) for found in before.unjudged.values()]
    assert pages.labels_of(lines) == {}
    verdicts = {"PERSON": "1", "PHONE_NUMBER": "half", "DATE_TIME": "0"}
    judged = [f"{verdicts[line.split(chr(9))[2]]}{line[1:]}" for line in lines]
    file, labels = tmp_path / "judged.tsv", tmp_path / "labels.csv"
    file.write_text("\n".join([*judged, f"1\t{NAME}\tPERSON\tQWRT, zzyx", f"1\t{NAME}\tPERSON\tZzyx Qwrt"]), "utf-8")
    pages.main(["--label", str(file)], tmp_path, labels)
    assert "Nair" not in labels.read_text("utf-8")

    after = measured(pages.read_labels(labels))
    assert not after.unjudged
    assert after.counts["rules", "PERSON"] == pages.Counts(true=1, labelled=2, covered=1)
    assert after.counts["rules", "PHONE_NUMBER"] == pages.Counts(true=1)
    assert after.counts["rules", "DATE_TIME"] == pages.Counts(false=1)
    assert "| PERSON | rules | 1 | 0 | 0.000 | 0 | 2 | 0.500 |" in pages.table(after)
    assert "| DATE_TIME | rules | 0 | 1 | 0.500 | 0 | 0 | - |" in pages.table(after)


def test_absent_documents_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pages.section(tmp_path / "documents") == ""
    pages.main([], tmp_path / "documents")
    assert capsys.readouterr().out == "Not found: documents. Real documents are not scored.\n"


def test_pages_of_formats_without_pages() -> None:
    assert pages.pages_of(LETTER) == 2
    assert pages.pages_of(Extraction((TextUnit("1", "a " * 2_000), TextUnit("2", "b" * 9_000, billed=False)))) == 2
    assert pages.pages_of(Extraction(())) == 1
