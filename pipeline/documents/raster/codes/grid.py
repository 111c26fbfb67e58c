"""Finds grids of dark and light modules: QR, Data Matrix, Aztec and similar symbols at any angle.

A grid has many edges in two directions, as much dark as light, all its edges on lines of one pitch, and modules of one
shade. Text and photographs have the edges, but neither the pitch nor the modules.
"""

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

_WINDOW = 21  # pixels: the neighbourhood in which edges are counted
_CONTRAST = 12  # gray levels below the mean of the surroundings that make a pixel dark
_SURROUNDINGS = 61  # pixels
_MIN_CHANGES = 0.07  # changes between dark and light per pixel, in each direction
_DARK_SHARE = (0.22, 0.8)
_MAX_DIFFERENCE = 2.2  # times: changes in one direction may be more frequent than in the other
_MIN_SIDE = 32  # pixels of the smallest grid
_MAX_SIDE_RATIO = 1.35  # of a square, whose outline is not exact
_MIN_FILL = 0.75  # of the area of its rotated rectangle that a grid fills
_MAX_REGIONS = 40  # of a raster, the largest first
_MODULES = (9, 180)  # of one side: the smallest Data Matrix has ten, the largest QR code 177
_MIN_PITCH = 2.4  # pixels: finer grids cannot be told from noise
_NEAR = 0.25  # of the pitch: edges this near to a line of the grid are on it
_MIN_ON_GRID = 0.78  # share of all edges; half of them are by chance
_MIN_SHADED = 0.72  # mean distance of a module from middle gray, 1 being black or white
_MODULE_SHARE = (0.3, 0.7)  # of dark modules
_PATCH_SIDE = 600  # pixels to which a straightened pattern is reduced
_TURNS = (0.0, 1.5, -1.5, 3.0, -3.0, 4.5, -4.5)  # degrees: the outline tells the angle to a few degrees
_PHASES = 16


def square_patterns(gray: Any) -> Iterator[Any]:
    """The corners (4, 2) of square neighbourhoods of a grayscale raster (height, width) with edges in two directions.

    A grid may be among them; `is_grid` tells.
    """
    dark = (cv2.subtract(cv2.blur(gray, (_SURROUNDINGS, _SURROUNDINGS)), gray) > _CONTRAST).astype(np.uint8)
    window = (_WINDOW, _WINDOW)
    across = cv2.blur(cv2.absdiff(dark[:, 1:], dark[:, :-1]).astype(np.float32), window)[:-1]
    down = cv2.blur(cv2.absdiff(dark[1:], dark[:-1]).astype(np.float32), window)[:, :-1]
    share = cv2.blur(dark.astype(np.float32), window)[:-1, :-1]
    least, most = cv2.min(across, down), cv2.max(across, down)
    mask = (least > _MIN_CHANGES) & (most < _MAX_DIFFERENCE * least)
    mask &= (share > _DARK_SHARE[0]) & (share < _DARK_SHARE[1])
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((_WINDOW, _WINDOW), np.uint8))
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((_WINDOW // 2, _WINDOW // 2), np.uint8))
    outlines, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    for outline in sorted(outlines, key=cv2.contourArea, reverse=True)[:_MAX_REGIONS]:
        middle, sides, angle = cv2.minAreaRect(outline)
        shorter, longer = min(sides) + 8, max(sides) + 8
        if shorter < _MIN_SIDE or longer > _MAX_SIDE_RATIO * shorter:
            continue
        if cv2.contourArea(outline) < _MIN_FILL * min(sides) * max(sides):
            continue
        yield cv2.boxPoints((middle, (sides[0] + 8, sides[1] + 8), angle))


def is_grid(gray: Any, corners: Any) -> bool:
    """Whether a quadrilateral (4, 2) of the raster shows modules on lines of one pitch in both directions."""
    return any(_shows_modules(gray, _turned(corners, degrees)) for degrees in _TURNS)


def _shows_modules(gray: Any, corners: Any) -> bool:
    patch = _straightened(gray, corners)
    if patch is None:
        return False
    across = np.abs(np.diff(patch.astype(np.int16), axis=1)).sum(axis=0).astype(float)
    down = np.abs(np.diff(patch.astype(np.int16), axis=0)).sum(axis=1).astype(float)
    share, pitch, column = _best_grid(across)
    if share < _MIN_ON_GRID:
        return False
    share, pitch_down, row = _best_grid(down)
    if share < _MIN_ON_GRID:
        return False
    columns = np.arange(column + pitch / 2, patch.shape[1] - pitch / 2, pitch).astype(int)
    rows = np.arange(row + pitch_down / 2, patch.shape[0] - pitch_down / 2, pitch_down).astype(int)
    if min(len(columns), len(rows)) < _MODULES[0] - 1 or max(pitch, pitch_down) > 2.5 * min(pitch, pitch_down):
        return False
    low, high = (float(level) for level in np.percentile(patch, (5, 95)))
    size = max(1, int(min(pitch, pitch_down) / 2))
    modules = cv2.blur(patch, (size, size))[np.ix_(rows, columns)].astype(float)
    shades = np.clip((modules - low) / max(high - low, 1.0), 0, 1)
    share_dark = float((shades < 0.5).mean())
    shaded = float(np.abs(2 * shades - 1).mean())
    return _MODULE_SHARE[0] < share_dark < _MODULE_SHARE[1] and shaded > _MIN_SHADED


def _turned(corners: Any, degrees: float) -> Any:
    """The corners turned around their middle."""
    angle = np.deg2rad(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    middle = np.mean(corners, axis=0)
    return (np.asarray(corners) - middle) @ turn.T + middle


def _straightened(gray: Any, corners: Any) -> Any | None:
    """The patch under a quadrilateral (4, 2), as a rectangle of its size; None for one that is too small."""
    corners = np.asarray(corners, np.float32)
    wide = float(np.hypot(*(corners[1] - corners[0])))
    high = float(np.hypot(*(corners[3] - corners[0])))
    factor = min(1.0, _PATCH_SIDE / max(wide, high, 1.0))
    size = int(wide * factor), int(high * factor)
    if min(size) < _MODULES[0] * _MIN_PITCH:
        return None
    target = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    return cv2.warpPerspective(gray, cv2.getPerspectiveTransform(corners, target), size, flags=cv2.INTER_AREA)


def _best_grid(edges: Any) -> tuple[float, float, float]:
    """The largest share of the edges on the lines of one grid, the pitch of that grid, and its first line."""
    length, total = len(edges), float(edges.sum())
    best = (0.0, 1.0, 0.0)
    if total <= 0:
        return best
    places = np.arange(length) + 1.0  # an edge lies between two pixels
    near = int(_PHASES * 2 * _NEAR)
    pitch = max(_MIN_PITCH, length / _MODULES[1])
    while pitch < length / _MODULES[0]:
        phase = (places % pitch) / pitch
        folded = np.bincount((phase * _PHASES).astype(int) % _PHASES, weights=edges, minlength=_PHASES)
        sums = np.convolve(np.concatenate((folded, folded[: near - 1])), np.ones(near), "valid")
        at = int(sums.argmax())
        best = max(best, (float(sums[at]) / total, pitch, ((at + near / 2) / _PHASES % 1) * pitch))
        pitch *= 1 + 0.15 * pitch / length
    return best
