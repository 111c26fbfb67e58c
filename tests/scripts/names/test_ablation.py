"""What the ablation counts: words found rightly and falsely, without rules that are left out."""

from pipeline.detect.detector import Detector
from pipeline.detect.text.normalize import normalize
from schemas.entities import EntityType
from schemas.spans import DetectOptions
from scripts.names.generator.messages import Labelled
from scripts.names.sentences.labelled import UNJUDGED
from scripts.names.studies.ablation import ARABIC, LATIN, Without, count

PERSON = EntityType.PERSON
LATIN_NAME, ARABIC_NAME = "Khalid Al-Harbi", "عبدالله القحطاني"
TEXT = f"Please ask Mr. {LATIN_NAME} today.\nاتصل بالسيد {ARABIC_NAME} اليوم.\n"


def labelled(label: str, *names: str) -> Labelled:
    places = sorted((TEXT.index(name), TEXT.index(name) + len(name), label) for name in names)
    return Labelled(TEXT, tuple(places))


def test_words_are_true_where_they_are_labelled_and_false_elsewhere() -> None:
    detector = Detector(names="rules")
    counted = count([labelled("PER", LATIN_NAME)], detector)
    assert (counted.true[PERSON], counted.false[PERSON]) == (3, 2)


def test_what_was_left_unjudged_does_not_count() -> None:
    counted = count([labelled(UNJUDGED, LATIN_NAME, ARABIC_NAME)], Detector(names="rules"))
    assert counted.true[PERSON] == counted.false[PERSON] == 0


def test_rules_are_left_out_by_script() -> None:
    text = normalize(TEXT)
    found = {
        left: {TEXT[s.start : s.end] for s in Without((left,)).find(text, DetectOptions()) if s.type == PERSON}
        for left in (LATIN, ARABIC)
    }
    assert found == {LATIN: {ARABIC_NAME}, ARABIC: {LATIN_NAME}}
