"""What labels a text of a package: a content control's title, a property's name, the name of an element."""

import re

from pipeline.documents.headings import is_heading
from pipeline.documents.ooxml import Element, local

PEOPLE = frozenset({"creator", "lastModifiedBy", "author", "Manager"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")
_NAME_PART = re.compile(r"(?:first|given|middle|last|family|sur)[_-]?name", re.IGNORECASE)


def title_of(control: Element) -> str:
    """The title that a content control bears, when it reads as a label."""
    for properties in control:
        if local(properties) == "sdtPr":
            for item in properties:
                if local(item) == "alias":
                    title = next((v for n, v in item.attrib.items() if n.endswith("}val")), "")
                    return title if is_heading(title) else ""
    return ""


def label_of(element: Element) -> str:
    """What an element outside of paragraphs says of its text: a property's name, or its own name in words."""
    name = local(element)
    if name in PEOPLE:
        return "Name"
    parent = element.getparent()
    if parent is not None and parent.get("name"):
        return str(parent.get("name"))
    return _CAMEL.sub(" ", name)


def attribute_label(element: Element, name: str) -> str:
    """A document variable's or property's name labels its value; a part of a name says so itself."""
    if name not in ("val", "value"):
        return _CAMEL.sub(" ", name) if _NAME_PART.fullmatch(name) else ""
    label = next((v for n, v in element.attrib.items() if n.rpartition("}")[2] == "name"), "")
    return label if is_heading(label) else ""
