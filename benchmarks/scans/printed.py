"""Values that are printed over pictures and patterns: how many can still be read after the job.

    python -m benchmarks.scans.printed [--pictures N] [--first N]

Draws values in fonts that nothing was tuned on over photographs, drawings and guilloches, 40 to 180 gray levels from
what is around them, or in another hue alone, runs each picture through the whole file job and compares the pixels of
its output with the truth. The pictures are those of scripts.scans.pictures with which nothing was trained.
"""

import argparse
import math
import random
import sys
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from benchmarks.scans import score
from benchmarks.scans.fonts import Typefaces, is_arabic, typefaces
from benchmarks.scans.job import Jobs
from benchmarks.scans.sheet import Planted, Polygon
from benchmarks.scans.values import Value, Values
from benchmarks.scans.wording import LABELS
from schemas.entities import EntityType
from schemas.files import Format
from scripts.scans import pictures

_TYPES = (
    EntityType.NATIONAL_ID, EntityType.RESIDENCE_PERMIT, EntityType.PHONE_NUMBER, EntityType.IBAN,
    EntityType.EMAIL_ADDRESS, EntityType.CREDIT_CARD, EntityType.PERSON, EntityType.PERSON,
)  # fmt: skip
_GROUNDS = ("picture", "picture", "pattern")
_SIDE = (700, 1600)  # pixels
_HEIGHT = (16, 56)  # of letters with their space, pixels
_CONTRAST = (40, 180)  # gray levels to the lightest or darkest tenth around a value
_HUE = (45, 90)  # levels of Cr and Cb
_HUED = 0.3  # share of pictures with values in another hue
_LEAST_SHOWN = 25  # levels between strokes and what is around them, in gray or hue
_MARGIN = 3  # pixels

Bgr = NDArray[np.uint8]
Mask = NDArray[np.float32]


class Printed(NamedTuple):
    """A picture in BGR, and the values on it with how they were printed."""

    image: Bgr
    planted: list[Planted]
    manner: str


def printed(number: int, files: pictures.Folders) -> Printed:
    """The picture of this number: always the same. Without files all are patterns."""
    draw = random.Random(f"printed {number}")
    kind = draw.choice(_GROUNDS) if files else "pattern"
    ground = pictures.page(draw, files) if kind == "picture" else _guilloche(draw)
    hue = draw.random() < _HUED
    values, faces = Values(draw, draw.choice(("ascii", "eastern"))), typefaces("test", draw)
    image, planted, tops = ground.astype(np.float32), [], np.linspace(0, len(ground), draw.randint(4, 9))
    for start, end in pairwise(tops):
        value, language = _value(draw, values)
        strokes, inside = _drawn(value, language, faces, draw.randint(*_HEIGHT), labelled=draw.random() < 0.5)
        height, width = strokes.shape
        if height >= end - start or width >= image.shape[1]:
            continue
        left, upper = draw.randrange(image.shape[1] - width), int(draw.uniform(start, end - height))
        place = image[upper : upper + height, left : left + width]
        changed = _hued(place, strokes, draw) if hue else _inked(place, strokes, draw)
        if changed is not None:
            place[:] = changed
            planted.append(Planted(value, inside + np.array([left, upper])))
    made = np.rint(image).astype(np.uint8)
    shown = [item for item in planted if _is_shown(ground, made, item.polygon)]
    return Printed(made, shown, f"{'hue' if hue else 'gray'} on a {kind}")


def left(picture: Printed, output: Bgr) -> list[Value]:
    """The values that can still be read, in gray or in hue."""
    before, after = (cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb)) for image in (picture.image, output))
    return [
        item.value
        for item in picture.planted
        if any(score.is_left(*planes, item.polygon, len(item.value.text)) for planes in zip(before, after, strict=True))
    ]


def _value(draw: random.Random, values: Values) -> tuple[Value, str]:
    kind, language = draw.choice(_TYPES), draw.choice(("ar", "en"))
    return (values.person(language) if kind is EntityType.PERSON else values.of(kind)), language


def _drawn(value: Value, language: str, faces: Typefaces, size: int, *, labelled: bool) -> tuple[Mask, Polygon]:
    """The strokes from 0 to 1 with what surrounds them, and the corners of the value there."""
    label = LABELS[value.type][language == "en"] + ":" if labelled else ""
    font, other = faces.font(value.text, size), faces.font(label or "a", size)
    wide, beside = math.ceil(font.getlength(value.text)), math.ceil(other.getlength(label + " "))
    image = Image.new("L", (wide + (beside if label else 0) + 2 * size, 3 * size), 0)
    pen, base, rtl = ImageDraw.Draw(image), 2 * size, language == "ar"
    at = size + (beside if label and not rtl else 0)
    if label:
        direction = "rtl" if rtl else "ltr"
        pen.text((size + (wide + size // 3 if rtl else 0), base), label, 255, other, anchor="ls", direction=direction)
    has_letters = is_arabic(value.text) and any(character.isalpha() for character in value.text)
    direction = "rtl" if has_letters else "ltr"
    pen.text((at, base), value.text, 255, font, anchor="ls", direction=direction)
    x0, y0, x1, y1 = pen.textbbox((at, base), value.text, font, anchor="ls", direction=direction)
    rows = np.flatnonzero(np.asarray(image).max(axis=1))
    top, bottom = max(0, rows[0] - _MARGIN), rows[-1] + 1 + _MARGIN
    corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], float) - np.array([0, top])
    return np.asarray(image, np.float32)[top:bottom] / 255, corners


def _inked(place: NDArray[np.float32], strokes: Mask, draw: random.Random) -> NDArray[np.float32] | None:
    """The place with the strokes in gray, darker or lighter than it; None where neither goes."""
    levels = cv2.cvtColor(np.rint(place).astype(np.uint8), cv2.COLOR_BGR2GRAY)
    darkest, lightest = (float(level) for level in np.percentile(levels, (10, 90)))
    contrast = draw.uniform(*_CONTRAST)
    inks = [ink for ink in (darkest - contrast, lightest + contrast) if 0 <= ink <= 255]
    return place + (draw.choice(inks) - place) * strokes[:, :, None] if inks else None


def _hued(place: NDArray[np.float32], strokes: Mask, draw: random.Random) -> NDArray[np.float32]:
    """The place with the strokes as bright as it, but of another hue."""
    planes = cv2.cvtColor(np.rint(place).astype(np.uint8), cv2.COLOR_BGR2YCrCb).astype(np.float32)
    angle, length = draw.uniform(0, 2 * math.pi), draw.uniform(*_HUE)
    planes[:, :, 1:] += strokes[:, :, None] * np.array([math.cos(angle), math.sin(angle)], np.float32) * length
    made = cv2.cvtColor(np.clip(np.rint(planes), 0, 255).astype(np.uint8), cv2.COLOR_YCrCb2BGR)
    return np.where(strokes[:, :, None] > 0, made, place)


def _is_shown(ground: Bgr, made: Bgr, polygon: Polygon) -> bool:
    """Whether the strokes differ from what was there."""
    changes = np.abs(ground.astype(int) - made).max(axis=2)
    x, y, width, height = cv2.boundingRect(np.rint(polygon).astype(np.int32))
    there = changes[max(0, y) : y + height, max(0, x) : x + width]
    return bool(there.size and np.median(there[there > 0]) >= _LEAST_SHOWN) if there.any() else False


def _guilloche(draw: random.Random) -> Bgr:
    """Fine waves in two colours that run through each other, as on certificates."""
    height, width = draw.randint(*_SIDE), draw.randint(*_SIDE)
    paper = np.array([draw.randint(150, 255) for _ in range(3)], np.float32)
    made = np.broadcast_to(paper, (height, width, 3)).copy()
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    for _ in range(draw.randint(2, 4)):
        angle = draw.uniform(0, math.pi)
        along = rows * math.cos(angle) + columns * math.sin(angle)
        across = rows * math.sin(angle) - columns * math.cos(angle)
        waves = along / draw.uniform(1.5, 8) + draw.uniform(1, 12) * np.sin(across / draw.uniform(15, 120))
        share = np.clip(np.sin(waves) * 3 - draw.uniform(0, 2.5), 0, 1)[:, :, None]
        ink = paper - np.array([draw.uniform(0, 110) for _ in range(3)], np.float32)
        made += (np.clip(ink, 0, 255) - made) * share
    return np.rint(made).astype(np.uint8)


def main() -> None:
    """Runs the pictures and prints how many values are left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=60, help="how many")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    chosen = parser.parse_args()
    files = pictures.folders("test")
    if not files:
        raise SystemExit("The pictures are missing: scripts/setup train")
    jobs, values, remaining, refused = Jobs(), Counter[str](), Counter[str](), Counter[str]()
    for number in range(chosen.first, chosen.first + chosen.pictures):
        picture = printed(number, files)
        if not picture.planted:
            continue
        done = jobs.run(Format.PNG, cv2.imencode(".png", picture.image)[1].tobytes())
        if done.error:
            refused[done.error] += 1
            print(f"{number} {picture.manner}: {done.error}", file=sys.stderr, flush=True)
            continue
        output = cv2.imdecode(np.frombuffer(done.output, np.uint8), cv2.IMREAD_COLOR)
        values[picture.manner] += len(picture.planted)
        for value in left(picture, np.asarray(output, np.uint8)):
            remaining[picture.manner] += 1
            print(f"{number} {picture.manner}: {value.type} {value.text} is left", file=sys.stderr, flush=True)
    for manner, count in sorted(values.items()):
        print(f"{manner}: {remaining[manner]} of {count} left")
    print(f"all: {remaining.total()} of {values.total()} left; refused: {refused.total()} {dict(refused) or ''}")


if __name__ == "__main__":
    main()
