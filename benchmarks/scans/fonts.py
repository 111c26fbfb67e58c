"""The typefaces of a page: one Arabic and one Latin family of its set, at sizes that look alike."""

import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from PIL import ImageFont

from benchmarks.scans.wording import alphabet
from scripts.scans.fonts import coverage, families

SetName = Literal["tune", "test"]

_HEIGHT = 0.7  # of capitals and of alef, in sizes
_SLANTED = ("Italic", "Oblique", "-I.")
_EXTREME = ("Thin", "Hairline", "Light", "Black", "Heavy", "ExtraBold")
_ARABIC = range(0x0600, 0x0700)


@dataclass(frozen=True)
class Typefaces:
    """The font files of a page."""

    arabic: Path
    arabic_bold: Path
    latin: Path
    latin_bold: Path

    def font(self, text: str, size: float, *, bold: bool = False) -> ImageFont.FreeTypeFont:
        """The font in which a text is drawn whose capitals and alefs are 0.7 of `size` high."""
        if is_arabic(text):
            return _sized(self.arabic_bold if bold else self.arabic, "ا", round(size * _HEIGHT))
        return _sized(self.latin_bold if bold else self.latin, "H", round(size * _HEIGHT))


def is_arabic(text: str) -> bool:
    """Whether a text has Arabic letters or digits."""
    return any(ord(character) in _ARABIC for character in text)


def typefaces(part: SetName, draw: random.Random) -> Typefaces:
    """The families of one page of a set. SystemExit when the set's fonts are not installed."""
    arabic, latin = (draw.choice(_usable(part, language)) for language in ("ar", "en"))
    return Typefaces(*arabic, *latin)


@cache
def _usable(part: SetName, language: str) -> list[tuple[Path, Path]]:
    """The plain and the bold file of each family that has what pages say."""
    wanted, found = alphabet(language), []
    for files in families(part, "arabic" if language == "ar" else "latin"):
        complete = [path for path in files if wanted <= coverage()[path]]
        if language == "en" and any("ا" in coverage()[path] for path in complete):
            continue  # an Arabic family; its Latin letters are an addition
        upright = [path for path in complete if not any(word in path.name for word in (*_SLANTED, *_EXTREME))]
        bold = [path for path in upright if "bold" in path.stem.lower()]
        plain = [path for path in upright if path not in bold]
        if plain:
            plain.sort(key=lambda path: "regular" not in path.stem.lower())
            found.append((plain[0], (bold or plain)[0]))
    if not found:
        raise SystemExit("The fonts of the scans are missing: scripts/setup scans")
    return found


@cache
def _sized(path: Path, letter: str, height: int) -> ImageFont.FreeTypeFont:
    _, top, _, bottom = ImageFont.truetype(str(path), 200).getbbox(letter)
    return ImageFont.truetype(str(path), max(6, round(200 * height / (bottom - top))))
