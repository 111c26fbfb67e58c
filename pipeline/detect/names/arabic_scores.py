"""Scores Arabic words as the name of a person, by what is known of each word and by the context word before them."""

from pipeline.detect.grammar.vocabulary import NAME, Word
from pipeline.detect.grammar.words import Words
from pipeline.detect.lexicons.loader import section

GIVEN = Word.GIVEN | Word.GIVEN_WEAK
FAMILY = Word.FAMILY | Word.FAMILY_WEAK
# Family names that are also ordinals, adjectives or peoples. With a weak given name they make no name.
WEAK_FAMILIES = section("context_words.txt", "weak family arabic")
# After `يا` or `أنا` these are an exclamation or a feeling, not a name.
_EXCLAMATIONS = section("context_words.txt", "exclamation arabic")
# After a role these are predicates: the director is fair, the customer is satisfied.
PREDICATES = section("context_words.txt", "predicate arabic") | _EXCLAMATIONS


def name_score(words: Words, first: int, last: int, cue: int) -> float:
    """How sure words `first` to `last` are a name, 0 to 1; 0 is no name. `cue`: what the context word before can be."""
    parts = _parts(words, first, last)
    known = sum(1 for part in parts if part & NAME)
    connectors = [m for m in map(words.meaning, range(first, last + 1)) if m & Word.CONNECTOR and not m & NAME]
    if connectors and len(parts) >= 2:
        certain = any(not meaning & Word.WEAK_CONNECTOR for meaning in connectors)
        if known >= 2 or (certain and known) or len(connectors) >= 2:
            return 0.9
        if cue:
            return 0.8
    if not known:
        return 0.0
    if len(parts) == 1:
        return _score_single(words, parts[0], cue, first)
    return _score_several(words, parts, known, cue, last)


def _score_several(words: Words, parts: list[int], known: int, cue: int, last: int) -> float:
    """The score of two or more names without a connector."""
    strong = any(part & (Word.GIVEN | Word.FAMILY) for part in parts)
    if parts[0] & GIVEN:
        if strong:
            return 0.85
        if cue or known >= 3:
            return 0.7
        # A second word that may also be an adjective makes no name: نجاح جميل.
        family = parts[-1] & Word.FAMILY_WEAK and (words.words[last].startswith("ال") or not parts[-1] & GIVEN)
        return 0.6 if family and words.words[last] not in WEAK_FAMILIES else 0.0
    if parts[0] & Word.FAMILY and any(part & Word.GIVEN for part in parts[1:]):
        return 0.6
    return 0.6 if cue & (Word.TITLE | Word.LABEL | Word.ROLE) and strong else 0.0


def _score_single(words: Words, part: int, cue: int, first: int) -> float:
    """The score of one name word: an unambiguous given name, or one after a context word."""
    if part & Word.GIVEN:
        return 0.7 if cue else 0.55
    word = words.words[first]
    if not cue:
        is_addressed = part & Word.GIVEN_WEAK and words.after(first - 1) == "n" and words.after(first) == ","
        return 0.5 if is_addressed and word not in PREDICATES else 0.0  # إيمان، وينك؟
    if part & Word.GIVEN_WEAK:
        if cue & (Word.GREETING | Word.LABEL) and (word in _EXCLAMATIONS or words.words[first - 1] == "انا"):
            return 0.0
        if cue & (Word.TITLE | Word.GREETING | Word.CONTACT | Word.LABEL):
            return 0.6
        return 0.55 if word not in PREDICATES and not word.startswith("ال") else 0.0
    return 0.6 if part & Word.FAMILY and cue & Word.TITLE else 0.0


def _parts(words: Words, first: int, last: int) -> list[int]:
    """The meanings of the parts of a name. Abd Allah and Abu Fahd are one given name each; connectors are left out."""
    parts: list[int] = []
    index = first
    while index <= last:
        meaning = words.meaning(index)
        if meaning & Word.ABD and index < last and words.meaning(index + 1) & Word.DIVINE:
            parts.append(Word.GIVEN)
            index += 1
        elif meaning & Word.KUNYA and index < last and words.meaning(index + 1) & Word.ABD:
            pass  # Abu Abd Allah: the next words give the part
        elif meaning & Word.KUNYA and index < last and not meaning & NAME:
            following = words.meaning(index + 1)
            house = words.words[index] == "ال"
            parts.append(Word.FAMILY if house else _kunya_meaning(words, index, following))
            index += 1
        elif index < last and words.meaning(index + 1) & Word.SECOND_PART:
            # Nour al-Din is always a person; Fadl Allah may also mean the grace of Allah.
            certain = words.words[index + 1] != "الله" or parts
            parts.append(Word.GIVEN if certain else Word.GIVEN_WEAK)
            index += 1
        elif not meaning & Word.CONNECTOR or meaning & NAME:
            parts.append(meaning & NAME)
        index += 1
    return parts


def _kunya_meaning(words: Words, index: int, following: int) -> int:
    """The meaning of Abu or Umm with a name: certain if the name is, or after ابو, which is never the word `or`."""
    if following & Word.GIVEN or (following & NAME and words.words[index] == "ابو"):
        return Word.GIVEN
    return Word.GIVEN_WEAK if following & NAME else 0
