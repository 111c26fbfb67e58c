"""The label that a heading, or the words before a number, are, also where OCR read one letter of it wrongly."""

from collections.abc import Iterator
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


def label_of(heading: str) -> str:
    """The heading itself if it has a label, the label that it is but for one letter, else nothing."""
    if len(heading) > _LONGEST or len(heading.split()) > _MOST_WORDS or "@" in heading:
        return ""
    if has_label(heading) or is_of_names(heading):
        return heading
    plain = normalize(heading).text.strip()
    shadow = shadow_of(plain)
    read = (shadow, *(shadow.replace(wrong, right) for wrong, right in _LOOK_ALIKE if wrong in shadow))
    return next((label for each in read for key in _shortened(each) if (label := _labels().get(key))), "")


def has_label(words: str) -> bool:
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
def _labels() -> dict[bytes, str]:
    """Each long label by its shadow, whole and without any one of its letters."""
    known = [label for label, title in phrases("labels") if title != "other" and len(label) >= _LEAST]
    return {key: label for label in known for key in _shortened(shadow_of(label))}


def _shortened(shadow: bytes) -> Iterator[bytes]:
    yield shadow
    for place in range(len(shadow)):
        yield shadow[:place] + shadow[place + 1 :]
