"""Rewrites a PDF with nothing but its pages: no metadata, outlines, scripts, attachments, forms, tags or history."""

import io
import zlib
from typing import Any

import pikepdf

from pipeline.documents.jpeg_segments import plain_picture
from schemas.errors import ErrorCode, StageFailed

_CATALOG = frozenset(["/Type", "/Pages", "/Version", "/PageLayout"])
_PAGE = frozenset(
    [
        "/Type",
        "/Parent",
        "/MediaBox",
        "/CropBox",
        "/Rotate",
        "/Resources",
        "/Contents",
        "/UserUnit",
        "/Group",
    ]
)
# Keys that carry text or history beside what is shown, wherever they stand.
_ASIDE = (
    "/Metadata",
    "/PieceInfo",
    "/LastModified",
    "/AF",
    "/Alternates",
    "/OPI",
    "/StructParent",
    "/StructParents",
    "/OC",
    "/Measure",
    "/PtData",
    "/ID",
    "/URI",
)
_PICTURES = ("/DCTDecode", "/DCT", "/JPXDecode")
_MARKED = (b"/ActualText", b"/Alt", b"/E")


def scrubbed(data: bytes) -> bytes:
    """The same pages in a new file without anything beside them. StageFailed(redaction_incomplete) if it cannot."""
    try:
        with pikepdf.open(io.BytesIO(data)) as pdf:
            _strip_catalog(pdf)
            for page in pdf.pages:
                _keep(page.obj, _PAGE)
                _strip_marked_content(pdf, page)
            pdf.remove_unreferenced_resources()
            for item in pdf.objects:
                if isinstance(item, pikepdf.Dictionary | pikepdf.Stream):
                    _strip(item)
                if isinstance(item, pikepdf.Stream):
                    _strip_picture(item)
            out = io.BytesIO()
            pdf.save(out, compress_streams=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
            return out.getvalue()
    except (pikepdf.PdfError, pikepdf.PasswordError, ValueError, TypeError, KeyError, zlib.error):
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE) from None


def _strip_catalog(pdf: pikepdf.Pdf) -> None:
    _keep(pdf.Root, _CATALOG)
    for key in list(pdf.trailer.keys()):
        if key in ("/Info", "/ID"):
            del pdf.trailer[key]


def _keep(item: Any, allowed: frozenset[str]) -> None:
    for key in [key for key in item.keys() if key not in allowed]:  # noqa: SIM118 - pikepdf objects are no mappings
        del item[key]


def _strip(item: Any) -> None:
    for key in _ASIDE:
        if key in item:
            del item[key]


def _strip_picture(item: pikepdf.Stream) -> None:
    """A JPEG inside a PDF brings its EXIF, comments and preview along."""
    filters = item.get("/Filter")
    names = [str(name) for name in filters] if isinstance(filters, pikepdf.Array) else [str(filters)]
    if not names or names[-1] not in _PICTURES or len(names) > 2 or names[:-1] not in ([], ["/FlateDecode"]):
        return
    raw = item.read_raw_bytes()
    encoded = zlib.decompress(raw) if len(names) == 2 else raw
    plain = plain_picture(encoded)
    if plain != encoded or len(names) == 2:
        item.write(plain, filter=pikepdf.Name(names[-1]), decode_parms=_last_parameters(item))


def _last_parameters(item: pikepdf.Stream) -> Any:
    parameters = item.get("/DecodeParms")
    return parameters[-1] if isinstance(parameters, pikepdf.Array) and len(parameters) else parameters


def _strip_marked_content(pdf: pikepdf.Pdf, page: pikepdf.Page) -> None:
    """Marked content may repeat the text it marks (ActualText, Alt, E: ISO 32000-1, 14.9): its property lists go."""
    resources = page.obj.get("/Resources")
    if isinstance(resources, pikepdf.Dictionary) and "/Properties" in resources:
        del resources["/Properties"]
    contents = page.obj.get("/Contents")
    if contents is None:
        return
    streams = list(contents) if isinstance(contents, pikepdf.Array) else [contents]
    raw = b"\n".join(stream.read_bytes() for stream in streams if isinstance(stream, pikepdf.Stream))
    if not any(key in raw for key in _MARKED):
        return
    kept = []
    for instruction in pikepdf.parse_content_stream(page):
        if str(instruction.operator) in ("BDC", "DP") and len(instruction.operands) == 2:
            plain = [instruction.operands[0], pikepdf.Dictionary()]
            instruction = pikepdf.ContentStreamInstruction(plain, instruction.operator)
        kept.append(instruction)
    page.obj["/Contents"] = pdf.make_stream(pikepdf.unparse_content_stream(kept))
