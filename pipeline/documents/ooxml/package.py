"""An Office Open XML package in memory: a zip file read with distrust, its parts, written anew the same way each time.

Source: ECMA-376 part 2 (Open Packaging Conventions).
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from pipeline.documents.limits import (
    MAX_ENTRIES,
    MAX_PACKAGE_BYTES,
    MAX_RATIO,
    MAX_XML_BYTES,
    MAX_XML_DEPTH,
    RATIO_FREE_BYTES,
)
from schemas.errors import ErrorCode, StageFailed

TYPES_PART = "[Content_Types].xml"
RELATIONSHIPS_TYPE = "application/vnd.openxmlformats-package.relationships+xml"
_TYPES_NAMESPACE = "http://schemas.openxmlformats.org/package/2006/content-types"
_XML_SUFFIXES = (".xml", ".rels", ".vml")
_ODD_NAME = re.compile(r"[\\\x00-\x1f:*?\"<>|]|^/|//|(^|/)\.{1,2}(/|$)")
_TOO_DEEP = etree.XPath("boolean(/" + "/".join("*" * (MAX_XML_DEPTH + 1)) + ")")
_OPEN_BREAK = re.compile(rb"<br(?:\s[^<>/]*)?>(?!\s*</br)", re.IGNORECASE)  # Excel's VML leaves HTML's breaks open
_ZIP = b"PK\3\4"  # an alternative chunk bears the type of the document that it is
_EPOCH = (1980, 1, 1, 0, 0, 0)

Element = Any  # lxml is untyped


def unreadable() -> StageFailed:
    """What every reader here raises for a package that is damaged, encrypted or hostile."""
    return StageFailed(ErrorCode.UNSUPPORTED_FORMAT)


@dataclass(slots=True)
class Part:
    """One file of the package. `root` is its parsed tree, None for what is not XML."""

    name: str
    content_type: str
    data: bytes
    root: Element | None = None


@dataclass(slots=True)
class Package:
    """All parts by name (no leading slash), in the order of the zip file; content types are kept with the parts."""

    parts: dict[str, Part] = field(default_factory=dict)

    def xml_parts(self) -> Iterator[Part]:
        """Parts that are XML, relationship parts included."""
        return (part for part in self.parts.values() if part.root is not None)

    def find(self, name: str) -> Part | None:
        """A part by name; part names are equal whatever their case (OPC 6.2.2.3)."""
        part = self.parts.get(name)
        if part is None:
            lowered = name.lower()
            part = next((p for p in self.parts.values() if p.name.lower() == lowered), None)
        return part

    def rename(self, part: Part, name: str) -> None:
        """Gives a part another name, at its place in the order. Relationships are the caller's."""
        self.parts = {(name if p is part else p.name): p for p in self.parts.values()}
        part.name = name

    def write(self) -> bytes:
        """The zip file: same parts, same bytes, whatever the day."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            _add(archive, TYPES_PART, _content_types(self.parts.values()))
            for part in self.parts.values():
                _add(archive, part.name, part.data if part.root is None else to_bytes(part.root))
        return buffer.getvalue()


def read(data: bytes) -> Package:
    """The package in `data`; StageFailed (unsupported_format) when it is damaged, encrypted, hostile or too large."""
    try:
        files = _unzip(data)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, ValueError, EOFError, OSError, struct.error, IndexError):
        raise unreadable() from None
    declared = _Declared(parse(files.pop(TYPES_PART, b"")))
    package = Package()
    for name, body in files.items():
        content_type = declared.type_of(name)
        if "macroenabled" in content_type.lower() or "vbaproject" in (content_type + name).lower():
            raise unreadable()
        package.parts[name] = Part(name, content_type, body)
    xml = [part for part in package.parts.values() if _is_xml(part) and not part.data.startswith(_ZIP)]
    if sum(len(part.data) for part in xml) > MAX_XML_BYTES:
        raise unreadable()
    for part in xml:
        is_vml = part.name.lower().endswith(".vml")
        part.root, part.data = parse(_OPEN_BREAK.sub(b"<br/>", part.data) if is_vml else part.data), b""
    return package


def parse(data: bytes) -> Element:
    """An XML tree without comments and processing instructions.

    unreadable() when it has a DTD, is not well formed or nests too deeply.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError, LookupError):
        raise unreadable() from None
    if root is None or root.getroottree().docinfo.doctype:  # OPC 8.1.4 allows no DTD
        raise unreadable()
    if _TOO_DEEP(root):
        raise unreadable()
    return root


def to_bytes(root: Element) -> bytes:
    """A tree as UTF-8, declared standalone as Office does."""
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return written


def local(element: Element) -> str:
    """An element's name without its namespace."""
    tag: str = element.tag
    return tag.rpartition("}")[2]


def _unzip(data: bytes) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    seen: set[str] = set()
    total = 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ENTRIES:
            raise unreadable()
        for entry in entries:
            if entry.filename.endswith("/"):
                continue
            total += entry.file_size
            if _ODD_NAME.search(entry.filename) or entry.filename.lower() in seen or entry.flag_bits & 1:
                raise unreadable()
            if total > MAX_PACKAGE_BYTES or (
                entry.file_size > RATIO_FREE_BYTES and entry.file_size > MAX_RATIO * max(entry.compress_size, 1)
            ):
                raise unreadable()
            seen.add(entry.filename.lower())
            files[entry.filename] = archive.read(entry)  # never more than file_size, and the checksum holds
    return files


class _Declared:
    """The content types that [Content_Types].xml declares."""

    def __init__(self, root: Element) -> None:
        self._defaults: dict[str, str] = {}
        self._overrides: dict[str, str] = {}
        for row in root:
            kind, content_type = local(row), row.get("ContentType", "")
            if kind == "Default":
                self._defaults[row.get("Extension", "").lower()] = content_type
            elif kind == "Override":
                self._overrides[row.get("PartName", "").lstrip("/").lower()] = content_type

    def type_of(self, name: str) -> str:
        extension = name.rpartition(".")[2].lower()
        return self._overrides.get(name.lower()) or self._defaults.get(extension, "")


def _is_xml(part: Part) -> bool:
    return part.content_type.endswith(("+xml", "/xml")) or part.name.lower().endswith(_XML_SUFFIXES)


def _content_types(parts: Any) -> bytes:
    root = etree.Element(f"{{{_TYPES_NAMESPACE}}}Types", nsmap={None: _TYPES_NAMESPACE})
    etree.SubElement(root, f"{{{_TYPES_NAMESPACE}}}Default", Extension="rels", ContentType=RELATIONSHIPS_TYPE)
    etree.SubElement(root, f"{{{_TYPES_NAMESPACE}}}Default", Extension="xml", ContentType="application/xml")
    for part in parts:
        if not part.name.endswith(".rels"):
            etree.SubElement(
                root, f"{{{_TYPES_NAMESPACE}}}Override", PartName=f"/{part.name}", ContentType=part.content_type
            )
    return to_bytes(root)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
