"""Text that markup other than paragraphs cuts into units: HTML in a VML text box, mixed content of custom XML."""

from pipeline.documents.ooxml.text_unit import Slot, XmlUnit
from pipeline.documents.ooxml.xml import Element, local

_VML_TEXT_BOX = "{urn:schemas-microsoft-com:vml}textbox"
# Elements of HTML that begin and end a line.
_BLOCKS = frozenset({"div", "p", "li", "tr", "td", "th", "br", "hr", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5",
                     "h6", "blockquote", "pre"})  # fmt: skip
_PARAGRAPH_HOLDERS = frozenset({"txbxContent", "txBody"})  # elements with paragraphs, which are units of their own
_LEAST_CHARACTERS = 9  # elements of one sign each that may be one code


class MixedContent:
    """Notes the elements whose text and child elements alternate; `units` reads each of them as one text."""

    def __init__(self) -> None:
        self._elements: dict[Element, None] = {}
        self._single_characters: dict[Element, int] = {}

    def note_text(self, element: Element, kind: str, text: str) -> None:
        """Notes a text outside paragraphs: `kind` is `text` (inside the element) or `tail` (after it).

        A tail makes its parent mixed content; so do many child elements of one character each.
        """
        above = element.getparent()
        if above is None:
            return
        if kind == "tail":
            self._elements.setdefault(above)
        elif len(text.strip()) == 1:
            self._single_characters[above] = self._single_characters.get(above, 0) + 1
            if self._single_characters[above] == _LEAST_CHARACTERS:
                self._elements.setdefault(above)

    def note_text_box(self, element: Element) -> None:
        """Notes an element when it is a VML text box with HTML in it."""
        if element.tag == _VML_TEXT_BOX and not any(local(inner) in _PARAGRAPH_HOLDERS for inner in element):
            self._elements.setdefault(element)

    def units(self) -> list[XmlUnit]:
        """One unit for each outermost noted element. Forgets all elements."""
        found = [
            _unit(element)
            for element in self._elements
            if not any(a in self._elements for a in element.iterancestors())
        ]
        self._elements, self._single_characters = {}, {}
        return [unit for unit in found if len(unit.segments) > 1]


def _unit(element: Element) -> XmlUnit:
    unit = XmlUnit("", "", False)
    unit.add(element.text or "", Slot(element, "text"))
    for child in element:
        _add_element(unit, child)
    return unit


def _add_element(unit: XmlUnit, element: Element) -> None:
    """Adds the text of an element and its tail; the text of a block element is on lines of its own."""
    if local(element) in _PARAGRAPH_HOLDERS:
        return
    is_block = local(element).lower() in _BLOCKS
    unit.text += "\n" if is_block and unit.text and not unit.text.endswith("\n") else ""
    unit.add(element.text or "", Slot(element, "text"))
    for child in element:
        _add_element(unit, child)
    unit.text += "\n" if is_block and unit.text and not unit.text.endswith("\n") else ""
    unit.add(element.tail or "", Slot(element, "tail"))
