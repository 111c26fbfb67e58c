"""Burns opaque boxes over findings and unread ink, and prints the placeholder in a box if it fits.

Also encodes rasters for OCR.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.document import Findings, Reading, Word
from pipeline.documents.free_span import widest_free_span
from pipeline.geometry.rows import share_row
from pipeline.geometry.strip import Strip, level_strip, strip_around
from schemas.errors import ErrorCode, StageFailed

FONT = cv2.FONT_HERSHEY_SIMPLEX
_FONT_HEIGHT = 22  # pixels of a capital letter at scale 1
_STROKE = 2.2  # pixels of a stroke at scale 1: OCR of an output misreads labels with thinner strokes
_MIN_SCALE = 0.6  # scale below which the placeholder is not legible: the box stays blank
_MAX_SCALE = 1.2  # scale of the largest label in a picture with sides of `_PAGE_SIDE`; it grows with larger pictures
_PAGE_SIDE = 1654  # pixels: the shorter side of A4 at 200 dpi
_MAX_MARGIN = 25  # pixels: a code is higher than any line, and what stands beside it stays
_GAP_DIVISOR = 4  # a gap inside a number is at most the word height divided by this
_FILLED = 0.85  # share of the rectangle around boxes that touch: from it on all of it is burned
_SHIFT = 4  # fractional bits of corners: sides that are off by less than a pixel still run along their line
_MAX_JOINED = 250  # pixels: the height of such a rectangle


class Box(NamedTuple):
    """A box to burn: pixels `left..right`, `top..bottom`, right and bottom exclusive; `label` is printed in it.

    Of the box around something slanted only the `strip` is burned, and the label runs along it.
    """

    left: int
    top: int
    right: int
    bottom: int
    label: str = ""
    strip: Strip | None = None

    @property
    def side(self) -> Strip:
        """What is burned."""
        return self.strip or level_strip((self.left, self.top, self.right - self.left, self.bottom - self.top))

    def scaled(self, factor: float) -> "Box":
        """The box in another resolution, enlarged to whole pixels."""
        return Box(
            int(self.left * factor),
            int(self.top * factor),
            -int(-self.right * factor // 1),
            -int(-self.bottom * factor // 1),
            self.label,
            self.strip.scaled(factor) if self.strip is not None else None,
        )

    def upright(self) -> Iterator["Box"]:
        """Upright boxes that cover what is burned."""
        if self.strip is None:
            yield self
        else:
            for left, top, width, height in self.strip.boxes((self.bottom, self.right)):
                yield Box(left, top, left + width, top + height, self.label)


def boxes_to_burn(readings: Sequence[Reading], findings: Findings) -> list[Box]:
    """Boxes over every finding and over all unread ink, in pixels of the rasters; `readings` are those of one image.

    StageFailed(image_redact_failed) if a finding overlaps no word.
    """
    return [box for reading in readings for box in _boxes_of(reading, findings)]


def _split_numbers(reading: Reading) -> Iterable[Word]:
    """Words with digits that touch unread ink: the rest of a number that OCR split."""
    digits = [word for word in reading.words if any(map(str.isdigit, reading.text[word.start : word.end]))]
    return (word for word in digits if any(_touches(word, *box) for box in reading.unread))


def _touches(word: Word, left: int, top: int, width: int, height: int) -> bool:
    """Whether a box of text height is next to the word, closer than two words are; rules and frames are thinner."""
    shared = min(word.top + word.height, top + height) - max(word.top, top)
    gap = max(word.left - left - width, left - word.left - word.width)
    is_text = width * 2 >= word.height and word.height <= height * 2 and height <= word.height * 2
    return is_text and shared * 2 >= min(word.height, height) and gap * _GAP_DIVISOR <= word.height


def _boxes_of(reading: Reading, findings: Findings) -> list[Box]:
    boxes = [Box(left, top, left + width, top + height) for left, top, width, height in reading.unread]
    boxes += [_around([word], "") for word in _split_numbers(reading)]
    for place in findings.places:
        if place.unit != reading.raster:
            continue
        words = [word for word in reading.words if word.start < place.end and place.start < word.end]
        if not words:
            raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
        boxes.extend(_around(line, place.placeholder) for line in _lines(reading.text, words))
    return boxes


def _lines(text: str, words: Sequence[Word]) -> Iterable[list[Word]]:
    """The words by the lines of the page: a line of the text may hold a value again that goes on in the next one."""
    current: list[Word] = []
    for word in words:
        if current and ("\n" in text[current[-1].end : word.start] or _is_in_other_row(current[-1], word)):
            yield current
            current = []
        current.append(word)
    yield current


def _is_in_other_row(one: Word, other: Word) -> bool:
    is_level = one.strip is None and other.strip is None
    return is_level and not share_row((one.top, one.height), (other.top, other.height))


def _around(words: Sequence[Word], label: str) -> Box:
    slanted = [word.strip for word in words if word.strip is not None]
    if slanted:
        own = (word.strip or level_strip((word.left, word.top, word.width, word.height)) for word in words)
        strip = strip_around([max(slanted, key=lambda strip: strip.length), *own])
        strip = strip.grown(_margin(strip.height))
        left, top, width, height = strip.box
        return Box(left, top, left + width, top + height, label, strip)
    left, top = min(w.left for w in words), min(w.top for w in words)
    right, bottom = max(w.left + w.width for w in words), max(w.top + w.height for w in words)
    margin = int(_margin(bottom - top))
    return Box(left - margin, top - margin, right + margin, bottom + margin, label)


def _margin(height: float) -> float:
    return max(2, min(height // 8, _MAX_MARGIN))


def burn(pixels: Any, boxes: Iterable[Box]) -> None:
    """Blackens the boxes in the array (height, width[, channels]) in place; alpha becomes opaque there.

    Upright boxes that touch and nearly fill the rectangle around them become that rectangle: the second reading knows
    labels in one. A label is printed where it fits next to the labels that are already printed, those of narrow boxes
    first, and once for overlapping boxes of one value: several rasters of one image may show it.
    """
    height, width = pixels.shape[:2]
    full = int(np.iinfo(pixels.dtype).max)
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    black: list[int] = [0] * channels
    if channels in (2, 4):
        black[-1] = full
    burned = [clipped for box in boxes if (clipped := _clipped(box, height, width)) is not None]
    upright = [box for box in burned if box.strip is None]
    for left, top, right, bottom, *_ in (*upright, *_rectangles_around(upright, (height, width))):
        pixels[top:bottom, left:right] = black if pixels.ndim == 3 else 0
    for box in burned:
        if box.strip is not None:
            corners = np.rint(np.multiply(box.strip.corners, 1 << _SHIFT)).astype(np.int32)
            cv2.fillConvexPoly(pixels, corners, black, shift=_SHIFT)
    max_scale = _MAX_SCALE * max(1.0, min(height, width) / _PAGE_SIDE)
    printed: list[_Label] = []
    for box in sorted(burned, key=lambda box: box.side.length):
        near = [label for label in printed if _share_pixels(label.around, box)] if box.label else []
        if box.label and not any(label.text == box.label and _overlap(label, box) for label in near):
            label = _print_label(pixels, box, near, full, max_scale)
            printed += [label] if label is not None else []


def _clipped(box: Box, height: int, width: int) -> Box | None:
    """What of a box is inside a raster; None if nothing is."""
    left, top = max(0, box.left), max(0, box.top)
    right, bottom = min(width, box.right), min(height, box.bottom)
    return Box(left, top, right, bottom, box.label, box.strip) if left < right and top < bottom else None


def _rectangles_around(boxes: Sequence[Box], shape: tuple[int, int]) -> Iterator[Box]:
    """The rectangles, as high as a few lines, that boxes of a raster which touch nearly fill."""
    if not boxes:
        return
    mask = np.zeros(shape, np.uint8)
    for box in boxes:
        mask[box.top : box.bottom, box.left : box.right] = 1
    for outline in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
        left, top, width, height = cv2.boundingRect(outline)
        box = Box(left, top, left + width, top + height)
        inside = mask[box.top : box.bottom, box.left : box.right]
        if height <= _MAX_JOINED and cv2.countNonZero(inside) >= _FILLED * inside.size:
            yield box


class _Label(NamedTuple):
    """A printed label, its place, and the upright box around that."""

    text: str
    place: Strip
    around: Box


def _print_label(pixels: Any, box: Box, near: Sequence[_Label], full: int, max_scale: float) -> _Label | None:
    """Prints the label in the widest part of the box without other labels; None if it does not fit."""
    side = box.side
    extents = (side.extent(other.place.corners) for other in near)
    taken = [
        (left, right) for left, right, top, bottom in extents if top < side.height / 2 and bottom > -side.height / 2
    ]
    low, high = map(int, widest_free_span(side.length, taken))
    (text_width, _), _ = cv2.getTextSize(box.label, FONT, 1.0, 1)
    scale = min((high - low - 4) / max(text_width, 1), (side.height - 4) / (_FONT_HEIGHT * 1.4), max_scale)
    if scale < _MIN_SCALE:
        return None
    thickness = stroke(scale)
    (text_width, text_height), descent = cv2.getTextSize(box.label, FONT, scale, thickness)
    across = low + (high - low - text_width) // 2
    down = int(side.height + text_height) // 2
    patch = np.zeros((int(side.height), int(side.length)), np.uint8)
    cv2.putText(patch, box.label, (across, down), FONT, scale, 255, thickness, cv2.LINE_8)
    region = pixels[box.top : box.bottom, box.left : box.right]
    level = np.multiply(_turned(patch, box), full / 255).astype(pixels.dtype)
    np.maximum(region, level if pixels.ndim == 2 else level[..., None], out=region)  # it is black, but for alpha
    letters = text_height + descent
    x, y = side.point(across, down - text_height + letters / 2 - side.height / 2)
    u, v = side.along
    place = Strip(x, y, text_width * u, text_width * v, letters)
    left, top, wide, tall = place.box
    return _Label(box.label, place, Box(left, top, left + wide, top + tall))


def _turned(patch: Any, box: Box) -> Any:
    """What is drawn along a strip, in the pixels of the box around it."""
    if box.strip is None:
        return patch
    (u, v), (x, y) = box.strip.along, box.strip.corners[0]
    place = np.array([[u, -v, x - box.left], [v, u, y - box.top]])
    return cv2.warpAffine(patch, place, (box.right - box.left, box.bottom - box.top))


def stroke(scale: float) -> int:
    """The pixels of a stroke of a label in a scale of `FONT`."""
    return max(1, round(scale * _STROKE))


def _share_pixels(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom


def _overlap(label: _Label, box: Box) -> bool:
    side = box.side
    left, right, top, bottom = side.extent(label.place.corners)
    return left < side.length and right > 0 and top < side.height / 2 and bottom > -side.height / 2


# Steps of 4 gray levels make the PNG of a noisy page a fifth smaller. Steps of 16 would make it half as large, but the
# detector of text lines then breaks blurred lines into pieces.
_LEVELS = np.minimum((np.arange(256) + 2) // 4 * 4, 255).astype(np.uint8)


def raster_png(image: Any) -> bytes:
    """An array in gray (height, width) or BGR (height, width, 3) as a PNG with 65 levels of each."""
    is_encoded, buffer = cv2.imencode(".png", cv2.LUT(image, _LEVELS), [cv2.IMWRITE_PNG_COMPRESSION, 1])
    if not is_encoded:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    return bytes(buffer)
