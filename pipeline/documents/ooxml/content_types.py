"""The content types of a package's parts, from [Content_Types].xml and from the root elements of the parts.

Programs repair a damaged [Content_Types].xml. Its valid rows are used here, and a part without a row gets the type of
its root element. Source: ECMA-376 part 2, clause 7 (content types), and part 1 for the root elements.
"""

from collections.abc import Iterable
from types import MappingProxyType
from urllib.parse import unquote

from lxml import etree

from pipeline.documents.ooxml.xml import Element, Malformed, local, parse, to_bytes

TYPES_PART = "[Content_Types].xml"
_NAMESPACE = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONSHIPS = "application/vnd.openxmlformats-package.relationships+xml"
_XML = "application/xml"
_VML = "application/vnd.openxmlformats-officedocument.vmlDrawing"
_UNTELLING = frozenset({"", _XML, "text/xml", "application/octet-stream"})

_OFFICE = "application/vnd.openxmlformats-officedocument"
_SCHEMAS = ("http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/")  # transitional and strict


def _types(namespace: str, prefix: str, names: str) -> dict[tuple[str, str], str]:
    """Rows of the table below: `root` or `root=end of the type`, parted by blanks."""
    rows = (name.partition("=") for name in names.split())
    return {(namespace, root): f"{prefix}.{end or root}+xml" for root, _, end in rows}


# The content type of a part by its root element: its namespace without year and `main`, and its name.
_OF_ROOT = MappingProxyType(
    _types(
        "wordprocessingml", f"{_OFFICE}.wordprocessingml",
        "document=document.main glossaryDocument=document.glossary hdr=header ftr=footer footnotes endnotes comments"
        " styles settings webSettings numbering fonts=fontTable",
    )
    | _types(
        "spreadsheetml", f"{_OFFICE}.spreadsheetml",
        "workbook=sheet.main worksheet chartsheet dialogsheet sst=sharedStrings styleSheet=styles comments calcChain"
        " table externalLink connections queryTable metadata=sheetMetadata pivotTableDefinition=pivotTable"
        " pivotCacheDefinition pivotCacheRecords",
    )
    | _types(
        "presentationml", f"{_OFFICE}.presentationml",
        "presentation=presentation.main sld=slide sldLayout=slideLayout sldMaster=slideMaster notes=notesSlide"
        " notesMaster handoutMaster presentationPr=presProps viewPr=viewProps cmLst=comments"
        " cmAuthorLst=commentAuthors tagLst=tags",
    )
    | _types("drawingml", _OFFICE, "theme tblStyleLst=presentationml.tableStyles")
    | _types("drawingml/chart", f"{_OFFICE}.drawingml", "chartSpace=chart")
    | _types("drawingml/chartDrawing", f"{_OFFICE}.drawingml", "userShapes=chartshapes")
    | _types("drawingml/spreadsheetDrawing", _OFFICE, "wsDr=drawing")
    | _types(
        "drawingml/diagram", f"{_OFFICE}.drawingml",
        "dataModel=diagramData layoutDef=diagramLayout styleDef=diagramStyle colorsDef=diagramColors",
    )
    | _types("officeDocument/extended-properties", _OFFICE, "Properties=extended-properties")
    | _types("officeDocument/custom-properties", _OFFICE, "Properties=custom-properties")
    | _types("officeDocument/customXml", _OFFICE, "datastoreItem=customXmlProperties")
    | _types(
        "package/metadata/core-properties", "application/vnd.openxmlformats-package", "coreProperties=core-properties"
    )
)  # fmt: skip
_SPELLED = {content_type.lower(): content_type for content_type in _OF_ROOT.values()}


class Declared:
    """The rows of a [Content_Types].xml that can be read; none when it is damaged as a whole."""

    def __init__(self, data: bytes) -> None:
        self._defaults: dict[str, list[str]] = {}
        self._overrides: dict[str, list[str]] = {}
        try:
            rows = list(parse(data, is_repaired=True).root.iter("*"))  # repair may nest rows in broken elements
        except Malformed:
            rows = []
        for row in rows:
            values = {name.lower(): value.strip() for name, value in row.attrib.items()}
            content_type = values.get("contenttype", "").partition(";")[0].strip()
            if local(row).lower() == "default":
                extension = values.get("extension", "").lstrip(".").lower()
                self._defaults.setdefault(extension, []).append(content_type)
            elif local(row).lower() == "override":
                name = unquote(values.get("partname", "")).replace("\\", "/").lstrip("/").lower()
                self._overrides.setdefault(name, []).append(content_type)

    def types_of(self, name: str) -> list[str]:
        """The content types that are declared for a part, in order; a valid package declares one."""
        extension = name.rpartition(".")[2].lower()
        found = self._overrides.get(name.lower()) or self._defaults.get(extension) or []
        return [_SPELLED.get(content_type.lower(), content_type) for content_type in found if content_type]


def of_part(name: str, declared: list[str], root: Element | None) -> str:
    """The content type of a part: the last one declared.

    The type of the root element instead, when it is one of those declared, or when the declared type is generic.
    """
    last = declared[-1] if declared else ""
    proven = _proven(root) if root is not None else ""
    if proven and (last in _UNTELLING or proven in declared):
        return proven
    if last or root is None:
        return last
    if name.lower().endswith(".rels"):
        return _RELATIONSHIPS
    return _VML if name.lower().endswith(".vml") else _XML


def to_part(types: Iterable[tuple[str, str]]) -> bytes:
    """A [Content_Types].xml for parts of these names and types."""
    root = etree.Element(f"{{{_NAMESPACE}}}Types", nsmap={None: _NAMESPACE})
    etree.SubElement(root, f"{{{_NAMESPACE}}}Default", Extension="rels", ContentType=_RELATIONSHIPS)
    etree.SubElement(root, f"{{{_NAMESPACE}}}Default", Extension="xml", ContentType=_XML)
    for name, content_type in types:
        if not name.endswith(".rels"):
            etree.SubElement(root, f"{{{_NAMESPACE}}}Override", PartName=f"/{name}", ContentType=content_type)
    return to_bytes(root)


def _proven(root: Element) -> str:
    """The content type that has this root element; "" for an unknown one."""
    namespace, _, name = root.tag[1:].rpartition("}")
    for schemas in _SCHEMAS:
        if namespace.startswith(schemas):
            family = "/".join(
                word for word in namespace.removeprefix(schemas).split("/") if word != "main" and not word.isdecimal()
            )
            return _OF_ROOT.get((family, name), "")
    return ""
