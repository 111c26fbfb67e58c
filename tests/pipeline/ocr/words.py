"""Words made by hand, for tests in which it does not matter what read them: it was Tesseract."""

from functools import partial

from pipeline.documents import document
from pipeline.ocr.engines import line_word
from pipeline.ocr.layout import lines

Word = partial(document.Word, engine=document.Engine.TESSERACT)
OcrWord = partial(lines.OcrWord, engine=document.Engine.TESSERACT)
LineWord = partial(line_word.LineWord, engine=document.Engine.TESSERACT)


HEIGHT, WIDE = 20, 12  # pixels of a line and of a character


def words_in_line(text: str, left: int, top: int) -> list[OcrWord]:
    """The words of a line that begins there, read surely."""
    words, at = [], left
    for word in text.split():
        words.append(OcrWord(word, at, top, WIDE * len(word), HEIGHT, 99.0))
        at += WIDE * (len(word) + 1)
    return words
