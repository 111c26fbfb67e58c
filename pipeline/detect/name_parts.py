"""What a person's full name is made of: its given names and family names, without what only joins them."""

from typing import NamedTuple

from pipeline.detect.normalize import normalize
from pipeline.detect.recognizers.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.recognizers.words import Words
from pipeline.detect.spellings import compact_form

_OPENING = Word.ARTICLE | Word.ABD | Word.KUNYA | Word.PARTICLE  # Al Harbi, Abdul Rahman, Abu Bakr, van Dyk
_JOINING = Word.CONNECTOR | Word.WEAK_CONNECTOR
_CUES = Word.ROLE | Word.LABEL | Word.GREETING | Word.ASKING | Word.SPEECH | Word.THING | Word.ID_CUE | Word.FACILITY
_LEAST = 3  # letters of a part
_MOST = 10  # words of a name


class Part(NamedTuple):
    """One part of a name. `key`: its letters alone, folded. `known`: a name that is hardly ever another word.

    `ordinary`: mostly another word; only a title makes a name of it.
    """

    key: str
    known: bool
    ordinary: bool


def parts_of(surface: str, vocabulary: Vocabulary) -> list[Part]:
    """The parts of a name by position; fewer than its words, and none for what is no name."""
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
