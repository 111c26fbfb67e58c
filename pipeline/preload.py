"""Loads what children of a sandbox need before there is a document: a zygote calls one of these once, then forks.

No thread may start here: none would be alive after a fork.
"""

from collections.abc import Callable

from pipeline.codec import dump
from pipeline.documents.document import Finding, Findings, FoundValue
from pipeline.sandbox.child import answer

_EXAMPLE = b"Name,Mobile\nReem Alharbi,0501234567\n"
_FOUND = Findings(
    (Finding("1:0", 0, 12, "PERSON", "PERSON_NAME_01"),),
    (FoundValue("PERSON", "Reem Alharbi", "reem alharbi", "PERSON_NAME_01", distinctive=True),),
)


def readers() -> None:
    """Imports the parsers of rasters; loads all networks of OCR and the labels of values."""
    import cv2

    cv2.setNumThreads(0)
    from pipeline import rereading  # noqa: F401
    from pipeline.detect.text import headings
    from pipeline.documents.raster.codes import reader  # noqa: F401
    from pipeline.networks import pretrained_detector
    from pipeline.ocr.engines import latin_recognizer, line_recognizer, text_detector
    from pipeline.verification import number_recognizer

    headings.load()
    text_detector.load()
    pretrained_detector.load()
    latin_recognizer.load()
    line_recognizer.reader()
    number_recognizer.reader()


def parsers() -> Callable[[], None]:
    """Imports what reads and writes documents of every format, on both sides, and passes an example through it.

    Children can do the latter again while they wait.
    """
    import cv2

    cv2.setNumThreads(0)
    from PIL import Image

    from pipeline.documents.csv import handler as csv  # noqa: F401
    from pipeline.documents.docx import handler as docx  # noqa: F401
    from pipeline.documents.image import handler as image  # noqa: F401
    from pipeline.documents.pdf import handler as pdf  # noqa: F401
    from pipeline.documents.pptx import handler as pptx  # noqa: F401
    from pipeline.documents.xlsx import handler as xlsx  # noqa: F401
    from pipeline.verification import csv as second_csv  # noqa: F401
    from pipeline.verification.codes import reader as second_codes  # noqa: F401
    from pipeline.verification.image import reader as second_image  # noqa: F401
    from pipeline.verification.ooxml import docx as second_docx  # noqa: F401
    from pipeline.verification.ooxml import pptx as second_pptx  # noqa: F401
    from pipeline.verification.ooxml import xlsx as second_xlsx  # noqa: F401
    from pipeline.verification.pdf import reader as second_pdf  # noqa: F401

    Image.preinit()  # its decoders
    _rehearse()  # what is compiled and cached for this one, no child needs to
    return _rehearse


def _rehearse() -> None:
    answer("extract", {"format": "csv"}, {"data": _EXAMPLE})
    answer("redact", {"format": "csv"}, {"data": _EXAMPLE, "findings": dump(_FOUND)})
    answer("second_reading", {"format": "csv"}, {"data": _EXAMPLE})
