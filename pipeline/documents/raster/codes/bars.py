"""Finds patterns of parallel bars: linear barcodes and PDF417 at any angle, dark on light or light on dark.

The structure tensor of the gradient tells where all edges of a neighbourhood run in one direction (Bigun and Granlund,
1987). Rules and frames have too few edges for a symbol, hatchings repeat one width.
"""

import math
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

_WINDOW = 17  # pixels: the neighbourhood whose edges must run in one direction
_MIN_COHERENCE = 0.8  # of 1: the share of the gradient in one direction
_MIN_STRENGTH = 900.0  # mean squared gradient: bars fill the whole neighbourhood, rules cross it once
_MIN_LENGTH, _MIN_HEIGHT = 40, 14  # pixels: the sides of the smallest pattern, across its bars and along them
_MAX_REGIONS = 200  # of a raster, the largest first
_MAX_PATCH = 2_000_000  # pixels of one straightened pattern
_MIN_BARS = 10  # the shortest symbol, EAN-2, has seven bars; a code that holds an identifier has more
_MAX_WIDTHS = 8.0  # times the narrowest: the widest bar of Code 128 has four, of PDF417 eight modules
_MIN_SPREAD = 0.3  # standard deviation of the widths, of their mean: hatchings have less
_LINES = (0.12, 0.25, 0.4, 0.5, 0.6, 0.75, 0.88)  # of the height of a pattern: the lines that are compared
_MIN_ALIKE = 0.88  # correlation of all lines but one with their mean
_MIN_SAMENESS = 0.75  # correlation of every line across one pattern with their mean


def bar_patterns(gray: Any) -> Iterator[Any]:
    """The corners (4, 2) of patterns of bars in a grayscale raster (height, width).

    The first two lie across the bars.
    """
    mask, angles = _striped(gray)
    count, labels, table, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    order = sorted(range(1, count), key=lambda number: -int(table[number][cv2.CC_STAT_AREA]))
    for number in order[:_MAX_REGIONS]:
        left, top, width, height, area = (int(value) for value in table[number])
        if max(width, height) < _MIN_LENGTH or area < _MIN_LENGTH * _MIN_HEIGHT // 2:
            continue
        rows, columns = np.nonzero(labels[top : top + height, left : left + width] == number)
        doubled = angles[top : top + height, left : left + width][rows, columns]
        across = math.atan2(float(np.sin(doubled).mean()), float(np.cos(doubled).mean())) / 2
        corners = _corners(np.stack((columns + left, rows + top), 1).astype(np.float32), across)
        if corners is not None:
            yield corners


def straightened(gray: Any, corners: Any) -> Any | None:
    """The pattern of bars as an upright patch with a quiet zone; None for one that is too small or too large."""
    corners = np.asarray(corners, np.float32)
    along, down = corners[1] - corners[0], corners[3] - corners[0]
    length, height = float(np.hypot(*along)), float(np.hypot(*down))
    if min(length, height) < 4:
        return None
    margin = along / length * max(12.0, 0.15 * length)
    sides = np.array([corners[0] - margin, corners[1] + margin, corners[3] - margin], np.float32)
    wide, high = int(np.hypot(*(sides[1] - sides[0]))), int(height)
    if wide * high > _MAX_PATCH:
        return None
    matrix = cv2.getAffineTransform(sides, np.array([[0, 0], [wide, 0], [0, high]], np.float32))
    return cv2.warpAffine(gray, matrix, (wide, high), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def is_even(gray: Any, corners: Any) -> bool:
    """Whether all lines across a linear symbol are alike: nothing is drawn over its bars."""
    patch = straightened(gray, corners)
    if patch is None or patch.shape[0] < 3:
        return False
    lines = patch.astype(np.float32)
    lines = lines[1:-1] - lines[1:-1].mean(axis=1, keepdims=True)
    usual = np.median(lines, axis=0)
    strength = np.sqrt((lines**2).sum(axis=1) * float(usual @ usual))
    return bool(((lines @ usual) > _MIN_SAMENESS * np.maximum(strength, 1e-6)).all())


def is_barcode(patch: Any) -> bool:
    """Whether a straightened pattern has the widths of a symbol: enough bars, of several widths, equal on all lines."""
    lines = [patch[int(patch.shape[0] * part)].astype(np.float32) for part in _LINES]
    mean = np.mean(lines, axis=0)
    if min(float(line.std()) for line in (mean, *lines)) < 1:
        return False
    alike = [float(np.corrcoef(mean, line)[0, 1]) for line in lines]
    if min(alike) < _MIN_SAMENESS or sum(share > _MIN_ALIKE for share in alike) < len(lines) - 1:
        return False
    dark = mean < (float(np.percentile(mean, 10)) + float(np.percentile(mean, 90))) / 2
    edges = np.flatnonzero(np.diff(dark.astype(np.int8)))
    widths = np.diff(edges).astype(float)
    if len(widths) < 2 * _MIN_BARS - 1:
        return False
    narrow = max(1.0, float(np.percentile(widths, 10)))
    usual = widths[widths <= _MAX_WIDTHS * narrow]
    if len(usual) < 0.9 * len(widths):
        return False
    return bool(usual.std() > _MIN_SPREAD * usual.mean())


def full_height(gray: Any, corners: Any) -> Any:
    """The corners (4, 2) of a linear symbol, moved along its bars as far as these reach.

    A decoder returns the lines that it read, which may be a part of the symbol.
    """
    height, width = gray.shape
    upper, lower = (corners[0], corners[1]), (corners[3], corners[2])
    along = (corners[1] - corners[0] + corners[2] - corners[3]) / 2
    length = float(np.hypot(*along))
    if length < 1:
        return corners
    down = np.array([-along[1], along[0]]) / length
    if float(down @ (corners[3] - corners[0] + corners[2] - corners[1])) < 0:
        down = -down
    middle = ((corners[0] + corners[3]) / 2, (corners[1] + corners[2]) / 2)
    steps = np.linspace(0, 1, max(32, int(length)))[:, None]

    def line(start: Any, end: Any) -> Any:
        points = np.clip((start + (end - start) * steps).round().astype(int), 0, [width - 1, height - 1])
        return gray[points[:, 1], points[:, 0]].astype(np.float32)

    known = line(*middle)

    def reach(edge: tuple[Any, Any], direction: Any) -> float:
        far, missed = 0.0, 0
        for step in range(1, int(length) + 1):
            moved = [point + direction * step for point in edge]
            if not all(0 <= x < width and 0 <= y < height for x, y in moved):
                break
            other = line(*moved)
            alike = other.std() > 1 and known.std() > 1 and float(np.corrcoef(known, other)[0, 1]) > 0.5
            missed = 0 if alike else missed + 1
            if missed > 2:
                break
            far = step if alike else far
        return far

    up, below = reach(upper, -down), reach(lower, down)
    return np.array([upper[0] - down * up, upper[1] - down * up, lower[1] + down * below, lower[0] + down * below])


def _striped(gray: Any) -> tuple[Any, Any]:
    """A mask of pixels among parallel edges, and the doubled angle of their gradient in radians."""
    right = cv2.Sobel(gray, cv2.CV_32F, 1, 0, ksize=3) / 8
    down = cv2.Sobel(gray, cv2.CV_32F, 0, 1, ksize=3) / 8
    window = (_WINDOW, _WINDOW)
    xx, yy = cv2.blur(right * right, window), cv2.blur(down * down, window)
    xy = cv2.blur(right * down, window)
    strength = xx + yy
    directed = cv2.sqrt((xx - yy) ** 2 + 4 * xy**2)
    mask = ((directed > _MIN_COHERENCE * strength) & (strength > _MIN_STRENGTH)).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((_MIN_HEIGHT // 2, _MIN_HEIGHT // 2), np.uint8))
    # Wide bars and spaces interrupt the pattern.
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((_WINDOW, _WINDOW), np.uint8))
    return mask, cv2.phase(xx - yy, 2 * xy)


def _corners(points: Any, across: float) -> Any | None:
    """The corners around the points (n, 2), whose gradient runs at the angle `across` in radians."""
    axes = np.array([[math.cos(across), math.sin(across)], [-math.sin(across), math.cos(across)]], np.float32)
    turned = points @ axes.T
    (low, high), (least, most) = np.percentile(turned[:, 0], (0, 100)), np.percentile(turned[:, 1], (2, 98))
    if high - low < _MIN_LENGTH or most - least < _MIN_HEIGHT / 2:
        return None
    sides = [(low, least), (high, least), (high, most), (low, most)]
    return np.array([axes.T @ np.array(side, np.float32) for side in sides])
