"""What printing, scanning and photographing do to a line."""

import random

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]


def ruled(image: Image, draw: random.Random, top: int, bottom: int) -> Image:
    """Table rules, underlines, leaders and thin strokes across a line whose ink lies between two rows."""
    image = image.copy()
    height, width = image.shape
    size = bottom - top
    kind = draw.random()
    ink = draw.randint(0, 140)
    thick = max(1, round(size * draw.uniform(0.02, 0.08)))
    if kind < 0.3:
        y = bottom + round(size * draw.uniform(-0.05, 0.2))
        cv2.line(image, (0, y), (width, y), ink, thick)
    elif kind < 0.45:
        y = top - round(size * draw.uniform(-0.02, 0.2))
        cv2.line(image, (0, y), (width, y), ink, thick)
    elif kind < 0.65:
        for x in (draw.randint(0, size), width - draw.randint(0, size)):
            cv2.line(image, (x, 0), (x, height), ink, thick)
    elif kind < 0.8:
        step = max(3, round(size * draw.uniform(0.15, 0.4)))
        y = bottom - round(size * draw.uniform(0, 0.1))
        left = draw.randint(0, width // 2)
        for x in range(left, left + draw.randint(0, width // 2), step):
            area = image[max(0, y - size) : y + 2, max(0, x - size // 3) : x + size // 3]
            if area.size and area.min() > 200:
                cv2.circle(image, (x, y), max(1, thick // 2), ink, -1)
    else:
        center = (draw.randint(0, width), draw.randint(-2 * height, 3 * height))
        cv2.circle(image, center, draw.randint(height, 4 * height), draw.randint(90, 190), thick, cv2.LINE_AA)
    return image


def turned(image: Image, draw: random.Random) -> tuple[Image, NDArray[np.float64]]:
    """Turned by up to 3 degrees, sheared a little. Returns the map of points (2, 3) as well."""
    height, width = image.shape
    # a long line leaves its crop if it is turned further
    most = min(3.0, 60.0 * height / width)
    angle = np.radians(draw.uniform(-most, most))
    shear = draw.uniform(-0.12, 0.12)
    x, y = width / 2, height / 2
    matrix = np.array([[np.cos(angle), shear - np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0]])
    matrix[:, 2] = (x, y) - matrix[:, :2] @ (x, y)
    return cv2.warpAffine(image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderValue=255), matrix


def strokes(image: Image, draw: random.Random) -> Image:
    """Strokes thicker, thinner or broken."""
    kind = draw.random()
    if kind < 0.4:
        return cv2.erode(image, np.ones(draw.choice([(2, 2), (1, 2), (2, 1), (3, 3)]), np.uint8))
    if kind < 0.75:
        thin = cv2.dilate(image, np.ones(draw.choice([(2, 2), (1, 2), (2, 1)]), np.uint8))
        return cv2.addWeighted(thin, 0.75, image, 0.25, 0)
    noise = np.random.default_rng(draw.getrandbits(32)).random((image.shape[0] // 3 + 1, image.shape[1] // 3 + 1))
    holes = cv2.resize(noise.astype(np.float32), image.shape[::-1]) > draw.uniform(0.75, 0.9)
    return np.where(holes, np.maximum(image, 215), image).astype(np.uint8)


def exposed(image: Image, draw: random.Random) -> Image:
    """Faint ink, grey paper, shading, gaussian and salt noise."""
    height, width = image.shape
    generator = np.random.default_rng(draw.getrandbits(32))
    paper = draw.uniform(150, 255)
    ink = draw.uniform(0, 0.7) * paper if draw.random() < 0.6 else draw.uniform(0, 60)
    shade = np.full((height, width), paper, np.float32)
    if draw.random() < 0.5:
        spots = draw.randint(2, 5)
        corners = np.array([[draw.uniform(0.65, 1.0) for _ in range(spots)] for _ in range(2)], np.float32)
        shade *= cv2.resize(corners, (width, height), interpolation=cv2.INTER_LINEAR)
    if draw.random() < 0.15:
        left = draw.randint(0, width)
        shade[:, left : left + draw.randint(height, 6 * height)] *= draw.uniform(0.8, 0.95)
    if draw.random() < 0.2:
        grain = generator.standard_normal((height // 4 + 2, width // 4 + 2), dtype=np.float32)
        shade += cv2.resize(grain, (width, height), interpolation=cv2.INTER_CUBIC) * draw.uniform(2, 10)
    made = image.astype(np.float32) / 255 * (shade - ink) + ink
    if draw.random() < 0.6:
        made += generator.standard_normal((height, width), dtype=np.float32) * draw.uniform(2, 22)
    if draw.random() < 0.15:
        chance = generator.random((height, width), dtype=np.float32)
        share = draw.uniform(0.002, 0.02)
        made[chance < share] = ink
        made[chance > 1 - share] = paper
    return np.clip(made, 0, 255).astype(np.uint8)


def blurred(image: Image, draw: random.Random) -> Image:
    """Out of focus or moved."""
    if draw.random() < 0.8:
        return cv2.GaussianBlur(image, (0, 0), draw.uniform(0.3, 1.4) * max(1.0, image.shape[0] / 40))
    return cv2.blur(image, draw.choice([(2, 1), (3, 1), (1, 2), (2, 2), (3, 2)]))


def compressed(image: Image, draw: random.Random) -> Image:
    """As JPEG of quality 20 to 60."""
    _, content = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, draw.randint(20, 60)])
    return cv2.imdecode(content, cv2.IMREAD_GRAYSCALE)
