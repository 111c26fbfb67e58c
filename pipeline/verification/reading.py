"""What the second reading of an output hands to the verdict, and what the verdict answers."""

from dataclasses import dataclass

from pipeline.documents.document import Raster

UNDER = "/under/"  # in the id of a raster of what lies under a page's drawings
PARTED = "\u2588"  # stands in a reading for each letter of a word that OCR does not believe: its neighbours are none


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that is read as one; `context` is a label that stands logically before it (a column's heading)."""

    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class SecondReading:
    """Everything that an output still says, read by libraries that did not write it.

    `texts` is what people read (pages, paragraphs, cells, properties): found values are searched in it and detection
    runs over it. `raw` is what only programs read (XML parts, attributes, PDF strings, decoded streams, file tails):
    only distinctive found values are searched in it, because its numbers and names are mostly the format's own.
    `rasters` are still to be read by OCR; their pixels travel beside, by raster id.
    `parts` is how many parts of the file were read (files of a package, objects of a PDF, frames, else 1), `pages` how
    many pages, sheets or slides; `readers` names the libraries that read, with their versions: `pypdf 6.4.0`.
    """

    texts: tuple[Passage, ...]
    rasters: tuple[Raster, ...] = ()
    raw: tuple[str, ...] = ()
    parts: int = 0
    pages: int = 0
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something that should be gone and is not: its type, and its surface as the output shows it.

    `known`: it is one of the values already found (the redaction missed a place), not one newly detected.
    `sure`: not only a guess of OCR's, which is burned where it can be, and refused no more once that was done.
    Holds personal data: it may be merged into findings for another round, never logged.
    """

    type: str
    surface: str
    known: bool
    sure: bool = True
