"""What documents of any size cost: for each stage a base and a rate, fitted to measured documents by least squares."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import fmean, linear_regression
from typing import NamedTuple

from benchmarks.sizing.simulation import Cost, Kind
from schemas.stages import Stage


class Line(NamedTuple):
    """`base`, and `rate` for each page, paragraph, row or slide."""

    base: float
    rate: float

    def at(self, size: float) -> float:
        """The value for a document of that size."""
        return self.base + self.rate * size


def fitted(points: Mapping[int, float]) -> Line:
    """The line nearest to the values by size (least squares), of those where neither base nor rate is negative."""
    sizes, values = list(points), list(points.values())
    rate, base = linear_regression(sizes, values)
    if rate < 0:
        return Line(fmean(values), 0.0)
    if base < 0:
        return Line(0.0, linear_regression(sizes, values, proportional=True).slope)
    return Line(base, rate)


@dataclass(frozen=True)
class Family:
    """Documents of one format, counted in `unit`: how one of a size is made, and which sizes are measured.

    `share` of 100 documents of the mix are of this family and have the size `usual`.
    """

    name: str
    unit: str
    file: str
    made: Callable[[int], bytes]
    sizes: tuple[int, ...]
    usual: int
    share: int


class Model:
    """The costs of a family, from what was measured at each size."""

    def __init__(self, family: Family, measured: Mapping[int, Kind]) -> None:
        self.family, self._measured = family, measured
        self.stages = tuple(measured[family.sizes[0]].stages)

    def line(self, stage: Stage | None, part: Callable[[Cost], float]) -> Line:
        """A part of the cost of a stage, or with None of what passes between two stages."""
        return fitted(
            {size: part(kind.between if stage is None else kind.stages[stage]) for size, kind in self._measured.items()}
        )

    def kind(self, size: int) -> Kind:
        """A document of any size."""
        name = f"{self.family.name}, {size} {self.family.unit}"
        return Kind(name, {stage: self._cost(stage, size) for stage in self.stages}, self._cost(None, size))

    @property
    def usual(self) -> Kind:
        """The document of the mix."""
        return self.kind(self.family.usual)

    def residuals(self) -> dict[int, float]:
        """By measured size: how far the fitted seconds of all stages are from the measured ones, as a share of them."""
        found = {}
        for size, kind in self._measured.items():
            was, said = (sum(each.by_queue().values()) for each in (kind, self.kind(size)))
            found[size] = said / was - 1
        return found

    def _cost(self, stage: Stage | None, size: int) -> Cost:
        return Cost(
            *(self.line(stage, part).at(size) for part in (lambda cost: cost.time, lambda cost: cost.processor))
        )
