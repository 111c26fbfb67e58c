"""What the second reading saw in codes, as words of the OCR readings, and the codes that nobody could read."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pipeline.documents.document import Reading, Word
from pipeline.verification.reading import SeenCode

_CERTAIN = 100.0  # confidence of the content of a code, in both readings; OCR gives no word as much
_ALIKE = 0.3  # of a side: how much two ends of one code may differ
_COVERED = 0.7  # share of a located pattern inside a code that was read

Box = tuple[int, int, int, int]


def with_seen_codes(readings: Iterable[Reading], codes: Sequence[SeenCode]) -> tuple[Reading, ...]:
    """The readings with the content of the codes that the second reading read in their rasters at their ends.

    The verdict then judges it like any text, and a value in it is burned with its code.
    """
    of_raster: dict[str, list[SeenCode]] = {}
    for code in codes:
        if code.text.strip():
            of_raster.setdefault(code.raster, []).append(code)
    return tuple(_with_codes(reading, of_raster.get(reading.raster, ())) for reading in readings)


def unread_codes(readings: Iterable[Reading], codes: Iterable[SeenCode]) -> dict[str, list[Box]]:
    """The boxes of codes that were located and that no reader has read, by raster."""
    words = {reading.raster: [word for word in reading.words if word.confidence == _CERTAIN] for reading in readings}
    found: dict[str, list[Box]] = {}
    for code in codes:
        if not code.text.strip() and not any(_holds(word, code) for word in words.get(code.raster, ())):
            found.setdefault(code.raster, []).append((code.left, code.top, code.width, code.height))
    return {raster: list(_joined(boxes)) for raster, boxes in found.items()}


def _joined(boxes: Iterable[Box]) -> Iterator[Box]:
    """The boxes, two beside each other as one: a PDF417 code has a pattern at each end."""
    groups: list[list[Box]] = []
    for box in dict.fromkeys(boxes):
        group = next((group for group in groups if any(_are_ends(box, other) for other in group)), None)
        if group is None:
            groups.append([box])
        else:
            group.append(box)
    for group in groups:
        left, top = min(box[0] for box in group), min(box[1] for box in group)
        right, bottom = max(box[0] + box[2] for box in group), max(box[1] + box[3] for box in group)
        yield left, top, right - left, bottom - top


def _are_ends(one: Box, other: Box) -> bool:
    return any(
        abs(one[at] - other[at]) + abs(one[at + 2] - other[at + 2]) <= _ALIKE * max(one[at + 2], other[at + 2])
        for at in (0, 1)
    )


def _with_codes(reading: Reading, codes: Iterable[SeenCode]) -> Reading:
    text, words = reading.text, list(reading.words)
    for code in codes:
        text += "\n\n" if text else ""
        box = (code.left, code.top, code.width, code.height)
        words.append(Word(len(text), len(text) + len(code.text), *box, confidence=_CERTAIN))
        text += code.text
    return replace(reading, text=text, words=tuple(words))


def _holds(word: Word, code: SeenCode) -> bool:
    across = min(word.left + word.width, code.left + code.width) - max(word.left, code.left)
    down = min(word.top + word.height, code.top + code.height) - max(word.top, code.top)
    area = code.width * code.height
    return across > 0 and down > 0 and across * down >= _COVERED * area
