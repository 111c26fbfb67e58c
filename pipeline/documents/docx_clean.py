"""Takes out of a Word package what identifies its writers or cannot be read: fingerprints, embeddings, signatures."""

import re

from pipeline.documents import ooxml_links
from pipeline.documents.docx_media import is_picture
from pipeline.documents.ooxml import Element, Package, Part, local
from pipeline.documents.ooxml_links import Link

# Relationships whose targets are removed with everything that refers to them.
_UNREADABLE_KINDS = frozenset(
    {
        "oleObject", "package", "aFChunk", "control", "activeXControlBinary", "glossaryDocument", "printerSettings",
        "thumbnail", "font", "origin", "signature", "digital-signature", "subDocument", "attachedTemplate",
        "mailMergeSource", "mailMergeHeaderSource", "recipientData", "audio", "video", "media", "customXmlMappings",
        "frame", "webSettingsFrame", "attachedToolbars", "keyMapCustomizations", "wordVbaData", "vbaProject",
    }
)  # fmt: skip
_UNREADABLE_TYPES = ("application/inkml+xml", "image/svg+xml", "text/html", "application/xhtml+xml")
_UNREADABLE_FOLDERS = ("_xmlsignatures/", "word/glossary/", "[trash]/")

# Elements that hold fingerprints, account ids, connection strings, moments or a template's path.
_DROPPED = frozenset({"rsids", "presenceInfo", "mailMerge", "attachedTemplate", "created", "modified", "lastPrinted"})
_DROPPED_ATTRIBUTES = frozenset({"gfxdata", "initials", "date", "dateUtc"})
# Numbers that programs draw to tell things apart: many look like identity numbers, any could be one.
_DRAWN_ELEMENTS = frozenset({"id", "divId", "axId", "crossAx", "rowId", "colId"})
_DRAWN_ATTRIBUTES = frozenset({"id", "modelId", "srcId", "destId", "parTransId", "sibTransId", "durableId"})
_DRAWN = re.compile(r"-?\d{6,}")
_FIRST_NUMBER = 100_001
_ENCODED = re.compile(r"[A-Za-z0-9+/=\s]{512,}")  # base64 of something that nobody reads

_STATISTICS = "extended-properties+xml"
_PEOPLE = frozenset({"creator", "lastModifiedBy"})
_NAMED_BY_PEOPLE = frozenset({"Company", "Manager"})
_PLACEHOLDER = re.compile(r"[A-Z_]+_\d{2,}")


def prepare(package: Package) -> None:
    """Before anything is read: removes what nobody here can read, and what nobody should."""
    ooxml_links.remove(package, _leads_to_unreadable, [part for part in package.parts.values() if _is_unreadable(part)])
    numbers: dict[str, str] = {}
    for part in package.xml_parts():
        _strip(part.root, numbers)
        if part.content_type.endswith(_STATISTICS):
            _keep_only(part.root, _NAMED_BY_PEOPLE)


def finish(package: Package) -> None:
    """After placeholders are written: whoever is still named as a writer was not recognized, and goes unnamed."""
    for part in package.xml_parts():
        if part.content_type.endswith(_STATISTICS):
            _keep_only(part.root, frozenset())
        for element in part.root.iter() if part.root is not None else ():
            if local(element) in _PEOPLE and not _PLACEHOLDER.fullmatch(element.text or ""):
                element.text = ""
            for name, value in element.attrib.items():
                if name.startswith("{") and name.endswith("}author") and not _PLACEHOLDER.fullmatch(value):
                    element.set(name, "Author")  # the schema wants one


def _is_unreadable(part: Part) -> bool:
    if part.content_type.startswith(_UNREADABLE_TYPES) or part.name.lower().startswith(_UNREADABLE_FOLDERS):
        return True
    return part.root is None and not is_picture(part)


def _leads_to_unreadable(link: Link) -> bool:
    return link.kind in _UNREADABLE_KINDS


def _strip(root: Element, numbers: dict[str, str]) -> None:
    """Removes fingerprints from a tree; `numbers` makes equal drawn numbers equal again in all parts."""
    for element in list(root.iter()):
        name = local(element)
        parent = element.getparent()
        if name in _DROPPED and parent is not None:
            parent.remove(element)
            continue
        for attribute, value in element.attrib.items():
            plain = attribute.rpartition("}")[2]
            # A namespace says that the attribute is Office's, not a custom document's.
            is_trace = attribute[0] == "{" and (plain in _DROPPED_ATTRIBUTES or plain.startswith("rsid"))
            if is_trace or (len(value) > 511 and _ENCODED.fullmatch(value)):
                del element.attrib[attribute]
            elif _DRAWN.fullmatch(value) and (plain in _DRAWN_ATTRIBUTES or name in _DRAWN_ELEMENTS):
                element.set(attribute, numbers.setdefault(value, str(_FIRST_NUMBER + len(numbers))))
        if element.text and len(element.text) > 511 and _ENCODED.fullmatch(element.text) and element.text.strip():
            element.text = ""


def _keep_only(root: Element, names: frozenset[str]) -> None:
    for child in list(root):
        if local(child) not in names:
            root.remove(child)
