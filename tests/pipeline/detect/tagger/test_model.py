"""The tagger as released: its file, its results, and how the rules and it are combined."""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from pipeline.detect.detector import Detector
from pipeline.detect.recognizers.tagged import TaggedRecognizer
from pipeline.detect.tagger import model, release
from pipeline.detect.tagger.model import Tagger
from pipeline.detect.tagger.pieces import words
from pipeline.detect.tagger.release import FOLDER, WrongWeights
from schemas.entities import EntityType
from schemas.spans import DetectOptions

PERSON = EntityType.PERSON
# No word of these names is in the lexicon; both texts were written for this test.
ENGLISH = "The sculptor Ottoline Brancaster met Wendeline Ormsthwaite in the harbour of Lisbon last spring."
ARABIC = "وقالت الوزيرة السويدية إنغريد لوندكفيست إن المحادثات مع نظيرها الفنلندي يوكا هالونن كانت مثمرة."


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(names="accurate")


def people(detector: Detector, text: str) -> set[str]:
    return {text[s.start : s.end] for s in detector.detect(text).spans if s.type == PERSON}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ENGLISH, {"Ottoline Brancaster", "Wendeline Ormsthwaite"}),
        (ARABIC, {"إنغريد لوندكفيست", "يوكا هالونن"}),
    ],
)
def test_names_that_no_lexicon_has(detector: Detector, text: str, expected: set[str]) -> None:
    assert not expected & people(Detector(), text)
    assert expected <= people(detector, text)


@pytest.mark.parametrize(
    "text",
    [
        "VOTER NOMINATED\nTREASURER\nSERVICE DATES\nTERMS AND CONDITIONS",
        "Will you be there in May? Grace period ends soon.",
        "اليوم الجو جميل والكل سعيد بالإجازة",
        "The patient has Parkinson's disease and drives a Toyota Camry.",
    ],
)
def test_words_that_are_no_people(detector: Detector, text: str) -> None:
    assert people(detector, text) == set()


# What the two taggers read in text that a scanner or a person has damaged; no lexicon has these names.
UNKNOWN = ("Ottoline Brancaster", "Wendeline Ormsthwaite"), "The sculptor {} met {} in Lisbon last spring."
SIMPLE = ("Martin Holloway", "Susanna Feldman"), "Please ask {} about it, or call {} tomorrow morning."
ARABIC_PAIR = ("إنغريد لوندكفيست", "يوكا هالونن"), "وقالت الوزيرة {} إن المحادثات مع نظيرها {} كانت مثمرة."
DAMAGES = {
    "none": lambda name: name,
    "line break": lambda name: name.replace(" ", "\n"),
    "small letters": str.lower,
    "capitals": str.upper,
    "digits for letters": lambda name: name.replace("o", "0", 1).replace("l", "1", 1).replace("ر", "ز", 1),
    "rn for m": lambda name: name.replace("m", "rn"),
    "divided by a hyphen": lambda name: f"{name[:-4]}-\n{name[-4:]}",
    "diacritics": lambda name: name.replace("ن", "نْ"),
    "tatweel": lambda name: name.replace("ن", "ـن"),
    "attached": lambda name: f"ل{name}" if name[0] > "ء" else name,
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(
    ("tier", "names", "frame"), [("accurate", *UNKNOWN), ("accurate", *ARABIC_PAIR), ("fast", *SIMPLE)]
)
def test_damaged_names(tier: str, names: tuple[str, str], frame: str, damage: str) -> None:
    """All letters of both names are found, whatever else is."""
    damaged = [DAMAGES[damage](name) for name in names]
    text = frame.format(*damaged)
    if damage == "small letters":  # of all words: whoever writes so writes all of them so
        text = text.lower()
    spans = [span for span in Detector(names=tier).detect(text).spans if span.type == PERSON]
    covered = {place for span in spans for place in range(span.start, span.end)}
    for name in damaged:
        start = text.index(name)
        left = [c for place, c in enumerate(name, start) if place not in covered and c.isalpha()]
        assert not left, damage


def test_a_name_goes_on_after_a_hyphen_at_the_end_of_the_line_alone(detector: Detector) -> None:
    for end, expected in (("-\n caster", "Bran-\n caster"), ("-\nCaster", "Bran"), (" -\ncaster", "Bran")):
        assert f"Ottoline {expected}" in people(detector, f"The sculptor Ottoline Bran{end} came in spring.")


def test_rules_alone_are_as_without_a_tagger() -> None:
    assert Detector(names="rules").detect(ENGLISH).spans == Detector().detect(ENGLISH).spans


def test_a_result_does_not_depend_on_what_else_is_read(detector: Detector) -> None:
    alone = [detector.detect(text).spans for text in (ENGLISH, ARABIC)]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda text: detector.detect(text).spans, [ENGLISH, ARABIC] * 10))
    assert together == alone * 10


def test_a_long_text_is_read_to_its_end(detector: Detector) -> None:
    filler = "The committee discussed the budget of the harbour and the roads around it. " * 60
    assert people(detector, filler + ENGLISH) >= {"Ottoline Brancaster", "Wendeline Ormsthwaite"}


@pytest.mark.parametrize("tier", ["fast", "accurate"])
def test_probabilities_depend_on_what_is_near_alone(tier: str) -> None:
    """The fast tagger sees nine words on each side: what is beyond, cold or warm, changes no bit."""
    tagger, cold = (Tagger(release.read(tier)[0]) for _ in range(2))
    text = words(f"{ENGLISH} {ARABIC}\n").texts
    everywhere = [True] * len(text)
    alone = tagger.probabilities(text, everywhere)
    assert (tagger.probabilities(text, everywhere) == alone).all()
    if tier == "fast":
        long = tagger.probabilities([*["harbour"] * 300, *text * 3, *["budget"] * 9], [True] * (309 + 3 * len(text)))
        middle = tagger.probabilities(text * 3, everywhere * 3)[len(text) : 2 * len(text)]
        begin = 300 + len(text)
        assert (long[begin : begin + len(text)] == middle).all()
        assert (cold.probabilities(text * 3, everywhere * 3)[len(text) : 2 * len(text)] == middle).all()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_the_windows_of_a_document_are_read_at_the_same_time_and_with_the_same_result() -> None:
    class Pair:
        """A session in which each reading waits for another one."""

        def run(self, *asked: Any) -> Any:
            together.wait(10)
            return session.run(*asked)

    together = Barrier(2)
    names = model.load("accurate")
    tagger = Tagger(release.read("accurate")[0])
    session, tagger._session = tagger._session, Pair()  # type: ignore[assignment]
    filler = "The committee discussed the budget of the harbour and the roads around it. " * 8
    texts = dict.fromkeys((f"{ENGLISH} {filler}", f"{filler} {ENGLISH}"), frozenset[tuple[int, int]]())
    alone = TaggedRecognizer(names._replace(tagger=Tagger(release.read("accurate")[0]))).read_together(texts)
    at_once = TaggedRecognizer(names._replace(tagger=tagger)).read_together(texts)
    assert not together.broken
    assert all((at_once[text]._shares == alone[text]._shares).all() for text in texts)


def test_a_user_name_is_found_whole() -> None:
    detector = Detector(names="fast")
    text = "RT @dune_wanderer7: so happy for you @yara.collects lol, see you soon"
    assert {"dune_wanderer7", "yara.collects"} <= people(detector, text)


def test_a_word_without_end_is_read_by_its_beginning(detector: Detector) -> None:
    text = f"{'Ottoline' * 40_000} met Susanna Feldman"
    assert "Susanna Feldman" in people(detector, text)
    assert max(map(len, words(text).texts)) == 64


@pytest.mark.parametrize("tier", ["fast", "accurate"])
@pytest.mark.parametrize("before", ["", "ﷺ "])  # as it is, and with a character that normalization expands
def test_an_explanation_names_the_tagger_and_its_score(tier: str, before: str) -> None:
    text = before + ENGLISH
    found = Detector(names=tier).detect(text, DetectOptions(explain=True))
    (span,) = (s for s in found.spans if text[s.start : s.end] == "Ottoline Brancaster")
    assert span.recognizer == "tagger" and 0.5 <= span.score <= 1
    assert found.why is not None and found.why[span].shape.endswith(f"neural tagger ({tier})")


def test_text_without_names_never_reaches_the_tagger(detector: Detector, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the tagger was asked")

    monkeypatch.setattr(Tagger, "_encoded", refuse)
    assert detector.detect("2024-05-01: 12, 350").spans
    with pytest.raises(AssertionError, match="the tagger was asked"):
        detector.detect("the order of Ottoline was sent")


def test_windows_without_a_likely_name_never_reach_the_encoder() -> None:
    """The gate changes nothing where it sees a name, and spares the encoder the rest of a text."""
    gate, encoder = Tagger(release.read("fast")[0]), Tagger(release.read("accurate")[0])
    gated = Tagger(release.read("accurate")[0], gate)
    filler = words("We walked to the shop and bought two loaves of bread because they were cheap.\n").texts * 30
    text = [*filler, *words(ENGLISH).texts]
    everywhere = [True] * len(text)
    with_gate, without = (tagger.probabilities(text, everywhere) for tagger in (gated, encoder))
    read = with_gate[:, 0] < 1
    assert (with_gate[read] == without[read]).all()
    assert read[len(filler) :].all() and not read[: len(filler) - 126].any()
    gated._session = None  # type: ignore[assignment] # whoever asks it fails
    assert (gated.probabilities(filler, [True] * len(filler))[:, 0] == 1).all()


@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    for name in ("accurate.json", "accurate.onnx", "fast.json", "fast.onnx"):
        shutil.copy(FOLDER / name, tmp_path / name)
    if damage == "missing":
        (tmp_path / "accurate.onnx").unlink()
    else:
        data = bytearray((tmp_path / "accurate.onnx").read_bytes())
        data[len(data) // 2] ^= 1
        (tmp_path / "accurate.onnx").write_bytes(data)
    monkeypatch.setattr(release, "FOLDER", tmp_path)
    model.load.cache_clear()
    with pytest.raises(WrongWeights, match=r"accurate\.onnx"):
        Detector(names="accurate")
    model.load.cache_clear()


@pytest.mark.parametrize("tier", ["fast", "accurate"])
def test_the_manifest_has_weights_for_each_type_and_says_how_far_to_lean(tier: str) -> None:
    manifest = json.loads((FOLDER / f"{tier}.json").read_text("utf-8"))
    assert manifest["combination"].keys() == {"PERSON", "LOCATION", "ORGANIZATION"}
    assert model.load(tier).lean == manifest["lean"] > 1


def test_a_person_is_found_again_by_a_part_of_the_name(detector: Detector) -> None:
    text = (
        f"{ENGLISH} It was warm, as Brancaster remarked; nobody asked the brancaster or Ormsthwaite, the other guest."
    )
    found = [text[s.start : s.end] for s in detector.detect(text).spans if s.type == PERSON]
    assert found.count("Brancaster") == 1 and found.count("Ormsthwaite") == 1
    assert "brancaster" not in found


def test_labels_are_no_names(detector: Detector) -> None:
    assert people(detector, "وبريدي هو noura@example.com وجوالي 0501234567") == set()
