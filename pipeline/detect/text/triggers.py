"""Finds all trigger words of a text in one Aho-Corasick scan: labels, currencies, months, units, prefixes of keys."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

from pipeline.detect.text.shadow import FIRST_ARABIC, shadow_of

# The families: one lexicon file each.
_FILES = ("labels", "money", "calendar", "secrets")

_LETTERS = bytes(range(0x61, 0x7B)) + bytes(range(0x80, 0xB0)) + b"\xfe"
IS_LETTER = bytes(byte in _LETTERS for byte in range(256))
_LAST_ARABIC = 0xAF
_LATIN, _OTHER = 1, 2
# A word ends where the script changes: "مفتاحghp_…".
_SCRIPT = bytes((_LATIN if byte < FIRST_ARABIC else _OTHER) if IS_LETTER[byte] else 0 for byte in range(256))
_LONGEST_CLITIC = 4


def _shadows(words: str) -> frozenset[bytes]:
    return frozenset(shadow_of(word) for word in words.split())


# Arabic clitics: conjunctions, prepositions and the article before a word, pronouns and endings after it.
_BEFORE = _shadows("و ف ب ل ك ال وال فال بال لل ولل كال وب ول وبال فب فل")
_AFTER = _shadows("ي ه ها ك كم نا هم هن ا ات ان ين تي ته تها تك تنا تهم")
# What follows the open ta of a label that ends in ta marbuta: وثيقة, وثيقتي, وثيقتين.
_AFTER_TA = ("ي", "ه", "ها", "ك", "كم", "نا", "هم", "هن", "ان", "ين", "يه")
_SHORTEST_STEM = 3  # letters


class Trigger(NamedTuple):
    """A trigger word at `start:end` of the shadow. `section`: in its lexicon; `weak`: marked there with `?`."""

    start: int
    end: int
    section: str
    weak: bool = False


class _Vocabulary(NamedTuple):
    automaton: BytesAhoCorasick
    entries: list[list[tuple[str, str, bool]]]  # by pattern: (file, section, weak)


@cache
def _vocabulary() -> _Vocabulary:
    words: dict[bytes, list[tuple[str, str, bool]]] = defaultdict(list)
    for family in _FILES:
        for line, section in phrases(family):
            entry = (family, section.rstrip("?"), section.endswith("?"))
            for spelling in _spellings(line) if family == "labels" else (line,):
                if entry not in words[shadow_of(spelling)]:
                    words[shadow_of(spelling)].append(entry)
    automaton = BytesAhoCorasick(
        list(words), matchkind=MatchKind.LeftmostLongest, implementation=Implementation.ContiguousNFA
    )
    return _Vocabulary(automaton, list(words.values()))


def phrases(family: str) -> Iterator[tuple[str, str]]:
    """Each phrase of a family as its lexicon writes it, and the title of its section: with `?` at its end if weak."""
    section = ""
    for line in (files("pipeline.detect.lexicons") / f"{family}.txt").read_text("utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif line and not line.startswith("# "):
            yield line, section


def _spellings(label: str) -> Iterator[str]:
    """A label as people write it, as the key of a record (student_id, studentId, student-id), and with an ending."""
    yield label
    if " " in label:
        yield label.replace(" ", "_")
        if label.isascii() and label.replace(" ", "").isalnum():
            yield label.replace(" ", "-")
            yield label.replace(" ", "")
    if label.endswith("ه") and len(label) > _SHORTEST_STEM:
        yield from (label[:-1] + "ت" + ending for ending in _AFTER_TA)


def find_triggers(shadow: bytes) -> dict[str, list[Trigger]]:
    """The triggers of each family (`labels`, `money`, `calendar`, `secrets`), by position."""
    found: dict[str, list[Trigger]] = {family: [] for family in _FILES}
    automaton, entries = _vocabulary()
    padded = shadow + b" "  # every match has neighbours: before the first byte is, by negative index, the last one
    for index, start, end in automaton.find_matches_as_indexes(shadow):
        if _SCRIPT[padded[start - 1]] & _SCRIPT[padded[start]] and not _clitic(shadow, start):
            continue
        cut = _SCRIPT[padded[end]] & _SCRIPT[padded[end - 1]] and not _suffix(shadow, end)
        for family, section, weak in entries[index]:
            if not cut or family == "secrets":  # the rest of the key follows its prefix
                found[family].append(Trigger(start, end, section, weak))
    return found


def _clitic(shadow: bytes, start: int) -> bool:
    """Whether the letters attached before `start` are an Arabic clitic."""
    if not FIRST_ARABIC <= shadow[start] <= _LAST_ARABIC:
        return False
    first = start
    while first > 0 and start - first <= _LONGEST_CLITIC and IS_LETTER[shadow[first - 1]]:
        first -= 1
    return shadow[first:start] in _BEFORE


def _suffix(shadow: bytes, end: int) -> bool:
    """Whether the letters attached after `end` are an Arabic pronoun or ending, or the English plural."""
    last = end
    while last < len(shadow) and last - end <= _LONGEST_CLITIC and IS_LETTER[shadow[last]]:
        last += 1
    return shadow[end:last] in _AFTER or shadow[end:last] == b"s"
