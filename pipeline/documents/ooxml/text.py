"""Every place of a package's XML where text can stand, gathered into pieces that are read, and edited, as one.

A paragraph is one piece however many runs, links, fields or revisions it is cut into. What stands outside paragraphs
(properties, custom XML, attributes) is a piece of its own, so that a value has nowhere to hide.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from pipeline.documents.document import JoinedText
from pipeline.documents.labels import is_heading
from pipeline.documents.ooxml.charts import point
from pipeline.documents.ooxml.labels import PEOPLE, attribute_label, contexts, label_of, title_of
from pipeline.documents.ooxml.package import Part
from pipeline.documents.ooxml.split_values import (
    NameParts,
    across_boxes,
    across_paragraphs,
    across_rows,
    is_code,
    over_short_paragraphs,
)
from pipeline.documents.ooxml.text_piece import TURNED, Branch, Paragraph, Piece, Segment, Slot
from pipeline.documents.ooxml.vocabulary import as_words, foreign_names, is_trivial, is_vocabulary, said
from pipeline.documents.ooxml.xml import Element, local

# Text of foreign markup that is read as one: HTML in a drawing's text box, words with marks among them.

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


# Text that is stored backwards and turned round for the reader: direction overrides, and their signs in Unicode.
#
# Sources: ECMA-376 part 1, 17.3.2.3 (w:bdo); Unicode Standard Annex 9 (U+202E).

OVERRIDE = "\u202e"
_RIGHT_TO_LEFT_LETTER = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")  # letters that run so by themselves
_DIGITS = re.compile("[0-9\u0660-\u0669\u06f0-\u06f9]")
_CODE = re.compile(r"(?<!\w)(?:[Ss][Aa])?\d[\d \-]{8,38}\d(?!\w)")
_LEAST_DIGITS = 10
_NOT_A_LETTER = re.compile(r"[^\n]")


def turned(paragraph: Paragraph) -> list[Piece]:
    """The views of a paragraph that somebody has who reads what is stored backwards."""
    now = paragraph.now
    turns = paragraph.turns or ([(0, len(now.segments))] if OVERRIDE in now.text else [])
    views = [_overridden(now, first, last) for first, last in turns if first < last]
    if paragraph.is_from_right:
        views.append(_codes(now))
    return [view for view in views if view.text]


def _overridden(piece: Piece, first: int, last: int) -> Piece:
    """The piece up to its segment `last`, turned round from `first` on.

    Letters that run from the right anyway do not turn; beside them only codes that prove themselves are believed.
    """
    stretch = piece.text[piece.segments[first].start : piece.segments[last - 1].end]
    if _RIGHT_TO_LEFT_LETTER.search(_DIGITS.sub("", stretch)):
        return _codes(piece)
    view = Piece("", piece.context, False)
    for segment in piece.segments[:first]:
        view.add(piece.text[segment.start : segment.end], segment.slot)
    _add_turned(view, piece, first, last)
    return view


def _codes(piece: Piece) -> Piece:
    """The codes that a piece says backwards, blanks for all the rest; without text when there are none."""
    view = Piece("", piece.context, False)
    if len(_DIGITS.findall(piece.text)) < _LEAST_DIGITS:
        return view
    _add_turned(view, piece, 0, len(piece.segments))
    shown = [match.span() for match in _CODE.finditer(view.text) if is_code(match[0])]
    blank = _NOT_A_LETTER.sub(" ", view.text)
    for start, end in shown:
        blank = blank[:start] + view.text[start:end] + blank[end:]
    view.text = blank if shown else ""
    return view


def _add_turned(view: Piece, piece: Piece, first: int, last: int) -> None:
    for segment in reversed(piece.segments[first:last]):
        slot = segment.slot
        kind = TURNED + slot.kind if slot.kind != "glyph" else slot.kind
        view.add(piece.text[segment.start : segment.end][::-1], Slot(slot.element, kind))


__all__ = ["WORD", "Piece", "Segment", "Slot", "Survey", "decoded"]

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
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_CHOICE, _FALLBACK = _COMPATIBILITY + "Choice", _COMPATIBILITY + "Fallback"
_RUBY = _tags(WORD, "rt")
_OVERRIDE = _tags(WORD, "bdo")
_RIGHT_TO_LEFT = _tags(WORD, "rtl", "dir")
_BRANCHES = _OLD | _NEW | _RUBY | {_CHOICE, _FALLBACK}
# What holds paragraphs that follow each other.
_STORIES = frozenset(
    {"body", "tc", "txbxContent", "hdr", "ftr", "footnote", "endnote", "comment", "txBody", "txPr", "rich", "t"}
)

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?[Ee]\+?\d{1,2}|[-+]?\d{6,}\.0+")


class _Where(NamedTuple):
    """What surrounds an element on the walk: its paragraph, its branch there, its label, and whether it is billed."""

    paragraph: Paragraph | None
    branch: Branch
    context: str
    billed: bool


class Survey:
    """Walks parts in order and collects their pieces; the same package always gives the same ids.

    `inner_links` are relationships that lead to a part: their targets are part names, which are pieces by themselves.
    """

    def __init__(self, inner_links: frozenset[Element]) -> None:
        self.pieces: list[Piece] = []
        self.joints: list[JoinedText] = []
        self._inner_links = inner_links
        self._attributes: dict[tuple[str, str], Piece] = {}
        self._known: dict[tuple[str, str, str], Piece | None] = {}  # by element, attribute and value
        self._table_contexts: dict[Element, str] = {}
        self._stories: dict[Element, list[Piece]] = {}
        self._names = NameParts()
        self._flows = Flows()

    def part(self, part: Part, billed: bool) -> None:
        """All pieces of one XML part. `billed`: whether its paragraphs are content."""
        if part.root is None:
            return
        self._part_is_word = part.root.tag.startswith((*WORD, *_DRAWING))
        self._label = ""
        self._walk(part.root, _Where(None, Branch(), "", billed))
        for pieces in self._stories.values():
            self.joints += (*across_paragraphs(pieces), *over_short_paragraphs(pieces))
        self.joints += across_rows(self._stories)
        self.joints += across_boxes(self._stories)
        self._stories = {}
        for piece in self._flows.pieces():
            self.keep(piece)

    def name(self, part: Part) -> str:
        """The part's own name is a piece too: `media/1012345672.png`. Its id."""
        piece = Piece("", "", False, as_words(part.name).replace("/", "\n").replace(".", "\n"))
        self.keep(piece)
        return piece.id

    def keep(self, piece: Piece) -> None:
        """Numbers a piece and keeps it, if it says anything."""
        if piece.text and not piece.text.isspace():
            piece.id = str(len(self.pieces))
            self.pieces.append(piece)

    def _walk(self, element: Element, where: _Where) -> None:
        tag = element.tag
        self._look_at_attributes(element)
        self._flows.box(element)
        if tag in _PARAGRAPH:
            self._paragraph(element, where)
            return
        if where.paragraph is not None and self._stretch(element, where.paragraph, where.branch):
            return
        if tag in _TABLE:
            self._table_contexts.update(contexts(element, _plain_text))
        elif tag in _CONTROL:
            where = where._replace(context=title_of(element) or where.context)
        elif tag in _BRANCHES:
            where = _branched(element, where)
        context = self._table_contexts.pop(element, "")
        before = len(where.paragraph.now.segments) if where.paragraph is not None else 0
        self._children(element, where._replace(context=context) if context else where)
        if tag in _OVERRIDE and where.paragraph is not None and "rtl" in element.attrib.values():
            where.paragraph.turns.append((before, len(where.paragraph.now.segments)))

    def _children(self, element: Element, where: _Where) -> None:
        self._loose(element, "text", element.text)
        for child in element:
            self._walk(child, where)
            self._loose(child, "tail", child.tail)

    def _paragraph(self, element: Element, where: _Where) -> None:
        paragraph = Paragraph(where.context or self._label, where.billed)
        self._children(element, _Where(paragraph, Branch(), where.context, where.billed))
        for piece in (*paragraph.pieces(), *turned(paragraph)):
            self.keep(piece)
        line = paragraph.now.text.strip()
        if line:
            story = next((above for above in element.iterancestors() if local(above) in _STORIES), element)
            self._stories.setdefault(story, []).append(paragraph.now)
            self._label = line if line.endswith((":", "：")) and is_heading(line) else ""

    def _stretch(self, element: Element, paragraph: Paragraph, branch: Branch) -> bool:
        """Adds the element to its paragraph if it is text of it; whether it was."""
        tag = element.tag
        paragraph.is_from_right = paragraph.is_from_right or tag in _RIGHT_TO_LEFT
        if tag in _PROPERTIES:
            self._loose(element, "text", element.text)
            for child in element.iterdescendants():
                paragraph.is_from_right = paragraph.is_from_right or child.tag in _RIGHT_TO_LEFT
                self._look_at_attributes(child)
                self._loose(child, "text", child.text)
                self._loose(child, "tail", child.tail)
            return True
        if tag in _TEXT:
            paragraph.add(element.text or "", Slot(element, "text"), branch)
        elif tag in _DELETED_TEXT:
            paragraph.add(element.text or "", Slot(element, "text"), branch._replace(age=-1))
        elif tag in _FIELD_CODE:
            paragraph.code(as_words(element.text or ""), Slot(element, "text"))
        elif tag in _GLYPHS:
            paragraph.add(_GLYPHS[tag], Slot(element, "glyph"), branch)
        elif tag in _SYMBOL:
            paragraph.add(_symbol(element), Slot(element, "glyph"), branch)
        else:
            return False
        for child in element:  # not by the schema: but nothing hides there
            self._walk(child, _Where(None, branch, "", False))
            self._loose(child, "tail", child.tail)
        return True

    def _loose(self, element: Element, kind: str, text: str | None) -> None:
        if text and not text.isspace():
            owner = element if kind == "text" else element.getparent()
            piece = Piece("", "" if self._part_is_word else label_of(owner), False)
            text = said(local(owner), text)
            number = point(element, text) if kind == "text" and local(element) == "v" else None
            if number is None and _NUMBER.fullmatch(text):  # as programs write numbers: 1.012345672E9
                number = f"{float(text):.0f}"
            if number is not None:
                piece.everywhere, text = True, number
            piece.add(text, Slot(element, kind))
            self.keep(piece)
            self._flows.note(element, kind, text)
            self.joints += self._names.joined(piece)

    def _look_at_attributes(self, element: Element) -> None:
        """One piece per distinct value and label: what stands in a thousand places is read once, changed in all."""
        for text, kind in foreign_names(element):
            self._attribute(text, "").add(as_words(text), Slot(element, kind))
        for name, value in element.attrib.items():
            key = (element.tag, name, value)
            is_own = name == "Target" or (len(element.attrib) > 1 and name.endswith(("val", "value")))
            if is_own or key not in self._known:
                piece = None if name == "Target" and element in self._inner_links else self._said(element, name, value)
                if not is_own:
                    self._known[key] = piece
            else:
                piece = self._known[key]
            if piece is not None:
                piece.add(piece.text, Slot(element, "@" + name))

    def _said(self, element: Element, name: str, value: str) -> Piece | None:
        """The piece of an attribute's value, without its slot; None for what says nothing."""
        plain = name.rpartition("}")[2]
        value = decoded(name, value)
        if is_trivial(value) or is_vocabulary(local(element), plain, value):
            return None
        piece = self._attribute(value, "Name" if plain in PEOPLE else attribute_label(element, plain))
        self.joints += self._names.joined(piece)
        return piece

    def _attribute(self, value: str, context: str) -> Piece:
        piece = self._attributes.get((value, context))
        if piece is None:
            piece = self._attributes[value, context] = Piece("", context, False, everywhere=True)
            piece.text = as_words(value)
            self.keep(piece)
        return piece


def _branched(element: Element, where: _Where) -> _Where:
    """What surrounds the children of a revision, an annotation or one of several ways to show the same."""
    branch, tag = where.branch, element.tag
    if tag in _OLD:
        branch = branch._replace(age=-1)
    elif tag in _NEW:
        branch = branch._replace(age=1)
    elif tag in _RUBY:
        branch = branch._replace(is_ruby=True)
    elif tag == _CHOICE and element.getprevious() is None:
        branch = branch._replace(alternative=branch.alternative or 1)
    else:
        return where._replace(branch=branch._replace(alternative=2), billed=False)
    return where._replace(branch=branch)


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
