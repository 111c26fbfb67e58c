"""The result types of the second reading (`SecondReading`) and of the verdict (`Leftover`)."""

from dataclasses import dataclass
from typing import Literal

from pipeline.documents.document import Raster

COVERED = "/under/"  # in the id of a raster that shows images which later drawings of the page cover
# Replaces each letter of a word that OCR read with low confidence, so that the words around it stay apart.
UNRELIABLE_LETTER = "\u2588"


@dataclass(frozen=True, slots=True)
class Passage:
    """One continuous text; `context` is its label, for example the heading of its column.

    `order`: of its characters, "logical" as OCR gives them, or "guessed" from it.
    """

    text: str
    context: str = ""
    order: Literal["unknown", "logical", "guessed"] = "unknown"


@dataclass(frozen=True, slots=True)
class SecondReading:
    """The whole content of an output, read by libraries that did not write it.

    `texts` is what people read (pages, paragraphs, cells, properties). The verdict searches all found values in it and
    runs detection over it. `raw` is what only programs read (XML parts, attributes, PDF strings, decoded streams,
    bytes after the end of the file). The verdict searches only distinctive values in it, because most numbers and names
    there belong to the file format. `rasters` still need OCR; their pixels are passed separately, by raster id.
    `parts` counts the parts read (files of a package, objects of a PDF, frames, else 1), `pages` the pages, sheets or
    slides. `readers` names the libraries with their versions, for example `pypdf 6.4.0`.
    """

    texts: tuple[Passage, ...]
    rasters: tuple[Raster, ...] = ()
    raw: tuple[str, ...] = ()
    parts: int = 0
    pages: int = 0
    readers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leftover:
    """A value that should have been removed and is still in the output: its type, and its text in the output.

    `known`: the value is among the findings, so redaction missed an occurrence; otherwise detection found it only now.
    `sure`: false for a value that rests on uncertain OCR alone. Such a value is burned if its place is known, and no
    longer fails the output in the last round. Holds personal data: never log it.
    """

    type: str
    surface: str
    known: bool
    sure: bool = True
