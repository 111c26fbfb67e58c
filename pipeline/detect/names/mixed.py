"""PERSON in two scripts: a name that goes on in the other script, `Ahmed العتيبي`, `محمد bin سلمان`, is one name."""

from collections.abc import Mapping, Sequence

from pipeline.detect.grammar.identifiers import in_identifier
from pipeline.detect.grammar.vocabulary import NAME, Word
from pipeline.detect.grammar.words import Words, WordSpan
from pipeline.detect.names.latin import CUES
from pipeline.detect.names.latin_scores import family_by_article

_LEAST_FAMILY = 5  # letters of an unknown Arabic family name
_MOST_CHANGES = 2  # of script after the first part
_LATIN = Word.CAPITAL | Word.LOWER
_GIVEN = Word.GIVEN | Word.GIVEN_WEAK


def join_scripts(words: Words, found: Sequence[WordSpan], taken: frozenset[int]) -> list[WordSpan]:
    """The names `found`, with what belongs to them in the other script; no word of it is `taken`."""
    beginning = {name.first: name for name in found}
    names: list[WordSpan] = []
    joined: set[int] = set()
    for name in sorted(found):
        if name.last in joined:
            continue
        whole = _with_word_before(words, name, taken)
        for _ in range(_MOST_CHANGES):
            whole = _with_words_after(words, whole, beginning, taken) or whole
        if whole is not name:
            joined.update(range(whole.first, whole.last + 1))
        names.append(whole)
    return names


def _with_word_before(words: Words, name: WordSpan, taken: frozenset[int]) -> WordSpan:
    """The name with the given name before it, if that is in the other script."""
    left = name.first - 1
    if left < 0 or left in taken or words.after(left) != " " or not _changes(words, left, name.first):
        return name
    meaning = words.meaning(left)
    is_given = meaning & (_GIVEN if words.meaning(name.first) & Word.FAMILY else Word.GIVEN)
    return name._replace(first=left, skip=0) if is_given and not meaning & (CUES | Word.CLITIC) else name


def _with_words_after(
    words: Words, name: WordSpan, beginning: Mapping[int, WordSpan], taken: frozenset[int]
) -> WordSpan | None:
    """The name with what follows it in the other script; None if nothing does."""
    last, right = name.last, name.last + 1
    if words.after(last) != " ":
        return None
    is_bridged = words.meaning(right) & (Word.CONNECTOR | Word.WEAK_CONNECTOR) == Word.CONNECTOR
    right += is_bridged
    if right in taken or words.after(right - 1) != " " or not _changes(words, last, last + 1, right):
        return None
    if in_identifier(words.raw, words.start(right), words.end(right)):
        return None
    after = beginning.get(right)
    if after and after.last > right and not is_bridged and words.meaning(right) & _GIVEN:
        return None  # the whole name again: Noura AlShehri نورة الشهري
    if not (after or _is_family(words, right) or (is_bridged and words.meaning(right) & NAME)):
        return None
    end = after.last if after else right + bool(words.meaning(right) & Word.ARTICLE)
    return name._replace(last=end)


def _changes(words: Words, first: int, *others: int) -> bool:
    """Whether one of the `others` is in the other script than word `first`."""
    other = _LATIN if words.meaning(first) & Word.ARABIC else Word.ARABIC
    return any(words.meaning(index) & other for index in others)


def _is_family(words: Words, index: int) -> bool:
    """Whether a word can be the family name, or a further name, of somebody whose name stands before."""
    meaning, word = words.meaning(index), words.words[index]
    if not meaning & Word.ARABIC:
        has_article = meaning & Word.ARTICLE and words.after(index) in " -" and words.meaning(index + 1) & Word.CAPITAL
        return bool(meaning & NAME or family_by_article(word) or has_article)
    if meaning & (Word.GIVEN | Word.FAMILY):
        return not meaning & Word.CLITIC
    return word.startswith("ال") and word.endswith("ي") and len(word) >= _LEAST_FAMILY and not meaning & Word.ORDINARY
