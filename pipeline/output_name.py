"""The name of a redacted file: the name of the original with every value found in it replaced."""

from dataclasses import replace
from pathlib import PurePosixPath

from pipeline.documents.document import Extraction, Findings, TextUnit

_UNIT = "::file-name"  # no handler's unit is called so


def with_name(extraction: Extraction, filename: str) -> Extraction:
    """The extraction with the file's name as its last unit, so that a value has the same number there as inside.

    Underscores join words in file names: detection sees blanks there, one for one.
    """
    unit = TextUnit(_UNIT, PurePosixPath(filename).stem.replace("_", " "), billed=False)
    return replace(extraction, units=(*extraction.units, unit))


def without_name(findings: Findings) -> Findings:
    """The findings of the document itself."""
    return replace(findings, places=tuple(place for place in findings.places if place.unit != _UNIT))


def output_name(filename: str, findings: Findings) -> str:
    """The name with its values replaced by their placeholders; the extension stays."""
    path = PurePosixPath(filename)
    pieces, last = [], 0
    for place in sorted(findings.places, key=lambda place: place.start):
        if place.unit == _UNIT and place.start >= last:
            pieces += [path.stem[last : place.start], place.placeholder]
            last = place.end
    return "".join([*pieces, path.stem[last:], path.suffix])
