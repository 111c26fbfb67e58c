"""Reads the barcodes and matrix codes of a raster with zxing-cpp, and locates those that cannot be read.

All formats of zxing-cpp: QR (ISO/IEC 18004), Micro QR, rMQR, Data Matrix (16022), Aztec (24778), PDF417 (15438),
MaxiCode (16023), Code 128 (15417), Code 39 (16388), Code 93, EAN, UPC (15420), ITF (16390), Codabar, DataBar (24724).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import cv2
import numpy as np
import zxingcpp

from pipeline.documents.limits import MAX_CODES_OF_RASTER
from pipeline.documents.raster.codes.bars import bar_patterns, full_height, is_barcode, is_even, straightened
from pipeline.documents.raster.codes.grid import is_grid, square_patterns
from pipeline.geometry.strip import Box
from schemas.errors import ErrorCode, StageFailed

READER = f"zxing-cpp {version('zxing-cpp')}"

_ALL_LINEAR: Any = (zxingcpp.BarcodeFormat.AllLinear,)
_BARS: Any = (
    zxingcpp.BarcodeFormat.AllLinear,
    zxingcpp.BarcodeFormat.PDF417,
)  # those that zxing does not read inverted
_LINEAR = frozenset(zxingcpp.barcode_formats_list(_ALL_LINEAR))
_STACKED = ("PDF417", "CompactPDF417", "MicroPDF417")
_MANY = 20  # codes beside each other, of which zxing may pass over one
_FINE = 1_800  # pixels of the longer side from which on half the resolution is enough to locate patterns
_DARK = 110  # gray level: a dark neighbourhood may hold an inverted code
_NEIGHBOURHOOD = 48  # pixels
_MAX_ANGLES = 3  # angles at which the whole raster is read again
_UPRIGHT = 4.0  # degrees from a multiple of 90 that zxing reads anyway
_MAX_TURNED = 12_000_000  # pixels of a raster that is read at an angle
_ENLARGED = (1.0, 2.0, 3.0)  # a small code is read better when it is enlarged
_MAX_ENLARGED = 8  # patterns that are read enlarged
_SMALL = 700  # pixels: a larger pattern is not enlarged
_MIN_CORNER, _MAX_SIDE_RATIO = 0.25, 1.35  # cosine at a corner and ratio of the sides of a square that is seen aslant


class Code(NamedTuple):
    """A code that was read. `text` as zxing decodes it, `content` its bytes; `corners` (4, 2) in pixels of the raster.

    `is_binary`: zxing knows no encoding of the bytes. `is_clean`: nothing is drawn over the code. `is_linear`: it has
    bars of one height.
    """

    text: str
    content: bytes
    is_binary: bool
    is_clean: bool
    is_linear: bool
    corners: Any

    def box(self, width: int, height: int) -> Box:
        """The box around the code, within a raster of that size."""
        return _box(self.corners, width, height)


class Codes(NamedTuple):
    """The codes of a raster: those that were read, and the boxes of those that were located only."""

    read: tuple[Code, ...]
    unread: tuple[Box, ...]


NO_CODES = Codes((), ())


def codes_in(gray: Any) -> Codes:
    """The codes of a grayscale raster (height, width).

    StageFailed(image_redact_failed) for more than MAX_CODES_OF_RASTER.
    """
    height, width = gray.shape
    if min(height, width) < 8:
        return NO_CODES
    found: list[Code] = []
    doubtful: list[Any] = []
    for barcode in _all_codes(gray):
        if barcode.error is None or barcode.valid:
            _add(found, _code(barcode, gray))
        else:
            doubtful += _located(barcode, gray)
    if _has_dark_ground(gray):
        for barcode in _zxing(255 - gray, _BARS):
            _add(found, _code(barcode, gray))
    half = max(height, width) >= _FINE
    look = cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) if half else gray
    scale = 2 if half else 1
    doubtful += _patterns_of_bars(gray, [corners * scale for corners in bar_patterns(look)], found)
    squares = [corners * scale for corners in square_patterns(look)]
    if half and min(look.shape) > 80:
        coarse = cv2.resize(look, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        squares += [corners * (2 * scale) for corners in square_patterns(coarse)]
    doubtful += _square_patterns(gray, squares, found)
    unread = [_box(corners, width, height) for corners in doubtful if not _is_known(corners, found)]
    return Codes(tuple(found), tuple(_outermost(unread)))


def codes_read_in(gray: Any) -> tuple[Code, ...]:
    """The codes that zxing reads at once in a grayscale raster: faster than `codes_in`, and locates none."""
    return tuple(_code(barcode, gray) for barcode in _zxing(gray, ())) if min(gray.shape) >= 8 else ()


def _outermost(boxes: Iterable[Box]) -> Iterator[Box]:
    """The boxes that lie in no other one."""
    kept: list[Box] = []
    for box in sorted(set(boxes), key=lambda box: -box[2] * box[3]):
        left, top, width, height = box
        if not any(
            x <= left and y <= top and left + width <= x + wide and top + height <= y + high
            for x, y, wide, high in kept
        ):
            kept.append(box)
            yield box


def _all_codes(gray: Any) -> Iterator[Any]:
    """What zxing finds. Where it finds many, these are painted over and the rest is read: it stops at 255."""
    count, is_first = 0, True
    while True:
        barcodes = _zxing(gray, (), with_errors=True)
        yield from barcodes
        valid = [barcode for barcode in barcodes if barcode.valid]
        count += len(valid)
        if not valid or (is_first and len(barcodes) < _MANY):
            return
        if count > 2 * MAX_CODES_OF_RASTER:
            raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
        gray, is_first = gray.copy(), False
        for barcode in valid:
            cv2.fillConvexPoly(gray, _corners_of(barcode).round().astype(np.int32), 255)


def _zxing(gray: Any, formats: Any, *, with_errors: bool = False, coarse: bool = False) -> list[Any]:
    binarizer = zxingcpp.Binarizer.GlobalHistogram if coarse else zxingcpp.Binarizer.LocalAverage
    return zxingcpp.read_barcodes(
        np.ascontiguousarray(gray),
        formats=formats,
        text_mode=zxingcpp.TextMode.Plain,
        binarizer=binarizer,
        return_errors=with_errors,
    )


def _code(barcode: Any, gray: Any, corners: Any = None) -> Code:
    """`corners`: in pixels of the raster, if the barcode was read in a patch of it."""
    corners = _corners_of(barcode) if corners is None else corners
    is_linear = _is_linear(barcode)
    if is_linear:
        corners = full_height(gray, corners)
    is_clean = is_even(gray, corners) if is_linear else float(barcode.extra.get("UEC", 0)) >= 1
    is_binary = barcode.content_type in (zxingcpp.ContentType.Binary, zxingcpp.ContentType.UnknownECI)
    return Code(barcode.text, bytes(barcode.bytes), is_binary, is_clean, is_linear, corners)


def _is_linear(barcode: Any) -> bool:
    return barcode.format in _LINEAR


def _corners_of(barcode: Any) -> Any:
    at = barcode.position
    points = (at.top_left, at.top_right, at.bottom_right, at.bottom_left)
    return np.array([(point.x, point.y) for point in points], float)


def _add(found: list[Code], code: Code) -> None:
    """Adds a code unless it was read before: several passes read the same one."""
    if len(found) >= MAX_CODES_OF_RASTER:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    middle = code.corners.mean(axis=0)
    if not any(other.text == code.text and _contains(other.corners, middle) for other in found):
        found.append(code)


def _located(barcode: Any, gray: Any) -> Iterator[Any]:
    """The corners of a code that zxing found and could not read, if they have the shape and the pattern of its kind."""
    corners = _corners_of(barcode)
    if not _is_rectangle(corners):
        return
    if _is_linear(barcode):
        patch = straightened(gray, corners)
        if patch is not None and patch.shape[0] >= 4 and is_barcode(patch):
            yield full_height(gray, corners)
    elif barcode.format.name in _STACKED or is_grid(gray, corners):
        yield corners


def _is_rectangle(corners: Any) -> bool:
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(sides[:, 0], sides[:, 1])
    if lengths.min() < 6:
        return False
    units = sides / lengths[:, None]
    turns = np.abs((units * np.roll(units, -1, axis=0)).sum(axis=1))
    opposite = max(lengths[0] / lengths[2], lengths[2] / lengths[0], lengths[1] / lengths[3], lengths[3] / lengths[1])
    return bool(turns.max() < _MIN_CORNER and opposite < _MAX_SIDE_RATIO)


def _patterns_of_bars(gray: Any, patterns: Sequence[Any], found: list[Code]) -> Iterator[Any]:
    """Reads patterns of bars that zxing passed over, adds them to `found`, and yields those that cannot be read."""
    angles: list[float] = []
    missed = []
    for corners in patterns:
        angle = _angle(corners)
        own = [code for code in found if code.is_linear and _contains(corners, code.corners.mean(axis=0))]
        if not own and _is_known(corners, found):
            continue
        patch = straightened(gray, corners)
        if own and (abs(angle) <= _UPRIGHT or patch is None):
            _extend(gray, corners, own, found)
        elif patch is not None:
            barcode = next((code for shown in (patch, 255 - patch) for code in _zxing(shown, _BARS)), None)
            if barcode is not None:  # it was read along its bars: what was read aslant may be a part of it
                found[:] = [code for code in found if not any(code is other for other in own)]
                _add(found, _code(barcode, gray, corners))
            elif own:
                _extend(gray, corners, own, found)
            else:
                missed.append((corners, patch))
                if abs(angle) > _UPRIGHT and not any(abs(angle - other) < 2 for other in angles):
                    angles.append(angle)
    for angle in angles[:_MAX_ANGLES]:
        for barcode, corners in _read_at_angle(gray, angle):
            _add(found, _code(barcode, gray, corners))
    yield from (corners for corners, patch in missed if is_barcode(patch))


def _angle(corners: Any) -> float:
    """The angle of a pattern in degrees from the nearest multiple of 90."""
    along = corners[1] - corners[0]
    angle = math.degrees(math.atan2(along[1], along[0])) % 90
    return angle if angle <= 45 else angle - 90


def _extend(gray: Any, pattern: Any, own: Sequence[Code], found: list[Code]) -> None:
    """Extends linear codes to the pattern of bars in which they were read: zxing returns the part that it read."""
    is_clean = is_even(gray, pattern)
    for number, code in enumerate(found):
        if any(code is other for other in own):
            points = np.concatenate((code.corners, pattern)).astype(np.float32)
            corners = cv2.boxPoints(cv2.minAreaRect(points)).astype(float)
            found[number] = code._replace(corners=corners, is_clean=is_clean)


def _read_at_angle(gray: Any, degrees: float) -> Iterator[tuple[Any, Any]]:
    """The codes of the raster turned by an angle: a long code that is not upright crosses no line of pixels whole."""
    height, width = gray.shape
    sine, cosine = abs(math.sin(math.radians(degrees))), abs(math.cos(math.radians(degrees)))
    size = int(width * cosine + height * sine) + 1, int(width * sine + height * cosine) + 1
    if size[0] * size[1] > _MAX_TURNED:
        return
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    matrix[:, 2] += (np.array(size) - (width, height)) / 2
    turned = cv2.warpAffine(gray, matrix, size, flags=cv2.INTER_LINEAR, borderValue=255)
    back = cv2.invertAffineTransform(matrix)
    for barcode in _zxing(turned, _BARS):
        yield barcode, _corners_of(barcode) @ back[:, :2].T + back[:, 2]


def _square_patterns(gray: Any, patterns: Iterable[Any], found: list[Code]) -> Iterator[Any]:
    """Reads square patterns that zxing passed over, adds them to `found`, and yields the grids that cannot be read."""
    tries = 0
    for corners in patterns:
        if _is_known(corners, found):
            continue
        tries += 1
        read = _read_enlarged(gray, corners) if tries <= _MAX_ENLARGED else None
        if read is not None:
            _add(found, read)
        elif is_grid(gray, corners):
            yield corners


def _read_enlarged(gray: Any, corners: Any) -> Code | None:
    """The code under a square pattern, read in an enlarged cut-out of the raster."""
    height, width = gray.shape
    margin = 0.3 * float(np.hypot(*(corners[1] - corners[0])))
    left, top = (max(0, int(side - margin)) for side in corners.min(axis=0))
    right, bottom = (int(side + margin) for side in corners.max(axis=0))
    patch = gray[top : min(height, bottom), left : min(width, right)]
    if min(patch.shape) < 8:
        return None
    for factor in _ENLARGED:
        if factor > 1 and max(patch.shape) * factor > 2 * _SMALL:
            break
        shown = cv2.resize(patch, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC) if factor > 1 else patch
        for coarse in (False, True):
            for barcode in _zxing(shown, (), coarse=coarse):
                return _code(barcode, gray, _corners_of(barcode) / factor + (left, top))
    return None


def _has_dark_ground(gray: Any) -> bool:
    """Whether some neighbourhood is dark: zxing reads bars only as dark on light."""
    size = max(1, gray.shape[1] // _NEIGHBOURHOOD), max(1, gray.shape[0] // _NEIGHBOURHOOD)
    return bool((cv2.resize(gray, size, interpolation=cv2.INTER_AREA) < _DARK).any())


def _is_known(corners: Any, found: Iterable[Code]) -> bool:
    middle = np.mean(corners, axis=0)
    return any(_contains(code.corners, middle) for code in found)


def _contains(corners: Any, point: Any) -> bool:
    return bool((corners.min(axis=0) <= point).all() and (point <= corners.max(axis=0)).all())


def _box(corners: Any, width: int, height: int) -> Box:
    left, top = (int(side) for side in np.clip(np.floor(corners.min(axis=0)), 0, (width - 1, height - 1)))
    right, bottom = (int(side) for side in np.clip(np.ceil(corners.max(axis=0)) + 1, 1, (width, height)))
    return left, top, max(1, right - left), max(1, bottom - top)
