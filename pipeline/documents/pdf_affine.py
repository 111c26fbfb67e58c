"""Affine maps between the spaces of a PDF: a page has hundreds of pieces, and MuPDF's own matrices take 50 µs each."""

from functools import lru_cache
from typing import Any, NamedTuple


class Affine(NamedTuple):
    """x' = a x + c y + e, y' = b x + d y + f (ISO 32000-2, 8.3.3)."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where a point comes to lie."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def then(self, other: "Affine") -> "Affine":
        """This map, and the other one after it."""
        a, b, c, d, e, f = self
        return Affine(
            a * other.a + b * other.c, a * other.b + b * other.d,
            c * other.a + d * other.c, c * other.b + d * other.d,
            *other.point(e, f),
        )  # fmt: skip

    @lru_cache(maxsize=1 << 10)  # noqa: B019 - keyed by six numbers
    def inverse(self) -> "Affine":
        """The way back; a map that folds everything together leads to the origin."""
        a, b, c, d, e, f = self
        size = a * d - b * c
        if not size:
            return Affine(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return Affine(d / size, -b / size, -c / size, a / size, (c * f - d * e) / size, (b * e - a * f) / size)


SAME = Affine(1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def affine(numbers: Any) -> Affine:
    """Six numbers of a file, or one of MuPDF's matrices. ValueError and TypeError for anything else."""
    a, b, c, d, e, f = map(float, numbers)
    return Affine(a, b, c, d, e, f)


def to_sheet(page: Any) -> Affine:
    """From the page as MuPDF shows it (from its upper left corner, down) to the space of its content."""
    return affine(page.transformation_matrix).inverse()
