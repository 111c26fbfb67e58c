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
# Elements that hold fingerprints, connection strings or a template's path.
_DROPPED = frozenset({"rsids", "presenceInfo", "mailMerge", "attachedTemplate", "webExtensionCreated"})
_DROPPED_ATTRIBUTES = frozenset({"gfxdata", "initials", "date", "dateUtc"})
_APPLICATION_KEEPS = frozenset({"Application", "AppVersion", "DocSecurity"})
_CORE_DROPS = frozenset({"created", "modified", "lastPrinted"})
_PEOPLE = frozenset({"creator", "lastModifiedBy"})
_PLACEHOLDER = re.compile(r"[A-Z_]+_\d{2,}")
_ENCODED = re.compile(r"[A-Za-z0-9+/=\s]{512,}")  # base64 of something that nobody reads


def remove_unreadable(package: Package) -> None:
    """Removes what nobody here can read: embedded files, fonts, ink, signatures, the thumbnail, other documents."""
    ooxml_links.remove(package, _leads_to_unreadable, [part for part in package.parts.values() if _is_unreadable(part)])


def clean(package: Package) -> None:
    """Removes the traces of the writers. Runs after placeholders are written: a name that became one stays one."""
    for part in package.xml_parts():
        _clean_tree(part.root)
        if part.content_type.endswith("extended-properties+xml"):
            _keep_only(part.root, _APPLICATION_KEEPS)
        elif part.content_type.endswith("core-properties+xml"):
            _clean_core(part.root)


def _is_unreadable(part: Part) -> bool:
    if part.content_type.startswith(_UNREADABLE_TYPES) or part.name.lower().startswith(_UNREADABLE_FOLDERS):
        return True
    return part.root is None and not is_picture(part)


def _leads_to_unreadable(link: Link) -> bool:
    return link.kind in _UNREADABLE_KINDS


def _clean_tree(root: Element) -> None:
    for element in list(root.iter()):
        if local(element) in _DROPPED and element.getparent() is not None:
            element.getparent().remove(element)
            continue
        for name, value in element.attrib.items():
            plain = name.rpartition("}")[2]
            is_own = name.startswith("{")  # a namespace says that the attribute is Office's, not a custom document's
            if (is_own and (plain in _DROPPED_ATTRIBUTES or plain.startswith("rsid"))) or _ENCODED.fullmatch(value):
                del element.attrib[name]
            elif is_own and plain == "author" and not _PLACEHOLDER.fullmatch(value):
                element.set(name, "Author")
        if element.text and _ENCODED.fullmatch(element.text) and not element.text.isspace():
            element.text = ""


def _keep_only(root: Element, names: frozenset[str]) -> None:
    for child in list(root):
        if local(child) not in names:
            root.remove(child)


def _clean_core(root: Element) -> None:
    for child in list(root):
        if local(child) in _CORE_DROPS:
            root.remove(child)
        elif local(child) in _PEOPLE and not _PLACEHOLDER.fullmatch(child.text or ""):
            child.text = ""
