"""An Office Open XML package in memory: a zip file read with distrust, its parts, written anew the same way each time.

Source: ECMA-376 part 2 (Open Packaging Conventions).
"""

import io
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.documents.document import Unread
from pipeline.documents.limits import MAX_ENTRIES, MAX_PACKAGE_BYTES, MAX_RATIO, MAX_XML_BYTES, RATIO_FREE_BYTES
from pipeline.documents.ooxml import content_types
from pipeline.documents.ooxml.content_types import TYPES_PART, Declared
from pipeline.documents.ooxml.xml import Element, Malformed, parse, to_bytes, unreadable
from schemas.refusals import Reason

_XML_SUFFIXES = (".xml", ".rels", ".vml")
_ODD_NAME = re.compile(r"[\\\x00-\x1f:*?\"<>|]|^/|//|(^|/)\.{1,2}(/|$)")
_OPEN_BREAK = re.compile(rb"<br(?:\s[^<>/]*)?>(?!\s*</br)", re.IGNORECASE)  # Excel's VML leaves HTML's breaks open
_ZIP = b"PK\3\4"  # an alternative chunk bears the type of the document that it is
_EPOCH = (1980, 1, 1, 0, 0, 0)
_DAMAGES = (zipfile.BadZipFile, zlib.error, RuntimeError, ValueError, EOFError, OSError, struct.error, IndexError)


@dataclass(slots=True)
class Part:
    """One file of the package. `root` is its parsed tree, None for what is not XML.

    `is_damaged`: its bytes could not be unpacked, or are no well-formed XML; it has neither data nor root.
    """

    name: str
    content_type: str
    data: bytes
    root: Element | None = None
    is_damaged: bool = False


@dataclass(slots=True)
class Package:
    """All parts by name (no leading slash), in the order of the zip file; content types are kept with the parts.

    `removed` counts what was dropped while parts were parsed: document type declarations, which may name other files.
    """

    parts: dict[str, Part] = field(default_factory=dict)
    removed: Counter[Unread] = field(default_factory=Counter)

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
        types = content_types.to_part((part.name, part.content_type) for part in self.parts.values())
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            _add(archive, TYPES_PART, types)
            for part in self.parts.values():
                _add(archive, part.name, part.data if part.root is None else to_bytes(part.root))
        return buffer.getvalue()


def read(data: bytes) -> Package:
    """The package in `data`; StageFailed (unsupported_format) when it is encrypted, hostile, too large or no package.

    A damaged part is kept without content: its type decides whether the document is of use without it.
    """
    try:
        files = _unzip(data)
    except _DAMAGES:
        raise unreadable() from None
    types = next((name for name in files if name.lower() == TYPES_PART.lower()), None)
    if types is None:
        raise unreadable()
    declared = Declared(files.pop(types) or b"")
    package = Package()
    xml: list[Part] = []
    for name, body in files.items():
        found = declared.types_of(name)
        if any("macroenabled" in type_.lower() or "vbaproject" in (type_ + name).lower() for type_ in ("", *found)):
            raise unreadable(Reason.MACRO_ENABLED)
        part = Part(name, content_types.of_part(name, found, None), body or b"", is_damaged=body is None)
        package.parts[name] = part
        if _is_xml(part) and not part.data.startswith(_ZIP):
            xml.append(part)
    if sum(len(part.data) for part in xml) > MAX_XML_BYTES:
        raise unreadable(Reason.TOO_COMPLEX)
    for part in xml:
        _parse(package, part)
        part.content_type = content_types.of_part(part.name, declared.types_of(part.name), part.root)
    return package


def _parse(package: Package, part: Part) -> None:
    """Replaces the bytes of a part by its tree; marks the part when it is damaged.

    unreadable() for a damaged relationships part, because the structure of the package is unknown without it.
    """
    is_vml = part.name.lower().endswith(".vml")
    data, part.data = _OPEN_BREAK.sub(b"<br/>", part.data) if is_vml else part.data, b""
    try:
        parsed = parse(data)
    except Malformed:
        if part.name.lower().endswith(".rels"):
            raise unreadable() from None
        part.is_damaged = True
        return
    part.root = parsed.root
    if parsed.had_doctype:
        package.removed[Unread.CONNECTION if parsed.had_external else Unread.PRIVATE] += 1


def _unzip(data: bytes) -> dict[str, bytes | None]:
    """The files of the archive by name, in order; None for one whose bytes do not unpack or fail their checksum."""
    files: dict[str, bytes | None] = {}
    seen: set[str] = set()
    total = 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ENTRIES:
            raise unreadable(Reason.TOO_COMPLEX)
        for entry in entries:
            if entry.filename.endswith("/"):
                continue
            total += entry.file_size
            if entry.flag_bits & 1:
                raise unreadable(Reason.ENCRYPTED)
            if _ODD_NAME.search(entry.filename) or entry.filename.lower() in seen:
                raise unreadable()
            if total > MAX_PACKAGE_BYTES or (
                entry.file_size > RATIO_FREE_BYTES and entry.file_size > MAX_RATIO * max(entry.compress_size, 1)
            ):
                raise unreadable(Reason.TOO_COMPLEX)
            seen.add(entry.filename.lower())
            try:
                files[entry.filename] = archive.read(entry)  # never more than file_size
            except _DAMAGES:
                files[entry.filename] = None
    return files


def _is_xml(part: Part) -> bool:
    return part.content_type.endswith(("+xml", "/xml")) or part.name.lower().endswith(_XML_SUFFIXES)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
