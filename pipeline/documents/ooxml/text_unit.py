"""Units of text of an Office package, with the XML slots that their characters come from."""

from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.documents.ooxml.xml import Element

REVERSED = "reversed "  # prefix of the kind of a slot whose whole text is stored in reverse of its reading order


class Slot(NamedTuple):
    """A place in the XML that holds characters: an element's `text` or `tail`, an attribute (`@name`), or a `glyph`, an
    element that stands for one character. Formats add kinds of their own."""

    element: Element
    kind: str


class Segment(NamedTuple):
    """`start:end` of a unit's text comes from `slot`."""

    start: int
    end: int
    slot: Slot


@dataclass(slots=True)
class XmlUnit:
    """A text that detection reads as one. `segments` say which slot each stretch of it comes from, in order."""

    id: str
    context: str
    billed: bool
    text: str = ""
    segments: list[Segment] = field(default_factory=list)
    is_repeated: bool = False  # every segment is a copy of the whole text

    def add(self, text: str, slot: Slot) -> None:
        """Appends a stretch of text; for a repeated unit, notes one more copy."""
        if not text:
            return
        start = 0 if self.is_repeated else len(self.text)
        self.text = text if self.is_repeated else self.text + text
        self.segments.append(Segment(start, start + len(text), slot))


class Branch(NamedTuple):
    """Which views of a paragraph show a stretch of text.

    `revision`: -1 for deleted text, 1 for inserted text, 0 for all other. `alternative`: 1 in mc:Choice, 2 in
    mc:Fallback or a later choice, 0 outside alternate content. `is_ruby`: it is a phonetic guide (w:rt).
    """

    revision: int = 0
    alternative: int = 0
    is_ruby: bool = False


class Paragraph:
    """The views of one paragraph: its current text, its text before revisions, its text with the fallbacks of alternate
    content, its phonetic guides, and its field codes."""

    def __init__(self, context: str, billed: bool) -> None:
        self.current = XmlUnit("", context, billed)
        self._original = XmlUnit("", context, False)
        self._fallback = XmlUnit("", context, False)
        self._ruby = XmlUnit("", context, billed)
        self._field_codes = XmlUnit("", "", False)
        self._has_original = self._has_fallback = False
        self.overrides: list[tuple[int, int]] = []  # ranges of segments of `current` in a right-to-left w:bdo
        self.is_right_to_left = False  # the paragraph or a run is marked as right-to-left

    def add(self, text: str, slot: Slot, branch: Branch) -> None:
        """Appends a stretch of text to each view that shows it."""
        if branch.is_ruby:
            self._ruby.add(text, slot)
            return
        if branch.revision >= 0 and branch.alternative < 2:
            self.current.add(text, slot)
        if branch.revision >= 0 and branch.alternative != 1:
            self._fallback.add(text, slot)
        if branch.revision <= 0 and branch.alternative < 2:
            self._original.add(text, slot)
        self._has_original = self._has_original or branch.revision < 0
        self._has_fallback = self._has_fallback or branch.alternative == 2

    def add_field_code(self, text: str, slot: Slot) -> None:
        """Appends a stretch of field codes (w:instrText)."""
        self._field_codes.add(text, slot)

    def units(self) -> list[XmlUnit]:
        """The views that differ from each other."""
        views = [self.current]
        if self._has_original:
            views.append(self._original)
        if self._has_fallback:
            views.append(self._fallback)
        return [*views, self._ruby, self._field_codes]
