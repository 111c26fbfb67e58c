"""DOCX: every paragraph, property and attribute of the package is looked at; what cannot be read is taken out."""

from collections.abc import Sequence

from pipeline.documents import docx_media, ooxml, ooxml_links
from pipeline.documents.document import Extraction, Findings, Reading, TextUnit
from pipeline.documents.docx_clean import finish, prepare
from pipeline.documents.ooxml import Package, Part
from pipeline.documents.ooxml_edit import edit
from pipeline.documents.ooxml_text import Piece, Survey
from pipeline.documents.replace import by_unit
from schemas.errors import ErrorCode, StageFailed

_MAIN = "wordprocessingml.document.main+xml"
# Parts whose paragraphs people read, by the last word of their content type; all others are metadata.
_CONTENT = ("document.main+xml", "header+xml", "footer+xml", "footnotes+xml", "endnotes+xml", "comments+xml",
            "chart+xml", "diagramData+xml")  # fmt: skip


def inspect(data: bytes) -> int:
    """Billed pages: none. StageFailed (unsupported_format) when the package cannot be read."""
    _open(data)
    return 0


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """Units of all texts (ids are numbers), and the rasters of the pictures inside."""
    package = _open(data)
    pieces, _ = _survey(package)
    pictures = docx_media.extract(package)
    units = tuple(TextUnit(piece.id, piece.text, piece.context, piece.billed) for piece in pieces)
    return Extraction(units + pictures.units, pictures.rasters), pictures.pixels


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The document with placeholders in text and boxes in pictures, without writers' traces and embedded files."""
    package = _open(data)
    pieces, names = _survey(package)
    edits = by_unit(findings)
    done = edit(pieces, edits)
    if any(unit not in done and unit.isdecimal() for unit in edits):
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    docx_media.redact(package, findings, readings)
    _rename_named(package, [names[unit] for unit in edits if unit in names])
    finish(package)
    return package.write()


def _open(data: bytes) -> Package:
    """The package of a Word document, without what cannot be read; StageFailed (unsupported_format) otherwise."""
    package = ooxml.read(data)
    main = [
        link.target
        for link in ooxml_links.links(package)
        if link.source is None and link.kind == "officeDocument" and link.target is not None
    ]
    if len(main) != 1 or not main[0].content_type.endswith(_MAIN) or main[0].root is None:
        raise ooxml.unreadable()
    prepare(package)
    return package


def _survey(package: Package) -> tuple[list[Piece], dict[str, Part]]:
    """Every piece, the main document first, and which pieces are part names."""
    inner = frozenset(link.row for link in ooxml_links.links(package) if link.target is not None)
    survey = Survey(inner)
    for part in sorted(package.parts.values(), key=_reading_order):
        if part.root is not None:
            survey.part(part, part.content_type.endswith(_CONTENT))
    named = {survey.name(part): part for part in package.parts.values()}
    return survey.pieces, named


def _reading_order(part: Part) -> tuple[int, str]:
    kinds = [kind for kind in _CONTENT if part.content_type.endswith(kind)]
    return (_CONTENT.index(kinds[0]) if kinds else len(_CONTENT), part.name)


def _rename_named(package: Package, parts: Sequence[Part]) -> None:
    """Parts whose own names hold a value get a plain one in the same folder."""
    for number, part in enumerate(parts, 1):
        folder, _, file = part.name.rpartition("/")
        suffix = file.rpartition(".")[2] if "." in file else "xml"
        ooxml_links.rename(package, part, f"{folder}/part_{number}.{suffix}".lstrip("/"))
