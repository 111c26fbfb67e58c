"""The label that a heading, or the words before a number, are, also where OCR read a letter of it wrongly.

That is one letter of all, blanks among them, or one of each word.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache

from pipeline.detect.lexicons.loader import fold, sections
from pipeline.detect.text.normalize import normalize
from pipeline.detect.text.shadow import FIRST_ARABIC, shadow_of
from pipeline.detect.text.triggers import find_triggers, phrases

_LONGEST, _MOST_WORDS = 40, 5  # characters and words of a heading
_LEAST = 6  # letters of a label that one wrong letter makes no other word of
_LEAST_OF_WORD = {True: 3, False: 4}  # letters of a word that may have a wrong one: Arabic, and Latin
_LOOK_ALIKE = ((b"ii", b"h"), (b"rn", b"m"), (b"vv", b"w"), (b"cl", b"d"))
_GAP, _WITHOUT = b"\0", b"\1"  # of a letter, and of something that is without one of its letters
_OTHER = "other"  # the kind of labels of things
_NAME = frozenset({"name", "names", "اسم", "الاسم"})
_NAME_HEADINGS = ("name heading arabic", "name heading latin")


def load() -> None:
    """Builds the vocabularies, which takes a tenth of a second."""
    labels_of("")
    labels_as_misread("")
    label_runs(("",))


def labels_of(heading: str) -> tuple[str, ...]:
    """The heading itself if it has a label, else the labels that it may be: one of each kind."""
    if len(heading) > _LONGEST or len(heading.split()) > _MOST_WORDS or "@" in heading:
        return ()
    return (heading,) if has_known_label(heading) or is_of_names(heading) else labels_as_misread(heading)


def labels_as_misread(words: str) -> tuple[str, ...]:
    """The labels that the words may be but for wrong letters, the nearest of each kind."""
    shadow = shadow_of(normalize(words).text.strip())
    read = (shadow, *(shadow.replace(wrong, right) for wrong, right in _LOOK_ALIKE if wrong in shadow))
    found: dict[str, str] = {}
    for each in read:
        for key in _asked(each):
            for kind, label in _labels().get(key, {}).items():
                found.setdefault(kind, label)
    for kind, label in _with_wrong_words(shadow.split()):
        found.setdefault(kind, label)
    return tuple(found.values())


def label_runs(words: Sequence[str]) -> list[tuple[int, int, bool]]:
    """The words from left to right as labels and what stands between them: start, end, and whether that is a label."""
    found: list[tuple[int, int, bool]] = []
    place = 0
    while place < len(words):
        ends = range(min(place + _MOST_WORDS, len(words)), place, -1)
        end = next((end for end in ends if _is_label(words[place:end])), 0)
        if end or not found or found[-1][2]:
            found.append((place, end or place + 1, bool(end)))
        else:
            found[-1] = found[-1][0], place + 1, False
        place = end or place + 1
    return found


def _is_label(words: Sequence[str]) -> bool:
    return shadow_of(normalize(" ".join(words)).text.strip()) in _exact()


@cache
def _exact() -> Set[bytes]:
    return frozenset(shadow_of(label) for label, _ in phrases("labels")) | frozenset(map(shadow_of, _name_headings()))


def has_known_label(words: str) -> bool:
    """Whether there is a label of a number or a code among the words."""
    return bool(find_triggers(normalize(words).shadow)["labels"])


def is_of_things(words: str) -> bool:
    """Whether the last label among the words is one of numbers that are no personal data, as of an order."""
    found = find_triggers(normalize(words).shadow)["labels"]
    return bool(found) and found[-1].section == _OTHER


def is_of_names(heading: str) -> bool:
    """Whether it is a label of names of persons."""
    words = fold(normalize(heading).text).lower().replace("_", " ").split()
    return " ".join(words) in _name_headings() or not _NAME.isdisjoint(words)


@cache
def _name_headings() -> frozenset[str]:
    known = sections("context_words.txt")
    return frozenset(heading.replace("_", " ") for title in _NAME_HEADINGS for heading in known[title])


@cache
def _labels() -> Mapping[bytes, Mapping[str, str]]:
    """Each long label by its kind, by all that its shadow may be with one wrong letter."""
    found: dict[bytes, dict[str, str]] = {}
    for kind, label in _long():
        for key in _known(shadow_of(label)):
            found.setdefault(key, {}).setdefault(kind, label)
    return found


@cache
def _words() -> Mapping[bytes, Set[tuple[str, str, int, int]]]:
    """By all that the shadow of a word may be: kind and label, the word's place in it, and how many words that has."""
    found: dict[bytes, set[tuple[str, str, int, int]]] = defaultdict(set)
    for kind, label in _long():
        words = shadow_of(label).split()
        for place, word in enumerate(words if len(words) > 1 else ()):
            for key in _known(word) if _may_be_wrong(word) else (word,):
                found[key].add((kind, label, place, len(words)))
    return found


def _with_wrong_words(words: Sequence[bytes]) -> list[tuple[str, str]]:
    """Kind and label of those that the words are but for a letter of each."""
    found: set[tuple[str, str]] | None = None
    for place, word in enumerate(words):
        here = {(kind, label) for kind, label, own, count in _near(word) if own == place and count == len(words)}
        found = here if found is None else found & here
    return sorted(found or ())


@lru_cache(maxsize=4096)
def _near(word: bytes) -> Set[tuple[str, str, int, int]]:
    """What `_words` knows of the words that differ from one by a letter."""
    known = _words()
    keys = _asked(word) if _may_be_wrong(word) else (word,)
    return frozenset(one for key in keys for one in known.get(key, ()))


def _long() -> Iterator[tuple[str, str]]:
    for label, title in phrases("labels"):
        kind = title.rstrip("?")
        if kind != _OTHER and len(label) >= _LEAST:
            yield kind, label


def _may_be_wrong(word: bytes) -> bool:
    """Whether a word has so many letters that one of them may be wrong."""
    return len(word) >= _LEAST_OF_WORD[any(letter >= FIRST_ARABIC for letter in word)]


def _known(shadow: bytes) -> Iterator[bytes]:
    """The keys of a shadow: itself, with a gap for each letter, and, marked, without each."""
    yield shadow
    yield from _with_gaps(shadow)
    yield from (_WITHOUT + shorter for shorter in _shortened(shadow))


def _asked(shadow: bytes) -> Iterator[bytes]:
    """The keys under which that stands of which this is a reading with one letter wrong, too few, or too many.

    Or with two letters in each other's place, as whose dots may be read: الابيان for الايبان.
    """
    yield shadow
    yield from _with_gaps(shadow)
    for place in range(len(shadow) - 1):
        yield shadow[:place] + shadow[place : place + 2][::-1] + shadow[place + 2 :]
    yield _WITHOUT + shadow
    yield from _shortened(shadow)


def _with_gaps(shadow: bytes) -> Iterator[bytes]:
    return (shadow[:place] + _GAP + shadow[place + 1 :] for place in range(len(shadow)))


def _shortened(shadow: bytes) -> Iterator[bytes]:
    return (shadow[:place] + shadow[place + 1 :] for place in range(len(shadow)))
