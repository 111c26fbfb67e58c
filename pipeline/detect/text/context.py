"""Finds the values that a label applies to: after it, before it, above it, in its table column or under its heading.

A label applies to the nearest value in its line, or in the next line if it is alone on its own.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from pipeline.detect.text.normalize import NormalizedText, normalize
from pipeline.detect.text.shadow import shadow_pattern
from pipeline.detect.text.trace import LABELLED
from pipeline.detect.text.triggers import Trigger, find_triggers
from schemas.spans import DetectOptions

REACH_BEFORE = 40  # most characters between a label and a value after it
REACH_AFTER = 25  # most characters between a value and a label after it
_LONGEST_VALUE = 40
_LONGEST_CELL = 200  # characters; in a longer text the heading does not apply to each number

_DIGIT = re.compile(rb"\d")
# Punctuation and the words that may stand between a label and its value.
_FILLERS = r"""
    (?: [^a-z0-9\x80-\xaf\xfe]
      | \b(?:no|nos|num|number|numbers|is|was|are|of|the|id|ids|s|my|your|his|her|its|with|under)\b
      | (?<![\x80-\xaf])(?:وب|بال|وال|[وبفل])?(?:رقمها|رقمه|رقمي|رقم|الرقم|رقمين|ارقام|ارقامها|ارقامهم|هو|هي|هما|ذات|ذو
        |التاليه|التالي|كالتالي|التاليين|لديكم|لديك|عندكم)(?![\x80-\xaf])
    )*
"""
_FILLER = shadow_pattern(_FILLERS)
_ENDING_AND_FILLER = shadow_pattern(rf"(?:ي|ه|ها|ك|كم|نا|هم)? {_FILLERS}")  # جوازي رقمه
_SENTENCE_END = shadow_pattern(r"[.!?؟;؛]\s")
_WORD = shadow_pattern(r"[a-z0-9\x80-\xaf\xfe]+")
# One label applies to a list of values: "7002446555 and 7002446563", "١٢٣٤٥٦ و ١٢٣٤٥٧".
_NEXT_IN_LIST = shadow_pattern(r"[ ]?(?:,|،|/|;|&|\+|\band\b|\bor\b|و|او)[ ]?(?:\band\b|و)?[ ]?")
_IDENTITY = re.compile(rb"[^0-9\n]{0,5}[12]\d{9}(?!\d)")  # an identity number, even if its check digit fails
_COUNTING = shadow_pattern(r"(?: عدد | مجموع | اجمالي | \b(?:number|no\.?|count)[ ]of ) [ ](?:ال)?$")
_OF_NUMBERS = shadow_pattern(r"رقم | \b(?:no|num|number|id|code|mrn|record|file)\b | \#")
_LONGEST_COUNT = 6  # digits
_NEXT_CELL = re.compile(rb" ?\t ?")


def has_label(text: NormalizedText, options: DetectOptions, kind: str) -> bool:
    """Whether the text or its context may have a label of `kind`; if not, `values` finds nothing. A cheap test."""
    return kind in text.labels or kind in text.tables.cells or options.context != ""


def values(
    text: NormalizedText, options: DetectOptions, kind: str, form: re.Pattern[bytes]
) -> Iterator[tuple[int, int]]:
    """The matches of `form` that a label of `kind` applies to, as normalized offsets. A match may come twice.

    `form` must check its own boundaries, and match no more than about a line.
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
        if not found and (place := _above(text, labels[index], form)):
            found = True
            note_label(text, place, source, labels[index])
            yield place
        for place in () if found else _following(text.shadow, labels, index, form):
            found = True
            note_label(text, place, source, labels[index])
            yield place
        for place in () if found else _preceding(text.shadow, labels, index, form):
            note_label(text, place, source, labels[index])
            yield place


@lru_cache(maxsize=256)
def label_kinds(context: str) -> frozenset[str]:
    """The kinds of the labels in a heading. Weak labels count there."""
    return frozenset(label.section for label in find_triggers(normalize(context).shadow)["labels"])


def label_kind_before(text: NormalizedText, start: int) -> str:
    """The kind of the label directly before the value at `start`; "" if there is none."""
    label = label_before(text, start)
    return label.section if label else ""


def label_before(text: NormalizedText, start: int) -> Trigger | None:
    """The label directly before the value at `start`."""
    return _touching(text.shadow, text.triggers["labels"], start)


def note_label(text: NormalizedText, place: tuple[int, int], source: str, label: Trigger | None) -> None:
    """Records for an explanation, if one was asked for, which label made `source` report a value."""
    if text.trace is not None and label is not None:
        text.trace.note(place, source, (label.start, label.end), certain=True)


def _above(text: NormalizedText, label: Trigger, form: re.Pattern[bytes]) -> tuple[int, int] | None:
    """The value that is alone in the line above a label that is alone in its line."""
    caption = text.captions.get(label.start)
    match = form.search(text.shadow, *caption.above) if caption else None
    if caption is None or match is None:
        return None
    around = (
        (caption.above[0], match.start()), (match.end(), caption.above[1]),
        (caption.line[0], label.start), (label.end, caption.line[1]),
    )  # fmt: skip
    return match.span() if all(_FILLER.fullmatch(text.shadow, *place) for place in around) else None


def _following(shadow: bytes, labels: list[Trigger], index: int, form: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """The value after a label, and the further values of a list."""
    label = labels[index]
    limit = _next_other(shadow, labels, index)
    match = form.search(shadow, label.end, label.end + REACH_BEFORE + _LONGEST_VALUE)
    if match is None or match.start() > label.end + REACH_BEFORE:
        match = _attached(shadow, label.end, form)
        offset = label.end
    else:
        offset = 0
    if match is None:
        return
    start, end = match.start() + offset, match.end() + offset
    if start > limit or not _reaches(shadow[label.end : start], label.weak) or _is_count(shadow, label, start, end):
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


def _is_count(shadow: bytes, label: Trigger, start: int, end: int) -> bool:
    """Whether the number at `start:end` tells how many there are: `عدد الوثائق 12500`, `students 12500`."""
    if end - start > _LONGEST_COUNT or not shadow[start:end].isdigit():
        return False
    if label.weak and b"s" in shadow[label.end - 1 : label.end + 1]:
        return True
    return _COUNTING.search(shadow, max(0, label.start - REACH_BEFORE), label.start) is not None


def _attached(shadow: bytes, start: int, form: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """A value without a blank after its label: "ID1012345672"."""
    if _DIGIT.match(shadow, start) is None:
        return None
    return form.match(shadow[start : start + _LONGEST_VALUE])


def _next_other(shadow: bytes, labels: list[Trigger], index: int) -> int:
    """The start of the next label of another kind. `id` or `رقمها` between a label and its value is none."""
    kind = labels[index].section
    for label in labels[index + 1 : index + 6]:
        if label.section != kind and not _is_filler(shadow, labels[index], label):
            return label.start
    return labels[index].end + REACH_BEFORE + _LONGEST_VALUE


def _is_filler(shadow: bytes, label: Trigger, other: Trigger) -> bool:
    """Whether `other` is only a word between `label` and its value: `student (ID 442900178)`."""
    is_word = other.weak or other.section == "phone"
    if not is_word or other.end - label.end > REACH_BEFORE or _IDENTITY.match(shadow, other.end):
        return False
    return _ENDING_AND_FILLER.fullmatch(shadow, label.end, other.end) is not None


def _reaches(gap: bytes, weak: bool) -> bool:
    """Whether a label applies to a value with `gap` between."""
    joined = _FILLER.match(gap)
    rest = gap[joined.end() :] if joined else gap
    if not rest:
        return gap.count(b"\n") <= 2
    return not (weak or b"\n" in gap or _DIGIT.search(gap) or _SENTENCE_END.search(rest))


def _preceding(shadow: bytes, labels: list[Trigger], index: int, form: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """The value before a label that has none after it."""
    label = labels[index]
    last = None
    for match in form.finditer(shadow, max(0, label.start - REACH_AFTER - _LONGEST_VALUE), label.start):
        last = match
    if last is None or label.start - last.end() > REACH_AFTER:
        return
    gap = shadow[last.end() : label.start]
    if b"\n" in gap or _DIGIT.search(gap) or _SENTENCE_END.search(gap):
        return
    is_short = gap == b" " and len(last[0]) <= _LONGEST_COUNT and last[0].isdigit()
    if is_short and not _OF_NUMBERS.search(shadow, label.start, label.end):
        return  # 12000 policies
    if len(_WORD.findall(gap)) > (0 if label.weak else 3):
        return
    if index and labels[index - 1].start >= last.end():
        return
    before = _touching(shadow, labels, last.start())
    if before is None or before.section == label.section:
        yield last.span()


def _touching(shadow: bytes, labels: list[Trigger], start: int) -> Trigger | None:
    """The nearest label before `start`, if only filler words and punctuation stand between."""
    index = bisect_right(labels, start, key=lambda label: label.end) - 1
    if index < 0 or start - labels[index].end > REACH_BEFORE:
        return None
    joined = _FILLER.fullmatch(shadow, labels[index].end, start)
    return labels[index] if joined else None
