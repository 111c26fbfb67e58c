"""Takes out of an Office package what identifies its writers or cannot be read: fingerprints, embeddings, seals."""

import base64
import binascii
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import unquote

from pipeline.documents.document import Unread
from pipeline.documents.ooxml import relationships
from pipeline.documents.ooxml.media import is_picture
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.relationships import Link
from pipeline.documents.ooxml.vocabulary import LISTED, drop_unused, is_stray
from pipeline.documents.ooxml.xml import Element, local, unreadable

# Short base64 and hexadecimal that say something: a number, an address or a name packed into a link or custom XML.

_CODED = re.compile(r"[A-Za-z0-9+_-]{12,}={0,2}")
_WHOLE = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
# What unpacks to less is a word that happens to be written in the same letters.
_TELLING = re.compile(r"\d{7}|@|[^\W\d_]{2}[ +][^\W\d_]{2}|%d[89]|[\u0620-\u064a]{2}", re.IGNORECASE)
# Bytes in hexadecimal: `31303538`, `0x31303538`, `31 30 35 38`, `31:30:35:38`.
_HEXADECIMAL = re.compile(
    r"(?<![0-9A-Za-z])(?:0[xX]|[xX]')?(?:[0-9A-Fa-f]{2}[ \n:,-]?){6,}[0-9A-Fa-f]{2}(?![0-9A-Za-z])"
)
_PARTED = re.compile(r"^(?:0[xX]|[xX]')|[ \n:,-]")
_LEFT = "-"


@lru_cache(maxsize=4096)
def emptied(value: str, *, is_link: bool) -> str:
    """The value without what is packed in it; as it is when nothing is. `is_link`: it may be packed into a part."""
    if _HEXADECIMAL.search(value):
        value = _HEXADECIMAL.sub(lambda match: _LEFT if _is_spelled(match[0]) else match[0], value)
    if not is_link:
        return "" if _WHOLE.fullmatch(value.strip()) and _is_telling(value.strip()) else value
    plain = unquote(value)
    cut = _CODED.sub(lambda match: _LEFT if _is_telling(match[0]) else match[0], plain)
    return value if cut == plain else cut


def _is_telling(code: str) -> bool:
    code = code.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _says(base64.b64decode(code + "=" * (-len(code) % 4)))
    except (binascii.Error, ValueError):
        return False


def _is_spelled(code: str) -> bool:
    try:
        return _says(bytes.fromhex(_PARTED.sub("", code)))
    except ValueError:
        return False


def _says(data: bytes) -> bool:
    """Whether bytes are a text with a number, an address or a name in it; ValueError when they are none."""
    big = data[:1] == b"\0"
    text = data.decode("utf-16-be" if big else "utf-16-le" if b"\0" in data else "utf-8")
    return text.isprintable() and _TELLING.search(text) is not None


# Kinds of relationships whose targets no format of the family needs or can read, and what they count as.
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

# Parts that every format can do without: a damaged one is dropped. What people read in a document is not among them.
_OPTIONAL = ("core-properties+xml", "extended-properties+xml", "custom-properties+xml", "customXmlProperties+xml",
             "chartstyle+xml", "chartcolorstyle+xml")  # fmt: skip
_UNTOLD = frozenset({"", "application/xml", "text/xml", "application/octet-stream"})  # custom XML among others

# Elements that hold moments, whatever the format, and the writer's language.
_DROPPED: Mapping[str, Unread] = dict.fromkeys(("created", "modified", "lastPrinted", "language"), Unread.METADATA)
_OFFICE = ("{http://schemas.openxmlformats.org/", "{http://schemas.microsoft.com/office/", "{http://purl.oclc.org/ooxml/",
           "{http://purl.org/dc/", "{urn:schemas-microsoft-com:")  # fmt: skip
_DROPPED_ATTRIBUTES = frozenset({"gfxdata", "initials", "date", "dateUtc", "hash", "salt"})
# Numbers that tie paragraphs and comments together ([MS-DOCX] 2.6.2): eight hexadecimal digits, often all decimal.
_TIES = frozenset({"paraId", "textId", "paraIdParent", "durableId"})
_LARGEST = re.compile(r"\b214748364[78]\b")  # in a guide's formula: as large as a number may be
# Numbers that programs draw to tell things apart: many look like identity numbers, any could be one.
_DRAWN_ELEMENTS = frozenset({"id", "divId", "axId", "crossAx", "rowId", "colId"})
_DRAWN_ATTRIBUTES = frozenset({"id", "modelId", "srcId", "destId", "parTransId", "sibTransId", "durableId", "spid"})
_DRAWN = re.compile(r"-?\d{6,}")
_FIRST_NUMBER = 100_001
_LEAST_ENCODED = 96  # characters
_LEAST_PACKED = 12  # characters of something short
_ENCODED = re.compile(r"\s*[A-Za-z0-9+/]{48,}[A-Za-z0-9+/=\s]{48,}")  # base64 of something that nobody reads

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
    """Before anything is read: removes what nobody here can read, and what nobody should; `counts` says how much.

    `kinds`: kinds of relationships whose targets go, besides UNREADABLE; `dropped`: names of elements that go.
    `optional`: ends of content types of parts that go when they are damaged, besides _OPTIONAL; StageFailed
    (unsupported_format) when another part is damaged, because the document would say less than it did.
    """
    _remove_parts(package, {**UNREADABLE, **kinds}, (*_OPTIONAL, *optional), counts)
    numbers: dict[str, str] = {}
    names = {**_DROPPED, **dropped}
    for part in package.xml_parts():
        _strip(part.root, names, numbers, counts)
        counts[Unread.PRIVATE] += _unpack(part.root)
        drop_unused(part.root)
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


def _remove_parts(
    package: Package, kinds: Mapping[str, Unread], optional: tuple[str, ...], counts: Counter[Unread]
) -> None:
    doomed: dict[str, Unread] = {}
    for link in relationships.links(package):
        if link.kind in kinds:
            doomed.setdefault(link.target.name if link.target else link.row.get("Target", ""), kinds[link.kind])
    for part in package.parts.values():
        sort = _unreadable(part, optional)
        if sort is not None:
            doomed.setdefault(part.name, sort)
    counts.update(doomed.values())

    def leads_to_unreadable(link: Link) -> bool:
        return link.kind in kinds

    relationships.remove(package, leads_to_unreadable, [p for p in package.parts.values() if p.name in doomed])
    reached = {id(part) for part in relationships.reached(package)}
    others = (part for part in package.parts.values() if not part.name.lower().endswith(".rels"))
    loose = [*(part for part in others if id(part) not in reached), *relationships.strays(package)]
    counts[Unread.PRIVATE] += len(loose)
    relationships.remove(package, lambda link: False, loose)
    if any(part.is_damaged and not is_picture(part) for part in package.parts.values()):
        raise unreadable()


def _unreadable(part: Part, optional: tuple[str, ...]) -> Unread | None:
    """What a part that nobody here can read counts as; None for one that can be read, or that must not be missing."""
    for start, sort in _UNREADABLE_TYPES.items():
        if part.content_type.startswith(start):
            return sort
    for folder, sort in _UNREADABLE_FOLDERS.items():
        if part.name.lower().startswith(folder):
            return sort
    if part.is_damaged and not (part.content_type in _UNTOLD or part.content_type.endswith(optional)):
        return None
    return Unread.PRIVATE if part.root is None and not is_picture(part) else None


def _strip(root: Element, dropped: Mapping[str, Unread], numbers: dict[str, str], counts: Counter[Unread]) -> None:
    """Removes fingerprints from a tree; `numbers` makes equal drawn numbers equal again in all parts."""
    for element in list(root.iter()):
        name = local(element)
        if name in dropped and element.getparent() is not None and element.tag.startswith(_OFFICE):
            _drop(element)
            counts[dropped[name]] += 1
            continue
        for attribute, value in element.attrib.items():
            plain = attribute.rpartition("}")[2]
            # A namespace says that the attribute is Office's, not a custom document's.
            is_trace = attribute[0] == "{" and (plain in _DROPPED_ATTRIBUTES or plain.startswith("rsid"))
            if is_trace or (len(value) >= _LEAST_ENCODED and _is_encoded(value)):
                del element.attrib[attribute]
                counts[Unread.FINGERPRINT if is_trace else Unread.PRIVATE] += 1
            elif plain in _TIES:
                element.set(attribute, numbers.setdefault("tie " + value.upper(), f"{len(numbers) + 1:08X}"))
            elif plain == "fmla":
                element.set(attribute, _LARGEST.sub("99999999", value))
            elif len(value) > 5 and _is_drawn(name, plain) and _DRAWN.fullmatch(value):
                element.set(attribute, numbers.setdefault(value, str(_FIRST_NUMBER + len(numbers))))
                counts[Unread.FINGERPRINT] += 1
        if element.text and _is_encoded(element.text):
            element.text = ""
            counts[Unread.PRIVATE] += 1


def _unpack(root: Element) -> int:
    """Removes short texts that are packed, and attributes on Office's elements that are not Office's; how many."""
    removed = 0
    for element in root.iter():
        for attribute, value in element.attrib.items():
            is_link = attribute == "Target" and element.get("TargetMode") == "External"
            kept = emptied(value, is_link=is_link) if len(value) >= _LEAST_PACKED else value
            if is_stray(element, attribute):
                del element.attrib[attribute]
            elif kept != value:
                element.set(attribute, kept)
            else:
                continue
            removed += 1
        text = element.text or ""
        kept = emptied(text, is_link=False) if len(text) >= _LEAST_PACKED else text
        if kept != text:
            element.text = kept
            removed += 1
    return removed


def _is_drawn(element: str, attribute: str) -> bool:
    return (attribute in _DRAWN_ATTRIBUTES or element in _DRAWN_ELEMENTS) and element not in LISTED


def _is_encoded(text: str) -> bool:
    """Whether a text is base64: words have blanks, and a long one rarely mixes capitals, small letters and digits."""
    if len(text) < _LEAST_ENCODED or not _ENCODED.fullmatch(text):
        return False
    return any(map(str.isdigit, text)) and any(map(str.isupper, text)) and any(map(str.islower, text))


def _drop(element: Element) -> None:
    """Takes an element out, and the extension that has nothing else to say; the text behind it stays."""
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
