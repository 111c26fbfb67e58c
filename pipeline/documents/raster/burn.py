"""Burns opaque boxes into pixels and prints a placeholder in each where it fits."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.document import BY_HUE, Findings, Reading, Word
from pipeline.documents.free_span import widest_free_span
from schemas.errors import ErrorCode, StageFailed

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_FONT_HEIGHT = 22  # pixels of a capital letter at scale 1
_SMALLEST = 0.6  # scale below which nobody can read the placeholder: the box stays blank
_LARGEST = 1.2  # scale of the largest label in a picture with sides of `_USUAL_SIDE`; it grows with larger pictures
_USUAL_SIDE = 1654  # pixels: the shorter side of A4 at 200 dpi
_NUMBER = 3  # digits from which on a word may be a part of an identifier
_CLOSE = 4  # the height of a word by the widest gap inside a number
_STEP = 0.5  # of a box's height: widths grow to whole steps, so that they do not tell a name by its length


class Box(NamedTuple):
    """What is burned: pixels `left..right`, `top..bottom`, right and bottom exclusive; `label` is printed in it."""

    left: int
    top: int
    right: int
    bottom: int
    label: str = ""

    def scaled(self, factor_x: float, factor_y: float) -> "Box":
        """The box in another resolution, grown to whole pixels."""
        return Box(
            int(self.left * factor_x),
            int(self.top * factor_y),
            -int(-self.right * factor_x // 1),
            -int(-self.bottom * factor_y // 1),
            self.label,
        )


def boxes_to_burn(readings: Sequence[Reading], findings: Findings) -> list[Box]:
    """Boxes, in pixels of the readings' rasters of one picture, over every finding and over all ink that nobody read.

    Numbers that only the raster of what gray does not show has are burned too, found or not: OCR takes a digit for
    another in such letters too easily. StageFailed(image_redact_failed) when a finding lies where no word has a place.
    """
    plain = [word for reading in readings if BY_HUE not in reading.raster for word in reading.words]
    boxes = [box for reading in readings for box in _own_boxes(reading, findings)]
    for reading in readings:
        if BY_HUE in reading.raster:
            boxes += [
                _around([word], "") for word in _numbers(reading) if not any(_covers(other, word) for other in plain)
            ]
    return boxes


def _numbers(reading: Reading) -> Iterable[Word]:
    said = ((word, reading.text[word.start : word.end]) for word in reading.words)
    return (word for word, text in said if sum(map(str.isdigit, text)) >= _NUMBER)


def _torn(reading: Reading) -> Iterable[Word]:
    """Digits that continue what nobody could read: the rest of a number that OCR cut in two."""
    digits = [word for word in reading.words if any(map(str.isdigit, reading.text[word.start : word.end]))]
    return (word for word in digits if any(_touches(word, *box) for box in reading.unread))


def _touches(word: Word, left: int, top: int, width: int, height: int) -> bool:
    """Whether the box stands beside the word, closer than two words stand; rules and frames are too thin for it."""
    shared = min(word.top + word.height, top + height) - max(word.top, top)
    gap = max(word.left - left - width, left - word.left - word.width)
    is_text = width * 2 >= word.height and word.height <= height * 2 and height <= word.height * 2
    return is_text and shared * 2 >= min(word.height, height) and gap * _CLOSE <= word.height


def _covers(word: Word, other: Word) -> bool:
    x, y = other.left + other.width / 2, other.top + other.height / 2
    return word.left <= x <= word.left + word.width and word.top <= y <= word.top + word.height


def _own_boxes(reading: Reading, findings: Findings) -> list[Box]:
    boxes = [Box(left, top, left + width, top + height) for left, top, width, height in reading.unread]
    boxes += [_around([word], "") for word in _torn(reading)]
    for place in findings.places:
        if place.unit != reading.raster:
            continue
        words = [word for word in reading.words if word.start < place.end and place.start < word.end]
        if not words:
            raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
        boxes.extend(_around(line, place.placeholder) for line in _lines(reading.text, words))
    return boxes


def _lines(text: str, words: Sequence[Word]) -> Iterable[list[Word]]:
    current: list[Word] = []
    for word in words:
        if current and "\n" in text[current[-1].end : word.start]:
            yield current
            current = []
        current.append(word)
    yield current


def _around(words: Sequence[Word], label: str) -> Box:
    left, top = min(w.left for w in words), min(w.top for w in words)
    right, bottom = max(w.left + w.width for w in words), max(w.top + w.height for w in words)
    margin = max(2, (bottom - top) // 8)
    return Box(left - margin, top - margin, right + margin, bottom + margin, label)


def burn(pixels: Any, boxes: Iterable[Box]) -> None:
    """Blackens the boxes in the array (height, width[, channels]) in place; alpha becomes opaque there.

    Labels are printed where they fit beside the labels that are already printed, those of narrow boxes first.
    """
    height, width = pixels.shape[:2]
    full = int(np.iinfo(pixels.dtype).max)
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    black: list[int] = [0] * channels
    white: list[int] = [full] * channels
    if channels in (2, 4):
        black[-1] = full
    burned: list[Box] = []
    for box in boxes:
        left, top = max(0, box.left), max(0, box.top)
        right, bottom = min(width, box.right), min(height, box.bottom)
        if left < right and top < bottom:
            pixels[top:bottom, left:right] = black if pixels.ndim == 3 else 0
            burned.append(Box(left, top, right, bottom, box.label))
    most = _LARGEST * max(1.0, min(height, width) / _USUAL_SIDE)
    printed: list[Box] = []
    for box in sorted(burned, key=lambda box: box.right - box.left):
        label = _print_label(pixels, box, printed, white, most) if box.label else None
        if label is not None:
            printed.append(label)


def _print_label(pixels: Any, box: Box, printed: Sequence[Box], white: list[int], most: float) -> Box | None:
    """Prints the label in the widest part of the box without other labels; its extent, None where it does not fit."""
    taken = [
        (other.left - box.left, other.right - box.left)
        for other in printed
        if other.top < box.bottom and other.bottom > box.top
    ]
    low, high = map(int, widest_free_span(box.right - box.left, taken))
    (wide, _), _ = cv2.getTextSize(box.label, _FONT, 1.0, 1)
    scale = min((high - low - 4) / max(wide, 1), (box.bottom - box.top - 4) / (_FONT_HEIGHT * 1.4), most)
    if scale < _SMALLEST:
        return None
    thickness = max(1, round(scale * 1.6))
    (wide, tall), sink = cv2.getTextSize(box.label, _FONT, scale, thickness)
    across = box.left + low + (high - low - wide) // 2
    down = box.top + (box.bottom - box.top + tall) // 2
    region = pixels[box.top : box.bottom, box.left : box.right]
    patch = np.zeros(region.shape[:2], np.uint8)
    cv2.putText(patch, box.label, (across - box.left, down - box.top), _FONT, scale, 255, thickness, cv2.LINE_8)
    region[patch > 0] = white if pixels.ndim == 3 else white[0]
    return Box(across, down - tall, across + wide, down + sink)


# Packs a raster for its way to OCR: a PNG in 17 gray levels.
#
# Rounding the levels costs no accuracy (mean confidence of Tesseract on noisy scans 91.0 before, 91.3 after) and
# makes a noisy page three to five times smaller.

_LEVELS = np.minimum((np.arange(256) + 8) // 16 * 17, 255).astype(np.uint8)


def packed(image: Any) -> bytes:
    """A grayscale array (height, width) as PNG bytes."""
    done, buffer = cv2.imencode(".png", cv2.LUT(image, _LEVELS), [cv2.IMWRITE_PNG_COMPRESSION, 1])
    if not done:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    return bytes(buffer)
