"""Loads what OCR needs before there is a raster: the sandbox's zygote calls it once and forks a child per raster."""


def preload() -> None:
    """Imports the parsers of rasters and loads all networks. No thread starts: none would be alive after a fork."""
    import cv2

    cv2.setNumThreads(0)
    from pipeline import rereading  # noqa: F401
    from pipeline.documents.raster.codes import reader  # noqa: F401
    from pipeline.ocr.engines import latin_recognizer, number_recognizer, text_detector
    from pipeline.verification import number_recognizer as second_number_recognizer

    text_detector.load()
    latin_recognizer.load()
    number_recognizer.reader()
    second_number_recognizer.reader()
