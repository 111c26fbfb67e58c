"""Words made by hand, for tests in which it does not matter what read them: it was Tesseract."""

from collections.abc import Sequence
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


def table(rows: Sequence[str], doubted: str = "") -> tuple[str, list[document.Word]]:
    """The reading of a table: two blanks part cells, 400 pixels apart; nobody is sure of the `doubted` words."""
    text, words = "", []
    for number, row in enumerate(rows):
        for column, cell in enumerate(row.split("  ")):
            left = 100 + 400 * column
            for word in cell.split():
                box = (left, 100 + 44 * number, 20 * len(word), 30)
                words.append(Word(len(text), len(text) + len(word), *box, 50.0 if word in doubted.split() else 99.0))
                text += f"{word} "
                left += 20 * (len(word) + 1)
            text = f"{text.rstrip()}\t"
        text = f"{text.rstrip()}\n"
    return text, words
