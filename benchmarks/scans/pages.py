"""Pages of a set by number. The same set and number always give the same page, so no picture is kept."""

import io
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from PIL import Image

from benchmarks.scans.damage import LOW_SCALE, WORN, Damage, Pixels, geometry, rotation, worn
from benchmarks.scans.fonts import SetName, typefaces
from benchmarks.scans.layouts import LAYOUTS
from benchmarks.scans.sheet import HEIGHT, WIDTH, Planted, Polygon, Sheet
from benchmarks.scans.values import Kind, Values
from benchmarks.scans.writer import Language, Writer

_DPI = 200


@dataclass(frozen=True)
class Page:
    """A raster and its truth: values with their polygons, and polygons of text that redaction may rightly take.

    `strokes` is the values' undamaged ink alone, in the geometry of the raster.
    """

    name: str
    layout: str
    damage: Damage
    pixels: Pixels
    strokes: Pixels
    planted: Sequence[Planted]
    named: Sequence[Polygon]

    def png(self) -> bytes:
        """The raster as a PNG with its resolution."""
        target = io.BytesIO()
        Image.fromarray(self.pixels).save(target, "PNG", dpi=(_DPI, _DPI), compress_level=1)
        return target.getvalue()

    def turned(self, degrees: float) -> "Page":
        """The page turned clockwise by an angle, on a raster that holds all of it."""
        place = rotation(degrees, self.pixels.shape[1], self.pixels.shape[0])
        return replace(
            self,
            pixels=place.applied(self.pixels),
            strokes=place.applied(self.strokes),
            planted=[Planted(item.value, place.points(item.polygon)) for item in self.planted],
            named=[place.points(polygon) for polygon in self.named],
        )


class Plan(NamedTuple):
    """What a page is to be."""

    layout: str
    damage: Damage
    digits: Kind


def plan(part: SetName, number: int) -> Plan:
    """What the page of this number is: in each round of pages every layout is clean once and worn twice.

    The order within a round is random, so that every other page has no pattern.
    """
    layouts = list(LAYOUTS[part])
    round_, place = divmod(number, 3 * len(layouts))
    plans = []
    for index, layout in enumerate(layouts):
        for turn in range(3):
            worn_before = 2 * (round_ * len(layouts) + index)
            damage: Damage = "clean" if turn == 0 else WORN[(worn_before + turn - 1) % len(WORN)]
            plans.append(Plan(layout, damage, "eastern" if (index + turn + round_) % 2 else "ascii"))
    random.Random(f"scans {part} round {round_}").shuffle(plans)
    return plans[place]


def page(part: SetName, number: int) -> Page:
    """The page of this number."""
    draw = random.Random(f"scans {part} {number}")
    layout, damage, digits = plan(part, number)
    languages: list[Language] = ["ar", "both"] if digits == "eastern" else ["ar", "both", "en"]
    scale = LOW_SCALE if damage == "low" else 1.0
    sheet = Sheet(typefaces(part, draw), scale, ink=draw.randint(5, 50))
    LAYOUTS[part][layout](Writer(sheet, draw.choice(languages), Values(draw, digits), draw))
    place = geometry(damage, draw, WIDTH, HEIGHT)
    desk = draw.randint(60, 120) if damage == "photographed" else 255
    return Page(
        f"{part}-{number:03d}",
        layout,
        damage,
        worn(damage, draw, place.applied(np.asarray(sheet.image), desk)),
        place.applied(np.asarray(sheet.strokes)),
        [Planted(item.value, place.points(item.polygon)) for item in sheet.planted],
        [place.points(polygon) for polygon in sheet.named],
    )
