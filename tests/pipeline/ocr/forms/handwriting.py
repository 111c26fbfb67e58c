"""Writes digits of both kinds by hand: a pen goes through the points of each digit, never twice the same way."""

from collections.abc import Sequence

import cv2
import numpy as np

Box = tuple[int, int, int, int]  # left, top, right, bottom
Points = Sequence[tuple[float, float]]

# The path of a pen through each digit, in heights of the digit to the right and downwards.
STROKES: dict[str, tuple[Points, ...]] = {
    "0": (((0.3, 0), (0.05, 0.25), (0.05, 0.7), (0.3, 1), (0.55, 0.7), (0.55, 0.25), (0.3, 0)),),
    "1": (((0.1, 0.2), (0.3, 0), (0.3, 0.5), (0.28, 1)),),
    "2": (((0.05, 0.2), (0.25, 0), (0.5, 0.2), (0.35, 0.55), (0.05, 0.95), (0.3, 0.92), (0.6, 0.98)),),
    "3": (((0.08, 0.08), (0.4, 0.02), (0.5, 0.25), (0.2, 0.45), (0.55, 0.65), (0.4, 0.98), (0.05, 0.9)),),
    "4": (((0.35, 0), (0.05, 0.6), (0.6, 0.6)), ((0.45, 0.3), (0.43, 1))),
    "5": (((0.15, 0.02), (0.1, 0.4), (0.45, 0.45), (0.5, 0.8), (0.25, 1), (0.03, 0.9)), ((0.15, 0.02), (0.58, 0))),
    "6": (((0.45, 0), (0.12, 0.4), (0.05, 0.8), (0.3, 1), (0.5, 0.78), (0.3, 0.55), (0.08, 0.75)),),
    "7": (((0.03, 0.05), (0.3, 0.02), (0.55, 0.05), (0.35, 0.5), (0.22, 1)),),
    "8": (((0.5, 0.12), (0.25, 0), (0.1, 0.2), (0.5, 0.7), (0.3, 1), (0.06, 0.78), (0.5, 0.12)),),
    "9": (((0.5, 0.2), (0.25, 0.02), (0.06, 0.25), (0.25, 0.48), (0.5, 0.2), (0.48, 0.6), (0.42, 1)),),
    "٠": (((0.25, 0.5), (0.35, 0.55), (0.25, 0.6), (0.25, 0.5)),),
    "١": (((0.15, 0), (0.25, 0.5), (0.3, 1)),),
    "٢": (((0.55, 0.02), (0.3, 0.2), (0.1, 0.02), (0.2, 0.5), (0.25, 1)),),
    "٣": (((0.6, 0), (0.48, 0.18), (0.35, 0.03), (0.25, 0.18), (0.08, 0), (0.2, 0.5), (0.26, 1)),),
    "٤": (((0.5, 0), (0.15, 0.2), (0.4, 0.4), (0.08, 0.7), (0.2, 0.95), (0.5, 0.92)),),
    "٥": (((0.3, 0.15), (0.08, 0.6), (0.3, 0.95), (0.55, 0.6), (0.3, 0.15)),),
    "٦": (((0.05, 0.05), (0.3, 0.1), (0.45, 0.03), (0.42, 0.5), (0.45, 1)),),
    "٧": (((0.03, 0), (0.2, 0.5), (0.3, 1), (0.42, 0.5), (0.58, 0)),),
    "٨": (((0.03, 1), (0.2, 0.5), (0.3, 0), (0.42, 0.5), (0.58, 1)),),
    "٩": (((0.45, 0.2), (0.2, 0.02), (0.08, 0.25), (0.25, 0.4), (0.45, 0.2), (0.44, 0.6), (0.5, 1)),),
}


def curve(points: np.ndarray, steps: int = 12) -> np.ndarray:
    """A smooth path through the points (Catmull and Rom, 1974)."""
    padded = np.vstack([points[:1], points, points[-1:]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    parts = [
        0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
        for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False)
    ]
    return np.vstack([*parts, points[-1:]])


def pen(pixels: np.ndarray, path: np.ndarray, ink: int, width: float) -> None:
    cv2.polylines(pixels, [np.rint(path * 16).astype(np.int32)], False, ink, round(width), cv2.LINE_AA, 4)


def handwritten(pixels: np.ndarray, text: str, place: tuple[int, int], height: float, rng: np.random.Generator) -> Box:
    """Writes digits by hand; the box of what was written."""
    x, top = float(place[0]), place[1]
    slant, before = rng.uniform(-0.1, 0.25), pixels.copy()
    for digit in text:
        size = height * rng.uniform(0.85, 1.15)
        lift = rng.uniform(-0.1, 0.1) * height
        for stroke in STROKES[digit]:
            points = np.array(stroke) + rng.normal(0, 0.03, (len(stroke), 2))
            points[:, 0] += slant * (1 - points[:, 1])
            pen(pixels, np.add(curve(points * size), (x, top + lift)), 40, max(2, height / 14))
        x += height * rng.uniform(0.7, 0.9)
    return changed(before, pixels)


def changed(before: np.ndarray, after: np.ndarray) -> Box:
    rows, columns = np.nonzero(before != after)
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1
