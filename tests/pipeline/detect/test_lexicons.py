"""The lexicons: well-formed, sorted, folded, and read once into one vocabulary."""

from importlib.resources import files
from pathlib import Path

import pytest

from pipeline.detect.grammar.phrases import Phrases
from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words
from pipeline.detect.lexicons.loader import fold, section, sections, table
from pipeline.detect.recognizers.location import load_places
from pipeline.detect.recognizers.organization import load_organizations
from pipeline.detect.text.normalize import normalize

COMPILED = {"names_arabic.csv": 4, "names_latin.csv": 4, "places.csv": 7, "organizations.csv": 3}


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary(load_places().heads, load_organizations().heads)


@pytest.mark.parametrize(("name", "columns"), COMPILED.items())
def test_a_compiled_lexicon_is_sorted_unique_and_says_where_it_comes_from(name: str, columns: int) -> None:
    lines = Path(str(files("pipeline.detect.lexicons") / name)).read_text("utf-8").splitlines()
    notes = [line for line in lines if line.startswith("#")]
    rows = [line for line in lines if not line.startswith("#")]
    assert "Source" in notes[0]
    assert rows == sorted(set(rows))
    assert {len(row) for row in table(name)} == {columns}


def test_the_spellings_of_names_are_sorted_and_each_name_has_one() -> None:
    rows = table("name_spellings.csv")
    assert [row[0] for row in rows] == sorted({row[0] for row in rows})
    assert all(len(row) > 1 and not row[0].isascii() and "".join(row[1:]).isascii() for row in rows)


def test_keys_are_folded_as_texts_are() -> None:
    for name in COMPILED:
        assert all(row[0] == fold(row[0]) for row in table(name))


@pytest.mark.parametrize("text", ["أحمد إلى آل فاطمة ليلى", "plain", "", "ﻡ😀\ud800ى"])
def test_folding_keeps_every_offset(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert fold(fold(text)) == fold(text)


def test_an_unknown_section_is_an_error() -> None:
    with pytest.raises(KeyError):
        section("context_words.txt", "no such title")


def test_every_section_of_cues_is_used() -> None:
    root = Path(str(files("pipeline.detect")))
    code = "".join(path.read_text("utf-8") for path in root.rglob("*.py"))
    assert [title for title in sections("context_words.txt") if f'"{title}"' not in code] == []


def test_ambiguous_names_are_weak(vocabulary: Vocabulary) -> None:
    def meaning(word: str) -> int:
        return vocabulary.meaning[vocabulary.code[word]]

    assert meaning("Ahmed") & Word.GIVEN
    assert meaning("Will") & NAME == Word.GIVEN_WEAK
    assert meaning("امل") & NAME == Word.GIVEN_WEAK
    assert meaning("ولمحمد"[0] + "محمد") & Word.CLITIC
    assert "will" not in vocabulary.code or not meaning("will") & NAME
    assert meaning("The") & Word.ORDINARY


def test_words_know_where_they_stand(vocabulary: Vocabulary) -> None:
    text = "، أحمد-علي (Riyadh)\n2024: x"
    words = Words(normalize(text), vocabulary)
    spelled = [text[words.start(i) : words.end(i)] for i in range(len(words)) if words.end(i) > words.start(i)]
    assert spelled == ["أحمد", "علي", "Riyadh", "2024", "x"]
    for outside in (-2, -1, len(words), len(words) + 1):
        assert words.meaning(outside) == Word.OTHER
        assert words.after(outside) == "n"


@pytest.mark.parametrize("text", ["", " ", "\n", "a", "ا", "\x00", "😀", "_", "'", "\ud800"])
def test_the_smallest_texts_are_texts(vocabulary: Vocabulary, text: str) -> None:
    words = Words(normalize(text), vocabulary)
    assert words.end(len(words) - 1) <= len(text)


def test_the_longest_phrase_wins(vocabulary: Vocabulary) -> None:
    phrases = Phrases([("king", 1), ("king saud university", 2), ("saud", 3)])
    words = Words(normalize("The king saud University, king Saud-x"), vocabulary)
    first = phrases.at(words, 1)
    assert first is not None
    assert (first.first, first.last, first.entry) == (1, 3, 2)
    second = phrases.at(words, 4)
    assert second is not None
    assert (second.last, second.entry) == (4, 1)
    assert phrases.at(words, 0) is None


@pytest.mark.parametrize(
    ("word", "skip"), [("بالرياض", 1), ("والرياض", 1), ("للرياض", 2), ("الرياض", 0), ("لالرياض", 1)]
)
def test_a_clitic_stands_outside_the_place(vocabulary: Vocabulary, word: str, skip: int) -> None:
    hit = load_places().at(Words(normalize(word), vocabulary), 0)
    assert hit is not None
    assert hit.skip == skip
