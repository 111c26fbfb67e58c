"""Takes the text of a PDF page apart into pieces whose places are known, and writes it with a place for each piece.

A piece is a string of a text-showing operator, cut at blanks where the operator spreads words. To learn where pieces
stand, whatever fonts, spacing and scaling do, each is drawn in a colour of its own and MuPDF asked what stands where.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pikepdf

from pipeline.documents.pdf.page.glyphs import Glyph, add_span
from pipeline.documents.pdf.redaction.width_grid import PLACED

# Affine maps between the spaces of a PDF: a page has hundreds of pieces, and MuPDF's own matrices take 50 µs each.


class Affine(NamedTuple):
    """x' = a x + c y + e, y' = b x + d y + f (ISO 32000-2, 8.3.3)."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where a point comes to lie."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def then(self, other: "Affine") -> "Affine":
        """This map, and the other one after it."""
        a, b, c, d, e, f = self
        return Affine(
            a * other.a + b * other.c, a * other.b + b * other.d,
            c * other.a + d * other.c, c * other.b + d * other.d,
            *other.point(e, f),
        )  # fmt: skip

    @lru_cache(maxsize=1 << 10)  # noqa: B019 - keyed by six numbers
    def inverse(self) -> "Affine":
        """The way back; a map that folds everything together leads to the origin."""
        a, b, c, d, e, f = self
        size = a * d - b * c
        if not size:
            return Affine(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return Affine(d / size, -b / size, -c / size, a / size, (c * f - d * e) / size, (b * e - a * f) / size)


SAME = Affine(1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def affine(numbers: Any) -> Affine:
    """Six numbers of a file, or one of MuPDF's matrices. ValueError and TypeError for anything else."""
    a, b, c, d, e, f = map(float, numbers)
    return Affine(a, b, c, d, e, f)


def to_sheet(page: Any) -> Affine:
    """From the page as MuPDF shows it (from its upper left corner, down) to the space of its content."""
    return affine(page.transformation_matrix).inverse()


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


# Writes a PDF page that was taken apart anew: pieces that move stand at places of their own, and nothing says where
# they stood before.

_EXACT = 5  # decimals of a coordinate
_ALIKE = 1e-3  # points
_PLACING = frozenset(["Td", "TD", "Tm", "T*"])

Moves = Mapping[int, tuple[float, float] | None]  # by piece, in points of the page; None: the piece goes


def written(document: Any, sheet: Sheet, moves: Moves, rewrite: Callable[[Stream], list[Instruction]]) -> bool:
    """Writes the page anew: each piece of a text object in which one moves stands at a place of its own.

    `rewrite` gives a stream's instructions. False when a place is unknown; then nothing is written.
    """
    fresh: list[tuple[int, bytes]] = []
    for stream in sheet.streams:
        placed = list(_placed(rewrite(stream), sheet, moves))
        if any(operator == "lost" for _, operator in placed):
            return False
        fresh.append((stream.xref, packed(placed)))
    for xref, data in fresh:
        document.update_stream(xref, data)
    return True


def _placed(instructions: Sequence[Instruction], sheet: Sheet, moves: Moves) -> Iterator[Instruction]:
    """How far words are spread (Tw) is said only where it has an effect: it tells how wide the gaps of a line were."""
    stack: list[tuple[float, float]] = []
    wanted = actual = 0.0
    is_touched = False
    for at, (operands, operator) in enumerate(instructions):
        if operator == "q":
            stack.append((wanted, actual))
        elif operator == "Q" and stack:
            wanted, actual = stack.pop()
        elif operator == "BT":
            is_touched = not moves.keys().isdisjoint(_shown(instructions, at))
        elif operator == "Tw":
            wanted = float(operands[0])
            continue
        elif operator in ("TJ", "Do"):
            right = 0.0 if is_touched and operator == "TJ" else wanted
            if actual != right:
                actual = right
                yield [right], "Tw"
        if operator == "TJ" and is_touched:
            yield from _spelled(operands[0], sheet, moves)
        elif operator == "TJ":
            yield _strings(operands[0], sheet), "TJ"
        elif not is_touched or operator not in _PLACING:
            yield operands, operator
        if operator == "ET":
            is_touched = False


def _shown(instructions: Sequence[Instruction], start: int) -> Iterator[int]:
    """The pieces of the text object that begins there."""
    for operands, operator in instructions[start:]:
        if operator == "ET":
            return
        if operator == "TJ":
            yield from (member for member in operands[0] if isinstance(member, Index))


def _spelled(members: Sequence[Any], sheet: Sheet, moves: Moves) -> Iterator[Instruction]:
    for run, move in _runs(members, sheet, moves):
        if run[0] not in sheet.origins:
            yield [], "lost"
            return
        yield _matrix(sheet.pieces[run[0]], sheet.origins[run[0]], move), "Tm"
        yield _strings(run, sheet), "TJ"


def _runs(members: Sequence[Any], sheet: Sheet, moves: Moves) -> Iterator[tuple[list[Any], tuple[float, float]]]:
    """Pieces that move alike, with the displacements between them."""
    run: list[Any] = []
    last = (0.0, 0.0)
    between: list[Any] = []
    for member in members:
        if not isinstance(member, Index):
            between.append(member)
            continue
        move = moves.get(member, (0.0, 0.0))
        piece = sheet.pieces[member]
        if move is None or not piece.string:
            between = []
            if run:
                yield run, last
                run = []
            continue
        if run and (piece.is_alone or not _is_alike(move, last)):
            yield run, last
            run = []
        run += [*(between if run else ()), member]
        between, last = [], move
    if run:
        yield run, last


def _is_alike(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) < _ALIKE


def _matrix(piece: Piece, origin: tuple[float, float], move: tuple[float, float]) -> list[Any]:
    x, y = origin[0] + move[0], origin[1] + move[1]
    if any(move):
        x, y = round(x, PLACED), round(y, PLACED)
    x, y = piece.to_page.inverse().point(x, y)
    a, b, c, d = piece.axes
    place = x - piece.rise * c, y - piece.rise * d
    return [round(value, _EXACT) for value in (a, b, c, d, *place)]


def _strings(members: Sequence[Any], sheet: Sheet) -> list[Any]:
    shown = [pikepdf.String(sheet.pieces[m].string) if isinstance(m, Index) else round(m, 4) for m in members]
    return [pikepdf.Array(shown)]
