"""Reads a redacted PDF a second time: pdfium says what pages show, pypdf what the file holds."""

import ctypes
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pypdf
import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image
from pypdfium2.version import PDFIUM_INFO, PYPDFIUM_INFO

from pipeline.documents.document import BY_HUE, Raster
from pipeline.verification import normal_forms
from pipeline.verification.image.reader import png
from pipeline.verification.pdf import content_stream, pixels
from pipeline.verification.pdf.objects import Walk, refusing_damage
from pipeline.verification.reading import COVERED, Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

# A PDF page's text with its columns parted: pdfium joins what stands far apart on a line by a single blank.
#
# What was removed between two cells leaves such neighbours: the `5` of a row and its `HR` are no five hours. And it
# joins cells that all but touch by nothing at all: the `1` of a row and its `Salman`.

_WIDE = 3.0  # of the larger side of a glyph: no blank inside a line of text is so wide
_SEAM = 0.07  # of the height of a glyph: a gap between what two operators show
_MAY_BE_SEAM = re.compile(r"\d(?=[^\W\d_])|[^\W\d_](?=\d)|[a-z](?=[A-Z])")
_LONGEST = 40  # signs of a word that are looked at


class _Word(NamedTuple):
    """What a word takes up, and the larger side of its largest glyph."""

    left: float
    bottom: float
    right: float
    top: float
    side: float


def parted(textpage: Any, text: str) -> str:
    """`text`, the page's as pdfium gives it, with a tab for each blank that is as wide as between columns, and a blank
    where a number and a word, or two names, are shown apart.

    Signs that all stand alone stay as they are: they may be a number with a box to a digit.
    """
    if len(text) != textpage.count_chars():
        return text  # some signs of pdfium's have no place of their own, so that none can be told
    signs = list(text)
    blank = text.find(" ")
    while blank > 0:
        if not _are_alone(text, blank) and _is_wide(textpage, text, blank):
            signs[blank] = "\t"
        blank = text.find(" ", blank + 1)
    for match in _MAY_BE_SEAM.finditer(text):
        if _is_seam(textpage, match.start()):
            signs[match.start()] += " "
    return "".join(signs)


def _are_alone(text: str, blank: int) -> bool:
    """Whether single signs stand on both sides of a blank."""
    return not text[max(0, blank - 2) : blank - 1].strip() and not text[blank + 2 : blank + 3].strip()


def _is_wide(textpage: Any, text: str, blank: int) -> bool:
    if blank + 1 >= len(text) or text[blank - 1].isspace() or text[blank + 1].isspace():
        return False
    one_left, _, one_right, _ = textpage.get_charbox(blank - 1, loose=True)
    other_left, _, other_right, _ = textpage.get_charbox(blank + 1, loose=True)
    widest = max(one_right - one_left, other_right - other_left)
    if max(one_left, other_left) - min(one_right, other_right) <= _WIDE * widest:
        return False  # nor are the words apart, which reach as far as these signs, or farther
    if pdfium.FPDFText_GetCharAngle(textpage, blank - 1) > 0:
        return False
    before = text[max(0, blank - _LONGEST) : blank].rsplit(maxsplit=1)[-1]
    after = text[blank + 1 : blank + 1 + _LONGEST].split(maxsplit=1)[0]
    one = _word(textpage, range(blank - len(before), blank))
    other = _word(textpage, range(blank + 1, blank + 1 + len(after)))
    is_level: bool = min(one.top, other.top) > max(one.bottom, other.bottom)
    is_apart: bool = max(one.left, other.left) - min(one.right, other.right) > _WIDE * max(one.side, other.side)
    return is_level and is_apart


def _is_seam(textpage: Any, place: int) -> bool:
    """Whether other operators show the sign after a place, at a distance."""
    if _object(textpage, place) == _object(textpage, place + 1) or pdfium.FPDFText_GetCharAngle(textpage, place) > 0:
        return False
    left, bottom, right, top = textpage.get_charbox(place, loose=True)
    other_left, _, other_right, _ = textpage.get_charbox(place + 1, loose=True)
    is_apart: bool = max(other_left - right, left - other_right) > _SEAM * (top - bottom)
    return is_apart


def _object(textpage: Any, place: int) -> int | None:
    return ctypes.cast(pdfium.FPDFText_GetTextObject(textpage, place), ctypes.c_void_p).value


def _word(textpage: Any, places: range) -> _Word:
    """In an Arabic line the next word, or the next group of digits, stands to the left of the last."""
    boxes = [textpage.get_charbox(place, loose=True) for place in places]
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    side = max(max(right - left, top - bottom) for left, bottom, right, top in boxes)
    return _Word(min(lefts), min(bottoms), max(rights), max(tops), side)


# The groups of digits of Arabic lines in every order in which they may be meant.
#
# Where an Arabic line holds `3221 443 055`, a program that follows UAX 9 means the number that begins with 055; one
# that does not means what stands there from left to right. Readers of PDFs turn some groups round by themselves, and
# leave a plus behind its number. The page does not tell, so each order is a text of its own.

_ARABIC = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = "[0-9\u0660-\u0669\u06f0-\u06f9]"
_BETWEEN = r"[^\w\n\t+]{0,3}"
_RUN = re.compile(
    r"(?P<latin>[A-Za-z][ :.#-]{0,3})?"  # a number that follows a Latin word reads as that does
    rf"\+?{_DIGIT}+\+?(?:{_BETWEEN}\+?{_DIGIT}+\+?)*"
)
# What makes one number of digits: a point, colon or stroke; and hyphens, where no Arabic letter stands before them.
_NUMBERS = (
    re.compile(rf"\+?{_DIGIT}+(?:[.,:/]{_DIGIT}+)*\+?"),
    re.compile(rf"\+?{_DIGIT}+(?:[-.,:/]{_DIGIT}+)*\+?"),
)


def other_orders(text: str) -> list[str]:
    """The text with plus signs before their numbers, and with the groups of its Arabic lines turned round.

    Without those that are the text itself.
    """
    if not _ARABIC.search(text):
        return []
    lines = [(line, _ARABIC.search(line) or not _LETTER.search(line)) for line in text.split("\n")]
    found = []
    for number, is_turned in ((_NUMBERS[0], False), (_NUMBERS[0], True), (_NUMBERS[1], True)):
        orders = (_ordered(line, number, is_turned) if is_arabic else line for line, is_arabic in lines)
        found.append("\n".join(orders))
    return [order for order in dict.fromkeys(found) if order != text]


def _ordered(line: str, number: re.Pattern[str], is_turned: bool) -> str:
    def run(match: re.Match[str]) -> str:
        if match["latin"]:
            return match[0]
        between = number.split(match[0])
        numbers = number.findall(match[0])
        if is_turned:
            numbers.reverse()
            between = [part[::-1] for part in reversed(between)]
        return between[0] + "".join(found + part for found, part in zip(_signed(numbers), between[1:], strict=True))

    return _RUN.sub(run, line)


def _signed(numbers: list[str]) -> list[str]:
    """A single plus belongs before all groups: it tells a country's code."""
    bare = [found.strip("+") for found in numbers]
    if sum(found != plain for found, plain in zip(numbers, bare, strict=True)) == 1:
        return ["+" + bare[0], *bare[1:]]
    return [f"+{plain}" if found != plain else plain for found, plain in zip(numbers, bare, strict=True)]


# Nameless glyphs between Arabic letters, which pdfium tells by their bare codes: they lengthen words, and part none.
_NAMELESS = re.compile("(?<=[\u0620-\u064a\u0671-\u06d3])[\x00-\x08\x0b\x0c\x0e-\x1f]+(?=[\u0620-\u064a\u0671-\u06d3])")
_READERS = (f"pypdfium2 {PYPDFIUM_INFO}", f"pdfium {str(PDFIUM_INFO).partition('@')[0]}", f"pypdf {pypdf.__version__}")


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Pages' text and readable strings as texts, all other strings as raw, pages with pictures as rasters.

    StageFailed(verify_failed) for a file that is damaged, encrypted, has revisions or holds other files.
    """
    with refusing_damage():
        walk = Walk(data)
        streams = content_stream.read(walk)
    texts: dict[Passage, None] = dict.fromkeys(Passage(text) for text in walk.texts if text.strip())
    rasters: list[Raster] = []
    pngs: dict[str, bytes] = {}
    pages: list[str] = []
    try:
        with pypdfium2.PdfDocument(data) as document:
            if len(document) != len(walk.reader.pages):
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            for number in range(len(document)):
                page = document[number]
                text = _text(page)
                pages.append(text)
                is_doubtful = pixels.is_doubtful(page, text, walk.reader.pages[number])
                for ending, image in _images(page, is_doubtful):
                    raster = Raster(f"page/{number}{ending}", image.width, image.height, pixels.dpi(page), number)
                    rasters.append(raster)
                    pngs[raster.id] = png(image)
                page.close()
    except (pypdfium2.PdfiumError, ValueError, TypeError, KeyError, AttributeError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None
    shown = (*pages, *(order for page_text in pages for order in other_orders(page_text)))
    texts.update(dict.fromkeys(map(Passage, (*shown, *_unseen(pages, streams)))))
    # Values are also looked for as if no columns were: digits of one may stand far apart.
    raw = dict.fromkeys((*walk.raw, *_decoded(streams), "\n".join(pages).replace("\t", " ")))
    said = SecondReading(tuple(texts), tuple(rasters), tuple(raw), walk.objects, len(pages), _READERS)
    return said, pngs


def _images(page: Any, is_doubtful: bool) -> Iterator[tuple[str, Image.Image]]:
    """The pictures of a page that OCR must see, each with the ending of its id."""
    for layer, image in enumerate(pixels.pictures(page, is_doubtful)):
        yield f"{BY_HUE}{layer}" if layer else "", image
    for number, image in enumerate(pixels.covered(page)):
        yield f"{COVERED}{number}", image


def _decoded(streams: content_stream.Streams) -> Iterator[str]:
    """What streams show in every reading, and all pages' own in one text: a value may go on overleaf."""
    for said in (*streams.pages, *streams.others):
        yield from dict.fromkeys((said.mapped, said.named, said.plain, said.wide))
    yield "\n".join(said.mapped for said in streams.pages)
    yield "\n".join(said.named for said in streams.pages)


def _unseen(pages: list[str], streams: content_stream.Streams) -> Iterator[str]:
    """The lines that streams show and pdfium does not: clipped, never drawn, or mapped to other letters."""
    letters = [normal_forms.letters(text) for text in pages]
    everything = "".join(letters)
    shown = [*zip(streams.pages, letters, strict=True), *((said, everything) for said in streams.others)]
    for said, known in shown:
        for text in dict.fromkeys((said.mapped, said.named)):
            lines = ((line, normal_forms.letters(line)) for line in text.split("\n"))
            unseen = [line for line, own in lines if own and not _is_in(own, known) and own not in everything]
            if unseen:
                yield "\n".join(unseen)


def _is_in(line: str, text: str) -> bool:
    return line in text or line[::-1] in text


def _text(page: Any) -> str:
    textpage = page.get_textpage()
    said: str = parted(textpage, textpage.get_text_range())
    textpage.close()
    return _NAMELESS.sub("\u0640", said).replace("\r\n", "\n").replace("\ufffe", "-").replace("\x02", "-")
