"""`make eval`: its scorer counts as the annotation rules say, and the targets hold."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import names
from benchmarks.accuracy import (
    LABELLED_IN_OWN,
    OWN_MESSAGES,
    TIERS,
    TYPE_MESSAGES,
    Tally,
    evaluate,
    main,
    read_jsonl,
    table_of_genres,
)
from benchmarks.accuracy import score as score_case
from benchmarks.messages import parse_marked, read_marked
from benchmarks.peers import Peer
from pipeline.detect.detector import Detector
from schemas.entities import RANK, EntityType
from schemas.spans import DetectOptions, Span, Term, TermSet
from tests.pipeline.detect.marked import detector


def _span(text: str, surface: str, kind: EntityType) -> Span:
    start = text.index(surface)
    return Span(start, start + len(surface), kind, 1.0, "test", RANK[kind])


def _scored(marked: str, surface: str, kind: EntityType) -> Tally:
    case = parse_marked(marked, "x")
    tally = Tally()
    score_case(case, [_span(case.text, surface, kind)] if surface else [], tally)
    return tally


def test_marks_become_offsets() -> None:
    case = parse_marked("Dr. {PERSON:Priya Nair} in {-:May} or {?:June}", "x")
    assert case.text == "Dr. Priya Nair in May or June"
    assert [(case.text[z.start : z.end], z.kind) for z in case.gold] == [("Priya Nair", "PERSON")]
    assert [case.text[z.start : z.end] for z in case.negatives] == ["May"]
    assert [case.text[z.start : z.end] for z in case.ignored] == ["June"]


@pytest.mark.parametrize(
    ("surface", "covered", "leaked", "exact", "right"),
    [
        ("Priya Nair", 1, 0, 1, 1),
        ("Dr. Priya Nair,", 1, 0, 0, 1),
        ("Priya", 0, 1, 0, 1),
        ("", 0, 1, 0, 0),
        ("arrived", 0, 1, 0, 0),
    ],
)
def test_coverage_decides(surface: str, covered: int, leaked: int, exact: int, right: int) -> None:
    tally = _scored("Dr. {PERSON:Priya Nair}, arrived", surface, EntityType.PERSON)
    counted = (tally.covered["PERSON"], tally.leaked["PERSON"], tally.exact["PERSON"], tally.right["PERSON"])
    assert counted == (covered, leaked, exact, right)


def test_the_wrong_type_is_no_leak_and_no_hit() -> None:
    tally = _scored("Dr. {PERSON:Priya Nair}, arrived", "Priya Nair", EntityType.LOCATION)
    assert (tally.covered["PERSON"], tally.leaked["PERSON"], tally.predicted["LOCATION"]) == (0, 0, 1)


def test_negatives_are_false_alarms_and_ignored_zones_do_not_count() -> None:
    assert _scored("in {-:May} we", "May", EntityType.PERSON).false_alarms["PERSON"] == 1
    assert _scored("in {?:May} we", "May", EntityType.PERSON).predicted["PERSON"] == 0


def test_without_labelled_messages_the_report_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, target = tmp_path / "messages.txt", tmp_path / "accuracy.md"
    own.write_text("Dr. {PERSON:Priya Nair} called\n", "utf-8")
    target.write_text("as it was", "utf-8")

    absent = tmp_path / "ner"
    messages, floors = tmp_path / "messages.jsonl", tmp_path / "floors.json"
    assert (
        main(messages, own, target, absent, floors, types=tmp_path / "types.txt", unseen=tmp_path / "unseen.txt") == 0
    )
    first, _, rest = capsys.readouterr().out.partition("\n")
    assert (
        first
        == "Not found: messages.jsonl, unseen.txt, types.txt, ner. They are not scored, and accuracy.md is not written."
    )
    assert rest.count("| PERSON | 1 | 1.000 |") == len(TIERS)
    assert target.read_text("utf-8") == "as it was"


def test_a_figure_below_its_floor_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own, floors, absent = tmp_path / "messages.txt", tmp_path / "floors.json", tmp_path / "absent"
    own.write_text("Dr. {PERSON:Priya Nair} called\nthe {PERSON:zzyx} came\n", "utf-8")
    name = "Our own messages, rules: PERSON recall"
    floors.write_text(json.dumps({name: 0.5}), "utf-8")
    assert main(absent, own, tmp_path / "accuracy.md", absent, floors, types=absent, unseen=absent) == 0
    floors.write_text(json.dumps({name: 0.51}), "utf-8")
    assert main(absent, own, tmp_path / "accuracy.md", absent, floors, types=absent, unseen=absent) == 1
    assert f"{name} is 0.500, its floor 0.510" in capsys.readouterr().out


def test_tokens_of_a_corpus(tmp_path: Path) -> None:
    """Each token counts by itself, and a label that is not scored is no label."""
    corpus = tmp_path / "x.tsv"
    corpus.write_text("Dr.\tO\nPriya\tB-PER\nNair\tI-PER\nof\tO\nZzyx\tB-MISC\n\n.\tB-PER\n\nRiyadh\tB-LOC\n", "utf-8")
    found = names.score(names.read(corpus, Detector()))
    assert found["PER"] == names.Score(right=2, labelled=2, found=2, alarms=0, empty=0, exact=1, mentions=1, spans=1)
    assert found["LOC"] == names.Score(right=1, labelled=1, found=1, alarms=0, empty=0, exact=1, mentions=1, spans=1)
    assert found["ORG"] == names.Score(right=0, labelled=0, found=0, alarms=0, empty=6)


def test_mentions_of_a_corpus(tmp_path: Path) -> None:
    """A mention begins at B, or where the label changes; signs at its edges are no part of it."""
    corpus = tmp_path / "x.tsv"
    corpus.write_text("@\tB-PER\nx_y\tI-PER\nPriya\tB-PER\n-\tI-PER\nNair\tI-PER\n.\tI-PER\nOslo\tI-LOC\n", "utf-8")
    [(text, _, mentions)] = names.texts(corpus)
    assert [(text[m.start : m.end], m.label) for m in mentions] == [
        ("x_y", "PER"),
        ("Priya - Nair", "PER"),
        ("Oslo", "LOC"),
    ]


def test_half_found_mentions_are_not_exact(tmp_path: Path) -> None:
    corpus = tmp_path / "x.tsv"
    corpus.write_text("Dr.\tO\nPriya\tB-PER\nNair\tI-PER\nZzyx\tI-PER\nquill\tI-PER\n", "utf-8")
    found = names.score(names.read(corpus, Detector()))["PER"]
    assert (found.exact, found.mentions, found.spans) == (0, 1, 1) and found.span_f1 == 0 < found.f1


def test_calibration_is_the_gap_between_scores_and_truth() -> None:
    graded = ((0.8, True), (0.8, False), (0.96, True), (1.0, True))
    blank = names.Score(0, 0, 0, 0, 0)
    scored = {"rules": {"PER": blank}, "fast": {"PER": blank._replace(graded=graded)}}
    table = names.table_of_calibration({"ar-aqmar.test": scored})
    assert table.splitlines()[2:] == ["| fast | - | - | 2: 0.80, right 0.50 | 2: 0.98, right 1.00 | 0.160 |"]


def test_words_and_genres(tmp_path: Path) -> None:
    """A word of a type counts if half of it is found; the last comment is the genre."""
    tally = _scored("Dr. {PERSON:Priya Nair Khan}, arrived", "Priya", EntityType.PERSON)
    counted = (tally.token_gold["PERSON"], tally.token_found["PERSON"], tally.token_right["PERSON"])
    assert counted == (3, 1, 1)
    messages = tmp_path / "messages.txt"
    messages.write_text("# Letters, of banks\nDr. {PERSON:Priya Nair}\n# Chats\n{PERSON:zzyx}\n\nok\n", "utf-8")
    assert [case.genre for case in read_marked(messages)] == ["letters", "chats", "chats"]
    tallies, _ = evaluate(read_marked(messages), Detector(), frozenset(EntityType))
    rows = table_of_genres({"rules": tallies}).splitlines()
    assert rows[2:] == ["| letters | 1 | 1.000 / 1.000 |", "| chats | 1 | 0.000 / - |"]


def test_words_taken_for_persons_in_texts_without_any(tmp_path: Path) -> None:
    corpus = tmp_path / "x.tsv"
    sentences = ["Dr.\tO\nPriya\tO\nNair\tO", *["It\tO\nrained\tO"] * 7, "Priya\tB-PER\nNair\tI-PER"]
    corpus.write_text("\n\n".join(sentences) + "\n", "utf-8")
    found = names.score(names.read(corpus, Detector()))["PER"]
    assert (found.alarms, found.empty) == (2, 17)
    assert found.alarms_per_1000 == pytest.approx(1000 * 2 / 17)


def test_mistakes_by_type_and_class(tmp_path: Path) -> None:
    corpus = tmp_path / "x.tsv"
    words = [
        "Dr. O",
        "Priya B-PER",
        "Nair O",
        "saw O",
        "Zzyx B-PER",
        "in O",
        "Riyadh B-PER",
        "with O",
        "Dr. O",
        "Fahad B-LOC",
    ]
    corpus.write_text("\n".join(word.replace(" ", "\t") for word in words) + "\n", "utf-8")
    found = names.mistakes(names.read(corpus, Detector()))
    assert found["PER"] == {
        "false: beside a name": 1,
        "missed: whole name": 1,
        "missed: found as another type": 1,
        "false: of another type": 1,
    }
    assert found["LOC"] == {"missed: found as another type": 1, "false: of another type": 1} and not found["ORG"]


@pytest.mark.parametrize(
    ("text", "parts", "wholes"),
    [
        ("Dana Al-Amri, Noor", "given_name:Dana given_name:Al surname:-Amri given_name:Noor",
         [("PERSON", "Dana Al-Amri"), ("PERSON", "Noor")]),
        ("12 Hill St, Dallas, TX 75201", "building_number:12 street_name:Hill city:Dallas state:TX zip_code:75201",
         [("ADDRESS", "12 Hill"), ("ADDRESS", "Dallas, TX 75201")]),
        ("Jeddah, Riyadh", "city:Jed city:dah city:Riyadh", [("LOCATION", "Jeddah"), ("LOCATION", "Riyadh")]),
        ("call 0501, 0502", "phone_number:0501 phone_number:0502 url:call",
         [("PHONE_NUMBER", "0501"), ("PHONE_NUMBER", "0502")]),
    ],
)  # fmt: skip
def test_parts_that_another_detector_yields_are_scored_as_one(
    text: str, parts: str, wholes: list[tuple[str, str]]
) -> None:
    named = [part.split(":") for part in parts.split()]
    peer = Peer(
        lambda text: [(name, text.index(part), text.index(part) + len(part)) for name, part in named], joins=True
    )
    found = peer.detect(text).spans
    assert [(span.type.value, text[span.start : span.end]) for span in found] == wholes


def test_our_own_messages_are_found() -> None:
    tallies, notes = evaluate(read_marked(OWN_MESSAGES), detector(), LABELLED_IN_OWN)
    total = tallies["all"]
    assert total.covered.total() >= 0.96 * total.gold.total(), notes
    assert total.right.total() >= 0.96 * total.predicted.total(), notes


def test_messages_for_structured_types_are_found() -> None:
    tallies, notes = evaluate(read_marked(TYPE_MESSAGES), detector(), frozenset(EntityType) - LABELLED_IN_OWN)
    total = tallies["all"]
    labelled = sum(count for kind, count in total.gold.items() if EntityType(kind) not in LABELLED_IN_OWN)
    assert total.covered.total() >= 0.995 * labelled, notes
    assert total.right.total() >= 0.99 * total.predicted.total(), notes


def test_written_escapes_are_the_characters_they_name(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(r"# comment" "\n" r"a\\nb\n{API_KEY:gh\+p_1\u200f}\tc", "utf-8")
    (case,) = read_marked(path)
    assert case.text == "a\\nb\nghp_1\u200f\tc"
    assert [(zone.kind, case.text[zone.start : zone.end]) for zone in case.gold] == [("API_KEY", "ghp_1\u200f")]


def test_development_messages_meet_the_targets_and_the_reference_scorer_agrees(
    shared_dir: Path, tmp_path: Path
) -> None:
    gold = shared_dir / "data/cases/messages.jsonl"
    cases = list(read_jsonl(gold))
    tallies, notes = evaluate(cases, detector(), frozenset(EntityType))
    total = tallies["all"]
    assert total.covered["PERSON"] >= 0.80 * total.gold["PERSON"], notes
    assert total.right["PERSON"] >= 0.88 * total.predicted["PERSON"], notes
    assert total.covered.total() >= 0.88 * total.gold.total(), notes

    predictions = tmp_path / "predictions.jsonl"
    with predictions.open("w", encoding="utf-8") as file:
        for case in cases:
            options = DetectOptions(terms=(TermSet(tuple(Term(term) for term in case.glossary)),))
            spans = detector().detect(case.text, options).spans
            row = [{"start": span.start, "end": span.end, "type": span.type.value} for span in spans]
            file.write(json.dumps({"id": case.id, "spans": row}) + "\n")
    scorer = shared_dir / "data/cases/score_messages.py"
    printed = subprocess.run(
        [sys.executable, str(scorer), str(gold), str(predictions)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    row = next(line.split() for line in printed.splitlines() if line.startswith("PERSON"))
    assert row[1:4] == [
        str(total.gold["PERSON"]),
        f"{total.covered['PERSON'] / total.gold['PERSON']:.3f}",
        f"{total.exact['PERSON'] / total.gold['PERSON']:.3f}",
    ]
    assert [int(row[6]), float(row[7])] == [
        total.predicted["PERSON"],
        round(total.right["PERSON"] / total.predicted["PERSON"], 3),
    ]
