"""What scanners, cameras and copiers do to a page, and where its points go."""

import random
from typing import Literal, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Damage = Literal["clean", "skewed", "blurred", "jpeg", "faint", "photographed", "low"]
WORN: tuple[Damage, ...] = ("skewed", "blurred", "jpeg", "faint", "photographed", "low")
LOW_SCALE = 120 / 200  # of a page that is drawn at 120 dpi


class Geometry(NamedTuple):
    """Where points of the drawing are in the raster: a homography, and the size of the raster."""

    matrix: NDArray[np.float64]
    width: int
    height: int

    def points(self, polygon: NDArray[np.float64]) -> NDArray[np.float64]:
        """The points in the raster."""
        return np.asarray(cv2.perspectiveTransform(polygon[None].astype(float), self.matrix)[0], float)

    def applied(self, image: Pixels, around: int = 255) -> Pixels:
        """The image in the raster's geometry."""
        if np.array_equal(self.matrix, np.eye(3)):
            return image
        size = (self.width, self.height)
        flat = cv2.warpPerspective(image, self.matrix, size, flags=cv2.INTER_CUBIC, borderValue=(around,))
        return np.asarray(flat, np.uint8)


def geometry(damage: Damage, draw: random.Random, width: int, height: int) -> Geometry:
    """The geometry of a damage for a raster of this size."""
    matrix = np.eye(3)
    if damage == "skewed":
        angle = draw.uniform(0.5, 3.0) * draw.choice([-1, 1])
        matrix[:2] = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 0.97)
    elif damage == "photographed":
        edge = 0.02
        corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
        moved = [
            (
                x + (1 if x == 0 else -1) * draw.uniform(0, edge) * width,
                y + (1 if y == 0 else -1) * draw.uniform(0, edge) * height,
            )
            for x, y in corners
        ]
        matrix = np.asarray(cv2.getPerspectiveTransform(corners, np.array(moved, np.float32)), float)
    elif damage == "low":
        matrix = np.diag([1 / LOW_SCALE, 1 / LOW_SCALE, 1.0])
    return Geometry(matrix, width, height)


def rotation(degrees: float, width: int, height: int) -> Geometry:
    """A clockwise turn of a raster of this size; the new raster holds all of it."""
    matrix = np.eye(3)
    matrix[:2] = cv2.getRotationMatrix2D((width / 2, height / 2), -degrees, 1.0)
    across, down = np.abs(matrix[0, :2])
    size = round(width * across + height * down), round(width * down + height * across)
    matrix[:2, 2] += (size[0] - width) / 2, (size[1] - height) / 2
    return Geometry(matrix, *size)


def worn(damage: Damage, draw: random.Random, image: Pixels) -> Pixels:
    """The page as it is after the damage, in the raster's geometry."""
    noise = np.random.default_rng(draw.getrandbits(32))
    if damage == "blurred":
        return np.asarray(cv2.GaussianBlur(image, (0, 0), draw.uniform(0.9, 1.7)), np.uint8)
    if damage == "jpeg":
        quality = draw.randint(25, 50)
        data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_GRAYSCALE), np.uint8)
    if damage == "faint":
        ink, paper = draw.randint(120, 165), draw.randint(225, 245)
        return _noisy(ink + image.astype(np.float32) * (paper - ink) / 255, noise, 3)
    if damage == "photographed":
        height, width = image.shape
        light = np.array([[draw.uniform(0.65, 0.97) for _ in range(3)] for _ in range(3)], np.float32)
        shade = cv2.resize(light, (width, height), interpolation=cv2.INTER_CUBIC)
        return _noisy(cv2.GaussianBlur(image, (0, 0), 0.7).astype(np.float32) * shade, noise, 4)
    return image


def _noisy(image: NDArray[np.floating], noise: np.random.Generator, spread: float) -> Pixels:
    return np.clip(image + noise.normal(0, spread, image.shape), 0, 255).astype(np.uint8)
