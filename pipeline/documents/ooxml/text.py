"""Collects all text of a package's XML into units that are read, and edited, as one.

A paragraph is one unit, however many runs, hyperlinks, fields or revisions it consists of. Text outside paragraphs
(properties, custom XML, attributes) makes units of its own, so that no value is left unread.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from pipeline.documents.document import JoinedText
from pipeline.documents.labels import is_heading
from pipeline.documents.ooxml.charts import displayed_value
from pipeline.documents.ooxml.foreign_names import as_words, foreign_names
from pipeline.documents.ooxml.labels import PEOPLE, attribute_label, cell_contexts, control_title, element_label
from pipeline.documents.ooxml.mixed_content import MixedContent
from pipeline.documents.ooxml.package import Part
from pipeline.documents.ooxml.reversed_text import reversed_views
from pipeline.documents.ooxml.split_values import (
    NameParts,
    across_paragraphs,
    across_rows,
    across_short_paragraphs,
    across_text_boxes,
)
from pipeline.documents.ooxml.text_unit import Branch, Paragraph, Slot, XmlUnit
from pipeline.documents.ooxml.vocabulary import is_trivial, is_vocabulary, meaningful_text
from pipeline.documents.ooxml.xml import Element, local

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
_CHARACTERS: dict[str, str] = {
    **dict.fromkeys(_tags(WORD, "tab", "ptab"), "\t"),
    **dict.fromkeys(_tags(WORD, "br", "cr") | _tags(_DRAWING, "br"), "\n"),
    **dict.fromkeys(_tags(WORD, "noBreakHyphen"), "-"),
    **dict.fromkeys(_tags(WORD, "softHyphen"), "\u00ad"),
}
_SYMBOL = _tags(WORD, "sym")
_DELETED = _tags(WORD, "del", "moveFrom")
_INSERTED = _tags(WORD, "ins", "moveTo")
_TABLE = _tags(WORD, "tbl") | _tags(_DRAWING, "tbl")
_CONTROL = _tags(WORD, "sdt")
_PROPERTIES = _tags(WORD, "pPr", "rPr", "tabs")
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_CHOICE, _FALLBACK = _COMPATIBILITY + "Choice", _COMPATIBILITY + "Fallback"
_RUBY = _tags(WORD, "rt")
_OVERRIDE = _tags(WORD, "bdo")
_RIGHT_TO_LEFT = _tags(WORD, "rtl", "dir")
_BRANCHES = _DELETED | _INSERTED | _RUBY | {_CHOICE, _FALLBACK}
# Elements whose paragraphs follow each other as one story.
_STORIES = frozenset(
    {"body", "tc", "txbxContent", "hdr", "ftr", "footnote", "endnote", "comment", "txBody", "txPr", "rich", "t"}
)

# Numbers as programs write them: 1.012345672E9, 1012345672.0
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?[Ee]\+?\d{1,2}|[-+]?\d{6,}\.0+")


class _Position(NamedTuple):
    """The surroundings of an element: its paragraph, its branch in it, its label, and whether its text is billed."""

    paragraph: Paragraph | None
    branch: Branch
    context: str
    billed: bool


class TextCollector:
    """Walks parts in order and collects their units and joints; the same package always gives the same ids.

    `inner_links`: elements of relationships whose targets are parts of the package. Those targets are part names, which
    `collect_name` makes units of.
    """

    def __init__(self, inner_links: frozenset[Element]) -> None:
        self.units: list[XmlUnit] = []
        self.joints: list[JoinedText] = []
        self._inner_links = inner_links
        self._attributes: dict[tuple[str, str], XmlUnit] = {}
        self._units_of_values: dict[tuple[str, str, str], XmlUnit | None] = {}  # by element, attribute and value
        self._table_contexts: dict[Element, str] = {}
        self._stories: dict[Element, list[XmlUnit]] = {}
        self._name_parts = NameParts()
        self._mixed_content = MixedContent()

    def collect(self, part: Part, billed: bool) -> None:
        """Collects all units of one XML part. `billed`: whether its paragraphs are content."""
        if part.root is None:
            return
        self._part_is_word = part.root.tag.startswith((*WORD, *_DRAWING))
        self._label = ""
        self._walk(part.root, _Position(None, Branch(), "", billed))
        for units in self._stories.values():
            self.joints += (*across_paragraphs(units), *across_short_paragraphs(units))
        self.joints += across_rows(self._stories)
        self.joints += across_text_boxes(self._stories)
        self._stories = {}
        for unit in self._mixed_content.units():
            self.keep(unit)

    def collect_name(self, part: Part) -> str:
        """Collects the part's name as a unit (`media/1012345672.png`). Returns the unit's id."""
        unit = XmlUnit("", "", False, as_words(part.name).replace("/", "\n").replace(".", "\n"))
        self.keep(unit)
        return unit.id

    def keep(self, unit: XmlUnit) -> None:
        """Gives a unit its id and keeps it, unless it is blank."""
        if unit.text and not unit.text.isspace():
            unit.id = str(len(self.units))
            self.units.append(unit)

    def _walk(self, element: Element, position: _Position) -> None:
        tag = element.tag
        self._attributes_of(element)
        self._mixed_content.note_text_box(element)
        if tag in _PARAGRAPH:
            self._paragraph(element, position)
            return
        if position.paragraph is not None and self._paragraph_text(element, position.paragraph, position.branch):
            return
        if tag in _TABLE:
            self._table_contexts.update(cell_contexts(element, _plain_text))
        elif tag in _CONTROL:
            position = position._replace(context=control_title(element) or position.context)
        elif tag in _BRANCHES:
            position = _in_branch(element, position)
        context = self._table_contexts.pop(element, "")
        before = len(position.paragraph.current.segments) if position.paragraph is not None else 0
        self._children(element, position._replace(context=context) if context else position)
        if tag in _OVERRIDE and position.paragraph is not None and "rtl" in element.attrib.values():
            position.paragraph.overrides.append((before, len(position.paragraph.current.segments)))

    def _children(self, element: Element, position: _Position) -> None:
        self._text_outside_paragraphs(element, "text", element.text)
        for child in element:
            self._walk(child, position)
            self._text_outside_paragraphs(child, "tail", child.tail)

    def _paragraph(self, element: Element, position: _Position) -> None:
        paragraph = Paragraph(position.context or self._label, position.billed)
        self._children(element, _Position(paragraph, Branch(), position.context, position.billed))
        for unit in (*paragraph.units(), *reversed_views(paragraph)):
            self.keep(unit)
        line = paragraph.current.text.strip()
        if line:
            story = next((above for above in element.iterancestors() if local(above) in _STORIES), element)
            self._stories.setdefault(story, []).append(paragraph.current)
            self._label = line if line.endswith((":", "：")) and is_heading(line) else ""

    def _paragraph_text(self, element: Element, paragraph: Paragraph, branch: Branch) -> bool:
        """Adds the element to its paragraph if it is a text of it. Returns whether it is."""
        tag = element.tag
        paragraph.is_right_to_left = paragraph.is_right_to_left or tag in _RIGHT_TO_LEFT
        if tag in _PROPERTIES:
            self._text_outside_paragraphs(element, "text", element.text)
            for child in element.iterdescendants():
                paragraph.is_right_to_left = paragraph.is_right_to_left or child.tag in _RIGHT_TO_LEFT
                self._attributes_of(child)
                self._text_outside_paragraphs(child, "text", child.text)
                self._text_outside_paragraphs(child, "tail", child.tail)
            return True
        if tag in _TEXT:
            paragraph.add(element.text or "", Slot(element, "text"), branch)
        elif tag in _DELETED_TEXT:
            paragraph.add(element.text or "", Slot(element, "text"), branch._replace(revision=-1))
        elif tag in _FIELD_CODE:
            paragraph.add_field_code(as_words(element.text or ""), Slot(element, "text"))
        elif tag in _CHARACTERS:
            paragraph.add(_CHARACTERS[tag], Slot(element, "glyph"), branch)
        elif tag in _SYMBOL:
            paragraph.add(_symbol(element), Slot(element, "glyph"), branch)
        else:
            return False
        for child in element:  # the schema allows none, but a value must not hide there
            self._walk(child, _Position(None, branch, "", False))
            self._text_outside_paragraphs(child, "tail", child.tail)
        return True

    def _text_outside_paragraphs(self, element: Element, kind: str, text: str | None) -> None:
        if text and not text.isspace():
            owner = element if kind == "text" else element.getparent()
            unit = XmlUnit("", "" if self._part_is_word else element_label(owner), False)
            text = meaningful_text(local(owner), text)
            number = displayed_value(element, text) if kind == "text" and local(element) == "v" else None
            if number is None and _NUMBER.fullmatch(text):
                number = f"{float(text):.0f}"
            if number is not None:
                unit.is_repeated, text = True, number
            unit.add(text, Slot(element, kind))
            self.keep(unit)
            self._mixed_content.note_text(element, kind, text)
            self.joints += self._name_parts.join(unit)

    def _attributes_of(self, element: Element) -> None:
        """Collects the attributes of an element: one unit per distinct value and label, one slot per occurrence."""
        for text, kind in foreign_names(element):
            self._attribute(text, "").add(as_words(text), Slot(element, kind))
        for name, value in element.attrib.items():
            key = (element.tag, name, value)
            is_own = name == "Target" or (len(element.attrib) > 1 and name.endswith(("val", "value")))
            if is_own or key not in self._units_of_values:
                unit = (
                    None
                    if name == "Target" and element in self._inner_links
                    else self._attribute_value(element, name, value)
                )
                if not is_own:
                    self._units_of_values[key] = unit
            else:
                unit = self._units_of_values[key]
            if unit is not None:
                unit.add(unit.text, Slot(element, "@" + name))

    def _attribute_value(self, element: Element, name: str, value: str) -> XmlUnit | None:
        """The unit of an attribute's value, without its slot; None for values that cannot identify anybody."""
        plain = name.rpartition("}")[2]
        value = decoded(name, value)
        if is_trivial(value) or is_vocabulary(local(element), plain, value):
            return None
        unit = self._attribute(value, "Name" if plain in PEOPLE else attribute_label(element, plain))
        self.joints += self._name_parts.join(unit)
        return unit

    def _attribute(self, value: str, context: str) -> XmlUnit:
        unit = self._attributes.get((value, context))
        if unit is None:
            unit = self._attributes[value, context] = XmlUnit("", context, False, is_repeated=True)
            unit.text = as_words(value)
            self.keep(unit)
        return unit


def _in_branch(element: Element, position: _Position) -> _Position:
    """The position of the children of a revision mark, a phonetic guide, or a branch of alternate content."""
    branch, tag = position.branch, element.tag
    if tag in _DELETED:
        branch = branch._replace(revision=-1)
    elif tag in _INSERTED:
        branch = branch._replace(revision=1)
    elif tag in _RUBY:
        branch = branch._replace(is_ruby=True)
    elif tag == _CHOICE and element.getprevious() is None:
        branch = branch._replace(alternative=branch.alternative or 1)
    else:
        return position._replace(branch=branch._replace(alternative=2), billed=False)
    return position._replace(branch=branch)


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
    """An attribute's value; the target of a relationship without its percent encoding (RFC 3986)."""
    return unquote(value) if name == "Target" and "%" in value else value


def _plain_text(element: Element) -> str:
    return "".join(t.text or "" for t in element.iter(*_TEXT))
