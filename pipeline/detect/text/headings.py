"""The label that a heading, or the words before a number, are, also where OCR read one letter of it wrongly."""

from collections.abc import Iterator, Mapping
from functools import cache

from pipeline.detect.lexicons.loader import fold, sections
from pipeline.detect.text.normalize import normalize
from pipeline.detect.text.shadow import shadow_of
from pipeline.detect.text.triggers import find_triggers, phrases

_LONGEST, _MOST_WORDS = 40, 5  # characters and words of a heading
_LEAST = 6  # letters of a label that one wrong letter makes no other word of
_LOOK_ALIKE = ((b"ii", b"h"), (b"rn", b"m"), (b"vv", b"w"), (b"cl", b"d"))
_NAME = frozenset({"name", "names", "اسم", "الاسم"})
_NAME_HEADINGS = ("name heading arabic", "name heading latin")


def load() -> None:
    """Builds the vocabularies, which takes a tenth of a second."""
    labels_of("")
    labels_as_misread("")


def labels_of(heading: str) -> tuple[str, ...]:
    """The heading itself if it has a label, else the labels that it may be but for one letter: one of each kind."""
    if len(heading) > _LONGEST or len(heading.split()) > _MOST_WORDS or "@" in heading:
        return ()
    return (heading,) if has_known_label(heading) or is_of_names(heading) else labels_as_misread(heading)


def labels_as_misread(words: str) -> tuple[str, ...]:
    """The labels that the words may be but for one letter, the nearest of each kind."""
    shadow = shadow_of(normalize(words).text.strip())
    read = (shadow, *(shadow.replace(wrong, right) for wrong, right in _LOOK_ALIKE if wrong in shadow))
    found: dict[str, str] = {}
    for each in read:
        for key in _shortened(each):
            for kind, label in _labels().get(key, {}).items():
                found.setdefault(kind, label)
    return tuple(found.values())


def has_known_label(words: str) -> bool:
    """Whether there is a label of a number or a code among the words."""
    return bool(find_triggers(normalize(words).shadow)["labels"])


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
    """Each long label by its kind, by its shadow whole and without any one of its letters."""
    found: dict[bytes, dict[str, str]] = {}
    for label, title in phrases("labels"):
        kind = title.rstrip("?")
        if kind != "other" and len(label) >= _LEAST:
            for key in _shortened(shadow_of(label)):
                found.setdefault(key, {}).setdefault(kind, label)
    return found


def _shortened(shadow: bytes) -> Iterator[bytes]:
    yield shadow
    for place in range(len(shadow)):
        yield shadow[:place] + shadow[place + 1 :]
