"""Parses one XML part of an Office package with the standard library: no DTD, no entities, no network.

Also selects the attribute values that people may read; coordinates, fonts, identifiers and the like are left out.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from urllib.parse import unquote
from xml.parsers import expat

from pipeline.verification.limits import MAX_DEPTH
from pipeline.verification.reading import Passage
from schemas.errors import ErrorCode, StageFailed

_DECLARED_ENCODING = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# Measures, switches, colours and GUIDs: thousands of values without content.
_NO_CONTENT = re.compile(
    r"[-+]?[\d.]{0,5}[a-z%]{0,2}|[A-Za-z]{1,3}|[0-9A-Fa-f]{6,8}|\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?"
    r"|[a-z]+([A-Z][a-z]*)*"
)
_NUMBER = re.compile(r"[-+]?[\d.]+")
# Attributes in which an author may write a number; in others, numbers are coordinates, sizes and ordinals.
_AUTHORED = frozenset(
    {
        "v", "val", "value", "name", "displayName", "title", "descr", "alt", "tooltip", "display", "location",
        "caption", "uniqueName", "prompt", "promptTitle", "error", "errorTitle", "sourceCaption", "string", "author",
        "userId", "Target", "href", "src", "tag", "alias", "displayText", "providerId", "initials", "hidden",
    }
)  # fmt: skip
# Attributes with cell references and counts, which every row and cell of a worksheet has.
_ADDRESS_ATTRIBUTES = frozenset({"r", "ref", "sqref", "spans", "activeCell", "topLeftCell", "s", "customHeight", "ht"})
_ADDRESS = re.compile(r"[A-Z]{0,3}[0-9]{0,7}([: ][A-Z]{0,3}[0-9]{0,7})*")
_REFERENCE_ATTRIBUTES = frozenset({"textlink", "location", "Target"})
_CELL_ADDRESS = re.compile(r"(?<=!)\$?[A-Z]{1,3}\$?[0-9]{1,7}(:\$?[A-Z]{1,3}\$?[0-9]{1,7})?(?![0-9A-Za-z])")
# The locale of a number format: `[$-1170000]` looks like an amount.
_LOCALE = re.compile(r"\[\$-[0-9A-Fa-f]{1,8}(?:,[0-9]+)?\]")
_ORDINAL_ELEMENTS = frozenset({"id", "abstractNumId", "nsid", "tmpl", "durableId", "divId", "axId", "crossAx", "sldId"})
# Names of fonts and scripts that look like names of people or places, and the attributes that have them.
_TYPEFACE_ATTRIBUTES = ("ascii", "hAnsi", "cs", "eastAsia", "typeface", "script", "family", "name", "val", "face")
_TYPEFACE = re.compile(
    r"((Times\s?New\s?Roman|Times Roman|Nimbus Roman( No9 L)?|Myanmar Text|Georgia|Sakkal Majalla|Bell MT|Gill Sans"
    r"|Franklin Gothic \w+|Goudy \w+|Lucida \w+|roman|modern|swiss|Hans|Hant|Arab|Hebr)"
    r"( (Bold|Italic|MT|PS|PSMT|CYR|CE|Greek|Tur|Baltic))*;?)+",
    re.IGNORECASE,
)
# Attributes and elements that name fonts and languages (Georgia, Roman, US); their source is still in `raw`.
_FORMAT_ATTRIBUTES = frozenset(
    {"lang", "ascii", "hAnsi", "cs", "eastAsia", "typeface", "face", "script", "family", "panose"}
)
_FORMAT_ELEMENTS = frozenset({"font", "altName", "family", "latin", "ea", "cs", "sym", "lang", "themeFontLang"})


class _Refused(Exception):
    """Raised inside expat callbacks."""


def parse(data: bytes) -> ET.Element:
    """The tree of a part. StageFailed(verify_failed) if it is not well-formed, nests too deeply or has a DTD."""
    depth = 0

    def refuse(*_: object) -> None:
        raise _Refused

    def down(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise _Refused

    def up(_: str) -> None:
        nonlocal depth
        depth -= 1

    guard = expat.ParserCreate()
    guard.StartDoctypeDeclHandler = guard.EntityDeclHandler = refuse
    guard.StartElementHandler, guard.EndElementHandler = down, up
    try:
        guard.Parse(data, True)
        return ET.fromstring(data)  # noqa: S314 - the first parser found no DTD and no entity
    except (expat.ExpatError, _Refused, ET.ParseError, ValueError, LookupError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def source(data: bytes) -> str:
    """The XML source with comments, in its declared encoding; StageFailed(verify_failed) for an unknown encoding."""
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is None:
        declared = _DECLARED_ENCODING.match(data)
        encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        return data.decode(encoding, "replace")
    except (LookupError, ValueError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def attributes(root: ET.Element, *, is_links: bool) -> Iterator[Passage]:
    """The attribute values that people may read, each once. `is_links`: the part is a relationships part."""
    seen: set[str] = set()
    for element in root.iter():
        tag = local(element)
        if tag in _FORMAT_ELEMENTS:
            continue
        is_internal = is_links and element.get("TargetMode") != "External"
        for name, value in element.attrib.items():
            attribute = name.rpartition("}")[2]
            if (
                value in seen
                or (is_internal and attribute in ("Target", "Type"))
                or not _has_content(tag, attribute, value)
            ):
                continue
            seen.add(value)
            text = _LOCALE.sub("", value) if attribute == "formatCode" else unquote(value)
            yield Passage(without_cells(text) if attribute in _REFERENCE_ATTRIBUTES else text)


def without_cells(reference: str) -> str:
    """A cell reference without addresses: `$A$1` looks like an amount, the sheet name stays."""
    return _CELL_ADDRESS.sub(" ", reference)


def local(element: ET.Element) -> str:
    """The local name of an element."""
    return element.tag.rpartition("}")[2]


def _has_content(tag: str, name: str, value: str) -> bool:
    if name in _FORMAT_ATTRIBUTES or name.startswith("rsid") or _NO_CONTENT.fullmatch(value):
        return False
    if _NUMBER.fullmatch(value) and (name not in _AUTHORED or tag in _ORDINAL_ELEMENTS):
        return False
    if name in _ADDRESS_ATTRIBUTES and _ADDRESS.fullmatch(value):
        return False
    if name in _TYPEFACE_ATTRIBUTES and _TYPEFACE.fullmatch(value):
        return False
    return name != "Type" and not value.startswith(("http://schemas.", "http://purl.oclc.org/"))
