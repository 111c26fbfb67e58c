"""Counts what redaction takes out of a PDF without reading it, by kind."""

from collections import Counter
from typing import Any

import pikepdf

from pipeline.documents.document import Unread
from pipeline.documents.limits import MAX_PDF_OBJECTS
from pipeline.documents.pdf_layers import hidden_groups
from pipeline.documents.pdf_names import word_of

_ACTIONS = {
    **dict.fromkeys(("/JavaScript", "/Launch", "/SubmitForm", "/ImportData", "/ResetForm", "/Named"), Unread.SCRIPT),
    **dict.fromkeys(("/Hide", "/SetOCGState", "/Trans", "/GoTo3DView"), Unread.SCRIPT),
    **dict.fromkeys(("/GoToR", "/GoToE", "/Thread"), Unread.CONNECTION),
    **dict.fromkeys(("/Rendition", "/Sound", "/Movie", "/RichMediaExecute"), Unread.MEDIA),
}
_DEEP = 6  # dictionaries inside each other
_FEW = 1000  # members of an array that is looked into
# Keys below which nothing of the kind stands: most of a file's bulk.
_PLAIN = frozenset(
    """/Type /Subtype /S /Parent /Kids /Count /MediaBox /CropBox /Rotate /Contents /Length /Filter /DecodeParms /Width
    /Height /Widths /W /Differences /FontBBox /BBox /Matrix /Rect /ColorSpace /Font /ExtGState /ProcSet /K /Pg /P
    """.split()  # noqa: SIM905
)
_UNSEEN = 2 | 32  # flags of annotations that no screen shows
_MEDIA = frozenset(["/Sound", "/Movie", "/Screen", "/RichMedia", "/3D"])
_KEYS = {
    "/XFA": Unread.FORM, "/Thumb": Unread.THUMBNAIL, "/PieceInfo": Unread.PRIVATE, "/SpiderInfo": Unread.PRIVATE,
    "/StructTreeRoot": Unread.METADATA, "/OPI": Unread.CONNECTION, "/Alternates": Unread.PICTURE,
    "/EF": Unread.ATTACHMENT, "/Collection": Unread.ATTACHMENT, "/OutputIntents": Unread.METADATA,
    "/Threads": Unread.METADATA, "/Perms": Unread.SIGNATURE, "/DSS": Unread.SIGNATURE, "/Measure": Unread.METADATA,
}  # fmt: skip


def unread_of(pdf: pikepdf.Pdf, data: bytes) -> Counter[Unread]:
    """How much of each kind the document holds."""
    counts: Counter[Unread] = Counter()
    for number, item in enumerate(pdf.objects):
        if number > MAX_PDF_OBJECTS:
            break
        if isinstance(item, pikepdf.Dictionary | pikepdf.Stream):
            counts.update(_kinds(item))
    if "/ID" in pdf.trailer:
        counts[Unread.FINGERPRINT] += 1
    counts[Unread.LAYER] += len(hidden_groups(pdf))
    marks = data.count(b"startxref") - (1 if pdf.is_linearized else 0)
    counts[Unread.HISTORY] += max(0, marks - 1)
    return counts


def _kinds(item: Any, depth: int = 0) -> list[Unread]:
    """What an object is, and what the dictionaries inside it are."""
    keys = set(item.keys())
    found = [kind for key, kind in _KEYS.items() if key in keys]
    if "/S" in keys:
        found += [kind for kind in (_ACTIONS.get(_name(item, "/S")),) if kind]
    if "/Type" in keys or "/Subtype" in keys:
        found += _typed(item)
    if depth < _DEEP and not _PLAIN.issuperset(keys):
        inner = [item[key] for key in keys - _PLAIN]
        inner += [
            member for child in inner if isinstance(child, pikepdf.Array) and len(child) < _FEW for member in child
        ]
        for child in inner:
            if isinstance(child, pikepdf.Dictionary) and not child.is_indirect:
                found += _kinds(child, depth + 1)
    return found


def _typed(item: Any) -> list[Unread]:
    kind, subtype = _name(item, "/Type"), _name(item, "/Subtype")
    if kind == "/Metadata":
        return [Unread.METADATA]
    if kind in ("/Sig", "/DocTimeStamp"):
        return [Unread.SIGNATURE]
    if kind != "/Annot":
        return []
    flags = item.get("/F", 0)
    is_unseen = isinstance(flags, int) and flags & _UNSEEN
    return [Unread.MEDIA] * (subtype in _MEDIA) + [Unread.LAYER] * bool(is_unseen)


def _name(item: Any, key: str) -> str:
    value = item.get(key)
    return "/" + word_of(value) if isinstance(value, pikepdf.Name) else ""
