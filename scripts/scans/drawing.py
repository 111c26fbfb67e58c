"""Draws the words of a line with fonts of one part."""

import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from scripts.scans import fonts
from scripts.scans.content import Word

OTHER = "□"
# What the recognizers tell apart, beside digits, capitals and the space.
SEPARATORS = "/-.:,+()%*#"
_FOLDED = str.maketrans("٪٫٬،−–", "%,,,--")
_KNOWN = frozenset("0123456789٠١٢٣٤٥٦٧٨٩ABCDEFGHIJKLMNOPQRSTUVWXYZ" + SEPARATORS)
_PERSIAN = str.maketrans("٤٥٦", "۴۵۶")


class Mark(NamedTuple):
    """One character that a recognizer should report, at its middle in pixels."""

    text: str
    middle: float


class Drawn(NamedTuple):
    """A line in black on white, (h, w), its font size in pixels and its marks."""

    image: NDArray[np.uint8]
    size: int
    marks: list[Mark]


class Typefaces(NamedTuple):
    """The files of a line."""

    arabic: Path
    latin: Path
    persian: bool


def choose(draw: random.Random, part: fonts.Part) -> Typefaces:
    """Files for a line, each family as likely as any other."""
    arabic = draw.choice(draw.choice(fonts.families(part, "arabic")))
    held = fonts.coverage()[arabic]
    alone = set("0123456789ABZaz/.-:,") <= held
    latin = arabic if alone and draw.random() < 0.4 else draw.choice(draw.choice(fonts.families(part, "latin")))
    return Typefaces(arabic, latin, arabic in fonts.persian() and draw.random() < 0.15)


def drawn(words: Sequence[Word], faces: Typefaces, size: int, draw: random.Random) -> Drawn:
    """Draw words from left to right at a font size in pixels. The image has wide margins."""
    latin_size = max(8, round(size * draw.uniform(0.7, 1.1))) if faces.latin != faces.arabic else size
    shaped, simple = _font(faces.arabic, size, True), _font(faces.arabic, size, False)
    latin = _font(faces.latin, latin_size, False)
    held, drawable = fonts.coverage()[faces.arabic], fonts.coverage()[faces.latin]
    tracking = draw.choice([0, 0, 0, 0, 0, 0, 0.05, 0.12, 0.25, 0.45]) * size
    space = draw.uniform(0.22, 0.5) * size + 1.5 * tracking
    baseline = 2 * size
    x = float(size)
    pieces: list[tuple[float, str, ImageFont.FreeTypeFont]] = []
    marks: list[Mark] = []
    for index, word in enumerate(words):
        if index and not word.joined:
            marks.append(Mark(" ", x + space / 2))
            x += space
        if word.script == "arabic":
            body = word.text.rstrip(":،.؛؟")
            tail = word.text[len(body) :]
            if tail:
                x = _characters(tail, x, 0, lambda _: simple, pieces, marks)
            length = shaped.getlength(body)
            pieces.append((x, body, shaped))
            marks.append(Mark(OTHER, x + length / 2))
            x += length
        else:
            text = word.text.translate(_PERSIAN) if faces.persian else word.text
            text = "".join(one if one in held | drawable else one.translate(_FOLDED) for one in text)
            eastern = any("٠" <= character <= "٩" for character in word.text)

            def font_of(character: str, eastern: bool = eastern and draw.random() < 0.7) -> ImageFont.FreeTypeFont:
                own = character > "\u0600" or (eastern and not character.isalpha())
                return simple if own and character in held else latin

            x = _characters(text, x, tracking if word.script == "number" else 0, font_of, pieces, marks)
    canvas = Image.new("L", (int(x) + size, 4 * size), 255)
    pen = ImageDraw.Draw(canvas)
    for left, text, font in pieces:
        pen.text((left, baseline), text, fill=0, font=font, anchor="ls")
    return Drawn(np.asarray(canvas), size, _merged(marks))


def _characters(
    text: str,
    x: float,
    tracking: float,
    font_of: Callable[[str], ImageFont.FreeTypeFont],
    pieces: list[tuple[float, str, ImageFont.FreeTypeFont]],
    marks: list[Mark],
) -> float:
    """Add characters one after another from `x`. Returns where they end."""
    for character in text:
        font = font_of(character)
        length = font.getlength(character)
        pieces.append((x, character, font))
        name = _plain(character)
        marks.append(Mark(name if name in _KNOWN else OTHER, x + length / 2))
        x += length + tracking
    return x


def _plain(character: str) -> str:
    if "۰" <= character <= "۹":
        return chr(ord(character) - 0x90)
    return character.translate(_FOLDED)


def _merged(marks: list[Mark]) -> list[Mark]:
    """Neighbouring other characters count as one, in their middle."""
    kept: list[Mark] = []
    first = 0.0
    for mark in marks:
        if mark.text == OTHER and kept and kept[-1].text == OTHER:
            kept[-1] = Mark(OTHER, (first + mark.middle) / 2)
            continue
        first = mark.middle
        kept.append(mark)
    return kept


@lru_cache(maxsize=800)
def _font(path: Path, size: int, shaped: bool) -> ImageFont.FreeTypeFont:
    engine = ImageFont.Layout.RAQM if shaped else ImageFont.Layout.BASIC
    return ImageFont.truetype(str(path), size, layout_engine=engine)
