"""Compares drawn glyphs with what the characters they claim to be look like in reference fonts.

The references are the fonts inside MuPDF: Helvetica, Noto Serif, Noto Naskh Arabic. No glyph must look just like its
reference; it must look more like it than like most other characters, and most of a font's glyphs must.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import cv2
import numpy as np
import pymupdf

_SIDE = 24  # pixels of a normalized shape
_CELL = 64  # pixels of the cell of a reference glyph; the type size is half of it
_LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_EASTERN = "٠١٢٣٤٥٦٧٨٩۴۵۶"
_ARABIC = "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي"
_RULE = 0.12  # of the type size: the largest thickness of a rule
_SOLID = 0.9  # least share of its box that a rule fills; joining strokes of Arabic letters fill less
# How many others of its alphabet an honest shape may resemble more.
_SURELY, _CLEARLY = 0.75, 0.25  # likeness, and by how much: honest fonts have one such letter at most
_RANKS = {"digit": 1, "eastern": 1, "latin": 6, "arabic": 4}


class Shape(NamedTuple):
    """The ink of a glyph: blurred pixels of unit length, and its height and bottom in type sizes."""

    pixels: Any
    height: float
    bottom: float
    aspect: float


def kind_of(character: str) -> str | None:
    """The alphabet of a character, or None for characters without a reference."""
    if len(character) != 1:
        return None
    for name, alphabet in (("digit", _DIGITS), ("eastern", _EASTERN), ("latin", _LATIN), ("arabic", _ARABIC)):
        if character in alphabet:
            return name
    return None


def shape_of(patch: Any, baseline: float, size: float) -> Shape | None:
    """The shape in a grayscale patch whose line has its baseline at that row and that type size in pixels."""
    paper = float(np.median(np.concatenate((patch[0], patch[-1])))) if patch.size else 0.0
    ink: Any = np.abs(np.subtract(patch, paper, dtype=np.float32))
    if not ink.size or ink.max() < 60:
        return None
    mask = _without_neighbours(ink > 0.4 * ink.max(), size)
    if not mask.any():
        return None
    ink *= mask
    left, top, width, height = cv2.boundingRect(mask.astype(np.uint8))
    bottom, right = top + height, left + width
    scale = (_SIDE - 4) / max(height, width)
    fit = (max(1, round(width * scale)), max(1, round(height * scale)))
    canvas = np.zeros((_SIDE, _SIDE), np.float32)
    y, x = (_SIDE - fit[1]) // 2, (_SIDE - fit[0]) // 2
    canvas[y : y + fit[1], x : x + fit[0]] = cv2.resize(ink[top:bottom, left:right], fit, interpolation=cv2.INTER_AREA)
    blurred: Any = cv2.GaussianBlur(canvas, (5, 5), 1.2)
    blurred -= blurred.mean()
    length = float(np.linalg.norm(blurred)) or 1.0
    return Shape((blurred / length).ravel(), height / size, (baseline - float(bottom)) / size, width / height)


def _without_neighbours(mask: Any, size: float) -> Any:
    """The ink without parts that touch the upper or lower edge, and without rules: adjacent lines and cell borders."""
    count, labels, boxes, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    outside = {*np.unique(labels[0]), *np.unique(labels[-1])}
    for label in range(1, count):
        _, _, width, height, area = boxes[label]
        if width == mask.shape[1] and height <= _RULE * size and area >= _SOLID * width * height:
            outside.add(label)
    return mask & ~np.isin(labels, list(outside))


def resembles(shape: Shape, claimed: str) -> bool:
    """Whether few other characters of the alphabet are more similar to the shape than the claimed one."""
    return _rank(shape, claimed) <= _RANKS[kind_of(claimed) or ""]


def contradicts(shape: Shape, claimed: str) -> bool:
    """Whether another character of the alphabet is very similar to the shape, and much more than the claimed one."""
    scores = {character: max(_likeness(shape, other) for other in shapes) for character, shapes in _alphabet(claimed)}
    mine = max(score for character, score in scores.items() if _same(character, claimed))
    other = max(score for character, score in scores.items() if not _same(character, claimed))
    return other > _SURELY and other - mine > _CLEARLY


def _rank(shape: Shape, claimed: str) -> int:
    scores = {character: max(_likeness(shape, other) for other in shapes) for character, shapes in _alphabet(claimed)}
    mine = max(score for character, score in scores.items() if _same(character, claimed))
    return sum(score > mine for character, score in scores.items() if not _same(character, claimed))


def _same(a: str, b: str) -> bool:
    return a.casefold() == b.casefold()  # small capitals are capitals in lower case


def _alphabet(claimed: str) -> Iterable[tuple[str, Sequence[Shape]]]:
    kind = kind_of(claimed)
    return [(character, shapes) for character, shapes in references().items() if kind_of(character) == kind]


def _likeness(a: Shape, b: Shape) -> float:
    score = float(a.pixels @ b.pixels)
    score -= 0.8 * abs(a.height - b.height) + 0.6 * abs(a.bottom - b.bottom)
    return score - 0.15 * abs(float(np.log(a.aspect / b.aspect)))


@cache
def references() -> Mapping[str, Sequence[Shape]]:
    """The reference shapes of each character: in both Latin fonts, or in each joining form of the Arabic font."""
    drawn = [(c, c, name) for c in _LATIN + _DIGITS for name in ("helv", "tiro")]
    drawn += [(c, c, "arabic") for c in _EASTERN] + [(c, form, "arabic") for c in _ARABIC for form in _forms(c)]
    fonts = {"helv": pymupdf.Font("helv"), "tiro": pymupdf.Font("tiro"), "arabic": pymupdf.Font("helv")}
    across = 32
    sheet = pymupdf.open()
    page = sheet.new_page(width=across * _CELL, height=(len(drawn) // across + 1) * _CELL)
    writer = pymupdf.TextWriter(page.rect)
    for index, (_, form, name) in enumerate(drawn):
        x, y = index % across * _CELL + _CELL / 4, index // across * _CELL + _CELL * 0.65
        writer.append((x, y), form, font=fonts[name], fontsize=_CELL / 2)
    writer.write_text(page)
    pixmap = page.get_pixmap(colorspace=pymupdf.csGRAY, alpha=False)
    image = np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.stride)[:, : pixmap.width]
    found: dict[str, list[Shape]] = {}
    for index, (character, _, _) in enumerate(drawn):
        x, y = index % across * _CELL, index // across * _CELL
        shape = shape_of(image[y : y + _CELL, x : x + _CELL], _CELL * 0.65, _CELL / 2)
        if shape:
            found.setdefault(character, []).append(shape)
    sheet.close()
    return found


def _forms(letter: str) -> list[str]:
    """The letter's isolated, final, initial and medial presentation forms."""
    return [c for c in map(chr, range(0xFE80, 0xFEF5)) if unicodedata.normalize("NFKC", c) == letter] or [letter]
