"""What the formats have in common: units of text, rasters, readings, findings, and the handler's two verbs.

Everything here crosses the sandbox's border as JSON (dataclasses.asdict): plain data, standard library only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

# In the id of a raster that shows what the one with the id before it, of the same size, cannot show in gray.
BY_HUE = "/hue"
# In the id of a unit that says again, in another order, what the one with the id before it says.
AGAIN = "/again"


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A piece of text that is detected as one: a cell, a paragraph, a page's text layer, an image's words.

    `id` is the handler's own address of it. `context` is a label that stands logically before it (a column's heading).
    `billed` is False for metadata and the like: redacted, but no word of it is charged.
    """

    id: str
    text: str
    context: str = ""
    billed: bool = True


@dataclass(frozen=True, slots=True)
class Fragment:
    """`start:end` of the text of the unit `unit`."""

    unit: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class JoinedText:
    """Pieces of units that may say one thing which layout cut apart; detection reads them as one text too.

    Those of one unit stand in order and overlap nowhere.

    Cells of a row (first and last name, code and number, a character to a box), a paragraph and the next, a page's last
    line and the next one's first. `glue` stands between the pieces: a blank, a line's end, or nothing inside a word.
    `context` is a label of the whole. `flows`: running text that only ran out of room, so that whatever crosses the cut
    is believed; of neighbours that may also mean nothing together only what proves itself is: an IBAN, an e-mail
    address, or with a context one value that is the whole text.
    """

    pieces: tuple[Fragment, ...]
    glue: str = " "
    context: str = ""
    flows: bool = False


@dataclass(frozen=True, slots=True)
class Raster:
    """An image that must be read by OCR. `id` names it in its document; the pixels travel beside, as a PNG or PNM blob.

    `dpi` is the resolution at which the pixels show their page (0: unknown).
    """

    id: str
    width: int
    height: int
    dpi: int = 0
    page: int = 0  # zero-based page of the document


@dataclass(frozen=True, slots=True)
class Word:
    """One word that OCR read: `start:end` in its Reading's text; box in pixels of the raster; confidence 0..100."""

    start: int
    end: int
    left: int
    top: int
    width: int
    height: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What OCR says of one raster: the text in logical order, lines broken by newline, and each word's place.

    `unread` are boxes (left, top, width, height) of text-like ink that no confident word covers.
    """

    raster: str
    text: str
    words: tuple[Word, ...]
    unread: tuple[tuple[int, int, int, int], ...] = ()


class Unread(StrEnum):
    """What is taken out of a document without being read, because nobody here can read it or nobody should."""

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
    """Everything a document says: its units in reading order, the rasters still to be read, and its billed pages.

    `joints` are places where one value may be spread over several units; found values are removed from each of them.
    `unread` counts what redaction takes out without reading it: pairs of kind and number, each kind once, sorted.
    """

    units: tuple[TextUnit, ...]
    rasters: tuple[Raster, ...] = ()
    pages: int = 0
    unread: tuple[tuple[Unread, int], ...] = ()
    joints: tuple[JoinedText, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to remove: `start:end` in the text of the unit `unit` (or of the Reading of the raster of that id)."""

    unit: str
    start: int
    end: int
    type: str
    placeholder: str


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A distinct value of the document: `surface` as first seen, `canonical` as detection normalizes it.

    `distinctive`: long or structured enough that it must occur nowhere in the output, not even inside a longer string.
    """

    type: str
    surface: str
    canonical: str
    placeholder: str
    distinctive: bool


@dataclass(frozen=True, slots=True)
class Findings:
    """What detection says of a whole document: every place, and every distinct value."""

    places: tuple[Finding, ...]
    values: tuple[FoundValue, ...] = field(default=())


class FormatHandler(Protocol):
    """One format's reader and redactor; runs only inside the sandbox child."""

    def extract(self, data: bytes) -> tuple[Extraction, dict[str, bytes]]:
        """The extraction, and the pixels of its rasters by raster id. StageFailed when the document cannot be read."""

    def redact(self, data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
        """The document without what was found. `readings` are the OCR results of the extraction's rasters."""
