"""A sheet of paper on which text is set in either direction, and the places of the values on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from benchmarks.scans.fonts import Typefaces, is_arabic
from benchmarks.scans.values import Value

Polygon = NDArray[np.float64]
"""Four corners (x, y): of the text's upper left, upper right, lower right and lower left."""

WIDTH, HEIGHT = 1654, 2339  # A4 at 200 dpi
_LEADING = 1.9
_MARGIN = 2  # pixels around the strokes of a value


@dataclass(frozen=True)
class Named:
    """Text that redaction may rightly take: a place, an institution, an address, a date, a duration."""

    text: str


Part = str | Value | Named


@dataclass
class Planted:
    """A value on the sheet and where it is."""

    value: Value
    polygon: Polygon


@dataclass
class Sheet:
    """Draws at `scale` pixels per unit; units are pixels at 200 dpi. `strokes` holds the values' ink alone."""

    faces: Typefaces
    scale: float = 1.0
    width: int = WIDTH
    height: int = HEIGHT
    ink: int = 15
    planted: list[Planted] = field(default_factory=list)
    named: list[Polygon] = field(default_factory=list)

    def __post_init__(self) -> None:
        size = (round(self.width * self.scale), round(self.height * self.scale))
        self.image, self.strokes = Image.new("L", size, 255), Image.new("L", size, 255)
        self._pen, self._marks = ImageDraw.Draw(self.image), ImageDraw.Draw(self.strokes)

    def paragraph(
        self,
        x: float,
        y: float,
        width: float,
        parts: Iterable[Part],
        *,
        size: float = 30,
        rtl: bool,
        bold: bool = False,
    ) -> float:
        """Sets running text between `x` and `x + width` from `y` on; the y below it. Values are not parted."""
        line: list[Part] = []
        used, blank = 0.0, self._blank(size)
        for part in _words(parts):
            wide = self._width(part, size, bold=bold)
            if line and used + wide > width:
                y = self.line(x, y, width, line, size=size, rtl=rtl, bold=bold)
                line, used = [], 0.0
            line.append(part)
            used += wide + blank
        return self.line(x, y, width, line, size=size, rtl=rtl, bold=bold) if line else y

    def line(
        self,
        x: float,
        y: float,
        width: float,
        parts: Sequence[Part],
        *,
        size: float = 30,
        rtl: bool,
        bold: bool = False,
        centred: bool = False,
    ) -> float:
        """Sets one line from the side where reading starts; the y below it."""
        words = list(_words(parts))
        blank = self._blank(size)
        widths = [self._width(word, size, bold=bold) for word in words]
        total = sum(widths) + blank * (len(words) - 1)
        left = x + (width - total) / 2 if centred else x + width - total if rtl else x
        at = left + total if rtl else left
        for word, wide in zip(words, widths, strict=True):
            self._word(at - wide if rtl else at, y + 1.25 * size, word, size, rtl=rtl, bold=bold)
            at += -(wide + blank) if rtl else wide + blank
        return y + _LEADING * size

    def fits(self, width: float, parts: Sequence[Part], *, size: float = 30) -> bool:
        """Whether one line of this width holds the parts."""
        words = list(_words(parts))
        return sum(self._width(word, size) for word in words) + self._blank(size) * (len(words) - 1) <= width

    def rule(self, x: float, y: float, to_x: float, to_y: float, thick: float = 2) -> None:
        """A straight rule."""
        self._pen.line(self._scaled(x, y, to_x, to_y), fill=self.ink + 40, width=max(1, round(thick * self.scale)))

    def box(self, x: float, y: float, width: float, height: float, *, fill: int | None = None) -> None:
        """A box with a thin border, filled with a grey if one is given."""
        corners = self._scaled(x, y, x + width, y + height)
        self._pen.rectangle(corners, fill=fill, outline=self.ink + 40, width=max(1, round(2 * self.scale)))

    def emblem(self, x: float, y: float, radius: float) -> None:
        """A round emblem, as stamps and logos are."""
        for part in (1.0, 0.85, 0.4):
            ring = self._scaled(x - radius * part, y - radius * part, x + radius * part, y + radius * part)
            self._pen.ellipse(ring, outline=self.ink + 60, width=max(1, round(3 * self.scale)))

    def signature(self, x: float, y: float) -> None:
        """A scribble of a pen."""
        turns = np.linspace(0, 9, 60)
        points = [(x + 22 * turn + 18 * np.sin(3 * turn), y + 26 * np.cos(2.2 * turn)) for turn in turns]
        self._pen.line(
            [self._scaled(*point) for point in points], fill=self.ink + 30, width=max(1, round(3 * self.scale))
        )

    def _scaled(self, *numbers: float) -> tuple[float, ...]:
        return tuple(number * self.scale for number in numbers)

    def _blank(self, size: float) -> float:
        return 0.3 * size

    def _width(self, part: Part, size: float, *, bold: bool = False) -> float:
        text, direction = _drawn(part, rtl=False)
        return self.faces.font(text, size * self.scale, bold=bold).getlength(text, direction=direction) / self.scale

    def _word(self, x: float, base: float, part: Part, size: float, *, rtl: bool, bold: bool) -> None:
        text, direction = _drawn(part, rtl=rtl)
        font = self.faces.font(text, size * self.scale, bold=bold)
        at = (x * self.scale, base * self.scale)
        for pen in (self._pen, self._marks) if isinstance(part, Value) else (self._pen,):
            pen.text(at, text, fill=self.ink, font=font, direction=direction, anchor="ls")
        if not isinstance(part, str):
            box = self._pen.textbbox(at, text, font=font, direction=direction, anchor="ls")
            polygon = _rectangle(*box, margin=_MARGIN * self.scale)
            if isinstance(part, Value):
                self.planted.append(Planted(part, polygon))
            else:
                self.named.append(polygon)


def _words(parts: Iterable[Part]) -> Iterable[Part]:
    for part in parts:
        if isinstance(part, str):
            yield from part.split()
        elif isinstance(part, Named):
            yield from (Named(word) for word in part.text.split())
        else:
            yield part


def _drawn(part: Part, *, rtl: bool) -> tuple[str, str]:
    """The text of a part, and the direction in which it is set: values go by their own letters."""
    text = part if isinstance(part, str) else part.text
    has_letters = is_arabic(text) and any(character.isalpha() for character in text)
    # A word takes the direction of its paragraph, so that its signs fall on the right side.
    return text, "rtl" if has_letters or (rtl and isinstance(part, str)) else "ltr"


def _rectangle(left: float, top: float, right: float, bottom: float, margin: float) -> Polygon:
    left, top, right, bottom = left - margin, top - margin, right + margin, bottom + margin
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], float)
