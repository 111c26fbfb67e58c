"""Every place of a package's XML where text can stand, gathered into pieces that are read, and edited, as one.

A paragraph is one piece however many runs, links, fields or revisions it is cut into. What stands outside paragraphs
(properties, custom XML, attributes) is a piece of its own, so that a value has nowhere to hide.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote

from pipeline.documents.headings import is_heading
from pipeline.documents.ooxml import Element, Part, local
from pipeline.documents.ooxml_tables import contexts
from pipeline.documents.ooxml_vocabulary import is_vocabulary

WORD = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
_DRAWING = (
    "{http://schemas.openxmlformats.org/drawingml/2006/main}",
    "{http://purl.oclc.org/ooxml/drawingml/main}",
)
_MATH = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}",
    "{http://purl.oclc.org/ooxml/officeDocument/math}",
)


def _tags(namespaces: Iterable[str], *names: str) -> frozenset[str]:
    return frozenset(namespace + name for namespace in namespaces for name in names)


_PARAGRAPH = _tags((*WORD, *_DRAWING), "p")
_TEXT = _tags(WORD, "t") | _tags(_DRAWING, "t") | _tags(_MATH, "t")
_DELETED_TEXT = _tags(WORD, "delText")
_FIELD_CODE = _tags(WORD, "instrText", "delInstrText")
_GLYPHS: dict[str, str] = {
    **dict.fromkeys(_tags(WORD, "tab", "ptab"), "\t"),
    **dict.fromkeys(_tags(WORD, "br", "cr") | _tags(_DRAWING, "br"), "\n"),
    **dict.fromkeys(_tags(WORD, "noBreakHyphen"), "-"),
    **dict.fromkeys(_tags(WORD, "softHyphen"), "\u00ad"),
}
_SYMBOL = _tags(WORD, "sym")
_OLD = _tags(WORD, "del", "moveFrom")
_NEW = _tags(WORD, "ins", "moveTo")
_TABLE = _tags(WORD, "tbl") | _tags(_DRAWING, "tbl")
_CONTROL = _tags(WORD, "sdt")
_PROPERTIES = _tags(WORD, "pPr", "rPr", "tabs")
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"

# An attribute that is only a small number, a measure, a switch or one or two letters says nothing about anybody.
_TRIVIAL = re.compile(
    r"[-+]?\d{1,5}(\.\d{1,5})?([a-z]{1,2}|%)?|[A-Za-z]{1,3}|true|false|none|auto|preserve|[0-9A-F]{6}|"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")
_PEOPLE = frozenset({"creator", "lastModifiedBy", "author", "Manager"})


class Slot(NamedTuple):
    """Where some characters stand: an element's `text` or `tail`, an attribute (`@name`), or a `glyph` of its own."""

    element: Element
    kind: str


class Segment(NamedTuple):
    start: int
    end: int
    slot: Slot


@dataclass(slots=True)
class Piece:
    """Text that is read as one. `segments` say which slot each stretch of it comes from."""

    id: str
    context: str
    billed: bool
    text: str = ""
    segments: list[Segment] = field(default_factory=list)
    everywhere: bool = False  # every segment is a copy of the whole text, not a stretch of it

    def add(self, text: str, slot: Slot) -> None:
        """The next stretch."""
        if not text:
            return
        start = 0 if self.everywhere else len(self.text)
        self.text = text if self.everywhere else self.text + text
        self.segments.append(Segment(start, start + len(text), slot))


class _Paragraph:
    """The views of one paragraph: as it reads now, as it read before its revisions, and its field codes."""

    def __init__(self, context: str, billed: bool) -> None:
        self.now = Piece("", context, billed)
        self.before = Piece("", context, False)
        self.codes = Piece("", "", False)
        self.has_old = False

    def add(self, text: str, slot: Slot, age: int) -> None:
        if age >= 0:
            self.now.add(text, slot)
        if age <= 0:
            self.before.add(text, slot)
        self.has_old = self.has_old or age < 0

    def pieces(self) -> list[Piece]:
        return [self.now, *([self.before] if self.has_old else []), self.codes]


class Survey:
    """Walks parts in order and collects their pieces; the same package always gives the same ids.

    `inner_links` are relationships that lead to a part: their targets are part names, which are pieces by themselves.
    """

    def __init__(self, inner_links: frozenset[Element]) -> None:
        self.pieces: list[Piece] = []
        self._inner_links = inner_links
        self._attributes: dict[tuple[str, str], Piece] = {}
        self._table_contexts: dict[Element, str] = {}

    def part(self, part: Part, billed: bool) -> None:
        """All pieces of one XML part. `billed`: whether its paragraphs are content."""
        if part.root is None:
            return
        self._part_is_word = part.root.tag.startswith((*WORD, *_DRAWING))
        self._label = ""
        self._walk(part.root, None, 0, "", billed)

    def name(self, part: Part) -> str:
        """The part's own name is a piece too: `media/1012345672.png`. Its id."""
        piece = Piece("", "", False, part.name)
        self._keep(piece)
        return piece.id

    def _keep(self, piece: Piece) -> None:
        if piece.text and not piece.text.isspace():
            piece.id = str(len(self.pieces))
            self.pieces.append(piece)

    def _walk(self, element: Element, paragraph: _Paragraph | None, age: int, context: str, billed: bool) -> None:
        tag = element.tag
        self._look_at_attributes(element)
        if tag in _PARAGRAPH:
            self._paragraph(element, context, billed)
            return
        if paragraph is not None and self._stretch(element, paragraph, age):
            return
        if tag in _TABLE:
            self._table_contexts.update(contexts(element, _plain_text))
        elif tag in _CONTROL:
            context = _title_of(element) or context
        elif tag in _OLD:
            age = -1
        elif tag in _NEW:
            age = 1
        elif tag == _FALLBACK:
            billed = False
        context = self._table_contexts.pop(element, "") or context
        self._loose(element, "text", element.text)
        for child in element:
            self._walk(child, paragraph, age, context, billed)
            self._loose(child, "tail", child.tail)

    def _paragraph(self, element: Element, context: str, billed: bool) -> None:
        paragraph = _Paragraph(context or self._label, billed)
        for child in element:
            self._walk(child, paragraph, 0, context, billed)
            self._loose(child, "tail", child.tail)
        self._loose(element, "text", element.text)
        for piece in paragraph.pieces():
            self._keep(piece)
        said = paragraph.now.text.strip()
        if said:
            self._label = said if said.endswith((":", "：")) and is_heading(said) else ""

    def _stretch(self, element: Element, paragraph: _Paragraph, age: int) -> bool:
        """Adds the element to its paragraph if it is text of it; whether it was."""
        tag = element.tag
        if tag in _PROPERTIES:
            for child in element.iterdescendants():
                self._look_at_attributes(child)
                self._loose(child, "text", child.text)
            return True
        if tag in _TEXT:
            paragraph.add(element.text or "", Slot(element, "text"), age)
        elif tag in _DELETED_TEXT:
            paragraph.add(element.text or "", Slot(element, "text"), -1)
        elif tag in _FIELD_CODE:
            paragraph.codes.add(element.text or "", Slot(element, "text"))
        elif tag in _GLYPHS:
            paragraph.add(_GLYPHS[tag], Slot(element, "glyph"), age)
        elif tag in _SYMBOL:
            paragraph.add(_symbol(element), Slot(element, "glyph"), age)
        else:
            return False
        for child in element:  # not by the schema: but nothing hides there
            self._walk(child, None, age, "", False)
            self._loose(child, "tail", child.tail)
        return True

    def _loose(self, element: Element, kind: str, text: str | None) -> None:
        if text and not text.isspace():
            owner = element if kind == "text" else element.getparent()
            piece = Piece("", "" if self._part_is_word else _label_of(owner), False)
            piece.add(text, Slot(element, kind))
            self._keep(piece)

    def _look_at_attributes(self, element: Element) -> None:
        """One piece per distinct value and label: what stands in a thousand places is read once, changed in all."""
        for name, value in element.attrib.items():
            if _TRIVIAL.fullmatch(value) or (name == "Target" and element in self._inner_links):
                continue
            value = decoded(name, value)
            plain = name.rpartition("}")[2]
            if is_vocabulary(local(element), plain, value):
                continue
            context = "Name" if plain in _PEOPLE else _attribute_label(element, plain)
            piece = self._attributes.get((value, context))
            if piece is None:
                piece = self._attributes[value, context] = Piece("", context, False, everywhere=True)
                piece.text = value
                self._keep(piece)
            piece.add(value, Slot(element, "@" + name))


def _symbol(element: Element) -> str:
    """The character of a w:sym; symbol fonts keep theirs at U+F000 above the code."""
    code = next((value for name, value in element.attrib.items() if name.endswith("}char")), "")
    try:
        number = int(code, 16)
    except ValueError:
        return "\ufffd"
    number -= 0xF000 if 0xF020 <= number <= 0xF0FF else 0
    return chr(number) if 0x20 <= number < 0xD800 else "\ufffd"


def decoded(name: str, value: str) -> str:
    """An attribute's value as people mean it: in links, letters and digits may stand as percent signs and codes."""
    return unquote(value) if name == "Target" and "%" in value else value


def _plain_text(element: Element) -> str:
    return "".join(t.text or "" for t in element.iter(*_TEXT))


def _title_of(control: Element) -> str:
    """The title that a content control bears, when it reads as a label."""
    for properties in control:
        if local(properties) == "sdtPr":
            for item in properties:
                if local(item) == "alias":
                    title = next((v for n, v in item.attrib.items() if n.endswith("}val")), "")
                    return title if is_heading(title) else ""
    return ""


def _label_of(element: Element) -> str:
    """What an element outside of paragraphs says of its text: a property's name, or its own name in words."""
    name = local(element)
    if name in _PEOPLE:
        return "Name"
    parent = element.getparent()
    if parent is not None and parent.get("name"):
        return str(parent.get("name"))
    return _CAMEL.sub(" ", name)


def _attribute_label(element: Element, name: str) -> str:
    """A document variable's or property's name labels its value."""
    if name not in ("val", "value"):
        return ""
    label = next((v for n, v in element.attrib.items() if n.rpartition("}")[2] == "name"), "")
    return label if is_heading(label) else ""
