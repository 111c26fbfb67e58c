"""Whether a word stands as a name: what is written before it, behind it, and how it is written itself."""

from collections.abc import Sequence

from pipeline.detect.lexicons.loader import section, table
from pipeline.detect.name_parts import Part
from pipeline.detect.recognizers import names_arabic_cues as arabic
from pipeline.detect.recognizers import names_latin_cues as latin
from pipeline.detect.recognizers.identifiers import in_identifier
from pipeline.detect.recognizers.names_arabic_score import PREDICATES
from pipeline.detect.recognizers.names_latin import names_a_facility
from pipeline.detect.recognizers.vocabulary import NAME, Word
from pipeline.detect.recognizers.words import Words

_NAMING = Word.TITLE | Word.GREETING | Word.LABEL
_MONTHS = section("beside.txt", "month name latin") | frozenset(
    ["march", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
)
_DETERMINERS = section("beside.txt", "determiner latin")
_ORDINARY = section("ordinary.txt", "latin")
# Names that no English text uses as another word: a capital at the beginning of a sentence may be a name's.
_FOREIGN = frozenset(
    word for word, _, _, is_arab in table("names_latin.csv") if is_arab == "1" and word.lower() not in _ORDINARY
)
_LEAST_SMALL = 4  # letters of a name that counts without a capital
_LEAST_ALONE = 4  # letters of an unknown word that counts where its line says nothing else
_LEAST_STRANGE = 4  # letters of an unknown Arabic word that counts wherever it stands
_LEAST_FAMILY = 6  # of one with the article
_I_AM = "انا"
_ENDS = frozenset("n.#:(<")  # codes of what stands before the first word of a sentence, or of a line


def stands(words: Words, first: int, last: int, parts: Sequence[Part], *, has_initials: bool = False) -> bool:
    """Whether words `first` to `last`, which spell these parts of one name, stand for a person.

    `has_initials`: among the words are the first letters of its other parts.
    """
    is_arabic = bool(words.meaning(last) & Word.ARABIC) or not words.words[last].isascii()
    if is_arabic and not words.words[last][0].isupper():
        return _stands_in_arabic(words, first, last, parts)
    return _stands_in_latin(words, first, last, parts, has_initials)


def _stands_in_arabic(words: Words, first: int, last: int, parts: Sequence[Part]) -> bool:
    if arabic.in_facility(words, first):
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
    if len(parts) > 1 or cue & Word.ASKING:
        return True
    return not is_weak and _is_strange(words, first, last, parts[0].key)


def _is_strange(words: Words, first: int, last: int, key: str) -> bool:
    """Whether a word that no lexicon knows is a name rather than another word: by its shape, and what stands before."""
    if not key.startswith("ال"):
        return len(key) >= _LEAST_STRANGE
    if key[-1] != "ي" or len(key) < _LEAST_FAMILY:
        return words.after(first - 1) == "n" and words.after(last) == "n"
    return words.after(first - 1) != " " or not words.words[first - 1].startswith("ال")  # no adjective: البنك التجاري


def _stands_in_latin(words: Words, first: int, last: int, parts: Sequence[Part], has_initials: bool) -> bool:
    if names_a_facility(words, first, last) or in_identifier(words.raw, words.start(first), words.end(last)):
        return False
    is_capital = words.words[first][0].isupper()
    is_known = any(part.known for part in parts)
    if not is_capital:
        return is_known and sum(len(part.key) for part in parts) >= _LEAST_SMALL
    cue = latin.cue_before(words, first)
    if is_known or has_initials or cue & Word.TITLE or latin.is_somebodys(words, first):
        return True
    if len(parts) > 1:
        return not all(part.ordinary for part in parts)
    if parts[0].ordinary:
        return False
    return bool(cue & _NAMING) or _is_written_as_name(words, first, last, parts[0])


def _is_written_as_name(words: Words, first: int, last: int, part: Part) -> bool:
    """Whether one word that may be another is written as names are: with a capital for which nothing else calls."""
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
        return words.words[first] in _FOREIGN or bool(latin.cue_after(words, last) & Word.SPEECH)
    before = words.words[first - 1].lower()
    return bool(words.meaning(first - 1) & Word.LOWER) and before not in _DETERMINERS
