"""Why a document is not supported: one table of reasons, each with a sentence that says what its owner can do."""

from enum import StrEnum


class Reason(StrEnum):
    """The `reason` beside `unsupported_format`."""

    EMPTY = "empty"
    UNKNOWN_TYPE = "unknown_type"
    TYPE_MISMATCH = "type_mismatch"
    LEGACY_OFFICE = "legacy_office"
    MACRO_ENABLED = "macro_enabled"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    UNSUPPORTED_FEATURE = "unsupported_feature"
    TOO_LARGE_PAGE = "too_large_page"
    TOO_COMPLEX = "too_complex"


REMEDY: dict[Reason, str] = {
    Reason.EMPTY: "The file has no content: upload the document itself.",
    Reason.UNKNOWN_TYPE: "Convert the document to PDF, DOCX, XLSX, PPTX, CSV, PNG, JPEG or TIFF.",
    Reason.TYPE_MISMATCH: "The content is not of the declared type: correct the type or the ending of the file name.",
    Reason.LEGACY_OFFICE: "Save the document as DOCX, XLSX or PPTX.",
    Reason.MACRO_ENABLED: "Save the document without macros, as DOCX, XLSX or PPTX.",
    Reason.ENCRYPTED: "Save the document without a password.",
    Reason.CORRUPT: "The file is damaged or incomplete: open it in its program, save it again and upload the new file.",
    Reason.UNSUPPORTED_FEATURE: "The document uses a feature that cannot be redacted safely: export it as PDF.",
    Reason.TOO_LARGE_PAGE: "A page or picture is too large: scale it down.",
    Reason.TOO_COMPLEX: "The document is too large or too complex: split it into smaller documents.",
}
