"""The label that the heading of a column is, also where OCR read one of its letters wrongly."""

from collections.abc import Iterator
from functools import cache

from pipeline.detect.lexicons.loader import fold, sections
from pipeline.detect.text.normalize import normalize
from pipeline.detect.text.shadow import shadow_of
from pipeline.detect.text.triggers import find_triggers, phrases

_LONGEST = 40  # characters of a heading
_LEAST = 6  # letters of a label that one wrong letter makes no other word of
_NAME = frozenset({"name", "names", "اسم", "الاسم"})
_NAME_HEADINGS = ("name heading arabic", "name heading latin")


def label_of(heading: str) -> str:
    """The heading itself if it has a label, the label that it is but for one letter, else nothing."""
    if len(heading) > _LONGEST:
        return ""
    plain = normalize(heading).text
    words = fold(plain).lower().split()
    if find_triggers(shadow_of(plain))["labels"] or " ".join(words) in _name_headings() or not _NAME.isdisjoint(words):
        return heading
    return next((label for key in _shortened(shadow_of(plain.strip())) if (label := _labels().get(key))), "")


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
