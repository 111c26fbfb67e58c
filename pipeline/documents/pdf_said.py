"""What a PDF says beside its pages and then loses: properties, notes, form fields, names of attached files.

It is read so that a value found there, thanks to its label perhaps, is removed from the pages too.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pikepdf

from pipeline.documents.limits import MAX_ASIDE_CHARACTERS, MAX_ASIDE_TEXTS
from pipeline.documents.pdf_targets import decoded, leaves

Said = tuple[str, str]  # a label, or nothing, and a text

# Of the document information: what programs write about themselves.
_WRITTEN_BY_PROGRAMS = frozenset(
    ["/Creator", "/Producer", "/CreationDate", "/ModDate", "/Trapped", "/SourceModified", "/AAPL:Keywords"]
)
_PEOPLE_READ = re.compile(
    rb"<(?P<tag>dc:(?:title|creator|description|subject|contributor|publisher)|pdf:Keywords|pdfx:[\w.-]+|xmpRights:[\w]+"
    rb"|photoshop:(?:Author\w*|Caption\w*|Credit|Headline)|Iptc4xmpCore:\w+|xmpBJ:\w+)\b[^>]*>(?P<said>.*?)</(?P=tag)>",
    re.DOTALL,
)
_MARKS = re.compile(r"<[^>]*>")
_DEEP = 40  # form fields inside each other


def said_by_document(pdf: pikepdf.Pdf) -> Iterator[Said]:
    """Properties, form fields, whether a page shows them or not, and names of attached files."""
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
        for key, file in leaves(names.get("/EmbeddedFiles"), "/Names"):
            yield from _texts("", key)
            yield from _file(file)


def _properties(packet: bytes) -> Iterator[Said]:
    """Texts of an XMP packet that people wrote."""
    encoding = "utf-16" if packet[:2] in (b"\xfe\xff", b"\xff\xfe") else "utf-8"
    plain = packet.decode(encoding, "replace")
    for match in _PEOPLE_READ.finditer(plain.encode("utf-8", "replace")[:MAX_ASIDE_CHARACTERS]):
        label = match["tag"].decode().partition(":")[2]
        for piece in _MARKS.split(match["said"].decode("utf-8", "replace")):
            if piece.strip():
                yield label, _unescaped(piece.strip())


def _unescaped(text: str) -> str:
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
        text = text.replace(entity, character)
    return text


def _texts(label: str, value: Any) -> Iterator[Said]:
    """A string, or the strings of an array, as people read them."""
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


def _fields(fields: Any) -> Iterator[Said]:
    """Fields with their labels: what a form asks is the heading of what it is told."""
    waiting = [(field, "", 0) for field in fields] if isinstance(fields, pikepdf.Array) else []
    seen: set[tuple[int, int]] = set()
    while waiting and len(seen) < MAX_ASIDE_TEXTS:
        field, label, depth = waiting.pop()
        if not isinstance(field, pikepdf.Dictionary) or depth > _DEEP or (field.is_indirect and field.objgen in seen):
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


def _file(file: Any) -> Iterator[Said]:
    if isinstance(file, pikepdf.Dictionary):
        for key in ("/UF", "/F", "/Desc"):
            yield from _texts("", file.get(key))


def said_by_annotations(pdf: pikepdf.Pdf) -> Iterator[Said]:
    """Notes with their authors and subjects, and the addresses of actions."""
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
                yield "", decoded(str(action["/URI"]))
