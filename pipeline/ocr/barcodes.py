"""Adds the barcodes and matrix codes of a raster to what OCR read in it: their content is text like any other.

The word of a code has the box of the whole code, so that a finding in the content burns the code. A code without
readable content is unread ink, which is burned too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pipeline.documents.document import Engine, Reading, Word
from pipeline.documents.raster.codes.reader import Code, Codes
from pipeline.geometry.strip import Box
from pipeline.ocr.code_content import texts_of

_GAP = "\n\n"  # between texts that do not belong together
_CERTAIN = 100.0  # confidence: a code has check digits
_RELIABLE = 60.0  # confidence of a word that is kept where it lies in a code: somebody wrote over it
_INSIDE = 0.5  # share of a box of ink that belongs to a code


def with_codes(reading: Reading, codes: Codes, shape: tuple[int, int]) -> Reading:
    """The reading with the content of the codes of a raster at its end, and without OCR's noise in them.

    The contents follow as they are, one paragraph each, then their unpacked forms. `shape`: height and width in pixels.
    """
    if not codes.read and not codes.unread:
        return reading
    height, width = shape
    contents = [(code.box(width, height), texts_of(code.text, code.content, code.is_binary)) for code in codes.read]
    unread = [*codes.unread, *(box for box, texts in contents if not texts)]
    clean = [code.box(width, height) for code in codes.read if code.is_clean]
    return _with_texts(_without_noise(reading, [*clean, *unread]), contents, unread)


def content_of(code: Code) -> str:
    """All that a code says, as one text."""
    return "\n".join(texts_of(code.text, code.content, code.is_binary))


def _with_texts(reading: Reading, contents: Sequence[tuple[Box, tuple[str, ...]]], unread: Iterable[Box]) -> Reading:
    text, words = reading.text, list(reading.words)
    for box, content in _plain_first(contents):
        text += _GAP if text else ""
        words.append(Word(len(text), len(text) + len(content), *box, _CERTAIN, Engine.CODE))
        text += content
    return replace(reading, text=text, words=tuple(words), unread=(*reading.unread, *unread))


def _plain_first(contents: Sequence[tuple[Box, tuple[str, ...]]]) -> Iterator[tuple[Box, str]]:
    """The contents as they are, which are billed, and then the unpacked forms, which repeat them."""
    yield from ((box, texts[0]) for box, texts in contents if texts)
    yield from ((box, text) for box, texts in contents for text in texts[1:])


def _without_noise(reading: Reading, boxes: Sequence[Box]) -> Reading:
    """The reading without unreliable words and unread ink inside the boxes: OCR takes modules and bars for letters.

    The text keeps its length; blanks replace the words.
    """
    text, words = list(reading.text), []
    for word in reading.words:
        if word.confidence < _RELIABLE and _is_inside((word.left, word.top, word.width, word.height), boxes):
            text[word.start : word.end] = " " * (word.end - word.start)
        else:
            words.append(word)
    ink = tuple(box for box in reading.unread if not _is_inside(box, boxes))
    lines = tuple(line for line in reading.unread_lines if not _is_inside(line.box, boxes))
    return replace(reading, text="".join(text), words=tuple(words), unread=ink, unread_lines=lines)


def _is_inside(box: Box, others: Iterable[Box]) -> bool:
    left, top, width, height = box
    for x, y, wide, high in others:
        across, down = min(left + width, x + wide) - max(left, x), min(top + height, y + high) - max(top, y)
        if across > 0 and down > 0 and across * down >= _INSIDE * width * height:
            return True
    return False
