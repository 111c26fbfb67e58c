"""Text of foreign markup that is read as one: HTML in a drawing's text box, words with marks among them."""

from pipeline.documents.ooxml import Element, local
from pipeline.documents.ooxml_pieces import Piece, Slot

_BOX = "{urn:schemas-microsoft-com:vml}textbox"
_BLOCKS = frozenset({"div", "p", "li", "tr", "td", "th", "br", "hr", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5",
                     "h6", "blockquote", "pre"})  # fmt: skip
_OWN = frozenset({"txbxContent", "txBody"})  # what holds paragraphs, which are read by themselves
_LEAST_SIGNS = 9  # elements of one sign each that may be one code


class Flows:
    """Collects the elements whose text is one although elements part it; `pieces` reads them."""

    def __init__(self) -> None:
        self._owners: dict[Element, None] = {}
        self._signs: dict[Element, int] = {}

    def note(self, element: Element, kind: str, text: str) -> None:
        """A text beside or in an element that is no part of a paragraph."""
        above = element.getparent()
        if above is None:
            return
        if kind == "tail":
            self._owners.setdefault(above)
        elif len(text.strip()) == 1:
            self._signs[above] = self._signs.get(above, 0) + 1
            if self._signs[above] == _LEAST_SIGNS:
                self._owners.setdefault(above)

    def box(self, element: Element) -> None:
        """An element that may be a drawing's text box."""
        if element.tag == _BOX and not any(local(inner) in _OWN for inner in element):
            self._owners.setdefault(element)

    def pieces(self) -> list[Piece]:
        """One piece for each of them that no other one holds."""
        found = [_piece(owner) for owner in self._owners if not any(a in self._owners for a in owner.iterancestors())]
        self._owners, self._signs = {}, {}
        return [piece for piece in found if len(piece.segments) > 1]


def _piece(owner: Element) -> Piece:
    piece = Piece("", "", False)
    piece.add(owner.text or "", Slot(owner, "text"))
    for child in owner:
        _add(piece, child)
    return piece


def _add(piece: Piece, element: Element) -> None:
    """The text of an element and the one behind it; a block stands on lines of its own."""
    if local(element) in _OWN:
        return
    is_block = local(element).lower() in _BLOCKS
    piece.text += "\n" if is_block and piece.text and not piece.text.endswith("\n") else ""
    piece.add(element.text or "", Slot(element, "text"))
    for child in element:
        _add(piece, child)
    piece.text += "\n" if is_block and piece.text and not piece.text.endswith("\n") else ""
    piece.add(element.tail or "", Slot(element, "tail"))
