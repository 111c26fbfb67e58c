"""Reads one XML part of an Office package with the standard library alone: no DTD, no entity, no network.

Also tells what people may read in attributes from what only programs do: numbers, names of typefaces, identifiers.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from urllib.parse import unquote
from xml.parsers import expat

from pipeline.verification.limits import MAX_DEPTH
from pipeline.verification.reading import Passage
from schemas.errors import ErrorCode, StageFailed

_DECLARED = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# Values that measure, switch or count: nobody's data, and there are thousands of them.
_TRIVIAL = re.compile(
    r"[-+]?[\d.]{0,5}[a-z%]{0,2}|[A-Za-z]{1,3}|[0-9A-Fa-f]{6,8}|\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?"
    r"|[a-z]+([A-Z][a-z]*)*"
)
_NUMBER = re.compile(r"[-+]?[\d.]+")
# Attributes whose numbers somebody may have written; all other numbers are coordinates, sizes and ordinals.
_WRITTEN = frozenset(
    {
        "v", "val", "value", "name", "displayName", "title", "descr", "alt", "tooltip", "display", "location",
        "caption", "uniqueName", "prompt", "promptTitle", "error", "errorTitle", "sourceCaption", "string", "author",
        "userId", "Target", "href", "src", "tag", "alias", "displayText", "providerId", "initials", "hidden",
    }
)  # fmt: skip
# Addresses of cells and how many there are: a worksheet has one in every row and cell.
_ADDRESSES = frozenset({"r", "ref", "sqref", "spans", "activeCell", "topLeftCell", "s", "customHeight", "ht"})
_ADDRESS = re.compile(r"[A-Z]{0,3}[0-9]{0,7}([: ][A-Z]{0,3}[0-9]{0,7})*")
_REFERRING = frozenset({"textlink", "location", "Target"})
_CELLS = re.compile(r"(?<=!)\$?[A-Z]{1,3}\$?[0-9]{1,7}(:\$?[A-Z]{1,3}\$?[0-9]{1,7})?(?![0-9A-Za-z])")
# The language and calendar of a number format: `[$-1170000]` reads like an amount.
_LOCALE = re.compile(r"\[\$-[0-9A-Fa-f]{1,8}(?:,[0-9]+)?\]")
_ORDINALS = frozenset({"id", "abstractNumId", "nsid", "tmpl", "durableId", "divId", "axId", "crossAx", "sldId"})
# Fonts and scripts that read like people or places, in the attributes that name them: every Office file has them.
_TYPEFACE_ATTRIBUTES = ("ascii", "hAnsi", "cs", "eastAsia", "typeface", "script", "family", "name", "val", "face")
_TYPEFACE = re.compile(
    r"((Times\s?New\s?Roman|Times Roman|Nimbus Roman( No9 L)?|Myanmar Text|Georgia|Sakkal Majalla|Bell MT|Gill Sans"
    r"|Franklin Gothic \w+|Goudy \w+|Lucida \w+|roman|modern|swiss|Hans|Hant|Arab|Hebr)"
    r"( (Bold|Italic|MT|PS|PSMT|CYR|CE|Greek|Tur|Baltic))*;?)+",
    re.IGNORECASE,
)
# Names of fonts and languages read like people and places (Georgia, Roman, US); raw is searched for those found.
_FORMAT_ATTRIBUTES = frozenset(
    {"lang", "ascii", "hAnsi", "cs", "eastAsia", "typeface", "face", "script", "family", "panose"}
)
_FORMAT_ELEMENTS = frozenset({"font", "altName", "family", "latin", "ea", "cs", "sym", "lang", "themeFontLang"})


class _Refused(Exception):
    """Raised from inside expat."""


def parse(data: bytes) -> ET.Element:
    """The tree of a part; StageFailed(verify_failed) if it is not well formed, nests too deeply or declares a type."""
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
        return ET.fromstring(data)  # noqa: S314 - the guard has passed
    except (expat.ExpatError, _Refused, ET.ParseError, ValueError, LookupError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def source(data: bytes) -> str:
    """The markup itself, comments and all, in the encoding that it declares; refused where that is none."""
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is None:
        declared = _DECLARED.match(data)
        encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        return data.decode(encoding, "replace")
    except (LookupError, ValueError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def attributes(root: ET.Element, *, is_links: bool) -> Iterator[Passage]:
    """What somebody may read in attributes, each text once. `is_links`: it is a relationships part."""
    seen: set[str] = set()
    for element in root.iter():
        tag = local(element)
        if tag in _FORMAT_ELEMENTS:
            continue
        inner = is_links and element.get("TargetMode") != "External"
        for name, value in element.attrib.items():
            plain = name.rpartition("}")[2]
            if value in seen or (inner and plain in ("Target", "Type")) or not _is_said(tag, plain, value):
                continue
            seen.add(value)
            said = _LOCALE.sub("", value) if plain == "formatCode" else unquote(value)
            yield Passage(without_cells(said) if plain in _REFERRING else said)


def without_cells(reference: str) -> str:
    """A reference to cells without their addresses: `$A$1` reads like an amount, the sheet's name may say something."""
    return _CELLS.sub(" ", reference)


def local(element: ET.Element) -> str:
    """The element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def _is_said(tag: str, name: str, value: str) -> bool:
    if name in _FORMAT_ATTRIBUTES or name.startswith("rsid") or _TRIVIAL.fullmatch(value):
        return False
    if _NUMBER.fullmatch(value) and (name not in _WRITTEN or tag in _ORDINALS):
        return False
    if name in _ADDRESSES and _ADDRESS.fullmatch(value):
        return False
    if name in _TYPEFACE_ATTRIBUTES and _TYPEFACE.fullmatch(value):
        return False
    return name != "Type" and not value.startswith(("http://schemas.", "http://purl.oclc.org/"))
