"""Draws opaque boxes on a PDF page over what is gone from it, each with its placeholder as text where that fits."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import pymupdf

from pipeline.documents.pdf_affine import Affine, to_sheet

_FONT = "helv"
_SMALLEST_TYPE = 3.0  # points: below it the placeholder is left out
_MARGIN = 0.25  # of the type size: what stays free on both sides of a placeholder

Quad = Sequence[tuple[float, float]]  # points of the page: upper left, upper right, lower left, lower right


def draw(page: Any, boxes: Sequence[tuple[Quad, str]]) -> None:
    """Black boxes, each with a label in white, over everything that the page shows."""
    if not boxes:
        return
    place = to_sheet(page)
    labels = [line for quad, label in boxes for line in _label(quad, label, place)]
    if labels:
        page.insert_font(fontname=_FONT)
    shape = page.new_shape()
    shape.text_cont = "\n".join(["q 0 g", *(_path(quad, place) for quad, _ in boxes), "f 1 g", *labels, "Q\n"])
    shape.commit()


def _path(quad: Quad, place: Affine) -> str:
    upper_left, upper_right, lower_left, lower_right = quad
    corners = [_spelled(place.point(*corner)) for corner in (upper_left, lower_left, lower_right, upper_right)]
    return f"{corners[0]} m {' l '.join(corners[1:])} l h"


def _label(quad: Quad, label: str, place: Affine) -> Iterator[str]:
    """The text object that shows a label in the middle of its box."""
    (left, top), (right, end), (low, bottom), _ = quad
    width, height = math.hypot(right - left, end - top), math.hypot(low - left, bottom - top)
    wide = sum(map(_advance, label))
    size = min(height * 0.75, width / max(wide + 2 * _MARGIN, 1.0))
    if not label or size < _SMALLEST_TYPE:
        return
    cos, sin = (right - left) / width, (end - top) / width
    indent = (width - wide * size) / 2
    sink = (height + 0.7 * size) / 2 / height
    start = left + cos * indent + (low - left) * sink, top + sin * indent + (bottom - top) * sink
    matrix = Affine(cos, sin, (left - low) / height, (top - bottom) / height, *start).then(place)
    axes, at = _spelled(matrix[:4]), _spelled(matrix[4:])
    yield f"BT {axes} {at} Tm /{_FONT} {_spelled([size])} Tf <{label.encode('latin-1', 'replace').hex()}> Tj ET"


@lru_cache(maxsize=1 << 10)
def _advance(character: str) -> float:
    """How wide Helvetica is, in type sizes."""
    return float(pymupdf.get_text_length(character, _FONT, 1))


def _spelled(numbers: Sequence[float]) -> str:
    return " ".join(f"{number:.5f}" for number in numbers)
