"""Removes from an Office package what identifies its authors or cannot be read: fingerprints, embedded files,
signatures."""

import re
from collections import Counter
from collections.abc import Mapping

from pipeline.documents.document import Unread
from pipeline.documents.ooxml import relationships
from pipeline.documents.ooxml.encoded_values import without_encoded_text
from pipeline.documents.ooxml.foreign_names import drop_unused_namespaces, is_foreign_attribute
from pipeline.documents.ooxml.media import is_picture
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.relationships import Relationship
from pipeline.documents.ooxml.vocabulary import NUMBERED_IDS
from pipeline.documents.ooxml.xml import Element, local, unreadable

# Types of relationships whose targets are removed from every format, and what they count as.
UNREADABLE: Mapping[str, Unread] = {
    **dict.fromkeys(("oleObject", "package", "control", "activeXControlBinary"), Unread.ATTACHMENT),
    **dict.fromkeys(("audio", "video", "media"), Unread.MEDIA),
    **dict.fromkeys(("origin", "signature", "certificate"), Unread.SIGNATURE),
    **dict.fromkeys(("printerSettings",), Unread.FINGERPRINT),
    **dict.fromkeys(("vbaProject", "wordVbaData", "customUI", "extensibility", "ui"), Unread.SCRIPT),
    "font": Unread.FONT,
    "thumbnail": Unread.THUMBNAIL,
}
_UNREADABLE_TYPES: Mapping[str, Unread] = {
    "application/inkml+xml": Unread.PICTURE,
    "image/svg+xml": Unread.PICTURE,
    "text/html": Unread.ATTACHMENT,
    "application/xhtml+xml": Unread.ATTACHMENT,
}
_UNREADABLE_FOLDERS: Mapping[str, Unread] = {"_xmlsignatures/": Unread.SIGNATURE, "[trash]/": Unread.HISTORY}

# Parts that no format needs, by the end of their content type: a damaged one is removed.
_OPTIONAL = ("core-properties+xml", "extended-properties+xml", "custom-properties+xml", "customXmlProperties+xml",
             "chartstyle+xml", "chartcolorstyle+xml")  # fmt: skip
_UNTYPED = frozenset({"", "application/xml", "text/xml", "application/octet-stream"})  # custom XML among others

# Elements with dates of the document and the author's language, in every format.
_DROPPED: Mapping[str, Unread] = dict.fromkeys(("created", "modified", "lastPrinted", "language"), Unread.METADATA)
_OFFICE = ("{http://schemas.openxmlformats.org/", "{http://schemas.microsoft.com/office/", "{http://purl.oclc.org/ooxml/",
           "{http://purl.org/dc/", "{urn:schemas-microsoft-com:")  # fmt: skip
_DROPPED_ATTRIBUTES = frozenset({"gfxdata", "initials", "date", "dateUtc", "hash", "salt"})
# Ids that connect paragraphs and comments ([MS-DOCX] 2.6.2): eight hexadecimal digits, often all of them decimal.
_LINKING_IDS = frozenset({"paraId", "textId", "paraIdParent", "durableId"})
_LARGEST = re.compile(r"\b214748364[78]\b")  # in the formula of a shape guide: the largest number; reads like an id
# Random ids that programs generate: many look like identity numbers, and any could be one.
_GENERATED_ID_ELEMENTS = frozenset({"id", "divId", "axId", "crossAx", "rowId", "colId"})
_GENERATED_ID_ATTRIBUTES = frozenset(
    {"id", "modelId", "srcId", "destId", "parTransId", "sibTransId", "durableId", "spid"}
)
_GENERATED_ID = re.compile(r"-?\d{6,}")
_FIRST_NUMBER = 100_001
_LEAST_ENCODED = 96  # characters
_LEAST_SHORT = 12  # characters of a short encoded value
_ENCODED = re.compile(r"\s*[A-Za-z0-9+/]{48,}[A-Za-z0-9+/=\s]{48,}")  # long base64, of anything

_STATISTICS = "extended-properties+xml"
_PEOPLE = frozenset({"creator", "lastModifiedBy"})
_NAMED_BY_PEOPLE = frozenset({"Company", "Manager"})
_PLACEHOLDER = re.compile(r"[A-Z_]+_\d{2,}")


def prepare(
    package: Package,
    kinds: Mapping[str, Unread],
    dropped: Mapping[str, Unread],
    optional: tuple[str, ...],
    counts: Counter[Unread],
) -> None:
    """Removes what cannot or need not be read, before text is collected; adds to `counts` how much it was.

    `kinds`: types of relationships whose targets are removed, in addition to UNREADABLE. `dropped`: names of elements
    that are removed. `optional`: ends of content types of parts that are removed when they are damaged, in addition to
    _OPTIONAL. StageFailed (unsupported_format) when another part is damaged: the output would lack content.
    """
    _remove_parts(package, {**UNREADABLE, **kinds}, (*_OPTIONAL, *optional), counts)
    numbers: dict[str, str] = {}
    names = {**_DROPPED, **dropped}
    for part in package.xml_parts():
        _strip(part.root, names, numbers, counts)
        counts[Unread.PRIVATE] += _remove_encoded_values(part.root)
        drop_unused_namespaces(part.root)
        if part.content_type.endswith(_STATISTICS):
            _keep_only(part.root, _NAMED_BY_PEOPLE)


def finish(package: Package) -> None:
    """Removes the names of authors that detection did not recognize; runs after placeholders are written."""
    for part in package.xml_parts():
        if part.content_type.endswith(_STATISTICS):
            _keep_only(part.root, frozenset())
        for element in part.root.iter() if part.root is not None else ():
            if local(element) in _PEOPLE and not _PLACEHOLDER.fullmatch(element.text or ""):
                element.text = ""
            for name, value in element.attrib.items():
                if name.startswith("{") and name.endswith("}author") and not _PLACEHOLDER.fullmatch(value):
                    element.set(name, "Author")  # the schema requires one


def _remove_parts(
    package: Package, kinds: Mapping[str, Unread], optional: tuple[str, ...], counts: Counter[Unread]
) -> None:
    removed: dict[str, Unread] = {}
    for link in relationships.all_relationships(package):
        if link.kind in kinds:
            removed.setdefault(link.target.name if link.target else link.row.get("Target", ""), kinds[link.kind])
    for part in package.parts.values():
        unread = _unreadable(part, optional)
        if unread is not None:
            removed.setdefault(part.name, unread)
    counts.update(removed.values())

    def leads_to_unreadable(link: Relationship) -> bool:
        return link.kind in kinds

    relationships.remove(package, leads_to_unreadable, [p for p in package.parts.values() if p.name in removed])
    reachable = {id(part) for part in relationships.reachable(package)}
    others = (part for part in package.parts.values() if not part.name.lower().endswith(".rels"))
    unreachable = [*(part for part in others if id(part) not in reachable), *relationships.orphans(package)]
    counts[Unread.PRIVATE] += len(unreachable)
    relationships.remove(package, lambda link: False, unreachable)
    if any(part.is_damaged and not is_picture(part) for part in package.parts.values()):
        raise unreadable()


def _unreadable(part: Part, optional: tuple[str, ...]) -> Unread | None:
    """What an unreadable part counts as; None for a part that can be read, or that must not be missing."""
    for start, unread in _UNREADABLE_TYPES.items():
        if part.content_type.startswith(start):
            return unread
    for folder, unread in _UNREADABLE_FOLDERS.items():
        if part.name.lower().startswith(folder):
            return unread
    if part.is_damaged and not (part.content_type in _UNTYPED or part.content_type.endswith(optional)):
        return None
    return Unread.PRIVATE if part.root is None and not is_picture(part) else None


def _strip(root: Element, dropped: Mapping[str, Unread], numbers: dict[str, str], counts: Counter[Unread]) -> None:
    """Removes fingerprints from a tree. `numbers` maps generated ids to new ones, the same in all parts."""
    for element in list(root.iter()):
        name = local(element)
        if name in dropped and element.getparent() is not None and element.tag.startswith(_OFFICE):
            _drop(element)
            counts[dropped[name]] += 1
            continue
        for attribute, value in element.attrib.items():
            plain = attribute.rpartition("}")[2]
            # Attributes with a namespace are Office's own; custom XML has the same names without one.
            is_trace = attribute[0] == "{" and (plain in _DROPPED_ATTRIBUTES or plain.startswith("rsid"))
            if is_trace or (len(value) >= _LEAST_ENCODED and _is_encoded(value)):
                del element.attrib[attribute]
                counts[Unread.FINGERPRINT if is_trace else Unread.PRIVATE] += 1
            elif plain in _LINKING_IDS:
                element.set(attribute, numbers.setdefault("tie " + value.upper(), f"{len(numbers) + 1:08X}"))
            elif plain == "fmla":
                element.set(attribute, _LARGEST.sub("99999999", value))
            elif len(value) > 5 and _is_generated_id(name, plain) and _GENERATED_ID.fullmatch(value):
                element.set(attribute, numbers.setdefault(value, str(_FIRST_NUMBER + len(numbers))))
                counts[Unread.FINGERPRINT] += 1
        if element.text and _is_encoded(element.text):
            element.text = ""
            counts[Unread.PRIVATE] += 1


def _remove_encoded_values(root: Element) -> int:
    """Removes short encoded values, and foreign attributes on Office's elements. Returns how many."""
    removed = 0
    for element in root.iter():
        for attribute, value in element.attrib.items():
            is_link = attribute == "Target" and element.get("TargetMode") == "External"
            kept = without_encoded_text(value, is_link=is_link) if len(value) >= _LEAST_SHORT else value
            if is_foreign_attribute(element, attribute):
                del element.attrib[attribute]
            elif kept != value:
                element.set(attribute, kept)
            else:
                continue
            removed += 1
        text = element.text or ""
        kept = without_encoded_text(text, is_link=False) if len(text) >= _LEAST_SHORT else text
        if kept != text:
            element.text = kept
            removed += 1
    return removed


def _is_generated_id(element: str, attribute: str) -> bool:
    return (attribute in _GENERATED_ID_ATTRIBUTES or element in _GENERATED_ID_ELEMENTS) and element not in NUMBERED_IDS


def _is_encoded(text: str) -> bool:
    """Whether a text is base64: long, without blanks, and with capitals, small letters and digits."""
    if len(text) < _LEAST_ENCODED or not _ENCODED.fullmatch(text):
        return False
    return any(map(str.isdigit, text)) and any(map(str.isupper, text)) and any(map(str.islower, text))


def _drop(element: Element) -> None:
    """Removes an element, and the extension (`ext`, `extLst`) that would be empty without it; its tail stays."""
    parent = element.getparent()
    while local(parent) in ("ext", "extLst") and len(parent) == 1 and parent.getparent() is not None:
        element, parent = parent, parent.getparent()
    tail = element.tail
    index = parent.index(element)
    parent.remove(element)
    if tail and tail.strip():
        if index:
            parent[index - 1].tail = (parent[index - 1].tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail


def _keep_only(root: Element, names: frozenset[str]) -> None:
    for child in list(root):
        if local(child) not in names:
            root.remove(child)
