"""Draws pages from which the text detector learns: text of all sizes and directions among all that is no text."""

import math
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from scripts.scans import content
from scripts.scans.content import Word
from scripts.scans.drawing import Typefaces, choose, drawn

Image = NDArray[np.uint8]
Polygon = NDArray[np.float64]  # four corners (x, y)

_LONG, _SHORT = 2339, 1654  # pixels: A4 at 200 dpi
_USUAL = (20, 46)  # font sizes in pixels
_EDGE = 60
_LEAST_CONTRAST = 36  # gray levels between a picture and text that is printed on it
_ALONE = ("I", "l", "1", "٠", "١", "ا", "و", "a", "A", "5", "٥", "1.", "-", "ب")  # what may stand first or last


class Sheet(NamedTuple):
    """A page in gray, the polygons around the ink of each run of text on it, and boxes without text.

    A box is left, top, right and bottom.
    """

    image: Image
    runs: list[Polygon]
    without_text: list[tuple[int, int, int, int]]


class _Page:
    def __init__(self, draw: random.Random, sentences: Sequence[str]) -> None:
        self.draw, self._sentences = draw, sentences
        height, width = (_LONG, _SHORT) if draw.random() < 0.8 else (_SHORT, _LONG)
        self.image: Image = np.full((height, width), 255, np.uint8)
        self.runs: list[Polygon] = []
        self.without_text: list[tuple[int, int, int, int]] = []
        self._faces: list[Typefaces] = [choose(draw, "train") for _ in range(2)]
        self.size = draw.randint(*_USUAL) if draw.random() < 0.8 else draw.randint(12, 80)

    def run(self, most: float, size: int | None = None, *, sparse: bool = False) -> Image:
        """A run of text in black on white, tight, of at most so many pixels."""
        draw = self.draw
        words = content.line(draw, self._sentences)
        if not sparse and most > 500:
            while len(words) < most / (3 * (size or self.size)):
                words = words + content.line(draw, self._sentences)
        if draw.random() < 0.15:
            alone = [self._alone()]
            words = alone + words if draw.random() < 0.5 else words + alone
        image = _tight(drawn(words, draw.choice(self._faces), size or self.size, draw).image)
        if image.shape[1] > most:  # cut between words or letters where it can be
            gaps = np.flatnonzero((image.min(axis=0) > 200)[: int(most)])
            image = _tight(image[:, : int(gaps[-1]) if len(gaps) and gaps[-1] > 20 else int(most)])
        return image

    def _alone(self) -> Word:
        text = self.draw.choice(_ALONE)
        return Word(text, "latin" if text.isascii() else "arabic" if text.isalpha() else "number")

    def sign(self, size: int) -> Image:
        """One letter or digit, tight."""
        return _tight(drawn([self._alone()], self.draw.choice(self._faces), size, self.draw).image)

    def digits(self, size: int, count: int) -> list[Image]:
        """Pictures of digits of one kind, each tight."""
        first, face = self.draw.choice(["0", "٠"]), self.draw.choice(self._faces)
        texts = (chr(ord(first) + self.draw.randint(0, 9)) for _ in range(count))
        return [_tight(drawn([Word(text, "number")], face, size, self.draw).image) for text in texts]

    def paste(self, image: Image, x: float, y: float, *, angle: float = 0.0, ink: int = 0, light: bool = False) -> None:
        """Draw a run with its upper left corner at (x, y), turned around its middle by `angle` degrees."""
        height, width = image.shape
        corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], float)
        if angle:
            reach = int(math.hypot(height, width)) + 4
            matrix = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
            matrix[:, 2] += ((reach - width) / 2, (reach - height) / 2)
            corners = corners @ matrix[:, :2].T + matrix[:, 2]
            image = cv2.warpAffine(image, matrix, (reach, reach), borderValue=255, flags=cv2.INTER_LINEAR)
            x, y = x - (reach - width) / 2, y - (reach - height) / 2
        left, top = int(x), int(y)
        rows, columns = self.image.shape
        x0, y0 = max(0, left), max(0, top)
        x1, y1 = min(columns, left + image.shape[1]), min(rows, top + image.shape[0])
        if x1 - x0 < 4 or y1 - y0 < 4:
            return
        part = image[y0 - top : y1 - top, x0 - left : x1 - left].astype(np.float32) / 255
        ground = self.image[y0:y1, x0:x1].astype(np.float32)
        colour = 255.0 if light else float(ink)
        self.image[y0:y1, x0:x1] = np.rint(colour + (ground - colour) * part).astype(np.uint8)
        self.runs.append(corners + np.array([left, top]))


def _tight(image: Image) -> Image:
    rows, columns = np.flatnonzero(image.min(axis=1) < 200), np.flatnonzero(image.min(axis=0) < 200)
    if not len(rows):
        return np.full((8, 8), 255, np.uint8)
    return image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def sheet(draw: random.Random, sentences: Sequence[str]) -> Sheet:
    """One page; the same generator state gives the same page."""
    page = _Page(draw, sentences)
    rows, columns = page.image.shape
    count = draw.choice([1, 1, 1, 2, 2, 3])
    wide = (columns - 2 * _EDGE) / count
    for column in range(count):
        x, y = _EDGE + column * wide, float(draw.randint(30, 160))
        while y < rows - 120:
            block = draw.choices(list(_BLOCKS), list(_BLOCKS.values()))[0]
            y += block(page, x, y, wide - 40) + draw.randint(10, 70)
    for _ in range(draw.choice([0, 0, 1, 2])):
        draw.choice([_stamp, _signature, _turned])(
            page, draw.randint(0, columns - 400), draw.randint(0, rows - 400), 400
        )
    return Sheet(page.image, page.runs, page.without_text)


def printed_over(draw: random.Random, sentences: Sequence[str], picture: Image) -> Sheet:
    """A picture in gray with some lines of text on it, each darker or lighter than what is around it."""
    page = _Page(draw, sentences)
    page.image = picture.copy()
    rows, columns = picture.shape
    down = draw.uniform(0.02, 0.5) * rows
    for _ in range(draw.randint(1, 6)):
        image = page.run(columns * draw.uniform(0.3, 0.95), draw.randint(16, 60), sparse=draw.random() < 0.7)
        height, width = image.shape
        if down + height >= rows or width >= columns:
            break
        left = draw.random() * (columns - width)
        around = picture[int(down) : int(down) + height, int(left) : int(left) + width]
        darkest, lightest = (int(level) for level in np.percentile(around, (5, 95)))
        inks = [(0, darkest - _LEAST_CONTRAST), (lightest + _LEAST_CONTRAST, 255)]
        if possible := [(least, most) for least, most in inks if least <= most]:
            page.paste(image, left, down, ink=draw.randint(*draw.choice(possible)))
        down += height * draw.uniform(1.2, 4)
    return Sheet(page.image, page.runs, page.without_text)


def _paragraph(page: _Page, x: float, y: float, wide: float) -> float:
    draw, down = page.draw, 0.0
    size = page.size if draw.random() < 0.7 else draw.randint(14, 40)
    pitch = size * draw.uniform(1.05, 2.0)
    right = draw.random() < 0.5
    for number in range(draw.randint(1, 9)):
        image = page.run(wide if draw.random() < 0.8 else wide * draw.uniform(0.2, 0.9), size)
        page.paste(image, x + (wide - image.shape[1] if right else 0), y + down, ink=draw.randint(0, 90))
        down += max(pitch, image.shape[0] * 1.03)
        if number and draw.random() < 0.1:
            break
    return down


def _heading(page: _Page, x: float, y: float, wide: float) -> float:
    size = page.draw.randint(40, 120) if page.draw.random() < 0.7 else page.draw.randint(120, 280)
    image = page.run(wide, size, sparse=True)
    page.paste(image, x + (wide - image.shape[1]) * page.draw.choice([0, 0.5, 1]), y, ink=page.draw.randint(0, 120))
    return image.shape[0] + 10.0


def _pairs(page: _Page, x: float, y: float, wide: float) -> float:
    """Labels and values with a gap, leaders or a rule between them."""
    draw, down = page.draw, 0.0
    at = draw.uniform(0.2, 0.6) * wide
    for _ in range(draw.randint(1, 7)):
        label, value = page.run(at - 30, sparse=True), page.run(wide - at, sparse=True)
        page.paste(label, x, y + down)
        page.paste(value, x + at, y + down)
        high = max(label.shape[0], value.shape[0])
        if draw.random() < 0.15:
            for place in range(int(x) + label.shape[1] + 10, int(x + at) - 10, 12):
                cv2.circle(page.image, (place, int(y + down + high)), 2, 60, -1)
        elif draw.random() < 0.3:
            end = int(y + down + high * 1.2)
            cv2.line(page.image, (int(x + at), end), (int(x + wide), end), 60, draw.randint(1, 3))
        down += high * draw.uniform(1.3, 2.2)
    return down


def _table(page: _Page, x: float, y: float, wide: float) -> float:
    draw = page.draw
    count = draw.randint(2, 7)
    edges = np.sort([draw.random() for _ in range(count - 1)]) * 0.6 + np.linspace(0, 0.4, count + 1)[1:-1]
    edges = np.concatenate([[0.0], edges, [1.0]]) * wide
    size = draw.randint(14, 34)
    high = size * draw.uniform(1.3, 2.4)
    ruled, down = draw.random() < 0.6, 0.0
    for row in range(draw.randint(2, 12)):
        if row == 0 and draw.random() < 0.4:
            _fill(page, x, y, wide, high, draw.randint(180, 240))
        for left, right in pairwise(edges):
            if right - left > 2 * size and draw.random() < 0.9:
                image = page.run(right - left - 12, size, sparse=True)
                page.paste(image, x + left + 6, y + down + max(0.0, (high - image.shape[0]) / 2))
        if ruled:
            top = int(y + down)
            cv2.line(page.image, (int(x), top), (int(x + wide), top), 40, draw.randint(1, 3))
        down += high
    if ruled:
        for edge in edges:
            cv2.line(page.image, (int(x + edge), int(y)), (int(x + edge), int(y + down)), 40, draw.randint(1, 3))
        cv2.line(page.image, (int(x), int(y + down)), (int(x + wide), int(y + down)), 40, 2)
    return down


def _box(page: _Page, x: float, y: float, wide: float) -> float:
    """A frame or a shaded or dark field with text in it."""
    draw = page.draw
    image = page.run(wide - 40, sparse=draw.random() < 0.7)
    high = image.shape[0] * draw.uniform(1.3, 2.5)
    dark = draw.random() < 0.4
    _fill(page, x, y, wide, high, draw.randint(0, 110) if dark else draw.randint(190, 250))
    page.paste(image, x + 20, y + (high - image.shape[0]) / 2, light=dark)
    return high


def _cells(page: _Page, x: float, y: float, wide: float) -> float:
    """A form's row of boxes with a character in each."""
    draw = page.draw
    side = draw.randint(30, 70)
    for number in range(min(draw.randint(4, 14), int(wide // side))):
        left = int(x + number * side)
        cv2.rectangle(page.image, (left, int(y)), (left + side, int(y + side)), 50, draw.randint(1, 3))
        image = _tight(page.run(side * 0.8, int(side * 0.6), sparse=True)[:, :side])
        if image.shape[0] < side and draw.random() < 0.8:
            page.paste(image, left + (side - image.shape[1]) / 2, y + (side - image.shape[0]) / 2)
    return float(side)


def _spaced(page: _Page, x: float, y: float, wide: float) -> float:
    """Digits with wide gaps, or in frames."""
    draw = page.draw
    size = draw.randint(20, 60)
    pitch = size * draw.uniform(0.9, 3.2)
    framed, ink = draw.random() < 0.4 and pitch > 1.1 * size, draw.randint(0, 120)
    middle = y + size
    for number, image in enumerate(page.digits(size, min(draw.randint(4, 16), max(1, int(wide / pitch))))):
        left = x + number * pitch
        if framed:
            corner = int(left + pitch) - draw.randint(0, 6), int(middle + size * 0.8)
            cv2.rectangle(page.image, (int(left), int(middle - size * 0.8)), corner, ink, draw.randint(1, 3))
        page.paste(image, left + (pitch - image.shape[1]) / 2, middle - image.shape[0] / 2, ink=ink)
    return 2.0 * size


def _dim(page: _Page, x: float, y: float, wide: float) -> float:
    """Text that is hardly darker than the paper, beside text that is not."""
    draw, down = page.draw, 0.0
    ink, size = draw.randint(170, 232), draw.randint(16, 60)
    for _ in range(draw.randint(1, 4)):
        image = page.run(wide * draw.uniform(0.3, 1), size, sparse=draw.random() < 0.5)
        page.paste(image, x + draw.random() * (wide - image.shape[1]), y + down, ink=ink)
        down += image.shape[0] * draw.uniform(1.1, 2)
    return down


def _picture(page: _Page, x: float, y: float, wide: float) -> float:
    """Something like a photograph: smooth shapes with grain."""
    draw = page.draw
    high, across = draw.randint(100, 500), int(min(wide, draw.randint(120, 800)))
    picture = (_texture(draw, high, across) * draw.randint(100, 255)).astype(np.uint8)
    for _ in range(draw.randint(0, 40)):
        centre = (draw.randint(0, across), draw.randint(0, high))
        axes = (draw.randint(2, 120), draw.randint(2, 90))
        thick = draw.choice([-1, -1, 1, 2, 4])
        cv2.ellipse(picture, centre, axes, draw.randint(0, 180), 0, draw.randint(60, 360), draw.randint(0, 255), thick)
    if draw.random() < 0.6:
        picture = cv2.GaussianBlur(picture, (0, 0), draw.uniform(0.5, 3))
    _put(page, picture, x, y)
    return float(high)


def _texture(draw: random.Random, high: int, across: int) -> NDArray[np.float32]:
    """Smooth shapes with grain, from 0 to 1."""
    made = np.zeros((high, across), np.float32)
    noise = np.random.default_rng(draw.getrandbits(32))
    weight = 1.0
    for cells in (3, 7, 15, 40, 110):
        grid = noise.random((max(2, cells * high // max(high, across)), max(2, cells)), dtype=np.float32)
        made += weight * cv2.resize(grid, (across, high), interpolation=cv2.INTER_CUBIC)
        weight *= draw.uniform(0.3, 0.8)
    least, span = float(made.min()), max(float(np.ptp(made)), 1e-6)
    return (made - least) / np.float32(span)


def _printed_over(page: _Page, x: float, y: float, wide: float) -> float:
    """Text on a pattern or a photograph, darker or lighter than it."""
    draw, down = page.draw, 20.0
    high = draw.randint(100, 500)
    middle, reach = draw.randint(70, 225), draw.randint(6, 90)
    ground = np.clip(middle + (_texture(draw, high, int(wide)) - 0.5) * 2 * reach, 0, 255)
    if draw.random() < 0.3:  # lines that wave
        rows, columns = np.mgrid[0:high, 0 : int(wide)]
        waves = np.sin(rows / draw.uniform(2, 9) + draw.uniform(1, 6) * np.sin(columns / draw.uniform(15, 90)))
        ground = np.clip(middle + waves * reach / 2, 0, 255)
    _put(page, ground.astype(np.uint8), x, y)
    light = middle < 150 and draw.random() < 0.7
    ink = draw.randint(0, max(0, middle - 60))
    while down < high - 40:
        image = page.run(wide * draw.uniform(0.2, 0.9), draw.randint(18, 60), sparse=draw.random() < 0.6)
        if down + image.shape[0] < high:
            page.paste(image, x + draw.random() * (wide - image.shape[1]), y + down, ink=ink, light=light)
        down += image.shape[0] * draw.uniform(1.2, 3)
    return float(high)


def _drawing(page: _Page, x: float, y: float, wide: float) -> float:
    """Strokes, polygons, arcs, hatching, dots: an emblem, a plan, a chart."""
    draw = page.draw
    side = int(min(wide, draw.randint(60, 420)))
    picture = np.full((side, side), 255, np.uint8)
    for _ in range(draw.randint(1, 25)):
        kind, ink, thick = draw.random(), draw.randint(0, 170), draw.choice([-1, 1, 2, 3, 6])
        one, two = ((draw.randint(0, side), draw.randint(0, side)) for _ in range(2))
        if kind < 0.25:
            cv2.line(picture, one, two, ink, max(1, thick), cv2.LINE_AA)
        elif kind < 0.5:
            cv2.circle(picture, one, draw.randint(2, side // 2), ink, thick, cv2.LINE_AA)
        elif kind < 0.7:
            points = np.array([(draw.randint(0, side), draw.randint(0, side)) for _ in range(draw.randint(3, 9))])
            cv2.fillPoly(picture, [points], ink, cv2.LINE_AA)
        elif kind < 0.85:
            cv2.rectangle(picture, one, two, ink, thick)
        else:
            step = draw.randint(4, 14)
            for place in range(0, side, step):
                cv2.line(picture, (place, one[1]), (place + step, two[1]), ink, 1, cv2.LINE_AA)
    _put(page, picture, x + draw.random() * (wide - side), y)
    return float(side)


def _marks(page: _Page, x: float, y: float, wide: float) -> float:
    """Specks, leaves, twigs and rings of the size of letters, strewn: no two like each other, and no row of them."""
    draw = page.draw
    high, across = draw.randint(80, 600), int(min(wide, draw.randint(150, 1200)))
    ground = draw.randint(140, 255)
    picture = np.full((high, across), ground, np.uint8)
    kinds = draw.sample(["leaf", "twig", "ring", "corner"], draw.randint(1, 4))
    largest = draw.randint(8, 45)
    for _ in range(int(draw.uniform(0.2, 2.5) * high * across / largest**2 / 4)):
        middle = np.array([draw.randint(0, across), draw.randint(0, high)])
        ink, size, other = draw.randint(0, max(1, ground - 40)), draw.randint(2, largest), draw.randint(2, largest)
        kind, centre, turn = draw.choice(kinds), tuple(map(int, middle)), draw.randint(0, 180)
        if kind == "leaf":
            cv2.ellipse(picture, centre, (size, other), turn, 0, 360, ink, -1, cv2.LINE_AA)
        elif kind == "twig":
            end = (centre[0] + draw.randint(-2 * largest, 2 * largest), centre[1] + draw.randint(-largest, largest))
            cv2.line(picture, centre, end, ink, draw.randint(1, 5), cv2.LINE_AA)
        elif kind == "ring":
            cv2.ellipse(
                picture, centre, (size, size), 0, 0, draw.randint(90, 360), ink, draw.randint(1, 5), cv2.LINE_AA
            )
        else:
            points = middle + np.array([(draw.randint(-size, size), draw.randint(-other, other)) for _ in range(5)])
            cv2.fillPoly(picture, [points.astype(np.int32)], ink, cv2.LINE_AA)
    if draw.random() < 0.6:
        picture = cv2.GaussianBlur(picture, (0, 0), draw.uniform(0.5, 2.5))
    _put(page, picture, x, y)
    if "ring" not in kinds:
        page.without_text.append((int(x), int(y), int(x) + across, int(y) + high))
    return float(high)


def _leaves(page: _Page, x: float, y: float, wide: float) -> float:
    """A ground with ellipses and a twig at each, of any size, darkness and density, as in photographs of nature."""
    draw = page.draw
    high, across = draw.randint(200, 1000), int(min(wide, draw.randint(300, 1500)))
    ground = draw.randint(120, 255)
    picture = np.full((high, across), ground, np.uint8)
    least, most = draw.randint(3, 12), draw.randint(13, 50)
    reach, lightest = draw.randint(10, 90), draw.randint(60, ground - 10)
    for _ in range(int(draw.uniform(0.1, 1.2) * high * across / (least + most) ** 2)):
        place = draw.randint(0, across), draw.randint(0, high)
        axes, level = (draw.randint(least, most), draw.randint(least, most)), draw.randint(0, lightest)
        cv2.ellipse(picture, place, axes, draw.randint(0, 180), 0, 360, level, -1)
        if draw.random() < 0.9:
            end = place[0] + draw.randint(-reach, reach), place[1] + draw.randint(-reach, reach)
            cv2.line(picture, place, end, level, draw.randint(1, 5))
    if draw.random() < 0.8:
        picture = cv2.GaussianBlur(picture, (0, 0), draw.uniform(0.4, 3))
    _put(page, picture, x, y)
    page.without_text.append((int(x), int(y), int(x) + across, int(y) + high))
    return float(high)


def _signs(page: _Page, x: float, y: float, wide: float) -> float:
    """Letters and digits alone, as in lists, axes and plans."""
    draw = page.draw
    size = draw.randint(14, 60)
    for _ in range(draw.randint(1, 5)):
        image = page.sign(size)
        page.paste(image, x + draw.random() * (wide - image.shape[1]), y, ink=draw.randint(0, 120))
    return 1.5 * size


def _emblem(page: _Page, x: float, y: float, wide: float) -> float:
    """Rings in each other, a star, a shield or leaves: what stands at the head and the foot of letters."""
    draw = page.draw
    radius, ink = draw.randint(30, 130), draw.randint(0, 190)
    middle = np.array([x + radius + draw.random() * max(0.0, wide - 2 * radius), y + radius])
    centre, thick = tuple(map(int, middle)), draw.randint(1, max(1, radius // 10))
    kind = draw.random()
    if kind < 0.55:
        shape = (radius, radius) if kind < 0.4 else (radius, int(radius * draw.uniform(0.5, 0.9)))
        for share in sorted(draw.uniform(0.15, 1.0) for _ in range(draw.randint(1, 4))):
            axes = tuple(max(2, int(side * share)) for side in shape)
            filled = -1 if draw.random() < 0.15 else thick
            cv2.ellipse(page.image, centre, axes, 0, 0, 360, ink, filled, cv2.LINE_AA)
    else:
        corners, inner = draw.randint(3, 12), draw.uniform(0.3, 1.0)
        angles = np.arange(2 * corners) * np.pi / corners + draw.uniform(0, 1)
        reach = radius * np.where(np.arange(2 * corners) % 2, inner, 1.0)
        points = (middle + np.stack([np.cos(angles), np.sin(angles)], 1) * reach[:, None]).astype(np.int32)
        if draw.random() < 0.5:
            cv2.fillPoly(page.image, [points], ink, cv2.LINE_AA)
        else:
            cv2.polylines(page.image, [points], True, ink, thick, cv2.LINE_AA)
    page.without_text.append((*np.maximum(middle.astype(int) - radius, 0), *(middle.astype(int) + radius)))
    return 2.0 * radius


def _codes(page: _Page, x: float, y: float, wide: float) -> float:
    """Modules like those of a QR code, or bars."""
    draw = page.draw
    noise = np.random.default_rng(draw.getrandbits(32))
    if draw.random() < 0.5:
        modules, pixels = draw.randint(17, 45), draw.randint(2, 8)
        picture = np.kron(noise.integers(0, 2, (modules, modules), dtype=np.uint8) * 255, np.ones((pixels, pixels)))
    else:
        bars = np.repeat(noise.integers(0, 2, draw.randint(60, 150)) * 255, draw.randint(1, 5))
        picture = np.tile(bars.astype(np.uint8), (draw.randint(30, 140), 1))
    picture = np.asarray(picture, np.uint8)[:, : int(wide)]
    _put(page, picture, x, y)
    return float(len(picture))


def _stamp(page: _Page, x: float, y: float, wide: float) -> float:
    """Rings with short lines inside, a little turned."""
    draw = page.draw
    radius = draw.randint(60, 180)
    centre = (int(x) + radius, int(y) + radius)
    ink = draw.randint(60, 190)
    for ring in (radius, radius - draw.randint(6, 30)):
        cv2.circle(page.image, centre, max(4, ring), ink, draw.randint(1, 5), cv2.LINE_AA)
    angle = draw.uniform(-40, 40)
    for number in range(draw.randint(1, 3)):
        image = page.run(radius * 1.3, draw.randint(14, 30), sparse=True)
        page.paste(image, centre[0] - image.shape[1] / 2, centre[1] - 40 + 45 * number, angle=angle, ink=ink)
    return 2.0 * radius


def _signature(page: _Page, x: float, y: float, wide: float) -> float:
    """One long stroke with loops."""
    draw = page.draw
    points, across = [], 0.0
    for number in range(draw.randint(6, 24)):
        across += draw.uniform(-6, 30)
        points.append((x + across, y + 60 + draw.uniform(10, 60) * math.sin(number * draw.uniform(0.5, 2.5))))
    places = np.linspace(0, 1, 200)
    at = np.linspace(0, 1, len(points))
    smooth = np.stack([np.interp(places, at, np.array(points)[:, axis]) for axis in (0, 1)], 1)
    smooth = cv2.GaussianBlur(smooth.astype(np.float32), (1, 9), 0)
    ink, thick = draw.randint(0, 120), draw.randint(1, 5)
    cv2.polylines(page.image, [smooth.astype(np.int32)], False, ink, thick, cv2.LINE_AA)
    return 130.0


def _turned(page: _Page, x: float, y: float, wide: float) -> float:
    """A run that stands on end or slants."""
    image = page.run(wide, sparse=True)
    angle = page.draw.choice([90, -90, page.draw.uniform(-60, 60)])
    page.paste(image, x, y, angle=angle, ink=page.draw.randint(0, 200))
    return float(image.shape[1])


def _redacted(page: _Page, x: float, y: float, wide: float) -> float:
    """Black fields where text was, beside text that stayed."""
    image = page.run(wide / 2, sparse=True)
    page.paste(image, x, y)
    left = x + image.shape[1] + 20
    _fill(page, left, y, min(wide - image.shape[1] - 20, page.draw.randint(40, 500)), image.shape[0], 0)
    return float(image.shape[0])


def _fill(page: _Page, x: float, y: float, wide: float, high: float, level: int) -> None:
    cv2.rectangle(page.image, (int(x), int(y)), (int(x + max(2, wide)), int(y + high)), level, -1)


def _put(page: _Page, picture: Image, x: float, y: float) -> None:
    rows, columns = page.image.shape
    left, top = max(0, int(x)), max(0, int(y))
    part = picture[: max(0, rows - top), : max(0, columns - left)]
    page.image[top : top + part.shape[0], left : left + part.shape[1]] = part


_Block = Callable[[_Page, float, float, float], float]
_BLOCKS: dict[_Block, float] = {
    _paragraph: 6, _pairs: 5, _table: 3, _heading: 1.5, _box: 1.5, _cells: 1.5, _picture: 1.2, _drawing: 1.2,
    _codes: 0.6, _emblem: 2, _marks: 1.5, _leaves: 2, _spaced: 2, _signs: 0.8, _dim: 1.5, _signature: 0.5,
    _redacted: 0.8, _turned: 0.8, _printed_over: 2.5,
}  # fmt: skip
