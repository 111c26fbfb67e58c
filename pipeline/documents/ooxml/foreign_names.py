"""Names in markup that are not Office's own: elements, attributes and namespaces of custom XML, and namespace prefixes.

A name may hold a value, with or without blanks: `of_Sara_1012345672`.
"""

import re
from collections.abc import Iterator, Sequence

from lxml import etree

from pipeline.documents.edits import Edit, apply
from pipeline.documents.ooxml.xml import Element

# Kinds of slots that are names begin with NAME: of an element, of its namespace, of an attribute (`<@name`).
NAME = "<"
_ELEMENT, _NAMESPACE, _ATTRIBUTE = "<element", "<namespace", "<@"
_KNOWN = ("http://schemas.openxmlformats.org/", "http://schemas.microsoft.com/", "http://purl.oclc.org/",
          "http://purl.org/dc/", "http://www.w3.org/", "urn:schemas-microsoft-com:")  # fmt: skip
_IDENTIFIER = re.compile(r"[^\s@/\\]{10,}")
_IGNORABLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Ignorable"
_LONG_NUMBER = re.compile(r"\d{6}")
_IBAN = re.compile(r"[Ss][Aa]\d{4}")
_GLUED = re.compile(r"[^\W\d_](?=\d{9})|(?<=\d{9})[^\W\d_]")
_GLUED_IBAN = re.compile(r"[^\W\d_](?=[Ss][Aa]\d{4})")


def as_words(value: str) -> str:
    """An identifier with blanks between its words, in the same length: `of_Sara_1012345672` as `of Sara 1012345672`."""
    value = value.replace("_", " ")
    if _IDENTIFIER.search(value) is None:
        return value
    return _IDENTIFIER.sub(_with_blanks, value)


def _with_blanks(match: re.Match[str]) -> str:
    return (_GLUED_IBAN if _IBAN.search(match[0]) else _GLUED).sub(" ", match[0])


def foreign_names(element: Element) -> Iterator[tuple[str, str]]:
    """The element's name, namespace and attribute names that are not Office's own, each with the kind of its slot."""
    namespace, _, name = element.tag.rpartition("}")
    if namespace[1:].startswith(_KNOWN):
        return
    yield name, _ELEMENT
    if namespace:
        yield namespace[1:], _NAMESPACE
    for attribute in element.attrib:
        if not attribute.startswith("{"):
            yield attribute, _ATTRIBUTE + attribute


def is_foreign_attribute(element: Element, attribute: str) -> bool:
    """Whether an attribute on an element of Office has a namespace that is not Office's. No program reads it."""
    return attribute.startswith("{") and element.tag[1:].startswith(_KNOWN) and not attribute[1:].startswith(_KNOWN)


def rename(element: Element, kind: str, edits: Sequence[Edit]) -> None:
    """Writes the edits of one name. Placeholders are valid XML names."""
    namespace, mark, name = element.tag.rpartition("}")
    if kind == _ELEMENT:
        element.tag = namespace + mark + apply(name, edits)
    elif kind == _NAMESPACE:
        element.tag = "{" + apply(namespace[1:], edits) + "}" + name
        etree.cleanup_namespaces(element.getroottree())
    else:
        old = kind.removeprefix(_ATTRIBUTE)
        value = element.attrib.pop(old, None)
        if value is not None:
            element.set(apply(old, edits), value)


def drop_unused_namespaces(root: Element) -> None:
    """Removes declarations of foreign namespaces that nothing uses, and renames prefixes that hold long numbers."""
    declared = {prefix: uri for _, (prefix, uri) in etree.iterwalk(root, events=("start-ns",))}
    odd = [uri for prefix, uri in declared.items() if _LONG_NUMBER.search(prefix or "")]
    if odd:
        etree.cleanup_namespaces(root, top_nsmap={f"n{number}": uri for number, uri in enumerate(odd)})
    if not all(uri.startswith(_KNOWN) for uri in declared.values()):
        known = [prefix for prefix, uri in declared.items() if uri.startswith(_KNOWN)]
        etree.cleanup_namespaces(root, keep_ns_prefixes=known)
        if root.get(_IGNORABLE):  # programs report damage when mc:Ignorable names a prefix that is not declared
            root.set(_IGNORABLE, " ".join(prefix for prefix in root.get(_IGNORABLE).split() if prefix in root.nsmap))
