"""Takes the text of a PDF page apart into pieces whose places are known, and writes it with a place for each piece.

A piece is a string of a text-showing operator, cut at blanks where the operator spreads words. To learn where pieces
stand, whatever fonts, spacing and scaling do, each is drawn in a colour of its own and MuPDF asked what stands where.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pikepdf

from pipeline.documents.pdf_affine import SAME, Affine, affine
from pipeline.documents.pdf_glyphs import Glyph, add_span

_DEEP = 12  # forms inside each other
_MOST = 1 << 24  # colours
_BLANK = 0x20

Instruction = tuple[list[Any], str]


class Piece(NamedTuple):
    """A string of a page's content; `to_page` leads from the space it is drawn in to the page; `axes` are a to d of
    its text matrix, `rise` is how far its letters stand above its line.
    """

    string: bytes
    to_page: Affine
    axes: tuple[float, float, float, float]
    rise: float
    is_alone: bool  # what follows it stands at a place of its own: words are spread


class Stream(NamedTuple):
    """A content stream: its instructions, with the index of a piece in place of a string that is shown."""

    xref: int
    instructions: list[Instruction]
    to_page: Affine


class Sheet(NamedTuple):
    """A page taken apart. `glyphs` in drawing order, `owners` the piece of each, `origins` where each piece begins."""

    streams: list[Stream]
    pieces: list[Piece]
    glyphs: list[Glyph]
    owners: list[int]
    origins: dict[int, tuple[float, float]]


class _State(NamedTuple):
    to_page: Affine
    spread: float = 0.0
    rise: float = 0.0
    is_simple: bool = False


def taken_apart(document: Any, page: Any) -> Sheet | None:
    """The page's pieces; None where its content is more than is understood here."""
    contents = page.get_contents()
    sheet = Sheet([], [], [], [], {})
    if len(contents) > 1 or not _Walk(document, sheet).read(contents, page.xref, affine(page.transformation_matrix)):
        return None
    before = {stream.xref: document.xref_stream(stream.xref) for stream in sheet.streams}
    for stream in sheet.streams:
        document.update_stream(stream.xref, packed(_coloured(stream.instructions, sheet.pieces)), compress=False)
    spans = page.get_texttrace()
    for xref, data in before.items():
        document.update_stream(xref, data, compress=False)
    for span in spans:
        red, green, blue = (round(part * 255) for part in span["color"]) if len(span["color"]) == 3 else (0, 0, 0)
        owner = (red << 16 | green << 8 | blue) - 1
        if not 0 <= owner < len(sheet.pieces):
            return None
        add_span(sheet.glyphs, span)
        sheet.owners.extend([owner] * (len(sheet.glyphs) - len(sheet.owners)))
        if span["chars"] and not span["wmode"]:
            sheet.origins.setdefault(owner, span["chars"][0][2])
    return sheet


class _Walk:
    """One walk over a page's content and the forms that it draws."""

    def __init__(self, document: Any, sheet: Sheet) -> None:
        self._document = document
        self._sheet = sheet
        self._seen: set[int] = set()

    def read(
        self, xrefs: Sequence[int], owner: int, to_page: Affine, state: _State | None = None, deep: int = 0
    ) -> bool:
        """Adds the streams of `owner`'s resources; False for what is not understood."""
        for xref in xrefs:
            if xref in self._seen or deep > _DEEP:
                return False
            self._seen.add(xref)
            with pikepdf.new() as file:
                parsed = pikepdf.parse_content_stream(file.make_stream(self._document.xref_stream(xref) or b""))
                stream = Stream(xref, [], to_page)
                self._sheet.streams.append(stream)
                if not self._interpret(
                    parsed, stream, owner, (state or _State(to_page))._replace(to_page=to_page), deep
                ):
                    return False
        return True

    def _interpret(self, parsed: Any, stream: Stream, owner: int, state: _State, deep: int) -> bool:
        stack: list[_State] = []
        axes = (1.0, 0.0, 0.0, 1.0)
        for item in parsed:
            if isinstance(item, pikepdf.ContentStreamInlineImage):
                stream.instructions.append(([item], "inline"))
                continue
            operator, operands = str(item.operator), list(item.operands)
            if operator == "q":
                stack.append(state)
            elif operator == "Q" and stack:
                state = stack.pop()
            elif operator == "cm":
                state = state._replace(to_page=affine(operands).then(state.to_page))
            elif operator == "BT":
                axes = (1.0, 0.0, 0.0, 1.0)
            elif operator == "Tm":
                axes = tuple(map(float, operands[:4]))  # type: ignore[assignment]
            elif operator == "Tw":
                state = state._replace(spread=float(operands[0]))
            elif operator == "Ts":
                state = state._replace(rise=float(operands[0]))
            elif operator == "Tf":
                state = state._replace(is_simple=self._is_simple(owner, str(operands[0])))
            elif operator in ("Tj", "TJ"):
                shown = operands[0] if operator == "TJ" else operands
                operands, operator = [self._members(shown, state, axes)], "TJ"
            elif operator in ("'", '"') or (operator == "Do" and not self._do(owner, str(operands[0]), state, deep)):
                return False
            stream.instructions.append((operands, operator))
        return len(self._sheet.pieces) < _MOST - 1

    def _members(self, shown: Any, state: _State, axes: Any) -> list[Any]:
        found: list[Any] = []
        for member in shown:
            if not isinstance(member, pikepdf.String):
                found.append(float(member))
                continue
            is_spread = bool(state.spread and state.is_simple)
            for part in _words(bytes(member)) if is_spread else [bytes(member)]:
                found.append(Index(len(self._sheet.pieces)))
                self._sheet.pieces.append(Piece(part, state.to_page, axes, state.rise, is_spread))
        return found

    def _is_simple(self, owner: int, name: str) -> bool:
        kind, value = self._document.xref_get_key(owner, f"Resources/Font{name}/Subtype")
        return bool(kind == "name" and value != "/Type0")

    def _do(self, owner: int, name: str, state: _State, deep: int) -> bool:
        kind, value = self._document.xref_get_key(owner, f"Resources/XObject{name}")
        if kind != "xref":
            return True
        xref = int(value.split()[0])
        if self._document.xref_get_key(xref, "Subtype")[1] != "/Form":
            return True
        kind, value = self._document.xref_get_key(xref, "Matrix")
        matrix = affine(value.strip("[] ").split()) if kind == "array" else SAME
        return self.read([xref], xref, matrix.then(state.to_page), state, deep + 1)


class Index(int):
    """The index of a piece, beside displacements."""


def _words(string: bytes) -> Iterator[bytes]:
    start = 0
    for at in range(len(string) - 1):
        if string[at] == _BLANK and string[at + 1] != _BLANK:
            yield string[start : at + 1]
            start = at + 1
    yield string[start:]


def _coloured(instructions: Sequence[Instruction], pieces: Sequence[Piece]) -> Iterator[Instruction]:
    for operands, operator in instructions:
        if operator == "Tr" and operands and int(operands[0]) > 2:
            yield [0], "Tr"
        elif operator != "TJ":
            yield operands, operator
        else:
            for member in operands[0]:
                if isinstance(member, Index):
                    color = [((member + 1) >> shift & 255) / 255 for shift in (16, 8, 0)]
                    yield color, "rg"
                    yield color, "RG"
                    yield [pikepdf.String(pieces[member].string)], "Tj"
                else:
                    yield [pikepdf.Array([member])], "TJ"


def packed(instructions: Iterable[Instruction]) -> bytes:
    """The instructions as a content stream."""
    return b"\n".join(_plain(instructions))


def _plain(instructions: Iterable[Instruction]) -> Iterator[bytes]:
    gathered: list[Any] = []
    for operands, operator in instructions:
        if operator == "inline":
            gathered.append(operands[0])
        else:
            gathered.append(pikepdf.ContentStreamInstruction(operands, pikepdf.Operator(operator)))
    yield pikepdf.unparse_content_stream(gathered)
