"""Which label governs a value: the nearest cue word before it, or after it, in its line or alone on the line above."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from pipeline.detect.text.normalize import NormalizedText, normalize
from pipeline.detect.text.shadow import shape
from pipeline.detect.text.trace import LABELLED
from pipeline.detect.text.triggers import Trigger, find_triggers
from schemas.spans import DetectOptions

REACH_BEFORE = 40  # characters between a label and its value
REACH_AFTER = 25  # characters between a value and a label that follows it
_LONGEST_VALUE = 40
_LONGEST_CELL = 200  # a text longer than this is no table cell: its heading says nothing about each number in it

_DIGIT = re.compile(rb"\d")
# Punctuation and the words that join a label to its value, nothing else.
_FILLER = shape(r"""
    (?: [^a-z0-9\x80-\xaf\xfe]
      | \b(?:no|nos|num|number|numbers|is|was|are|of|the|id|s|my|your|his|her|its)\b
      | (?<![\x80-\xaf])(?:رقمها|رقمه|رقمي|رقم|الرقم|هو|هي|ذات|ذو
        |التاليه|التالي|كالتالي|لديكم|لديك|عندكم)(?![\x80-\xaf])
    )*
""")
_SENTENCE_END = shape(r"[.!?؟;؛]\s")
_WORD = shape(r"[a-z0-9\x80-\xaf\xfe]+")
# "7002446555 and 7002446563", "١٢٣٤٥٦ و ١٢٣٤٥٧": one label for a list of values.
_NEXT_IN_LIST = shape(r"[ ]?(?:,|،|/|;|&|\+|\band\b|\bor\b|و|او)[ ]?(?:\band\b|و)?[ ]?")
_NEXT_CELL = re.compile(rb" ?\t ?")


def has_label(text: NormalizedText, options: DetectOptions, kind: str) -> bool:
    """Whether there is any label of `kind`: most texts have none of most kinds, and `values` then finds nothing."""
    return kind in text.labels or kind in text.tables.cells or options.context != ""


def values(
    text: NormalizedText, options: DetectOptions, kind: str, form: re.Pattern[bytes]
) -> Iterator[tuple[int, int]]:
    """Places of `form` that a label of `kind` governs (normalized offsets; a place may come twice).

    `form` must match no more than a line's worth of characters and hold its own boundaries.
    """
    if options.context and len(text.shadow) <= _LONGEST_CELL and kind in label_kinds(options.context):
        for match in form.finditer(text.shadow):
            yield match.span()
    labels, source = text.triggers["labels"], LABELLED + kind
    for start, end in text.tables.cells.get(kind, ()):
        if form.fullmatch(text.shadow, start, end):
            note_label(text, (start, end), source, text.tables.heading(text.shadow, start) if text.trace else None)
            yield start, end
    for index in text.labels.get(kind, ()):
        found = labels[index].start in text.tables.headings
        for place in () if found else _following(text.shadow, labels, index, form):
            found = True
            note_label(text, place, source, labels[index])
            yield place
        for place in () if found else _preceding(text.shadow, labels, index, form):
            note_label(text, place, source, labels[index])
            yield place


@lru_cache(maxsize=256)
def label_kinds(context: str) -> frozenset[str]:
    """The kinds of the labels in a heading; weak ones count there."""
    return frozenset(label.section for label in find_triggers(normalize(context).shadow)["labels"])


def label_kind_before(text: NormalizedText, start: int) -> str:
    """The kind of the label that touches the value at `start` from before, or ""."""
    label = label_before(text, start)
    return label.section if label else ""


def label_before(text: NormalizedText, start: int) -> Trigger | None:
    """The label that touches the value at `start` from before."""
    return _touching(text.shadow, text.triggers["labels"], start)


def note_label(text: NormalizedText, place: tuple[int, int], source: str, label: Trigger | None) -> None:
    """Notes for an explanation, where one was asked for, which label made `source` report a place."""
    if text.trace is not None and label is not None:
        text.trace.note(place, source, (label.start, label.end), certain=True)


def _following(shadow: bytes, labels: list[Trigger], index: int, form: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """The value after a label, and those listed after it."""
    label = labels[index]
    limit = _next_other(labels, index)
    match = form.search(shadow, label.end, label.end + REACH_BEFORE + _LONGEST_VALUE)
    if match is None or match.start() > label.end + REACH_BEFORE:
        match = _glued(shadow, label.end, form)
        offset = label.end
    else:
        offset = 0
    if match is None:
        return
    start, end = match.start() + offset, match.end() + offset
    if start > limit or not _reaches(shadow[label.end : start], label.weak):
        return
    yield start, end
    while gap := _NEXT_IN_LIST.match(shadow, end) or _NEXT_CELL.match(shadow, end):
        following = form.match(shadow, gap.end())
        if following is None or following.start() >= limit:
            return
        if gap.re is _NEXT_CELL and len(following[0]) != end - start:  # a row of one field: codes of one length
            return
        start, end = following.span()
        yield start, end


def _glued(shadow: bytes, start: int, form: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """A value written onto its label: "ID1012345672"."""
    if _DIGIT.match(shadow, start) is None:
        return None
    return form.match(shadow[start : start + _LONGEST_VALUE])


def _next_other(labels: list[Trigger], index: int) -> int:
    """Where the next label of another kind begins."""
    kind = labels[index].section
    for label in labels[index + 1 : index + 6]:
        if label.section != kind:
            return label.start
    return labels[index].end + REACH_BEFORE + _LONGEST_VALUE


def _reaches(gap: bytes, weak: bool) -> bool:
    """Whether a label governs across `gap`."""
    joined = _FILLER.match(gap)
    rest = gap[joined.end() :] if joined else gap
    if not rest:
        return gap.count(b"\n") <= 2
    return not (weak or b"\n" in gap or _DIGIT.search(gap) or _SENTENCE_END.search(rest))


def _preceding(shadow: bytes, labels: list[Trigger], index: int, form: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """The value before a label that no value follows."""
    label = labels[index]
    last = None
    for match in form.finditer(shadow, max(0, label.start - REACH_AFTER - _LONGEST_VALUE), label.start):
        last = match
    if last is None or label.start - last.end() > REACH_AFTER:
        return
    gap = shadow[last.end() : label.start]
    if b"\n" in gap or _DIGIT.search(gap) or _SENTENCE_END.search(gap):
        return
    if len(_WORD.findall(gap)) > (0 if label.weak else 3):
        return
    if index and labels[index - 1].start >= last.end():
        return
    before = _touching(shadow, labels, last.start())
    if before is None or before.section == label.section:
        yield last.span()


def _touching(shadow: bytes, labels: list[Trigger], start: int) -> Trigger | None:
    index = bisect_right(labels, start, key=lambda label: label.end) - 1
    if index < 0 or start - labels[index].end > REACH_BEFORE:
        return None
    joined = _FILLER.fullmatch(shadow, labels[index].end, start)
    return labels[index] if joined else None
