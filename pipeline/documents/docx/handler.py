"""DOCX: every paragraph, property and attribute of the package is looked at; what cannot be read is taken out."""

from collections.abc import Sequence

from pipeline.documents.document import Extraction, Findings, Reading, Unread
from pipeline.documents.ooxml import charts
from pipeline.documents.ooxml import handler as office

# Parts whose paragraphs people read, by the end of their content type, in reading order.
_CONTENT = ("document.main+xml", "header+xml", "footer+xml", "footnotes+xml", "endnotes+xml", "comments+xml",
            "chart+xml", "diagramData+xml")  # fmt: skip
# Kinds of relationships whose targets are removed.
_ATTACHED = ("aFChunk", "glossaryDocument", "subDocument")
_CONNECTED = (
    "attachedTemplate",
    "mailMergeSource",
    "mailMergeHeaderSource",
    "recipientData",
    "frame",
    "webSettingsFrame",
)
_PRIVATE = ("customXmlMappings", "attachedToolbars", "keyMapCustomizations", "model3d", "webextension",
            "webextensiontaskpanes", "tasks", "documenttasks", "classificationlabels", "userCustomization")  # fmt: skip
# Parts that a document can do without: fonts, colours, settings, and what goes with comments.
_OPTIONAL = ("fontTable+xml", "theme+xml", "wordprocessingml.settings+xml", "webSettings+xml", "stylesWithEffects+xml",
             "people+xml", "commentsExtended+xml", "commentsIds+xml", "commentsExtensible+xml")  # fmt: skip

PROFILE = office.Profile(
    main=("wordprocessingml.document.main+xml",),
    content=_CONTENT,
    removed={
        **dict.fromkeys(_ATTACHED, Unread.ATTACHMENT),
        **dict.fromkeys(_CONNECTED, Unread.CONNECTION),
        **dict.fromkeys(_PRIVATE, Unread.PRIVATE),
    },
    dropped={
        **dict.fromkeys(("rsids", "presenceInfo", "nsid", "tmpl", "docId"), Unread.FINGERPRINT),
        **dict.fromkeys(("writeProtection", "fldData", "saveThroughXslt"), Unread.PRIVATE),
        **dict.fromkeys(("mailMerge", "attachedTemplate"), Unread.CONNECTION),
    },
    optional=_OPTIONAL,
    prepare=charts.unanchor_references,
)


def inspect(data: bytes) -> int:
    """Billed pages: none. StageFailed (unsupported_format) when the package cannot be read."""
    office.open_package(data, PROFILE)
    return 0


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """Units of all texts (ids are numbers), and the rasters of the pictures inside."""
    return office.extract(data, PROFILE)


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The document with placeholders in text and boxes in pictures, without writers' traces and embedded files."""
    return office.redact(data, PROFILE, findings, readings)
