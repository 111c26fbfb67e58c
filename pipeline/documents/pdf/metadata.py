"""Reads the texts of a PDF outside its pages, and counts what redaction removes without reading.

Each text is an unbilled unit `beside/N`, so that a value found there is removed from the pages too. Bookmarks,
page labels and links stay, without their findings. Document properties, annotations, form fields and the names of
attached files do not stay.
"""

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import pikepdf

from pipeline.documents.document import Findings, TextUnit, Unread
from pipeline.documents.edits import applied, by_unit
from pipeline.documents.limits import MAX_ASIDE_CHARACTERS, MAX_ASIDE_TEXTS, MAX_PDF_OBJECTS
from pipeline.documents.pdf.navigation import Navigation, bookmarks, decoded_address, labels, links, tree_entries
from pipeline.documents.pdf.optional_content import hidden_groups
from pipeline.documents.pdf.prepare import failing_with, opened
from pipeline.documents.pdf.sanitize.allow_list import word_of
from schemas.errors import ErrorCode, StageFailed

LabelledText = tuple[str, str]  # a label, which may be empty, and a text

# Keys of the document information dictionary that only programs write.
_WRITTEN_BY_PROGRAMS = frozenset(
    ["/Creator", "/Producer", "/CreationDate", "/ModDate", "/Trapped", "/SourceModified", "/AAPL:Keywords"]
)
_PEOPLE_READ = re.compile(
    rb"<(?P<tag>dc:(?:title|creator|description|subject|contributor|publisher)|pdf:Keywords|pdfx:[\w.-]+|xmpRights:[\w]+"
    rb"|photoshop:(?:Author\w*|Caption\w*|Credit|Headline)|Iptc4xmpCore:\w+|xmpBJ:\w+)\b[^>]*>(?P<text>.*?)</(?P=tag)>",
    re.DOTALL,
)
_MARKS = re.compile(r"<[^>]*>")
_MAX_FIELD_NESTING = 40  # form fields inside each other


def document_texts(pdf: pikepdf.Pdf) -> Iterator[LabelledText]:
    """The document properties, the form fields, shown or not, and the names of attached files."""
    info = pdf.trailer.get("/Info")
    if isinstance(info, pikepdf.Dictionary):
        for key in sorted(info.keys()):
            if key not in _WRITTEN_BY_PROGRAMS:
                yield from _texts(key[1:], info[key])
    metadata = pdf.Root.get("/Metadata")
    if isinstance(metadata, pikepdf.Stream):
        with suppress(pikepdf.PdfError):
            yield from _properties(metadata.read_bytes())
    form = pdf.Root.get("/AcroForm")
    if isinstance(form, pikepdf.Dictionary):
        yield from _fields(form.get("/Fields"))
    names = pdf.Root.get("/Names")
    if isinstance(names, pikepdf.Dictionary):
        for key, file in tree_entries(names.get("/EmbeddedFiles"), "/Names"):
            yield from _texts("", key)
            yield from _file(file)


def _properties(packet: bytes) -> Iterator[LabelledText]:
    """The texts of an XMP packet that a person may have written."""
    encoding = "utf-16" if packet[:2] in (b"\xfe\xff", b"\xff\xfe") else "utf-8"
    plain = packet.decode(encoding, "replace")
    for match in _PEOPLE_READ.finditer(plain.encode("utf-8", "replace")[:MAX_ASIDE_CHARACTERS]):
        label = match["tag"].decode().partition(":")[2]
        for piece in _MARKS.split(match["text"].decode("utf-8", "replace")):
            if piece.strip():
                yield label, _unescaped(piece.strip())


def _unescaped(text: str) -> str:
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
        text = text.replace(entity, character)
    return text


def _texts(label: str, value: Any) -> Iterator[LabelledText]:
    """The text of a string, of a text stream, or of each string in an array."""
    if isinstance(value, pikepdf.String):
        text = str(value).replace("\r", "\n")[:MAX_ASIDE_CHARACTERS]
        if text.strip():
            yield label, text
    elif isinstance(value, pikepdf.Stream):
        try:
            yield from _texts(label, pikepdf.String(_MARKS.sub(" ", value.read_bytes().decode("utf-8", "replace"))))
        except pikepdf.PdfError:
            return
    elif isinstance(value, pikepdf.Array):
        for member in list(value)[:MAX_ASIDE_TEXTS]:
            if isinstance(member, pikepdf.String | pikepdf.Array):
                yield from _texts(label, member)


def _fields(fields: Any) -> Iterator[LabelledText]:
    """The values of form fields, each with the name of its field as label, and the names themselves."""
    waiting = [(field, "", 0) for field in fields] if isinstance(fields, pikepdf.Array) else []
    seen: set[tuple[int, int]] = set()
    while waiting and len(seen) < MAX_ASIDE_TEXTS:
        field, label, depth = waiting.pop()
        if (
            not isinstance(field, pikepdf.Dictionary)
            or depth > _MAX_FIELD_NESTING
            or (field.is_indirect and field.objgen in seen)
        ):
            continue
        seen.add(field.objgen)
        own = field.get("/TU") or field.get("/T") or field.get("/TM")
        label = str(own) if isinstance(own, pikepdf.String) else label
        for key in ("/V", "/DV", "/RV", "/Opt"):
            value = field.get(key)
            if isinstance(value, pikepdf.Stream) and key == "/V":
                continue
            for _, text in _texts("", value):
                yield label, _MARKS.sub(" ", text) if key == "/RV" else text
        for key in ("/TU", "/T", "/TM"):
            yield from _texts("", field.get(key))
        kids = field.get("/Kids")
        waiting += [(kid, label, depth + 1) for kid in kids] if isinstance(kids, pikepdf.Array) else []


def _file(file: Any) -> Iterator[LabelledText]:
    if isinstance(file, pikepdf.Dictionary):
        for key in ("/UF", "/F", "/Desc"):
            yield from _texts("", file.get(key))


def annotation_texts(pdf: pikepdf.Pdf) -> Iterator[LabelledText]:
    """The contents, authors and subjects of annotations, and the URIs of their actions."""
    count = 0
    for page in pdf.pages:
        annotations = page.obj.get("/Annots")
        for item in annotations if isinstance(annotations, pikepdf.Array) else ():
            if not isinstance(item, pikepdf.Dictionary):
                continue
            count += 1
            if count > MAX_ASIDE_TEXTS:
                return
            is_field = item.get("/Subtype") == "/Widget"
            yield from _texts("", item.get("/Contents"))
            for _, text in _texts("", item.get("/RC")):
                yield "", _MARKS.sub(" ", text)
            yield from () if is_field else _texts("author", item.get("/T"))
            yield from _texts("subject", item.get("/Subj"))
            yield from _texts("", item.get("/OverlayText"))
            yield from _file(item.get("/FS"))
            action = item.get("/A")
            if isinstance(action, pikepdf.Dictionary) and isinstance(action.get("/URI"), pikepdf.String):
                yield "", decoded_address(str(action["/URI"]))


_ACTIONS = {
    **dict.fromkeys(("/JavaScript", "/Launch", "/SubmitForm", "/ImportData", "/ResetForm", "/Named"), Unread.SCRIPT),
    **dict.fromkeys(("/Hide", "/SetOCGState", "/Trans", "/GoTo3DView"), Unread.SCRIPT),
    **dict.fromkeys(("/GoToR", "/GoToE", "/Thread"), Unread.CONNECTION),
    **dict.fromkeys(("/Rendition", "/Sound", "/Movie", "/RichMediaExecute"), Unread.MEDIA),
}
_MAX_NESTING = 6  # dictionaries inside each other
_MAX_MEMBERS = 1000  # of an array to be searched
# Keys whose values contain nothing to count. They make up most of a file.
_PLAIN = frozenset(
    """/Type /Subtype /S /Parent /Kids /Count /MediaBox /CropBox /Rotate /Contents /Length /Filter /DecodeParms /Width
    /Height /Widths /W /Differences /FontBBox /BBox /Matrix /Rect /ColorSpace /Font /ExtGState /ProcSet /K /Pg /P
    """.split()  # noqa: SIM905
)
_UNSEEN = 2 | 32  # annotation flags Hidden and NoView (ISO 32000-2, 12.5.3)
_MEDIA = frozenset(["/Sound", "/Movie", "/Screen", "/RichMedia", "/3D"])
_KEYS = {
    "/XFA": Unread.FORM, "/Thumb": Unread.THUMBNAIL, "/PieceInfo": Unread.PRIVATE, "/SpiderInfo": Unread.PRIVATE,
    "/StructTreeRoot": Unread.METADATA, "/OPI": Unread.CONNECTION, "/Alternates": Unread.PICTURE,
    "/EF": Unread.ATTACHMENT, "/Collection": Unread.ATTACHMENT, "/OutputIntents": Unread.METADATA,
    "/Threads": Unread.METADATA, "/Perms": Unread.SIGNATURE, "/DSS": Unread.SIGNATURE, "/Measure": Unread.METADATA,
}  # fmt: skip


def count_unread(pdf: pikepdf.Pdf, data: bytes) -> Counter[Unread]:
    """The number of objects of each kind that redaction removes without reading them."""
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
    """The kinds of an object and of the direct dictionaries inside it."""
    keys = set(item.keys())
    found = [kind for key, kind in _KEYS.items() if key in keys]
    if "/S" in keys:
        found += [kind for kind in (_ACTIONS.get(_name(item, "/S")),) if kind]
    if "/Type" in keys or "/Subtype" in keys:
        found += _typed(item)
    if depth < _MAX_NESTING and not _PLAIN.issuperset(keys):
        inner = [item[key] for key in keys - _PLAIN]
        inner += [
            member
            for child in inner
            if isinstance(child, pikepdf.Array) and len(child) < _MAX_MEMBERS
            for member in child
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


METADATA_UNIT = "beside/"
_ERRORS = (pikepdf.PdfError, pikepdf.PasswordError, ValueError, TypeError, KeyError, IndexError, AttributeError)


class DocumentMetadata(NamedTuple):
    """`navigation` as in the document; `units` in the order bookmarks, page labels, link addresses, all other texts."""

    navigation: Navigation = Navigation()
    units: tuple[TextUnit, ...] = ()
    unread: tuple[tuple[Unread, int], ...] = ()


def read_metadata(data: bytes) -> DocumentMetadata:
    """Reads the texts outside the pages by QPDF, from the document or, failing that, from a repaired copy.

    StageFailed(unsupported_format) if QPDF reads neither: the values of annotations and fields would be unknown and
    could stay on the pages.
    """
    try:
        return _read(data, data)
    except _ERRORS:
        pass
    try:
        with opened(data) as document, failing_with(ErrorCode.UNSUPPORTED_FORMAT):
            return _read(document.tobytes(), data)
    except _ERRORS:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None


def _read(data: bytes, original: bytes) -> DocumentMetadata:
    with warnings.catch_warnings(), pikepdf.open(io.BytesIO(data)) as pdf:
        warnings.simplefilter("ignore")
        navigation = Navigation(bookmarks(pdf), labels(pdf), links(pdf))
        texts = [("", text) for text in _kept(navigation)]
        texts += [*document_texts(pdf), *annotation_texts(pdf)]
        counts = count_unread(pdf, original)
    seen = len(navigation.bookmarks)
    units = tuple(
        TextUnit(f"{METADATA_UNIT}{number}", text, context, billed=False, seen=number < seen)
        for number, (context, text) in enumerate(texts)
    )
    return DocumentMetadata(navigation, units, tuple(sorted((kind, count) for kind, count in counts.items() if count)))


def _kept(navigation: Navigation) -> Iterator[str]:
    """The texts of the navigation, in the order in which `redacted_navigation` processes them."""
    yield from (bookmark.title for bookmark in navigation.bookmarks)
    yield from (label.prefix for label in navigation.labels)
    yield from (decoded_address(link.address) for link in navigation.links)


def redacted_navigation(navigation: Navigation, findings: Findings) -> Navigation:
    """The navigation without findings: placeholders in titles and labels; links with a finding are removed."""
    edits = by_unit(findings)
    numbers = iter(range(len(list(_kept(navigation)))))

    def text_of(text: str) -> str:
        return applied(text, f"{METADATA_UNIT}{next(numbers)}", edits)

    titles = tuple(bookmark._replace(title=text_of(bookmark.title)) for bookmark in navigation.bookmarks)
    prefixes = tuple(label._replace(prefix=text_of(label.prefix)) for label in navigation.labels)
    stay = tuple(link for link in navigation.links if f"{METADATA_UNIT}{next(numbers)}" not in edits)
    return Navigation(titles, prefixes, stay)
