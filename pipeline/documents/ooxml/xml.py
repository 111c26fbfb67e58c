"""Reads one XML part with distrust, and writes it: no entity, no network, no deep nesting.

Comments and processing instructions are left out.
"""

import re
from typing import Any, NamedTuple

from lxml import etree

from pipeline.documents.limits import MAX_XML_DEPTH
from pipeline.documents.ooxml import doctype
from schemas.errors import StageFailed, unsupported
from schemas.refusals import Reason

Element = Any  # lxml is untyped

_TOO_DEEP = etree.XPath("boolean(/" + "/".join("*" * (MAX_XML_DEPTH + 1)) + ")")
# libxml2's errors for its own limits: of depth, of memory, of the length of names, of entities.
_LIMITS = frozenset({
    etree.ErrorTypes.ERR_INTERNAL_ERROR,
    etree.ErrorTypes.ERR_NO_MEMORY,
    etree.ErrorTypes.ERR_ENTITY_LOOP,
    etree.ErrorTypes.ERR_NAME_TOO_LONG,
    114,  # XML_ERR_RESOURCE_LIMIT, which lxml does not name
})  # fmt: skip
_BLANKS_IN_FRONT = re.compile(rb"(?:\xef\xbb\xbf|[ \t\r\n])*")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Malformed(Exception):
    """The bytes are no well-formed XML."""


class Parsed(NamedTuple):
    """The tree of a part. `had_doctype`: a document type declaration was removed; `had_external`: it named a file."""

    root: Element
    had_doctype: bool = False
    had_external: bool = False


def unreadable(reason: Reason = Reason.CORRUPT) -> StageFailed:
    """The error of every reader of Office packages for a package that is damaged, encrypted or hostile."""
    return unsupported(reason)


def parse(data: bytes, *, is_repaired: bool = False) -> Parsed:
    """The tree of a part without comments, processing instructions and entities.

    `is_repaired`: libxml2 skips what is not well formed, as far as it can. Malformed when nothing can be read;
    unreadable() when the part nests too deeply or exceeds another limit.
    """
    data = _without_blanks_in_front(data)
    try:
        undeclared = doctype.remove(data)
    except ValueError:
        raise Malformed from None
    root = _tree(data if undeclared is None else undeclared.data, is_repaired=is_repaired)
    if root.getroottree().docinfo.doctype:
        raise Malformed
    if _TOO_DEEP(root):
        raise unreadable(Reason.TOO_COMPLEX)
    return Parsed(root, undeclared is not None, undeclared is not None and undeclared.is_external)


def to_bytes(root: Element) -> bytes:
    """A tree as UTF-8, declared standalone as Office does."""
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return written


def local(element: Element) -> str:
    """An element's name without its namespace."""
    tag: str = element.tag
    return tag.rpartition("}")[2]


def _tree(data: bytes, *, is_repaired: bool) -> Element:
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=is_repaired,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        if error.code in _LIMITS:
            raise unreadable() from None
        raise Malformed from None
    except (ValueError, LookupError):
        raise Malformed from None
    if root is None:
        raise Malformed
    return root


def _without_blanks_in_front(data: bytes) -> bytes:
    """The part without blanks before its XML declaration, which some programs pass over; a byte order mark stays."""
    match = _BLANKS_IN_FRONT.match(data)
    front = match[0] if match else b""
    return (_BYTE_ORDER_MARK if _BYTE_ORDER_MARK in front else b"") + data[len(front) :]
