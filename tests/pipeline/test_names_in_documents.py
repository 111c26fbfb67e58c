"""Names in documents by the neural tagger: what people read is read together, what only programs read is left alone."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from pipeline.detect.detector import Detector
from pipeline.detect.recognizers.tagged import TaggedRecognizer
from pipeline.detect.tagger.decode import Scores
from pipeline.detect.tagger.model import Map, load
from pipeline.detect.text.normalize import normalize
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import Redacted, redact_document
from pipeline.documents.document import Extraction, TextUnit
from pipeline.entities.findings import find
from schemas.files import Format
from schemas.spans import DetectOptions
from tests.pipeline.documents.office import contents, everything, paragraph, word
from tests.pipeline.sandbox.shared import shared

# No word of these names is in the lexicon.
ENGLISH = "Ottoline Brancaster"
ARABIC = "إنغريد لوندكفيست"
LETTER = (
    f"The lease was signed by {ENGLISH} last spring.",
    f"ووقّعت {ARABIC} العقد في أوسلو أمس.",
    "Signed for the tenant,",
    ENGLISH,
)
HEADING = "Roman Arches"  # which the rules take for a person
OPTIONS = DetectOptions(strict_checksums=False)


@pytest.fixture(scope="module")
def accurate() -> Detector:
    return Detector(names="accurate")


def redacted(detector: Detector, format_: Format, data: bytes) -> Redacted:
    with ThreadPoolExecutor(1) as readers:
        return redact_document(
            shared(),
            DirectDetector(detector),
            format_,
            data,
            max_pages=10,
            filename="lease",
            readers=readers,
        )


def test_a_letter(accurate: Detector) -> None:
    data = word("".join(map(paragraph, LETTER)))
    assert ENGLISH in everything(redacted(Detector(), Format.DOCX, data).data)
    output = redacted(accurate, Format.DOCX, data).data
    assert contents(output).keys() == contents(redacted(Detector(), Format.DOCX, data).data).keys()
    shown = everything(output)
    assert not [name for name in (*ENGLISH.split(), *ARABIC.split()) if name in shown]
    assert "The lease was signed by PERSON_NAME_01 last spring." in shown


def test_a_column_of_notes(accurate: Detector) -> None:
    notes = [f"The client {ENGLISH} called about the invoice.", "Paid on time.", f"Ask {ENGLISH.split()[0]} again."]
    data = "\n".join(["No,Note", *(f"{number},{note}" for number, note in enumerate(notes))]).encode()
    assert redacted(accurate, Format.CSV, data).data.decode().split("\n") == [
        "No,Note",
        "0,The client PERSON_NAME_01 called about the invoice.",
        "1,Paid on time.",
        "2,Ask PERSON_NAME_01 again.",
    ]


def test_what_the_tagger_talks_the_rules_out_of_stays_in_one_round(accurate: Detector) -> None:
    data = word(paragraph(HEADING) + paragraph("The walls are made of stone."))
    assert HEADING not in everything(redacted(Detector(), Format.DOCX, data).data)
    result = redacted(accurate, Format.DOCX, data)
    assert HEADING in everything(result.data)
    assert result.rounds == 1


def test_a_name_in_one_place_counts_in_every_place(accurate: Detector) -> None:
    """Also where the tagger alone would not see it, and in texts that it does not read."""
    units = (
        TextUnit("1", LETTER[0]),
        TextUnit("2", f"x{ENGLISH.lower()} {ENGLISH}"),
        TextUnit("3", f"by {ENGLISH}", billed=False),
    )
    findings = find(Extraction(units), (), accurate, OPTIONS)
    assert {place.unit for place in findings.places if place.type == "PERSON"} == {"1", "2", "3"}


def test_what_people_do_not_read_is_read_by_the_rules(accurate: Detector) -> None:
    extraction = Extraction((TextUnit("1", LETTER[0], billed=False), TextUnit("2", HEADING, billed=False)))
    by_rules = find(extraction, (), Detector(), OPTIONS)
    assert find(extraction, (), accurate, OPTIONS) == by_rules
    assert [place.unit for place in by_rules.places] == ["2"]


def test_what_the_tagger_rejects_is_no_name_in_what_only_programs_read_either(accurate: Detector) -> None:
    content = TextUnit("1", f"{HEADING}\n\nThe walls are made of stone.")
    beside = TextUnit("2", f"{HEADING}, page 1", billed=False)
    for units in ((content, beside), (beside, content)):
        assert find(Extraction(units), (), accurate, OPTIONS).places == ()
    named = TextUnit("3", f"Name: {HEADING}")
    places = find(Extraction((content, beside, named)), (), accurate, OPTIONS).places
    assert {place.unit for place in places} >= {"2", "3"}


def test_bookmarks_are_read_by_the_tagger(accurate: Detector) -> None:
    """People read them beside the pages: a name that is in no lexicon is found, and a heading is no name."""
    texts = HEADING, "The walls are made of stone", LETTER[0]
    titles = tuple(TextUnit(str(number), text, billed=False, seen=True) for number, text in enumerate(texts))
    places = find(Extraction(titles), (), accurate, OPTIONS).places
    assert [texts[int(place.unit)][place.start : place.end] for place in places] == [ENGLISH]


def test_what_the_heading_of_a_column_decides_never_reaches_a_tagger(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of names costs no more than by the rules alone; under another heading the same cell is open."""
    recognizer = TaggedRecognizer(load("fast"))
    asked: list[list[str]] = []

    def probabilities(words: Sequence[str], is_open: Sequence[bool], map_: Map) -> Scores:
        asked.append([word for word, is_asked in zip(words, is_open, strict=True) if is_asked])
        return really(words, is_open, map_)

    really = load("fast").tagger.probabilities
    monkeypatch.setattr(load("fast").tagger, "probabilities", probabilities)
    cells = [(normalize(text), context) for text, context in ((ENGLISH, "Name"), ("Sara Almithali", "Customer name"))]
    named = recognizer.of_document(cells)
    assert [found.type for found in named.find(cells[0][0], DetectOptions(context="Name"))] == ["PERSON"]
    recognizer.of_document([*cells, (normalize(ENGLISH), "Note")])
    assert asked == [[], ENGLISH.split()]


def test_the_fast_tagger_and_then_the_rules_read_what_is_beyond_the_limit() -> None:
    units = (TextUnit("1", "No name. " * 10), TextUnit("2", f"Please call {ENGLISH}."), TextUnit("3", HEADING))
    texts = {unit.text: frozenset[tuple[int, int]]() for unit in units}

    def readers(accurate: int, fast: int) -> list[str]:
        """Whose word counts for each text: the tagger's by its threshold and weights, or nobody's."""
        beyond = TaggedRecognizer(load("fast"), most_words=fast)
        readings = TaggedRecognizer(load("accurate"), most_words=accurate, beyond=beyond).read_together(texts)
        tiers = {id(load("accurate")): "accurate", id(load("fast")): "fast"}
        return [tiers[id(readings[text].names)] if text in readings else "rules" for text in texts]

    assert readers(1000, 1000) == ["accurate"] * 3
    assert readers(35, 1000) == ["accurate", "fast", "accurate"]  # the last one is short enough
    assert readers(33, 6) == ["accurate", "fast", "rules"]
    assert readers(2, 2) == ["rules"] * 3


def test_a_document_that_two_taggers_read(accurate: Detector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.detect.detector._MOST_WORDS", 40)
    units = (TextUnit("1", "No name. " * 10), TextUnit("2", f"Please call {ENGLISH}. " + "No name. " * 10))
    assert [place.unit for place in find(Extraction(units), (), Detector(names="accurate"), OPTIONS).places] == ["2"]


def test_cells_are_names_apart(accurate: Detector) -> None:
    units = (TextUnit("1", f"{ENGLISH}\tWendeline Ormsthwaite\tYes"),)
    values = find(Extraction(units), (), accurate, OPTIONS).values
    assert [value.surface for value in values] == [ENGLISH, "Wendeline Ormsthwaite"]


@pytest.mark.parametrize(
    "text", ["Монтаж оборудования на объекте", "H 股聘任中介费用", "Η Μαρία Παπαδοπούλου υπέγραψε"]
)
def test_scripts_that_the_tagger_has_not_learnt_are_left_to_the_rules(accurate: Detector, text: str) -> None:
    assert find(Extraction((TextUnit("1", text),)), (), accurate, OPTIONS) == find(
        Extraction((TextUnit("1", text),)), (), Detector(), OPTIONS
    )


def test_a_person_in_both_scripts() -> None:
    """The second reading finds the same parts: the output is clean in one round."""
    lines = (
        "السيد درخبيش بن محمد القحطاني وقع العقد.",
        "We met Darkhabish there. Ask Mr. Kahtani.",
        "Kahtani, D.",
    )
    result = redacted(Detector(), Format.DOCX, word("".join(map(paragraph, lines))))
    shown = everything(result.data)
    assert not [name for name in ("درخبيش", "القحطاني", "Darkhabish", "Kahtani") if name in shown]
    assert "We met PERSON_NAME_01 there. Ask Mr. PERSON_NAME_01." in shown
    assert result.rounds == 1
