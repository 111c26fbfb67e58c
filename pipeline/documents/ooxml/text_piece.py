"""What an Office package says, piece by piece: the text, and the slots of the XML that it stands in."""

from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.documents.ooxml.xml import Element

TURNED = "turned "  # before the kind of a slot whose whole text is read backwards


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


class Branch(NamedTuple):
    """Where in its paragraph something stands. `age`: -1 deleted, 1 inserted since; `alternative`: 1 in the branch that
    programs of today show, 2 in one for others, 0 in both; `is_ruby`: it annotates what stands beside it."""

    age: int = 0
    alternative: int = 0
    is_ruby: bool = False


class Paragraph:
    """The views of one paragraph: as it reads now, as it read before its revisions, as other programs show it, its
    annotations and its field codes."""

    def __init__(self, context: str, billed: bool) -> None:
        self.now = Piece("", context, billed)
        self._before = Piece("", context, False)
        self._other = Piece("", context, False)
        self._ruby = Piece("", context, billed)
        self._codes = Piece("", "", False)
        self._has_old = self._has_other = False
        self.turns: list[tuple[int, int]] = []  # segments of `now` that are shown backwards: from, to
        self.is_from_right = False  # somewhere its direction is said to be that of Arabic

    def add(self, text: str, slot: Slot, branch: Branch) -> None:
        """The next stretch of text, added to each view that shows it."""
        if branch.is_ruby:
            self._ruby.add(text, slot)
            return
        if branch.age >= 0 and branch.alternative < 2:
            self.now.add(text, slot)
        if branch.age >= 0 and branch.alternative != 1:
            self._other.add(text, slot)
        if branch.age <= 0 and branch.alternative < 2:
            self._before.add(text, slot)
        self._has_old = self._has_old or branch.age < 0
        self._has_other = self._has_other or branch.alternative == 2

    def code(self, text: str, slot: Slot) -> None:
        """The next stretch of field codes."""
        self._codes.add(text, slot)

    def pieces(self) -> list[Piece]:
        """Every view that says something of its own."""
        views = [self.now]
        if self._has_old:
            views.append(self._before)
        if self._has_other:
            views.append(self._other)
        return [*views, self._ruby, self._codes]
