"""Drawings, photographs and guilloches that hold no text, or little, alone or several on a page, in colour.

From them the text detector learns what is no text. Drawings and photographs are files of the Debian packages
mate-backgrounds, openclipart-png and tuxpaint-stamps-default, which `scripts/setup train` installs.
"""

import math
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

_FOLDERS = ("backgrounds/mate", "openclipart/png", "tuxpaint/stamps")
# Letters and digits alone, which nobody would see as text there.
_WITH_TEXT = ("alphabets", "buttons", "cards", "clocks", "led", "logos", "math", "money", "roadsigns", "semaphore")
_LEAST_SIDE, _LONGEST_SIDE = 150, 1600  # pixels
_UNLIKE = 40  # levels of Cr or Cb between text and its ground, at least
# Shares of texts of another hue: that stand on a picture, and that are everywhere as far from their ground.
_ON_PICTURES, _SHIFTED = 0.5, 0.5
_LARGE_FILE = 3_000_000  # bytes

_PARTS = 8  # one of so many files is held back for tests

Image = NDArray[np.uint8]
Folders = Sequence[Sequence[Path]]
Part = Literal["train", "test"]


@cache
def folders(part: Part) -> Folders:
    """The files of each folder with pictures; nothing where the packages are not installed."""
    found: dict[Path, list[Path]] = {}
    for root in _FOLDERS:
        for path in sorted(Path("/usr/share", root).rglob("*")):
            is_held_back = crc32(path.name.encode()) % _PARTS == 0
            if path.suffix not in (".png", ".jpg") or path.is_symlink() or is_held_back != (part == "test"):
                continue
            if not set(path.parts) & set(_WITH_TEXT):
                found.setdefault(path.parent, []).append(path)
    return tuple(tuple(files) for files in found.values())


def page(draw: random.Random, every: Folders) -> Image:
    """A picture, or a page with several of them, in BGR; the same state of the generator gives the same page."""
    if draw.random() < 0.5:
        return _on_ground(_resized(_read(draw, every), draw.randint(_LEAST_SIDE, _LONGEST_SIDE)), _ground(draw))
    height, width = draw.randint(500, _LONGEST_SIDE), draw.randint(500, _LONGEST_SIDE)
    made = np.full((height, width, 3), _ground(draw), np.uint8)
    for _ in range(draw.randint(2, 9)):
        picture = _resized(_read(draw, every), draw.randint(60, min(height, width)))
        top, left = draw.randint(0, height - picture.shape[0]), draw.randint(0, width - picture.shape[1])
        place = made[top : top + picture.shape[0], left : left + picture.shape[1]]
        place[:] = _on_ground(picture, place)
    return made


def guilloche(draw: random.Random) -> Image:
    """Fine curves in a few colours that run through each other, straight or as rosettes, as on certificates, in BGR."""
    height, width = draw.randint(500, _LONGEST_SIDE), draw.randint(500, _LONGEST_SIDE)
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    made = np.full((height, width, 3), [draw.randint(110, 255) for _ in range(3)], np.float32)
    for _ in range(draw.randint(1, 5)):
        if draw.random() < 0.4:
            down, right = rows - draw.uniform(0, height), columns - draw.uniform(0, width)
            course = np.hypot(down, right) + draw.uniform(2, 50) * np.sin(draw.randint(3, 30) * np.arctan2(down, right))
        else:
            turn = draw.uniform(0, math.pi)
            across = columns * math.cos(turn) - rows * math.sin(turn)
            course = columns * math.sin(turn) + rows * math.cos(turn)
            course += draw.uniform(1, 50) * np.sin(across / draw.uniform(10, 150))
        lines = np.cos(course * 2 * math.pi / draw.uniform(5, 45)) - draw.uniform(-0.2, 0.9)
        ink = np.array([draw.randint(0, 230) for _ in range(3)], np.float32)
        made += (ink - made) * np.clip(lines * draw.uniform(1, 6), 0, draw.uniform(0.2, 1))[:, :, None]
    return np.rint(made).astype(np.uint8)


def hued(draw: random.Random, black: Image, picture: Image) -> Image:
    """What is drawn in black on white, in another hue than its ground, which is about as bright: a picture in BGR.

    The ground has one colour or two, between which it waves, or is the picture. Text has one hue, or one that is
    everywhere as far from that of the ground.
    """
    share = black[:, :, None].astype(np.float32) / 255
    ground = picture if draw.random() < _ON_PICTURES else _waves(draw, picture.shape[:2])
    planes = cv2.cvtColor(ground, cv2.COLOR_BGR2YCrCb).astype(np.float32)
    middle = planes.reshape(-1, 3).mean(axis=0)
    hues = np.array([draw.choice((-1, 1)) * draw.uniform(_UNLIKE, 2 * _UNLIKE) for _ in range(2)], np.float32)
    hues[draw.randint(0, 1)] *= draw.random()
    ink = np.clip(np.where(np.abs(middle[1:] + hues - 128) < 100, middle[1:] + hues, middle[1:] - hues), 16, 240)
    if draw.random() < _SHIFTED:
        ink = planes[:, :, 1:] + hues
    planes[:, :, 1:] = planes[:, :, 1:] * share + ink * (1 - share)
    return np.asarray(cv2.cvtColor(np.clip(np.rint(planes), 0, 255).astype(np.uint8), cv2.COLOR_YCrCb2BGR))


def _waves(draw: random.Random, shape: tuple[int, int]) -> Image:
    """One colour, or two of one brightness that wave into each other."""
    level, (one, other) = draw.randint(60, 200), ([draw.randint(70, 190) for _ in range(2)] for _ in range(2))
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]]
    waves = np.sin(rows / draw.uniform(2, 20) + draw.uniform(0, 4) * np.sin(columns / draw.uniform(10, 90)))
    reach = draw.choice((0.0, draw.random()))
    share = (0.5 + waves * reach / 2)[:, :, None]
    planes = np.empty((*shape, 3))
    planes[:, :, 0], planes[:, :, 1:] = level, np.array(one) * share + np.array(other) * (1 - share)
    return np.asarray(cv2.cvtColor(np.rint(planes).astype(np.uint8), cv2.COLOR_YCrCb2BGR))


def _ground(draw: random.Random) -> tuple[int, int, int]:
    kind = draw.random()
    if kind < 0.5:
        return 255, 255, 255
    if kind < 0.6:
        return 0, 0, 0
    return draw.randint(0, 255), draw.randint(0, 255), draw.randint(0, 255)


def _read(draw: random.Random, every: Folders) -> Image:
    """Some picture with alpha (height, width, 4), of any folder with the same probability."""
    while True:
        path = draw.choice(draw.choice(every))
        if path.stat().st_size > _LARGE_FILE:
            continue
        image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        if image is not None and image.dtype == np.uint8 and min(image.shape[:2]) >= 16:
            break
    if image.ndim == 2:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    return image if image.shape[2] == 4 else np.dstack([image, np.full(image.shape[:2], 255, np.uint8)])


def _resized(image: Image, longest: int) -> Image:
    scale = longest / max(image.shape[:2])
    width, height = (max(1, round(side * scale)) for side in image.shape[1::-1])
    kind = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, (width, height), interpolation=kind), np.uint8)


def _on_ground(image: Image, ground: Image | tuple[int, int, int]) -> Image:
    alpha = image[:, :, 3:].astype(np.float32) / 255
    return np.rint(image[:, :, :3] * alpha + np.asarray(ground, np.float32) * (1 - alpha)).astype(np.uint8)
