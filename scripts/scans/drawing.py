"""Draws the words of a line with fonts of one part."""

import random
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from scripts.scans import fonts
from scripts.scans.content import Word

OTHER = "□"
DIGITS, EASTERN_DIGITS = "0123456789", "٠١٢٣٤٥٦٧٨٩"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# The signs that a number may hold.
SEPARATORS = "/-.:,+()%*#"
LETTERS = CAPITALS.lower() + "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي"
PUNCTUATION = "!\"$&';<=>?@[]_|،؛؟"
# What numbers hold.
OF_NUMBERS = frozenset(DIGITS + EASTERN_DIGITS + SEPARATORS + CAPITALS)
# What a recognizer of all text tells apart, beside the space.
CHARACTERS = DIGITS + EASTERN_DIGITS + SEPARATORS + CAPITALS + LETTERS + PUNCTUATION
_KNOWN = frozenset(CHARACTERS)
_FOLDED = str.maketrans("٪٫٬−–—‘’“”«»﴾﴿", "%,,---''\"\"<>()")
_PERSIAN = str.maketrans("٤٥٦", "۴۵۶")
_MIRRORED = str.maketrans("()[]<>{}«»", ")(][><}{»«")
# An Arabic word in runs: letters with their marks, digits and Latin letters, other signs.
_RUNS = re.compile(r"[\u0621-\u065f\u0670-\u06d3]+|[^\W\u0621-\u065f\u0670-\u06d3]+|.")
_VOWELS = "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652"


class Mark(NamedTuple):
    """One character that a recognizer should report, at its middle in pixels; `exact`: whether that is known well."""

    text: str
    middle: float
    exact: bool = True


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
    tracking = draw.choice([0, 0, 0, 0, 0, 0, 0.05, 0.12, 0.25, 0.45]) * size
    space = draw.uniform(0.22, 0.5) * size + 1.5 * tracking
    pen = _Pen(faces, size, draw)
    for index, word in enumerate(words):
        if index and not word.joined:
            pen.space(space)
        if word.script == "arabic":
            pen.arabic_word(word.text)
        else:
            pen.word(word.text, tracking if word.script == "number" else 0)
    return Drawn(pen.image(), size, pen.marks)


class _Pen:
    """Writes from left to right in the files of a line."""

    def __init__(self, faces: Typefaces, size: int, draw: random.Random) -> None:
        self._faces, self._size, self._draw = faces, size, draw
        latin_size = max(8, round(size * draw.uniform(0.7, 1.1))) if faces.latin != faces.arabic else size
        self._shaped, self._simple = _font(faces.arabic, size, True), _font(faces.arabic, size, False)
        self._latin = _font(faces.latin, latin_size, False)
        self._held, self._held_by_latin = fonts.coverage()[faces.arabic], fonts.coverage()[faces.latin]
        self._kerned = draw.random() < 0.5
        self._x = float(size)
        self._pieces: list[tuple[float, str, ImageFont.FreeTypeFont]] = []
        self.marks: list[Mark] = []

    def space(self, width: float) -> None:
        self.marks.append(Mark(" ", self._x + width / 2))
        self._x += width

    def arabic_word(self, text: str) -> None:
        """A word that runs from right to left; digits in it run from left to right."""
        for run in reversed(_RUNS.findall(text)):
            if run[0] >= "\u0621" and not run[0].isdecimal() and run[0].isalpha():
                self._joined_letters(run)
            else:
                self.word(run if run[0].isalnum() else run.translate(_MIRRORED), 0, arabic=True)

    def word(self, text: str, tracking: float, *, arabic: bool = False) -> None:
        """Characters one after another; those of a word in Latin letters may be kerned."""
        shown = text.translate(_PERSIAN) if self._faces.persian else text
        eastern = arabic or any(character in EASTERN_DIGITS for character in text)
        own_digits = eastern and self._draw.random() < 0.7
        if self._kerned and not tracking and text.isalpha() and text.isascii():
            starts = [self._latin.getlength(text[:end]) for end in range(len(text) + 1)]
            self._pieces.append((self._x, text, self._latin))
            self.marks += [
                Mark(character, self._x + (starts[n] + starts[n + 1]) / 2) for n, character in enumerate(text)
            ]
            self._x += starts[-1]
            return
        for character in shown:
            if character not in self._held | self._held_by_latin:
                character = character.translate(_FOLDED)
            own = character > "\u0600" or (own_digits and not character.isalpha())
            font = self._simple if own and character in self._held else self._latin
            if character not in (self._held if font is self._simple else self._held_by_latin):
                continue
            length = font.getlength(character)
            self._pieces.append((self._x, character, font))
            name = _plain(character)
            self.marks.append(Mark(name if name in _KNOWN else OTHER, self._x + length / 2))
            self._x += length + tracking

    def _joined_letters(self, text: str) -> None:
        """Arabic letters as the font joins them. Where each lies is guessed: they are as wide as each other."""
        letters = [one for one in text if one.isalpha() and one != "ـ"]
        if self._draw.random() < 0.04:
            text = "".join(
                one + (self._draw.choice(_VOWELS) if one.isalpha() and self._draw.random() < 0.4 else "")
                for one in text
            )
        length = self._shaped.getlength(text)
        self._pieces.append((self._x, text, self._shaped))
        for place, letter in enumerate(reversed(letters)):
            middle = self._x + length * (place + 0.5) / len(letters)
            self.marks.append(Mark(letter if letter in _KNOWN else OTHER, middle, exact=False))
        self._x += length

    def image(self) -> NDArray[np.uint8]:
        """What was written, black on white: (4 sizes, width)."""
        canvas = Image.new("L", (int(self._x) + self._size, 4 * self._size), 255)
        pen = ImageDraw.Draw(canvas)
        for left, text, font in self._pieces:
            pen.text((left, 2 * self._size), text, fill=0, font=font, anchor="ls")
        return np.asarray(canvas)


def numbers_only(marks: Sequence[Mark]) -> list[Mark]:
    """The marks for a recognizer of numbers: what they do not hold is `□`, once for neighbours and in their middle."""
    kept: list[Mark] = []
    first = 0.0
    for mark in marks:
        if mark.text == " " or mark.text in OF_NUMBERS:
            kept.append(mark)
        elif kept and kept[-1].text == OTHER:
            kept[-1] = Mark(OTHER, (first + mark.middle) / 2)
        else:
            first = mark.middle
            kept.append(Mark(OTHER, mark.middle))
    return kept


def _plain(character: str) -> str:
    if "۰" <= character <= "۹":
        return chr(ord(character) - 0x90)
    return character.translate(_FOLDED)


@lru_cache(maxsize=800)
def _font(path: Path, size: int, shaped: bool) -> ImageFont.FreeTypeFont:
    engine = ImageFont.Layout.RAQM if shaped else ImageFont.Layout.BASIC
    return ImageFont.truetype(str(path), size, layout_engine=engine)
