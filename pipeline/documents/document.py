"""What all formats share: text units, rasters, readings, findings, and the interface of a format handler.

Everything here crosses the sandbox's boundary as JSON (dataclasses.asdict): plain data, standard library only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from pipeline.geometry.strip import Box, Strip

# Suffix of the id of a further view of a transparent image: on another background it may show other text.
VIEW = "/view"
# Suffix of the id of the view, in the second reading, that is a drawing of ink that people hardly see.
INVISIBLE_INK = f"{VIEW}/invisible-ink"
# Suffix of the id of a unit that repeats another unit in a different reading order.
AGAIN = "/again"


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A text that is detected as one: a cell, a paragraph, the text layer of a page, the words of an image.

    `id` is the handler's address of it. `context` is the label before it, such as the heading of a column. `billed` is
    False for metadata and the like: they are redacted, but their words are not charged. `seen`: people read it although
    it is not billed, as they read bookmarks.
    """

    id: str
    text: str
    context: str = ""
    billed: bool = True
    seen: bool = False


@dataclass(frozen=True, slots=True)
class Fragment:
    """`start:end` of the text of the unit `unit`."""

    unit: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class JoinedText:
    """Fragments of units that layout may have cut from one value; detection also reads them as one text.

    Examples: cells of a row (first and last name, one character in each box), two paragraphs, the last line of a page
    and the first of the next. Fragments of one unit are in order and do not overlap. `glue` stands between fragments: a
    blank, a line break, or nothing inside a word. `context` is the label of the whole. With `flows` it is running text,
    and any value across the cut counts. Otherwise only values count that prove themselves: an IBAN, an e-mail address,
    or with a `context` one value that is the whole text.
    """

    pieces: tuple[Fragment, ...]
    glue: str = " "
    context: str = ""
    flows: bool = False


@dataclass(frozen=True, slots=True)
class Raster:
    """An image for OCR. `id` names it in its document; its pixels are passed separately, as PNG or PNM bytes.

    `dpi` is the resolution at which the pixels show their page (0: unknown).
    """

    id: str
    width: int
    height: int
    dpi: int = 0
    page: int = 0  # zero-based page of the document


class Engine(StrEnum):
    """What reads words of rasters."""

    LINE_RECOGNIZER = "line_recognizer"  # our network, in the first reading
    PP_OCR = "pp_ocr"  # its recognizer of Latin letters and ASCII digits
    TESSERACT = "tesseract"
    NUMBER_RECOGNIZER = "number_recognizer"  # our network, in the second reading
    CODE = "code"  # a decoded barcode or matrix code
    LABEL = "label"  # a label that redaction printed, drawn again and compared


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a raster: `start:end` in the text of its Reading; box in pixels; confidence 0 to 100; what read it.

    The box of a slanted word is the one around its `strip`.
    """

    start: int
    end: int
    left: int
    top: int
    width: int
    height: int
    confidence: float
    engine: Engine
    strip: Strip | None = None

    def boxes(self, shape: tuple[int, int]) -> Iterator[Box]:
        """Upright boxes in a raster (`shape`: height, width) that cover it."""
        if self.strip is None:
            yield self.left, self.top, self.width, self.height
        else:
            yield from self.strip.boxes(shape)


@dataclass(frozen=True, slots=True)
class Reading:
    """What OCR read in one raster: the text in logical order with line breaks, and the place of each word.

    `unread` are boxes (left, top, width, height) of ink that looks like text and that no confident word covers, in the
    second reading of codes; `unread_lines`, of the second reading only, are parts of lines in which it read nothing.
    """

    raster: str
    text: str
    words: tuple[Word, ...]
    unread: tuple[Box, ...] = ()
    unread_lines: tuple[Strip, ...] = ()


class Unread(StrEnum):
    """Kinds of content that is removed without being read."""

    ATTACHMENT = "attachment"  # embedded files, packages, OLE objects, alternative chunks
    CONNECTION = "connection"  # external links, data connections, mail-merge sources
    FINGERPRINT = "fingerprint"  # revision ids, drawn numbers, printer settings, writers' traces
    FONT = "font"
    FORM = "form"  # XFA and other forms that programs draw
    HISTORY = "history"  # earlier versions of the document
    LAYER = "layer"  # hidden content
    MEDIA = "media"  # audio and video
    METADATA = "metadata"
    PICTURE = "picture"  # pictures in forms that cannot be read, which become blank
    PRIVATE = "private"  # data that a program keeps for itself
    SCRIPT = "script"  # JavaScript and other actions
    SIGNATURE = "signature"
    THUMBNAIL = "thumbnail"


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything that a document says: units in reading order, rasters for OCR, and the number of billed pages.

    `joints` are texts that may be one value over several units; a value found there is removed from each unit. `unread`
    counts what redaction removes without reading it: pairs of kind and number, each kind once, sorted.
    """

    units: tuple[TextUnit, ...]
    rasters: tuple[Raster, ...] = ()
    pages: int = 0
    unread: tuple[tuple[Unread, int], ...] = ()
    joints: tuple[JoinedText, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One place to redact: `start:end` in the text of the unit, or of the Reading of the raster, with the id `unit`."""

    unit: str
    start: int
    end: int
    type: str
    placeholder: str


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A distinct value of the document: `surface` as first seen, `canonical` as detection normalizes it.

    `distinctive`: long or structured enough that it must not occur in the output, not even inside a longer string.
    """

    type: str
    surface: str
    canonical: str
    placeholder: str
    distinctive: bool


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a whole document: every place and every distinct value.

    `dismissed` are types and surfaces that the rules took for names and the tagger, which reads the whole document, did
    not: the second reading, which reads by rules alone, does not hold them against the output.
    """

    places: tuple[Finding, ...]
    values: tuple[FoundValue, ...] = field(default=())
    dismissed: tuple[tuple[str, str], ...] = field(default=())


class FormatHandler(Protocol):
    """The functions of a format's handler module, which runs only inside the sandbox child."""

    def extract(self, data: bytes) -> tuple[Extraction, dict[str, bytes]]:
        """The extraction, and the pixels of its rasters by raster id. StageFailed if the document cannot be read."""

    def redact(self, data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
        """The document without the findings. `readings` are the OCR results of the extraction's rasters."""
