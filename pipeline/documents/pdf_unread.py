"""Counts what redaction takes out of a PDF without reading it, by kind."""

from collections import Counter
from typing import Any

import pikepdf

from pipeline.documents.document import Unread
from pipeline.documents.limits import MAX_PDF_OBJECTS
from pipeline.documents.pdf_layers import hidden_groups

_ACTIONS = {
    **dict.fromkeys(("/JavaScript", "/Launch", "/SubmitForm", "/ImportData", "/ResetForm", "/Named"), Unread.SCRIPT),
    **dict.fromkeys(("/Hide", "/SetOCGState", "/Trans", "/GoTo3DView"), Unread.SCRIPT),
    **dict.fromkeys(("/GoToR", "/GoToE", "/Thread"), Unread.CONNECTION),
    **dict.fromkeys(("/Rendition", "/Sound", "/Movie", "/RichMediaExecute"), Unread.MEDIA),
}
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


def _kinds(item: Any) -> list[Unread]:
    keys = set(item.keys())
    found = [kind for key, kind in _KEYS.items() if key in keys]
    if "/S" in keys:
        found += [kind for kind in (_ACTIONS.get(str(item["/S"])),) if kind]
    nested = item.get("/A") if "/A" in keys else None
    if isinstance(nested, pikepdf.Dictionary) and not nested.is_indirect and "/S" in nested:
        found += [kind for kind in (_ACTIONS.get(str(nested["/S"])),) if kind]
    if "/Type" in keys or "/Subtype" in keys:
        kind, subtype = str(item.get("/Type", "")), str(item.get("/Subtype", ""))
        if kind == "/Metadata":
            found.append(Unread.METADATA)
        elif kind in ("/Sig", "/DocTimeStamp"):
            found.append(Unread.SIGNATURE)
        elif kind == "/Annot":
            flags = item.get("/F", 0)
            found += [Unread.MEDIA] if subtype in _MEDIA else []
            found += [Unread.LAYER] if isinstance(flags, int) and flags & _UNSEEN else []
    return found
