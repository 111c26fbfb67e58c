"""Removes from a workbook what cannot or need not be read: connections, histories, private data, authors' traces."""

import re
from collections import Counter
from collections.abc import Mapping

from pipeline.documents.document import Unread
from pipeline.documents.ooxml import relationships, sanitize
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.xml import Element, local, unreadable
from pipeline.documents.xlsx import cells, strings
from pipeline.documents.xlsx.formula_eval import is_opaque
from pipeline.documents.xlsx.formulas import LONGEST
from schemas.refusals import Reason

# Types of relationships whose targets are removed, and what they count as.
REMOVED: Mapping[str, Unread] = {
    **dict.fromkeys(
        ("externalLink", "externalLinkPath", "xlExternalLinkPath", "connections", "queryTable", "powerPivotData",
         "xmlMaps", "tableSingleCells", "volatileDependencies"),
        Unread.CONNECTION,
    ),
    **dict.fromkeys(("revisionHeaders", "revisionLog", "usernames"), Unread.HISTORY),
    **dict.fromkeys(("customProperty", "attachedToolbars", "wsSortMap"), Unread.PRIVATE),
    **dict.fromkeys(("ctrlProp", "slicer", "slicerCache", "timeline", "timelineCache"), Unread.FORM),
    "calcChain": Unread.PRIVATE,
}  # fmt: skip

# Elements that are removed, and what they count as.
DROPPED: Mapping[str, Unread] = {
    **dict.fromkeys(("absPath", "revisionPtr", "fileRecoveryPr", "fileVersion"), Unread.FINGERPRINT),
    **dict.fromkeys(("fileSharing", "securityDescriptor"), Unread.METADATA),
    **dict.fromkeys(
        ("customWorkbookViews", "customSheetViews", "scenarios", "smartTagPr", "smartTagTypes", "smartTags",
         "cellSmartTags", "customProperties", "mentions", "functionGroups"),
        Unread.PRIVATE,
    ),
    **dict.fromkeys(
        ("dataConsolidate", "webPublishItems", "webPublishing", "webPublishObjects", "externalReferences",
         "xmlColumnPr", "xmlCellPr", "connection", "pivotSource", "externalData"),
        Unread.CONNECTION,
    ),
    **dict.fromkeys(
        ("slicerList", "slicerCaches", "timelineRefs", "timelineCacheRefs", "controls",
         "FmlaLink", "FmlaRange", "FmlaMacro", "FmlaTxbx", "FmlaGroup", "FmlaPict"),
        Unread.FORM,
    ),
    "oleObjects": Unread.ATTACHMENT,
}  # fmt: skip

# Ends of the content types of the parts that a workbook needs; every other XML part is removed.
_KNOWN_PARTS = (
    "sheet.main+xml", "worksheet+xml", "chartsheet+xml", "dialogsheet+xml", "sharedstrings+xml", "styles+xml",
    "theme+xml", "themeoverride+xml", "drawing+xml", "vmldrawing", "chart+xml", "chartex+xml", "chartstyle+xml",
    "chartcolorstyle+xml", "chartshapes+xml", "diagramdata+xml", "diagramlayout+xml", "diagramstyle+xml",
    "diagramcolors+xml", "comments+xml", "person+xml", "table+xml", "pivottable+xml", "pivotcachedefinition+xml",
    "pivotcacherecords+xml", "sheetmetadata+xml", "-properties+xml", "customxmlproperties+xml", "relationships+xml",
)  # fmt: skip
_MACRO_SHEETS = ("macrosheet+xml", "intlmacrosheet+xml")
_FREE_FOLDERS = ("customxml/",)  # folders of parts with any content type, which are read

_HASHES = frozenset({"password", "algorithmName", "hashValue", "saltValue", "spinCount", "securityDescriptor",
                     "workbookPassword", "workbookAlgorithmName", "workbookHashValue", "workbookSaltValue",
                     "workbookSpinCount", "revisionsPassword", "revisionsAlgorithmName", "revisionsHashValue",
                     "revisionsSaltValue", "revisionsSpinCount"})  # fmt: skip
_TRACES = frozenset({"userId", "providerId", "dT", "macro", "refreshedBy", "refreshedDate", "refreshedDateIso",
                     "connectionId", "queryTableFieldId", "defaultThemeVersion"})  # fmt: skip
_REVISION_NAMESPACE = re.compile(r"\{http://schemas\.microsoft\.com/office/spreadsheetml/20\d\d/revision\d*\}")
_GUID = re.compile(r"\{[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}")
_COMMENT_PARTS = ("comments+xml", "person+xml")  # parts whose guids only join a remark to its writer
_TYPED_TABLES = frozenset({"queryTable", "xml"})
_DYNAMIC_ARRAYS = "XLDAPR"
# Containers that the schema does not allow to be empty.
_CONTAINERS = tuple(
    "{*}" + name
    for name in (
        "tableParts", "pivotCaches", "hyperlinks", "filters", "filterColumn", "customFilters", "extLst", "ext",
        "AlternateContent", "Choice", "conditionalFormatting", "conditionalFormattings", "dataValidations",
        "definedNames",
    )
)  # fmt: skip
PLACEHOLDER = re.compile(r"[A-Z_]+_\d{2,}")
_CALENDAR_DETAILS = frozenset({"month", "day", "hour", "minute", "second"})


def prepare(package: Package, counts: Counter[Unread]) -> None:
    """Removes these parts, elements and attributes, and normalizes worksheets, before text is collected.

    unreadable() for a workbook with macro sheets.
    """
    if any(part.content_type.lower().endswith(_MACRO_SHEETS) for part in package.parts.values()):
        raise unreadable(Reason.MACRO_ENABLED)
    kinds = {**sanitize.UNREADABLE, **REMOVED}
    counted = {id(link.target) for link in relationships.all_relationships(package) if link.kind in kinds}
    unknown = [
        part
        for part in package.parts.values()
        if part.root is not None and id(part) not in counted and not _is_known(part)
    ]
    counts[Unread.PRIVATE] += len(unknown)
    unknown += [part for part in package.parts.values() if _is_rich_metadata(part)]
    removed = {id(part) for part in unknown}
    relationships.remove(package, lambda link: link.target is not None and id(link.target) in removed, unknown)
    has_metadata = any(part.content_type.endswith("sheetMetadata+xml") for part in package.parts.values())
    guids: dict[str, str] = {}
    for part in package.xml_parts():
        _strip(part, counts)
        if part.content_type.lower().endswith(_COMMENT_PARTS):
            _renumber_guids(part.root, guids)
        if part.content_type.endswith("worksheet+xml"):
            cells.make_regular(part.root)
            _strip_cells(part.root, has_metadata=has_metadata)
    drop_empty(package)
    counts[Unread.PRIVATE] += clear_unused_strings(package)


def clear_unused_strings(package: Package) -> int:
    """Empties the shared strings that no cell shows. Returns how many had text."""
    used = {
        int(index)
        for part in package.xml_parts()
        if part.content_type.endswith("worksheet+xml")
        for cell in cells.cells(part.root)
        if cell.element.get("t") == "s" and (index := cells.value(cell.element)).isdecimal()
    }
    cleared = 0
    for part in package.xml_parts():
        if part.content_type.endswith("sharedStrings+xml"):
            root: Element = part.root
            for place, item in enumerate(item for item in root if local(item) == "si"):
                if place not in used and len(item):
                    cleared += bool("".join(item.itertext()).strip())
                    item[:] = [item.makeelement(item.tag.rpartition("}")[0] + "}t")]
    return cleared


def drop_empty(package: Package) -> None:
    """Removes containers that are empty now, innermost first, and corrects their counts."""
    for part in package.xml_parts():
        root: Element = part.root
        for element in reversed(list(root.iter(*_CONTAINERS))):
            name = local(element)
            if len(element) or (element.text or "").strip():
                if element.get("count"):
                    element.set("count", str(len(element)))
            elif element.getparent() is not None and not _may_be_empty(element, name):
                element.getparent().remove(element)


def _may_be_empty(element: Element, name: str) -> bool:
    """Whether an empty container is valid: filters and filter columns with attributes, the choice of alternate content
    with a fallback, and `ext` of drawings, which is an extent."""
    if name == "ext":
        return "uri" not in element.attrib
    if name == "Choice":
        return any(local(other) == "Fallback" and len(other) for other in element.getparent())
    return (name == "filters" and bool(element.attrib)) or (name == "filterColumn" and len(element.attrib) > 1)


def _is_known(part: Part) -> bool:
    kind, name = part.content_type.lower(), part.name.lower()
    return kind.endswith(_KNOWN_PARTS) or name.endswith((".rels", ".vml")) or name.startswith(_FREE_FOLDERS)


def _is_rich_metadata(part: Part) -> bool:
    """Whether a part is cell metadata for more than dynamic arrays: rich data types hold values of their own."""
    if not part.content_type.endswith("sheetMetadata+xml") or part.root is None:
        return False
    kinds = {element.get("name") for element in part.root.iter() if local(element) == "metadataType"}
    return kinds != {_DYNAMIC_ARRAYS} or any(local(element) == "valueMetadata" for element in part.root.iter())


def _strip(part: Part, counts: Counter[Unread]) -> None:
    """Removes hashes, accounts, dates and references to removed parts, and decodes escapes."""
    root: Element = part.root
    if "spreadsheetml" not in root.tag and "spreadsheetDrawing" not in root.tag:
        return
    strings.decode_escapes(root)
    for element in list(root.iter()):
        name = local(element)
        for attribute in list(element.attrib):
            plain = attribute.rpartition("}")[2]
            if plain in _HASHES or plain in _TRACES or _REVISION_NAMESPACE.match(attribute):
                del element.attrib[attribute]
                counts[Unread.FINGERPRINT] += 1
        if name in ("dynamicFilter", "top10"):
            for attribute in ("val", "valIso", "maxVal", "maxValIso", "filterVal"):
                element.attrib.pop(attribute, None)
        elif name == "dateGroupItem" and _CALENDAR_DETAILS & set(element.attrib):
            element.getparent().remove(element)
            counts[Unread.PRIVATE] += 1
        elif name == "table" and element.get("tableType") in _TYPED_TABLES:
            del element.attrib["tableType"]
        elif name == "graphicData" and element.get("uri", "").endswith(("slicer", "timeslicer")):
            _drop_anchor(element)
            counts[Unread.FORM] += 1


def _strip_cells(sheet: Element, *, has_metadata: bool) -> None:
    for cell in cells.cells(sheet):
        if not has_metadata:
            cell.element.attrib.pop("cm", None)
        formula = cells.child(cell.element, "f")
        if formula is not None and (len(formula.text or "") > LONGEST or is_opaque(formula.text or "")):
            cells.become_value(cell.element)


def _drop_anchor(element: Element) -> None:
    while element.getparent() is not None and not local(element).endswith("Anchor"):
        element = element.getparent()
    if element.getparent() is not None:
        element.getparent().remove(element)


def _renumber_guids(root: Element, guids: dict[str, str]) -> None:
    """Renumbers the GUIDs that connect comments, replies and authors; equal ones stay equal."""

    def drawn(match: re.Match[str]) -> str:
        return guids.setdefault(match[0].upper(), f"{{00000000-0000-4000-8000-{len(guids) + 1:012X}}}")

    for element in root.iter():
        if element.text and "{" in element.text:
            element.text = _GUID.sub(drawn, element.text)
        for name, value in element.attrib.items():
            if "{" in value and local(element) != "ext":
                element.set(name, _GUID.sub(drawn, value))
