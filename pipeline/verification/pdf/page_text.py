"""The text of a PDF page from pdfium, with columns separated and with every possible order of digit groups.

pdfium joins cells that are far apart on a line with a single space, and cells that almost touch without one. Once
redaction has removed the cells between them, `5` and `HR` would read as five hours, and `1` and `Salman` as one word.
"""

import ctypes
import re
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

_COLUMN_GAP = 3.0  # times the larger side of a glyph: no space inside a line of text is so wide
_OBJECT_GAP = 0.07  # times the height of a glyph: a gap between two text objects
_MAY_BE_OBJECT_GAP = re.compile(r"\d(?=[^\W\d_])|[^\W\d_](?=\d)|[a-z](?=[A-Z])")
_MAX_WORD = 40  # characters of a word whose boxes are read
_ARABIC = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = "[0-9\u0660-\u0669\u06f0-\u06f9]"
_SEPARATOR = r"[^\w\n\t+]{0,3}"
_DIGIT_GROUPS = re.compile(
    r"(?P<latin>[A-Za-z][ :.#-]{0,3})?"  # a number after a Latin word reads from left to right
    rf"\+?{_DIGIT}+\+?(?:{_SEPARATOR}\+?{_DIGIT}+\+?)*"
)
# One number: digits joined by a point, comma, colon or slash; in the second pattern also by a hyphen.
_NUMBERS = (
    re.compile(rf"\+?{_DIGIT}+(?:[.,:/]{_DIGIT}+)*\+?"),
    re.compile(rf"\+?{_DIGIT}+(?:[-.,:/]{_DIGIT}+)*\+?"),
)
# Glyphs without a character between Arabic letters, which pdfium gives as control codes: they are elongations.
_UNMAPPED_ELONGATION = re.compile(
    "(?<=[\u0620-\u064a\u0671-\u06d3])[\x00-\x08\x0b\x0c\x0e-\x1f]+(?=[\u0620-\u064a\u0671-\u06d3])"
)


class _Word(NamedTuple):
    """The bounds of a word, and the larger side of its largest glyph."""

    left: float
    bottom: float
    right: float
    top: float
    side: float


def page_text(page: Any) -> str:
    """The text of a pdfium page with columns separated, line ends as `\\n` and hyphens at line ends as `-`."""
    textpage = page.get_textpage()
    text: str = with_columns(textpage, textpage.get_text_range())
    textpage.close()
    return _UNMAPPED_ELONGATION.sub("\u0640", text).replace("\r\n", "\n").replace("\ufffe", "-").replace("\x02", "-")


def with_columns(textpage: Any, text: str) -> str:
    """The text of a page as pdfium gives it, with columns separated.

    A space as wide as a column gap becomes a tab; a space is added between two text objects that touch, where a number
    meets a word or two names meet. Single characters with spaces between them stay: they may be a number in a form
    with one box per digit.
    """
    if len(text) != textpage.count_chars():
        return text  # some characters have no box of their own, so no index is reliable
    characters = list(text)
    blank = text.find(" ")
    while blank > 0:
        if not _between_single_characters(text, blank) and _is_column_gap(textpage, text, blank):
            characters[blank] = "\t"
        blank = text.find(" ", blank + 1)
    for match in _MAY_BE_OBJECT_GAP.finditer(text):
        if _is_object_gap(textpage, match.start()):
            characters[match.start()] += " "
    return "".join(characters)


def _between_single_characters(text: str, blank: int) -> bool:
    """Whether a space is between two single characters."""
    return not text[max(0, blank - 2) : blank - 1].strip() and not text[blank + 2 : blank + 3].strip()


def _is_column_gap(textpage: Any, text: str, blank: int) -> bool:
    if blank + 1 >= len(text) or text[blank - 1].isspace() or text[blank + 1].isspace():
        return False
    one_left, _, one_right, _ = textpage.get_charbox(blank - 1, loose=True)
    other_left, _, other_right, _ = textpage.get_charbox(blank + 1, loose=True)
    widest = max(one_right - one_left, other_right - other_left)
    if max(one_left, other_left) - min(one_right, other_right) <= _COLUMN_GAP * widest:
        return False  # then the words, which reach at least as far as these characters, are not apart either
    if pdfium.FPDFText_GetCharAngle(textpage, blank - 1) > 0:
        return False
    before = text[max(0, blank - _MAX_WORD) : blank].rsplit(maxsplit=1)[-1]
    after = text[blank + 1 : blank + 1 + _MAX_WORD].split(maxsplit=1)[0]
    one = _word_bounds(textpage, range(blank - len(before), blank))
    other = _word_bounds(textpage, range(blank + 1, blank + 1 + len(after)))
    is_level: bool = min(one.top, other.top) > max(one.bottom, other.bottom)
    is_apart: bool = max(one.left, other.left) - min(one.right, other.right) > _COLUMN_GAP * max(one.side, other.side)
    return is_level and is_apart


def _is_object_gap(textpage: Any, index: int) -> bool:
    """Whether the next character belongs to another text object and has a gap before it."""
    if (
        _text_object(textpage, index) == _text_object(textpage, index + 1)
        or pdfium.FPDFText_GetCharAngle(textpage, index) > 0
    ):
        return False
    left, bottom, right, top = textpage.get_charbox(index, loose=True)
    other_left, _, other_right, _ = textpage.get_charbox(index + 1, loose=True)
    is_apart: bool = max(other_left - right, left - other_right) > _OBJECT_GAP * (top - bottom)
    return is_apart


def _text_object(textpage: Any, index: int) -> int | None:
    return ctypes.cast(pdfium.FPDFText_GetTextObject(textpage, index), ctypes.c_void_p).value


def _word_bounds(textpage: Any, indices: range) -> _Word:
    """The bounds of these characters; in an Arabic line the next word is to the left of the previous one."""
    boxes = [textpage.get_charbox(index, loose=True) for index in indices]
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    side = max(max(right - left, top - bottom) for left, bottom, right, top in boxes)
    return _Word(min(lefts), min(bottoms), max(rights), max(tops), side)


def other_digit_orders(text: str) -> list[str]:
    """The text with the digit groups of its Arabic lines in each other order that may be meant.

    For `3221 443 055` in an Arabic line, a program that follows UAX 9 means the number that begins with 055; another
    program means the digits from left to right. PDF readers also reverse some groups, and leave a plus sign after its
    number. The page does not show which is meant, so each order is a text of its own.
    """
    if not _ARABIC.search(text):
        return []
    lines = [(line, _ARABIC.search(line) or not _LETTER.search(line)) for line in text.split("\n")]
    found = []
    for number, is_reversed in ((_NUMBERS[0], False), (_NUMBERS[0], True), (_NUMBERS[1], True)):
        orders = (_with_digit_order(line, number, is_reversed) if is_arabic else line for line, is_arabic in lines)
        found.append("\n".join(orders))
    return [order for order in dict.fromkeys(found) if order != text]


def _with_digit_order(line: str, number: re.Pattern[str], is_reversed: bool) -> str:
    def run(match: re.Match[str]) -> str:
        if match["latin"]:
            return match[0]
        separators = number.split(match[0])
        numbers = number.findall(match[0])
        if is_reversed:
            numbers.reverse()
            separators = [part[::-1] for part in reversed(separators)]
        return separators[0] + "".join(
            found + part for found, part in zip(_with_plus_in_front(numbers), separators[1:], strict=True)
        )

    return _DIGIT_GROUPS.sub(run, line)


def _with_plus_in_front(numbers: list[str]) -> list[str]:
    """The numbers with plus signs in front; a single plus goes before the first group, as of a country code."""
    bare = [found.strip("+") for found in numbers]
    if sum(found != plain for found, plain in zip(numbers, bare, strict=True)) == 1:
        return ["+" + bare[0], *bare[1:]]
    return [f"+{plain}" if found != plain else plain for found, plain in zip(numbers, bare, strict=True)]
