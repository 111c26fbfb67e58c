"""PERSON after a label: words in the place where a form, a table or a letter has a name, known or not."""

import re
from collections.abc import Iterator, Sequence

from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words, WordSpan
from pipeline.detect.lexicons.loader import fold, sections
from pipeline.detect.names.latin import OUTSIDE_NAMES

_KIND_OF_NAME = frozenset(["full", "first", "last", "middle", "family", "given"])
_CUES = Word.TITLE | Word.ROLE | Word.LABEL | Word.GREETING | Word.CONTACT


class LabelledNames:
    """Finds names after labels such as `Name:`, and reads whole cells under such headings as names. Immutable."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        label = vocabulary.one_of(Word.LABEL | Word.ROLE)
        any_word = vocabulary.one_of(Word.ARABIC | Word.CAPITAL | Word.LOWER)
        title = vocabulary.one_of(Word.TITLE)
        joints = Word.CONNECTOR | Word.ARTICLE | Word.PARTICLE | Word.ABD | Word.KUNYA | Word.DIVINE
        arabic = vocabulary.one_of(
            Word.ARABIC,
            without=Word.ORDINARY
            | _CUES
            | Word.FACILITY
            | Word.ID_CUE
            | Word.ADDRESS_CUE
            | Word.NON_PERSON
            | Word.CLITIC,
        )
        arabic_known = vocabulary.one_of(NAME | joints, without=Word.CAPITAL | Word.LOWER)
        latin = vocabulary.one_of(Word.CAPITAL, without=OUTSIDE_NAMES)
        latin_known = vocabulary.one_of(NAME | joints | Word.INITIAL | Word.PREFIX, without=Word.ARABIC)
        more_arabic = vocabulary.one_of(NAME | joints, without=Word.CAPITAL | Word.LOWER | Word.CLITIC)
        more_arabic = f"[{arabic[1:-1]}{more_arabic[1:-1]}]"
        one_arabic = f"[{arabic[1:-1]}{arabic_known[1:-1]}]"
        one_latin = f"[{latin[1:-1]}{latin_known[1:-1]}]"
        self._labelled = re.compile(
            rf"""
            (?P<label> {label} (?:[ /(]{any_word}){{0,3}} ) [:n] (?:{title}[ ./])?
            (?P<name> {one_arabic}(?:[ ]{more_arabic}){{0,6}} | {one_latin}(?:[ .'/-]{one_latin}){{0,6}} )
            """,
            re.VERBOSE,
        )
        self._cell = re.compile(
            rf"""(?:{title}[ ./])?
            (?P<name> (?:{one_arabic}(?:[ ]{more_arabic}){{0,7}} | {one_latin}(?:[ .,'/-]{one_latin}){{0,7}}) )""",
            re.VERBOSE,
        )
        context_words = sections("context_words.txt")
        self._headings = {
            heading.replace("_", " ")
            for key in ("name heading arabic", "name heading latin")
            for heading in context_words[key]
        }
        self._non_person_nouns = context_words["non-person noun arabic"] | context_words["non-person noun latin"]

    def find(self, words: Words) -> Iterator[WordSpan]:
        """Names after labels, by position."""
        for match in self._labelled.finditer(words.codes):
            label_first, label_last = match.start("label") // 2, (match.end("label") - 1) // 2
            if not self._names_a_person(words, label_first, label_last, match):
                continue
            first, last = match.start("name") // 2, (match.end("name") - 1) // 2
            colon = words.after(label_last) == ":"
            if self._opens_another_line(words, label_last, first, last):
                continue
            if first == last and not (colon and self._may_stand_alone(words, label_first, label_last, first)):
                continue
            words.note(
                "PERSON", first, last, (label_first, label_last), certain=True, shape="words behind a label for names"
            )
            is_called = colon and self._calls(words, label_first, label_last)
            yield WordSpan(first, last, 0, 0.95 if is_called else 0.8 if colon else 0.7)

    def _opens_another_line(self, words: Words, label_last: int, first: int, last: int) -> bool:
        """Whether unknown words begin the line after the label, and the line goes on: a sentence, not a value."""
        if "\n" not in words.raw[words.end(label_last) : words.start(first)] or words.after(last) == "n":
            return False
        return not any(words.meaning(index) & (Word.GIVEN | Word.FAMILY) for index in range(first, last + 1))

    def _may_stand_alone(self, words: Words, label_first: int, label_last: int, name: int) -> bool:
        """Whether one word is a name: any word after `Name:`, but only a known name after a role."""
        if words.meaning(name) & (Word.GIVEN | Word.FAMILY):
            return True
        return self._calls(words, label_first, label_last) and len(words.words[name]) > 2

    def _calls(self, words: Words, first: int, last: int) -> bool:
        """Whether a label says that a name follows: `Name`, not `Manager`."""
        return any(words.meaning(index) & Word.LABEL for index in range(first, last + 1))

    def _names_a_person(self, words: Words, first: int, last: int, match: re.Match[str]) -> bool:
        """Whether label words `first` to `last` label the name of a person, not of a company or a file."""
        spelled = [word.lower() for word in words.words[first : last + 1]]
        if not self._non_person_nouns.isdisjoint(spelled) or (
            first and words.words[first - 1].lower() in self._non_person_nouns
        ):
            return False
        meaning = words.meaning(first)
        if any(words.meaning(index) & NAME for index in range(first + 1, last + 1)) and not meaning & Word.LABEL:
            return False  # The supervisor Hassan: received
        if words.after(last) == "n":
            # Without a colon the label must be a whole line and contain `name`.
            return words.after(first - 1) == "n" and any(words.meaning(i) & Word.LABEL for i in range(first, last + 1))
        return last - first < 3 or bool(meaning & Word.LABEL)

    def is_heading(self, context: str) -> bool:
        """Whether the values under a column or field heading are names of persons.

        `Project manager name` is one of those, `Project name` is not.
        """
        heading = re.sub(r"[\W_]+", " ", fold(context)).strip().lower()
        words = heading.split()
        if any(map(self._is_role, _owners(words))):
            return True
        if any(word in self._non_person_nouns for word in words):
            return False
        return heading in self._headings or bool(re.search(r"(?:^|\s)(?:name|names|الاسم|اسم)(?:\s|$)", heading))

    def _is_role(self, word: str) -> bool:
        code = self._vocabulary.code.get(word)
        return code is not None and bool(self._vocabulary.meaning[code] & (Word.ROLE | Word.TITLE))

    def cell(self, words: Words) -> WordSpan | None:
        """The whole cell as a name; None if it has words that no name has."""
        indexes = [index for index, word in enumerate(words.words) if word != "\x00"]
        if not indexes or len(indexes) > 10:
            return None
        match = self._cell.fullmatch(words.codes, 2 * indexes[0], 2 * indexes[-1] + 1)
        if match is None:
            return None
        first, last = match.start("name") // 2, (match.end("name") - 1) // 2
        words.note("PERSON", first, last, None, shape="cell under a heading for names")
        return WordSpan(first, last, 0, 0.95)


def _owners(words: Sequence[str]) -> Sequence[str]:
    """The words of a heading that say whose name it is: before `full name`, behind `name of the` or `اسم`.

    Of the first `name` alone, in linear time: headings come from documents.
    """
    for index, word in enumerate(words):
        if word == "اسم":
            return words[index + 1 : index + 2]
        if word in ("name", "names"):
            before = index
            while before and words[before - 1] in _KIND_OF_NAME:
                before -= 1
            behind = words[index + 1 : index + 5]
            of = [each for each in behind[1:] if each != "the"][:2] if behind[:1] == ["of"] else []
            return [*words[max(0, before - 1) : before], *of]
    return []
