"""Reads the glyphs of a PDF page, visible or not, with their characters and their positions along their lines."""

import math
import unicodedata
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import zip_longest
from typing import Any, NamedTuple, cast

from pipeline.documents.limits import MAX_PAGE_GLYPHS
from schemas.errors import unsupported
from schemas.refusals import Reason

_INVISIBLE = 3  # text rendering mode 3 (ISO 32000-1, 9.3.6), as MuPDF's trace reports ignored text
_FAINT = 0.05  # opacity below which a glyph is invisible
_MARKS = frozenset({"Mn", "Me", "Mc", "Sk", "Lm", "Cf"})
_TYPICAL = 0.6  # of the type size: a letter's width
UNKNOWN = "\ufffd"
_TATWEEL = "\u0640"


class Frame(NamedTuple):
    """The coordinate system of a line: `along` it and `down` across it. `cos` and `sin` give its direction on the page.

    `mirror` is -1 for mirrored text, whose ascenders point down.
    """

    cos: float
    sin: float
    mirror: float = 1.0

    def to_line(self, x: float, y: float) -> tuple[float, float]:
        """A page point as (along, down)."""
        return x * self.cos + y * self.sin, (y * self.cos - x * self.sin) * self.mirror

    def to_page(self, along: float, down: float) -> tuple[float, float]:
        """A point (along, down) on the page."""
        down *= self.mirror
        return along * self.cos - down * self.sin, along * self.sin + down * self.cos

    @property
    def is_upright(self) -> bool:
        """Whether lines run along an axis of the page, so that their boxes are upright rectangles."""
        return min(abs(self.cos), abs(self.sin)) < 1e-3


_PLAIN = Frame(1.0, 0.0)


class Glyph(NamedTuple):
    """One drawn glyph. Lengths are in points of the page.

    `text` is its characters in logical order, with presentation forms folded; `unicode` is its Unicode value in the
    PDF, not folded. `start..end` is its extent along the line, `baseline` the position of the line across it. `code` is
    its number in the font, `order` its position in the drawing order of the page. `is_blank`: it shows no ink.
    """

    text: str
    frame: Frame
    start: float
    end: float
    baseline: float
    size: float
    font: str
    code: int
    unicode: str
    visible: bool
    order: int
    is_blank: bool


# A page has thousands of glyphs, and the constructor with keyword support takes twice as long.
_glyph = cast("Callable[[tuple[Any, ...]], Glyph]", partial(tuple.__new__, Glyph))


@lru_cache(maxsize=1 << 14)
def fold(character: str) -> str:
    """The base letters of an Arabic presentation form or a Latin ligature; any other character unchanged."""
    code = ord(character)
    if 0xFB00 <= code <= 0xFB06 or 0xFB50 <= code <= 0xFDF9 or 0xFE70 <= code <= 0xFEFC:
        folded = unicodedata.normalize("NFKC", character)
        return folded.strip() or folded
    if code < 0x20 or unicodedata.category(character) == "Zs":
        return " "
    return character


def glyphs_of(page: Any) -> list[Glyph]:
    """All glyphs of the page in drawing order, also those outside it. StageFailed past the limit."""
    found: list[Glyph] = []
    for span in page.get_texttrace():
        add_span(found, span)
        if len(found) > MAX_PAGE_GLYPHS:
            raise unsupported(Reason.TOO_COMPLEX)
    _join_arabic(found)
    return found


def _join_arabic(found: list[Glyph]) -> None:
    """Reads glyphs without a Unicode value between Arabic letters as tatweel; `font_encoding` verifies that later."""
    nameless = [index for index, glyph in enumerate(found) if glyph.text == UNKNOWN]
    run: list[int] = []
    for index, following in zip_longest(nameless, nameless[1:]):
        run.append(index)
        if following == index + 1:
            continue
        around = found[max(0, run[0] - 1) : run[0]] + found[index + 1 : index + 2]
        if len(around) == 2 and all(_is_arabic_neighbour(glyph, found[index]) for glyph in around):
            for inner in run:
                found[inner] = found[inner]._replace(text=_TATWEEL)
        run = []


def _is_arabic_neighbour(glyph: Glyph, other: Glyph) -> bool:
    is_level = glyph.frame == other.frame and abs(glyph.baseline - other.baseline) < glyph.size
    return is_level and unicodedata.bidirectional(glyph.text[0]) == "AL"


def add_span(found: list[Glyph], span: dict[str, Any]) -> None:
    """Adds the glyphs of a span of MuPDF's text trace. Further characters of one glyph are appended to its text."""
    frame, size = _frame(span), span["size"]
    if not math.isfinite(size):
        return
    size, thin = max(size, 0.1), 0.01 * max(size, 0.1)
    visible = span["type"] != _INVISIBLE and span["opacity"] > _FAINT
    font, order, is_plain = span["font"], span["seqno"], frame == _PLAIN
    for code, number, origin, box in span["chars"] if frame.is_upright else _narrowed(frame, span["chars"], size):
        start, end, down = (box[0], box[2], origin[1]) if is_plain else _extent(frame, origin, box)
        if not math.isfinite(start + end + down):
            continue
        text, unicode, is_blank = _characters(code)
        glyph = _glyph((text, frame, start, end, down, size, font, number, unicode, visible, order, is_blank))
        if (number == -1 or end - start <= thin) and found and _continues(found[-1], glyph):
            found[-1] = _with(found[-1], text, unicode if number == -1 else "")
        else:
            found.append(glyph)


@lru_cache(maxsize=1 << 14)
def _characters(code: int) -> tuple[str, str, bool]:
    """The folded character, the character itself, and whether it is a blank."""
    unicode = chr(code)
    text = fold(unicode)
    return text, unicode, text.isspace()


def _with(glyph: Glyph, text: str, unicode: str) -> Glyph:
    text = glyph.text + text
    return glyph._replace(text=text, unicode=glyph.unicode + unicode, is_blank=text.isspace())


def _extent(frame: Frame, origin: Any, box: Any) -> tuple[float, float, float]:
    """Start and end along the line, and the baseline."""
    x0, y0, x1, y1 = box
    along, down = frame.to_line(*origin)
    if not frame.is_upright:
        return along, max(along, frame.to_line(x1, y1)[0]), down
    corners = [frame.to_line(x, y)[0] for x in (x0, x1) for y in (y0, y1)]
    return min(corners), max(corners), down


def _frame(span: dict[str, Any]) -> Frame:
    cos, sin = span["dir"]
    if span["wmode"]:
        cos, sin = -sin, cos
    length = math.hypot(cos, sin) or 1.0
    cos, sin = round(cos / length, 3), round(sin / length, 3)
    frame = Frame(cos, sin) if cos or sin else Frame(1.0, 0.0)
    _, _, origin, (x0, y0, x1, y1) = span["chars"][0] if span["chars"] else (0, 0, (0, 0), (0, 0, 0, 0))
    sinks = frame.to_line((x0 + x1) / 2, (y0 + y1) / 2)[1] - frame.to_line(*origin)[1]
    return frame._replace(mirror=-1.0) if sinks > 0.15 * span["size"] else frame


def _narrowed(frame: Frame, chars: Any, size: float) -> list[Any]:
    """The glyphs of a slanted line, each box limited by the next origin: upright boxes are wider than the glyphs."""
    along = [frame.to_line(*origin)[0] for _, _, origin, _ in chars]
    ends = [*along[1:], math.inf]
    found = []
    for (code, number, origin, _), start, end in zip(chars, along, ends, strict=True):
        width = end - start if 0 < end - start < 1.5 * size else _TYPICAL * size
        corner = frame.to_page(start + width, frame.to_line(*origin)[1])
        found.append((code, number, origin, (*origin, *corner)))
    return found


@lru_cache(maxsize=1 << 12)
def _is_mark(unicode: str) -> bool:
    return all(unicodedata.category(character) in _MARKS for character in unicode)


def _continues(previous: Glyph, glyph: Glyph) -> bool:
    """Whether `glyph` is a further character of the previous glyph: a letter of a ligature, or a mark without width."""
    if previous.frame != glyph.frame or abs(previous.baseline - glyph.baseline) > glyph.size:
        return False
    if glyph.code != -1 and (glyph.end - glyph.start > 0.01 * glyph.size or not _is_mark(glyph.unicode)):
        return False
    slack = 0.1 * glyph.size
    return previous.start - slack <= glyph.start <= previous.end + slack and not glyph.is_blank
