"""How the rules and a tagger decide together, with weights that leave the word to one of them."""

import math

from pipeline.detect.recognizers.tagged import TYPE, TaggedRecognizer
from pipeline.detect.tagger.combination import MENTION_FEATURES, RULE_FEATURES, Weights
from pipeline.detect.tagger.model import Names, load
from pipeline.detect.text.normalize import normalize
from schemas.spans import DetectOptions

TEXT = "Ask Mohammed Alqahtani in Riyadh."  # both are in the lexicons


def recognizer(of_mentions: float, of_rules: float, lean: float = 1.0) -> TaggedRecognizer:
    """The fast tagger, with these probabilities for all that it finds and all that the rules find."""
    features = (MENTION_FEATURES, of_mentions), (RULE_FEATURES, of_rules)
    always = Weights(*((math.log(share / (1 - share)), *[0.0] * (len(names) - 1)) for names, share in features))
    return TaggedRecognizer(Names(load("fast").tagger, dict.fromkeys(TYPE.values(), always), 0.3, 1.0, lean))


def found(by: TaggedRecognizer, text: str = TEXT, context: str = "") -> list[str]:
    spans = by.find(normalize(text), DetectOptions(context=context))
    return [text[span.start : span.end] for span in sorted(spans)]


def test_a_name_of_the_rules_is_dismissed_only_against_strong_evidence() -> None:
    assert found(recognizer(0.01, 0.21)) == ["Mohammed Alqahtani", "Riyadh"]
    assert found(recognizer(0.01, 0.09)) == []


def test_a_place_of_the_rules_needs_less_where_the_tagger_sees_nothing_else() -> None:
    assert found(recognizer(0.01, 0.11)) == ["Riyadh"]
    part_of_a_firm = "He works at Riyadh Cables Company."
    assert found(recognizer(0.01, 0.21), part_of_a_firm) == ["Riyadh"]
    assert found(recognizer(0.01, 0.19), part_of_a_firm) == []


def test_a_tagger_leans_towards_persons_in_a_text_but_not_in_a_document() -> None:
    text, leaning = normalize("Please bring kettle Zorvex home."), recognizer(0.99, 0.01, lean=1000)
    assert found(recognizer(0.99, 0.01), text.text) == []
    assert "Zorvex" in found(leaning, text.text)
    assert list(leaning.of_document([(text, "")]).find(text, DetectOptions())) == []


def test_an_organization_of_the_rules_needs_nobody() -> None:
    """They know those of Saudi Arabia by name; the corpora of which the combination learnt label ministries as none."""
    assert found(recognizer(0.01, 0.01), "He lives near King Fahd Hospital.") == ["King Fahd Hospital"]


def test_the_ends_of_a_road_need_nobody() -> None:
    assert found(recognizer(0.01, 0.01), "الحادث على طريق أبها - الرياض أمس") == ["أبها", "الرياض"]


def test_the_tagger_alone_needs_its_threshold() -> None:
    assert found(recognizer(0.31, 0.01)) == ["Mohammed Alqahtani", "Riyadh"]
    assert found(recognizer(0.29, 0.01)) == []


def test_a_cell_under_a_heading_for_names_needs_nobody() -> None:
    assert found(recognizer(0.01, 0.01), "Zzyx Vornath", "Customer name") == ["Zzyx Vornath"]


def test_words_that_stand_beside_names_are_none() -> None:
    """Titles, roles, labels and greetings, however sure the tagger is."""
    sure = recognizer(0.99, 0.01)
    for words in ("عزيزتي", "المتوفى", "Mr. Captain", "Customer Name"):
        assert found(sure, f"{words}\n{words}") == []
    assert found(sure, "Ask Captain.\nAsk Sara.") == ["Sara"]


def test_a_person_must_be_likelier_in_a_document() -> None:
    """One of the rules, or of one word by the tagger: a place, or a whole name by the tagger, needs no more there."""
    text = normalize("Ask Mohammed in Riyadh.\nMohammed Alqahtani wrote.")

    def in_document(by: TaggedRecognizer) -> list[str]:
        spans = by.of_document([(text, "")]).find(text, DetectOptions())
        return [text.text[span.start : span.end] for span in sorted(spans)]

    everyone = ["Mohammed", "Riyadh", "Mohammed Alqahtani"]
    for of_mentions, of_rules in ((0.61, 0.01), (0.01, 0.51)):
        assert in_document(recognizer(of_mentions, of_rules)) == everyone
    for of_mentions, of_rules, left in ((0.59, 0.01, everyone[1:]), (0.01, 0.49, ["Riyadh"])):
        assert in_document(recognizer(of_mentions, of_rules)) == left
        assert found(recognizer(of_mentions, of_rules), text.text) == everyone


def test_a_person_that_fills_a_cell_of_a_document_needs_less() -> None:
    """A scanned table says little else about its names."""
    text = normalize("Bus\tMohammed Alqahtani\t12\nVan\tSara Alharbi wrote\t13\nSara Alharbi\nCar \t Sara Alharbi")

    def in_document(of_rules: float) -> list[tuple[str, int]]:
        spans = recognizer(0.01, of_rules).of_document([(text, "")]).find(text, DetectOptions())
        return [(text.text[span.start : span.end], text.text.count("\n", 0, span.start)) for span in sorted(spans)]

    assert in_document(0.31) == [("Mohammed Alqahtani", 0), ("Sara Alharbi", 3)]
    assert in_document(0.29) == []
