"""DOCX: reads every paragraph, property and attribute of the package, and removes what cannot be read."""

from collections.abc import Sequence

from pipeline.documents.document import Extraction, Findings, Reading, Unread
from pipeline.documents.ooxml import charts
from pipeline.documents.ooxml import handler as office

# Parts with content, by the end of their content type, in reading order.
_CONTENT = ("document.main+xml", "header+xml", "footer+xml", "footnotes+xml", "endnotes+xml", "comments+xml",
            "chart+xml", "diagramData+xml")  # fmt: skip
# Types of relationships whose targets are removed.
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
# Parts that a document does not need: fonts, colours, settings, and extensions of comments.
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
    """Units of all texts, with numbers as ids, and the rasters of the pictures in the package."""
    return office.extract(data, PROFILE)


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The document with placeholders in its text and boxes in its pictures.

    Authors' traces and embedded files are removed.
    """
    return office.redact(data, PROFILE, findings, readings)
