"""Words made by hand, for tests in which it does not matter what read them: it was Tesseract."""

from functools import partial

from pipeline.documents import document
from pipeline.ocr.engines import line_word
from pipeline.ocr.layout import lines

Word = partial(document.Word, engine=document.Engine.TESSERACT)
OcrWord = partial(lines.OcrWord, engine=document.Engine.TESSERACT)
LineWord = partial(line_word.LineWord, engine=document.Engine.TESSERACT)
