"""Finds mentions of persons by a part of their known full name: `Dear Sara`, `السيد الحارثي`, `Alharbi, S.`

A part that is a name and nothing else counts wherever it is written as one. A part that is also an ordinary word, or
that no lexicon has, counts only in the context of a name: after a title or a greeting, with a capital letter inside a
sentence, next to another part of the same name. A part in the other script counts by the same rules, where
`names.transliteration` proves it, and only if no name in its own script has it. Linear in the length of the text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import filterfalse
from operator import attrgetter
from typing import NamedTuple

from pipeline.detect.grammar.identifiers import in_identifier
from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words
from pipeline.detect.lexicons.loader import section, table
from pipeline.detect.names import arabic, latin, transliteration
from pipeline.detect.names.arabic_scores import PREDICATES
from pipeline.detect.names.latin import is_facility_name
from pipeline.detect.names.latin_scores import has_possessor
from pipeline.detect.recognizers.named_entities import LEXICAL
from pipeline.detect.text.equivalence import compact_form, words_form
from pipeline.detect.text.normalize import lazy, normalize
from schemas.entities import EntityType
from schemas.spans import Span

# Words that only join the parts of a name, and words that are no part of it.
_OPENING = Word.ARTICLE | Word.ABD | Word.KUNYA | Word.PARTICLE  # Al Harbi, Abdul Rahman, Abu Bakr, van Dyk
_JOINING = Word.CONNECTOR | Word.WEAK_CONNECTOR
_CUES = (
    Word.ROLE | Word.LABEL | Word.GREETING | Word.CONTACT | Word.SPEECH | Word.NON_PERSON | Word.ID_CUE | Word.FACILITY
)
_LEAST = 3  # letters of a part
_MOST = 10  # words of a name
_NAMING = Word.TITLE | Word.GREETING | Word.LABEL
_MONTHS = section("context_words.txt", "month name latin") | frozenset(
    ["march", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
)
_DETERMINERS = section("context_words.txt", "determiner latin")
_ORDINARY = section("ordinary.txt", "latin")
# Names that are no English word: at the beginning of a sentence too a capital letter may mean the name.
_NEVER_ENGLISH = frozenset(
    word for word, _, _, is_arab in table("names_latin.csv") if is_arab == "1" and word.lower() not in _ORDINARY
)
_LEAST_SMALL = 4  # letters of a name that counts without a capital
_LEAST_ALONE = 4  # letters of an unknown word that counts alone in its line
_LEAST_UNKNOWN = 4  # letters of an unknown Arabic word that counts everywhere
_LEAST_FAMILY = 6  # letters of an unknown Arabic word with the article
_I_AM = "انا"
_ENDS = frozenset("n.#:(<")  # separator codes before the first word of a sentence or a line
_CLITIC_CONSONANTS = ("B", "K")  # of a clitic in front of an Arabic word, as `transliteration.consonants` has them
_CLITICS = ("و", "ف", "ب", "ل", "ك", "ول", "وب", "فل", "وك")
_BETWEEN = frozenset(" -.i,'")  # separator codes between two parts of one name
_APOSTROPHES = re.compile("['\u2018\u2019\u02bc]")  # Sara's
_LIST_SEPARATORS = frozenset(";؛|\t")  # between two items of a list
_POSSESSIVE = re.compile("['\u2018\u2019\u02bc][sS]\\b")
_MOST_ALIKE = 100  # parts with equal consonants that a word is compared to
_SURE = 0.9  # score of a person whose family name is no place and no organization elsewhere in the text
_NO_PEOPLE = (EntityType.LOCATION, EntityType.ORGANIZATION)
_SCORE = attrgetter("score")
TAGGER = "tagger"  # the name of the recognizer in tagged.py
_INITIAL = re.compile(r"\b[A-Z]\b(?!')")
_MOST_WORDS = 3  # of one part: Abd Al Rahman
_OPENINGS = ("al", "el", "abdul", "abdel", "abdal", "abd", "abu", "ال", "عبد", "ابو")


class Part(NamedTuple):
    """A given name or family name in a full name. `key`: its letters, folded. `known`: hardly ever another word.

    `ordinary`: mostly another word, a name only after a title.
    """

    key: str
    known: bool
    ordinary: bool


class Mention(NamedTuple):
    """`text[start:end]` names one of `people` by one part of a name or several."""

    start: int
    end: int
    people: frozenset[int]


class _PartMatch(NamedTuple):
    """Words `first` to `last`, without the first `skip` letters, spell a part.

    `keys`: the parts that they may be, several only in the other script; `part`: as written here. `proven`: the letters
    suffice to know that it is one of them; otherwise another part of the same name must stand beside it.
    """

    first: int
    last: int
    skip: int
    keys: frozenset[str]
    part: Part
    proven: bool = True


class PersonMentions:
    """Finds mentions of the people of one document. Immutable after construction."""

    def __init__(self, names: Iterable[tuple[int, str]]) -> None:
        """`names`: pairs of a person's number and a name of one or more words; a person may have several names."""
        self._vocabulary = LEXICAL.vocabulary
        self._parts: dict[str, Part] = {}
        self._people: dict[str, set[int]] = {}  # by part
        self._names: dict[int, list[tuple[str, ...]]] = {}
        for number, surface in names:
            parts = name_parts(surface, self._vocabulary)
            if parts:
                self._names.setdefault(number, []).append(tuple(part.key for part in parts))
            for part in parts:
                self._parts[part.key] = part
                self._people.setdefault(part.key, set()).add(number)
        self._heads = {head for key in self._parts for head in _heads(key)}
        self._has_latin = any(map(str.isascii, self._parts))
        self._has_arabic = not all(map(str.isascii, self._parts))

    def __bool__(self) -> bool:
        return bool(self._parts)

    def owner(self, surface: str) -> int | None:
        """The only person whose name has these parts, in any order; None if there is none or more than one."""
        keys = [self._known_as(part.key) for part in name_parts(surface, self._vocabulary)]
        if not keys or not all(keys):
            return None
        people = set.intersection(*map(self._named, keys))
        initials = {word.casefold() for word in _INITIAL.findall(surface)}
        if initials:
            people = {number for number in people if self._has_initials_of(number, initials)}
        elif len(keys) > 1:
            people = {number for number in people if any(_are_all_of(keys, name) for name in self._names[number])}
        return people.pop() if len(people) == 1 else None

    def mentions_in(self, text: str) -> list[Mention]:
        """Every mention by position, without overlaps."""
        bare = _APOSTROPHES.sub(" ", text)
        folded = words_form(bare).split()
        foreign = self._words_of_other_script(
            folded if bare == text else words_form(_POSSESSIVE.sub(" ", text)).split()
        )
        if not foreign and self._heads.isdisjoint(folded):
            return []
        normalized = normalize(text)
        words = Words(normalized, self._vocabulary)
        found = []
        for group in self._groups(words, list(self._part_matches(words, foreign))):
            if len(group) == 1 and not group[0].proven:
                continue
            first, last, start, end, people = self._with_people(words, group)
            has_initials = (first, last) != (group[0].first, group[-1].last)
            if is_mention(words, first, last, [match.part for match in group], has_initials=has_initials):
                found.append(Mention(*normalized.original_span(*normalized.widened(start, end)), frozenset(people)))
        return found

    def _with_people(self, words: Words, group: list[_PartMatch]) -> tuple[int, int, int, int, set[int]]:
        """First and last word of a group with the initials around it, their offsets, and the people they may mean."""
        matched = frozenset[str]().union(*(match.keys for match in group))
        people = self._shared(group)
        initials = {
            letter
            for number in people
            for name in self._names[number]
            for key in name
            if key not in matched
            for letter in self._initials[key]
        }
        first, last = group[0].first, group[-1].last
        begin, end = _with_initials(words, first, last, initials)
        seen = {words.words[n].casefold() for n in (*range(begin, first), *range(last + 1, end + 1))}
        people = {number for number in people if self._has_initials_of(number, seen)} or people
        return begin, end, *words.offsets(begin, end, group[0].skip if begin == first else 0), people

    def _part_matches(self, words: Words, foreign: frozenset[str]) -> Iterator[_PartMatch]:
        index = 0
        while index < len(words):
            match = self._part_match_at(words, index, foreign)
            if match is not None:
                yield match
                index = match.last
            index += 1

    def _part_match_at(self, words: Words, first: int, foreign: frozenset[str]) -> _PartMatch | None:
        """The longest part that begins at word `first`. `foreign`: words that may belong to one in the other script."""
        best, key, may_be_foreign = None, "", False
        for last in range(first, min(first + _MOST_WORDS, len(words))):
            if last > first and words.after(last - 1) not in " -'":
                break
            word = compact_form(words.words[last])
            key += word
            may_be_foreign = may_be_foreign or word in foreign or key in foreign
            if key in self._parts:
                best = _PartMatch(first, last, 0, frozenset((key,)), self._parts[key])
            elif may_be_foreign:
                best = self._foreign_match(words, first, last, 0, key) or best
        if best is not None or not words.meaning(first) & (Word.ARABIC | Word.CLITIC):
            return best
        for clitic, bare in _without_clitics(compact_form(words.words[first])):
            if bare in self._parts:
                return _PartMatch(first, first, clitic, frozenset((bare,)), self._parts[bare])
            match = self._foreign_match(words, first, first, clitic, bare) if foreign else None
            if match is not None:
                return match
        return None

    def _foreign_match(self, words: Words, first: int, last: int, skip: int, key: str) -> _PartMatch | None:
        """The match of words that spell `key` with the parts of the other script that they may be."""
        alike = self._spelled(key)
        if not alike:
            return None
        is_read_alone = first == last and not key.isascii()
        meaning = words.knows(words.words[first][skip:]) if is_read_alone else 0
        part = _part(key, not is_read_alone, meaning, self._vocabulary)
        if part is None:
            return None
        proven = frozenset(other for other in alike if transliteration.proves(other, key))
        return _PartMatch(first, last, skip, proven or frozenset(alike), part, bool(proven))

    def _spelled(self, key: str) -> list[str]:
        """The parts in the other script that may be the same name."""
        index = self._arabic_parts if key.isascii() else self._latin_parts
        (shape,) = transliteration.consonants([key])
        return [part for head, part in index.get(shape, ()) if head == part and transliteration.spells(part, key)]

    def _known_as(self, key: str) -> frozenset[str]:
        """The part itself, or else those of the other script that are proven to be the same name."""
        if key in self._parts:
            return frozenset((key,))
        return frozenset(part for part in self._spelled(key) if transliteration.proves(part, key))

    def _groups(self, words: Words, matches: list[_PartMatch]) -> Iterator[list[_PartMatch]]:
        """Runs of neighbouring matches that may be the name of one person."""
        group: list[_PartMatch] = []
        for match in matches:
            if group and not self._continues(words, group, match):
                yield group
                group = []
            group.append(match)
        if group:
            yield group

    def _continues(self, words: Words, group: list[_PartMatch], following: _PartMatch) -> bool:
        last = group[-1].last
        for index in range(last, following.first):
            between_them = words.raw[words.end(index) : words.start(index + 1)]
            if words.after(index) not in _BETWEEN or not _LIST_SEPARATORS.isdisjoint(between_them):
                return False
            between = words.meaning(index + 1) if index + 1 < following.first else Word.CONNECTOR
            if not between & (Word.CONNECTOR | Word.ARTICLE | Word.PARTICLE | Word.INITIAL | Word.WEAK_CONNECTOR):
                return False
        return (
            following.first - last <= 2
            and not following.skip
            and all(following.keys.isdisjoint(match.keys) for match in group)
            and bool(self._shared([*group, following]))
        )

    def _shared(self, group: list[_PartMatch]) -> set[int]:
        return set.intersection(*(self._named(match.keys) for match in group))

    def _named(self, keys: frozenset[str]) -> set[int]:
        """The people with a name that has one of these parts."""
        return set[int]().union(*(self._people[key] for key in keys))

    def _has_initials_of(self, number: int, initials: set[str]) -> bool:
        """Whether a name of this person has parts with all these initials."""
        return any(initials <= {*"".join(self._initials[key] for key in name)} for name in self._names[number])

    @lazy
    def _arabic_parts(self) -> "_Index":
        """The Arabic parts, for Latin words."""
        return _by_consonants(filterfalse(str.isascii, self._parts))

    @lazy
    def _latin_parts(self) -> "_Index":
        """The Latin parts, for Arabic words."""
        return _by_consonants(filter(str.isascii, self._parts), _CLITIC_CONSONANTS)

    @lazy
    def _initials(self) -> dict[str, str]:
        """The letters that may stand for each part as its initial."""
        return {key: transliteration.initials(key) for key in self._parts}

    def _words_of_other_script(self, words: Sequence[str]) -> frozenset[str]:
        """Those words of a text, folded, that may belong to a part in the other script; none if none is sure."""
        found: dict[str, bool] = {}
        if self._has_arabic and (own := [*filter(str.isascii, words)]):
            _look_up(self._arabic_parts, own, found)
        if self._has_latin and (own := [*filterfalse(str.isascii, words)]):
            _look_up(self._latin_parts, own, found)
        return frozenset(found) if any(found.values()) else frozenset()


# By the consonants of its spellings in the other script: each word that may begin a part, and the part.
_Index = dict[str, list[tuple[str, str]]]


def _by_consonants(parts: Iterable[str], clitics: Sequence[str] = ()) -> _Index:
    """The index of parts. `clitics`: the consonants of words that may be attached to the spellings."""
    heads = [(head, part) for part in parts for head in _beginnings(part)]
    index: _Index = {}
    for pair, keys in zip(heads, transliteration.keys([head for head, _ in heads]), strict=True):
        if clitics:
            keys |= {key if key.startswith(clitic) else clitic + key for key in keys for clitic in clitics}
        for key in keys:
            alike = index.setdefault(key, [])
            if len(alike) < _MOST_ALIKE:
                alike.append(pair)
    return index


def _look_up(index: _Index, words: Sequence[str], found: dict[str, bool]) -> None:
    """Adds to `found` the words that may belong to a part, each with whether its letters can prove that."""
    keys = transliteration.consonants(words)
    if index.keys().isdisjoint(keys):
        return
    for word, key in zip(words, keys, strict=True):
        if key not in index or word in found:
            continue
        bare = [word] if word.isascii() else [word, *(bare for _, bare in _without_clitics(word))]
        alike = [(head, part, one) for head, part in index[key] for one in bare if transliteration.spells(head, one)]
        if alike:
            found[word] = any(head != part or transliteration.proves(head, one) for head, part, one in alike)


def _are_all_of(keys: Sequence[frozenset[str]], name: Sequence[str]) -> bool:
    """Whether these are the parts of a name, in any order, each one of a set."""
    return (
        len(keys) == len(name)
        and all(not one.isdisjoint(name) for one in keys)
        and all(any(part in one for one in keys) for part in name)
    )


def further_mentions(text: str, found: Sequence[Span]) -> Iterator[Span]:
    """The people of several words among the spans `found`, where the text names them by a part of their name alone.

    A word that the tagger took for a place or an organization, with less certainty, is such a part, too, if the person
    is sure. What the rules know as a place stays one.
    """
    people_found = (span for span in found if span.type == EntityType.PERSON and " " in text[span.start : span.end])
    full = list({text[span.start : span.end]: span for span in sorted(people_found, key=_SCORE)}.values())
    people = PersonMentions((number, text[span.start : span.end]) for number, span in enumerate(full))
    if not people:
        return
    for start, end, owners in people.mentions_in(_without(text, found)):
        best = max((full[owner] for owner in owners), key=_SCORE)
        yield best._replace(start=start, end=end)
    doubtful = [span for span in found if span.recognizer == TAGGER and span.type in _NO_PEOPLE and span.score < _SURE]
    surfaces = {text[span.start : span.end] for span in doubtful}
    owner_of = {surface: people.owner(surface) for surface in surfaces if not re.search(r"\s", surface)}
    for span in doubtful:
        owner = owner_of.get(text[span.start : span.end])
        if owner is not None and full[owner].score >= _SURE:
            yield full[owner]._replace(start=span.start, end=span.end)


def _without(text: str, spans: Iterable[Span]) -> str:
    """The text with blanks for these spans."""
    pieces, position = [], 0
    for start, end in sorted((span.start, span.end) for span in spans):
        pieces += [text[position:start], " " * (end - max(start, position))]
        position = max(position, end)
    return "".join((*pieces, text[position:]))


def is_certain_name(surface: str) -> bool:
    """Whether every part of a name is hardly ever anything else."""
    parts = name_parts(surface, LEXICAL.vocabulary)
    return bool(parts) and all(part.known for part in parts)


def name_parts(surface: str, vocabulary: Vocabulary) -> list[Part]:
    """The parts of a full name by position, without words that only join them; none if it is no name."""
    words = Words(normalize(surface), vocabulary)
    if len(words) > 2 * _MOST:
        return []
    parts: list[Part] = []
    opened = ""
    for index in range(len(words)):
        key, meaning = compact_form(words.words[index]), words.meaning(index)
        is_last = index + 1 >= len(words) or not compact_form(words.words[index + 1])
        if not key or (meaning & (Word.INITIAL | Word.PREFIX | Word.TITLE) and not meaning & NAME):
            continue
        if not is_last and meaning & _OPENING and not meaning & (Word.GIVEN | Word.FAMILY):
            opened += key
        elif meaning & _JOINING and not meaning & NAME:
            continue
        elif meaning & Word.SECOND_PART and parts and not opened:
            parts[-1] = Part(parts[-1].key + key, True, False)
        else:
            part = _part(opened + key, bool(opened), meaning, vocabulary)
            if part is not None:
                parts.append(part)
            opened = ""
    return parts


def _part(key: str, is_joined: bool, meaning: int, vocabulary: Vocabulary) -> Part | None:
    if len(key) < _LEAST or not key.isalpha():
        return None
    if meaning & _CUES and not meaning & NAME:
        return None
    known = _meaning(vocabulary, key) | _meaning(vocabulary, key.capitalize()) if is_joined else meaning
    certain = bool(known & (Word.GIVEN | Word.FAMILY)) and not known & (Word.ORDINARY | Word.PLACE)
    return Part(key, certain, bool(known & Word.ORDINARY))


def _meaning(vocabulary: Vocabulary, word: str) -> int:
    return vocabulary.meaning[vocabulary.code.get(word, vocabulary.other)]


def is_mention(words: Words, first: int, last: int, parts: Sequence[Part], *, has_initials: bool = False) -> bool:
    """Whether words `first` to `last`, which spell these parts of one name, mean a person.

    `has_initials`: the words include initials of the other parts.
    """
    is_arabic = bool(words.meaning(last) & Word.ARABIC) or not words.words[last].isascii()
    if is_arabic and not words.words[last][0].isupper():
        return _is_arabic_mention(words, first, last, parts)
    return _is_latin_mention(words, first, last, parts, has_initials)


def _is_arabic_mention(words: Words, first: int, last: int, parts: Sequence[Part]) -> bool:
    if arabic.follows_facility(words, first):
        return False
    if any(part.known for part in parts):
        return True
    cue = arabic.cue_before(words, first)
    if cue & Word.TITLE:
        return True
    is_weak = bool(words.meaning(first) & NAME)
    if cue & (Word.LABEL | Word.GREETING) and not (
        is_weak and (words.words[first] in PREDICATES or words.words[first - 1] == _I_AM)
    ):
        return True
    if any(part.ordinary for part in parts):
        return False
    if len(parts) > 1 or cue & Word.CONTACT:
        return True
    return not is_weak and _looks_like_unknown_name(words, first, last, parts[0].key)


def _looks_like_unknown_name(words: Words, first: int, last: int, key: str) -> bool:
    """Whether a word that no lexicon has is a name, by its letters and the word before."""
    if not key.startswith("ال"):
        return len(key) >= _LEAST_UNKNOWN
    if key[-1] != "ي" or len(key) < _LEAST_FAMILY:
        return words.after(first - 1) == "n" and words.after(last) == "n"
    return words.after(first - 1) != " " or not words.words[first - 1].startswith("ال")  # no adjective: البنك التجاري


def _is_latin_mention(words: Words, first: int, last: int, parts: Sequence[Part], has_initials: bool) -> bool:
    if is_facility_name(words, first, last) or in_identifier(words.raw, words.start(first), words.end(last)):
        return False
    is_capital = words.words[first][0].isupper()
    is_certain_name = any(part.known for part in parts)
    if not is_capital:
        return is_certain_name and sum(len(part.key) for part in parts) >= _LEAST_SMALL
    cue = latin.cue_before(words, first)
    if is_certain_name or has_initials or cue & Word.TITLE or has_possessor(words, first):
        return True
    if len(parts) > 1:
        return not all(part.ordinary for part in parts)
    if parts[0].ordinary:
        return False
    return bool(cue & _NAMING) or _is_written_as_name(words, first, last, parts[0])


def _is_written_as_name(words: Words, first: int, last: int, part: Part) -> bool:
    """Whether one word that may not be a name is written like one: with a capital letter that has no other reason."""
    is_place = first == last and words.meaning(first) & Word.PLACE
    if part.key in _MONTHS or is_place or (len(words.words[first]) > 1 and words.words[first].isupper()):
        return False
    is_alone = words.after(first - 1) == "n" and words.after(last) == "n"
    if is_alone:
        unknown = not words.meaning(first) & (Word.GIVEN_WEAK | Word.FAMILY_WEAK)
        return unknown and len(part.key) >= _LEAST_ALONE and part.key not in _ORDINARY
    if words.after(last) in " -" and words.meaning(last + 1) & (Word.CAPITAL | Word.NUMBER):
        return False  # Stone Tiles, May 5
    is_owner = words.after(last) == "'" and words.words[last + 1] in ("s", "S")
    if words.after(first - 1) in _ENDS:
        if is_owner and not words.meaning(first) & NAME and part.key not in _ORDINARY:
            return True
        return words.words[first] in _NEVER_ENGLISH or bool(latin.cue_after(words, last) & Word.SPEECH)
    before = words.words[first - 1].lower()
    return bool(words.meaning(first - 1) & Word.LOWER) and before not in _DETERMINERS


def _heads(key: str) -> Iterator[str]:
    """The first words with which a text can spell the part: with a clitic, or without an opening that is separate."""
    for head in _beginnings(key):
        yield head
        if not head.isascii():
            for clitic in _CLITICS:
                yield clitic + head
                if head.startswith("ال") and clitic.endswith("ل"):
                    yield clitic + head[1:]


def _beginnings(key: str) -> Iterator[str]:
    """The part, and the first words of its spellings in several words, without an opening: Rahman of Abdul Rahman."""
    yield key
    for opening in _OPENINGS:
        if key.startswith(opening) and len(key) - len(opening) > 1:
            yield from _beginnings(key[len(opening) :]) if opening in ("عبد", "ابو", "abu") else (key[len(opening) :],)
    for length in range(2, len(key) - 1):
        if key[length:] in ("allah", "ullah", "uddin", "eddin", "aldin", "الله", "الدين"):
            yield key[:length]


def _without_clitics(word: str) -> Iterator[tuple[int, str]]:
    """A word without a clitic, with the number of letters of the clitic, for every clitic that it may have."""
    for clitic in _CLITICS:
        if word.startswith(clitic):
            bare = word[len(clitic) :]
            yield len(clitic), bare
            if clitic.endswith("ل") and bare.startswith("ل"):
                yield len(clitic), f"ا{bare}"


def _with_initials(words: Words, first: int, last: int, initials: set[str]) -> tuple[int, int]:
    """The group with the initials of its person directly before or after: `S. Alharbi`, `Alharbi, S.`"""
    while first > 0 and _is_initial(words, first - 1, initials) and words.after(first - 1) in " .i-":
        first -= 1
    while last + 1 < len(words) and _is_initial(words, last + 1, initials) and words.after(last) in " ,":
        last += 1
    return first, last


def _is_initial(words: Words, index: int, initials: set[str]) -> bool:
    return bool(words.meaning(index) & Word.INITIAL) and words.words[index].casefold() in initials
