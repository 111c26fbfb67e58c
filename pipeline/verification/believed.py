"""What of a reading by OCR is believed: words below its confidence are noise more often than text."""

from pipeline.documents.document import Reading
from pipeline.verification.reading import PARTED, Passage

LEAST_CONFIDENCE = 60.0  # of a word that OCR read (0..100)
LEAST_OF_NUMBER = 80.0  # of a number that no check digit proves: one wrong digit makes an amount of anything


def parted(reading: Reading, least_of_number: float = LEAST_CONFIDENCE) -> Passage:
    """The words that are believed; what stood between them parts them.

    Redaction burned every doubtful word that was there before it, and found values are looked for in them all the same.
    """
    return _confident(reading, PARTED, least_of_number)


def joined(reading: Reading) -> Passage:
    """The words that are believed as if nothing stood between them: it may be the frame of a box that burned a word."""
    return _confident(reading, " ", LEAST_CONFIDENCE)


def _confident(reading: Reading, instead: str, least_of_number: float) -> Passage:
    text = list(reading.text)
    for word in reading.words:
        said = text[word.start : word.end]
        is_number = any(sign.isdigit() for sign in said)
        if word.confidence < (least_of_number if is_number else LEAST_CONFIDENCE):
            is_mark = not any(sign.isalnum() for sign in said)
            text[word.start : word.end] = (" " if is_mark else instead) * len(said)
    return Passage("".join(text))
