"""Splits the text of a PDF page into strings with known positions, and writes it again with new positions.

A text string is an operand of a text-showing operator, cut at blanks where word spacing (Tw) applies. Fonts, spacing
and scaling all influence its position. To find it, each string is drawn in a colour of its own, and MuPDF's text trace
gives the position of each colour.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pikepdf

from pipeline.documents.pdf.page.glyphs import Glyph, add_span
from pipeline.documents.pdf.redaction.width_grid import POSITION_DECIMALS


class Affine(NamedTuple):
    """An affine map: x' = a x + c y + e, y' = b x + d y + f (ISO 32000-2, 8.3.3).

    A page has hundreds of text strings, and MuPDF's own matrices take 50 µs each.
    """

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        """The image of a point."""
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
        """The inverse map; for a map without an inverse, the map of all points to the origin."""
        a, b, c, d, e, f = self
        size = a * d - b * c
        if not size:
            return Affine(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return Affine(d / size, -b / size, -c / size, a / size, (c * f - d * e) / size, (b * e - a * f) / size)


IDENTITY = Affine(1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def affine(numbers: Any) -> Affine:
    """Six numbers of a file, or one of MuPDF's matrices. ValueError and TypeError for anything else."""
    a, b, c, d, e, f = map(float, numbers)
    return Affine(a, b, c, d, e, f)


def page_to_content(page: Any) -> Affine:
    """The map from the page as MuPDF shows it (origin at the upper left, y down) to the space of its content."""
    return affine(page.transformation_matrix).inverse()


_MAX_DEPTH = 12  # of nested form XObjects
_MAX_STRINGS = 1 << 24  # colours
_BLANK = 0x20

Instruction = tuple[list[Any], str]


class TextString(NamedTuple):
    """A string of a page's content.

    `to_page` maps the space that it is drawn in to the page. `axes` are a to d of its text matrix, `rise` its rise.
    """

    string: bytes
    to_page: Affine
    axes: tuple[float, float, float, float]
    rise: float
    is_alone: bool  # word spacing applies: the next string gets a position of its own


class Stream(NamedTuple):
    """A content stream: its instructions, with the index of a text string in place of each string that is shown."""

    xref: int
    instructions: list[Instruction]
    to_page: Affine


class PageContent(NamedTuple):
    """The text of a page: glyphs in drawing order, their strings (`owners`) and the starts of these (`origins`)."""

    streams: list[Stream]
    strings: list[TextString]
    glyphs: list[Glyph]
    owners: list[int]
    origins: dict[int, tuple[float, float]]


class _State(NamedTuple):
    to_page: Affine
    spread: float = 0.0
    rise: float = 0.0
    is_simple: bool = False


def split_text(document: Any, page: Any) -> PageContent | None:
    """The text strings of the page; None if its content uses what this module does not support."""
    contents = page.get_contents()
    content = PageContent([], [], [], [], {})
    if len(contents) > 1 or not _Interpreter(document, content).read(
        contents, page.xref, affine(page.transformation_matrix)
    ):
        return None
    before = {stream.xref: document.xref_stream(stream.xref) for stream in content.streams}
    for stream in content.streams:
        document.update_stream(stream.xref, packed(_coloured(stream.instructions, content.strings)), compress=False)
    spans = page.get_texttrace()
    for xref, data in before.items():
        document.update_stream(xref, data, compress=False)
    for span in spans:
        red, green, blue = (round(part * 255) for part in span["color"]) if len(span["color"]) == 3 else (0, 0, 0)
        owner = (red << 16 | green << 8 | blue) - 1
        if not 0 <= owner < len(content.strings):
            return None
        add_span(content.glyphs, span)
        content.owners.extend([owner] * (len(content.glyphs) - len(content.owners)))
        if span["chars"] and not span["wmode"]:
            content.origins.setdefault(owner, span["chars"][0][2])
    return content


class _Interpreter:
    """Reads the content streams of a page and of the form XObjects that it draws."""

    def __init__(self, document: Any, content: PageContent) -> None:
        self._document = document
        self._content = content
        self._seen: set[int] = set()

    def read(
        self, xrefs: Sequence[int], owner: int, to_page: Affine, state: _State | None = None, deep: int = 0
    ) -> bool:
        """Adds content streams that use the resources of `owner`; False for unsupported content."""
        for xref in xrefs:
            if xref in self._seen or deep > _MAX_DEPTH:
                return False
            self._seen.add(xref)
            with pikepdf.new() as file:
                parsed = pikepdf.parse_content_stream(file.make_stream(self._document.xref_stream(xref) or b""))
                stream = Stream(xref, [], to_page)
                self._content.streams.append(stream)
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
        return len(self._content.strings) < _MAX_STRINGS - 1

    def _members(self, shown: Any, state: _State, axes: Any) -> list[Any]:
        found: list[Any] = []
        for member in shown:
            if not isinstance(member, pikepdf.String):
                found.append(float(member))
                continue
            is_spread = bool(state.spread and state.is_simple)
            for part in _words(bytes(member)) if is_spread else [bytes(member)]:
                found.append(Index(len(self._content.strings)))
                self._content.strings.append(TextString(part, state.to_page, axes, state.rise, is_spread))
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
        matrix = affine(value.strip("[] ").split()) if kind == "array" else IDENTITY
        return self.read([xref], xref, matrix.then(state.to_page), state, deep + 1)


class Index(int):
    """The index of a text string among the numbers of a TJ array."""


def _words(string: bytes) -> Iterator[bytes]:
    start = 0
    for at in range(len(string) - 1):
        if string[at] == _BLANK and string[at + 1] != _BLANK:
            yield string[start : at + 1]
            start = at + 1
    yield string[start:]


def _coloured(instructions: Sequence[Instruction], strings: Sequence[TextString]) -> Iterator[Instruction]:
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
                    yield [pikepdf.String(strings[member].string)], "Tj"
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


_EXACT = 5  # decimals of a coordinate
_ALIKE = 1e-3  # points
_POSITIONING = frozenset(["Td", "TD", "Tm", "T*"])

Moves = Mapping[int, tuple[float, float] | None]  # by text string, in points of the page; None: it is removed


def write_page(
    document: Any, content: PageContent, moves: Moves, rewrite: Callable[[Stream], list[Instruction]]
) -> bool:
    """Writes the page. If a string of a text object moves, each string of the object gets a position of its own.

    The new content does not contain the old positions. `rewrite` gives the instructions of a stream. False if a
    position is unknown; then nothing is written.
    """
    fresh: list[tuple[int, bytes]] = []
    for stream in content.streams:
        placed = list(_placed(rewrite(stream), content, moves))
        if any(operator == "lost" for _, operator in placed):
            return False
        fresh.append((stream.xref, packed(placed)))
    for xref, data in fresh:
        document.update_stream(xref, data)
    return True


def _placed(instructions: Sequence[Instruction], content: PageContent, moves: Moves) -> Iterator[Instruction]:
    """The instructions with new positions. Word spacing (Tw) is written only where it applies: it leaks gap widths."""
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
            yield from _with_positions(operands[0], content, moves)
        elif operator == "TJ":
            yield _strings(operands[0], content), "TJ"
        elif not is_touched or operator not in _POSITIONING:
            yield operands, operator
        if operator == "ET":
            is_touched = False


def _shown(instructions: Sequence[Instruction], start: int) -> Iterator[int]:
    """The text strings of the text object that begins at `start`."""
    for operands, operator in instructions[start:]:
        if operator == "ET":
            return
        if operator == "TJ":
            yield from (member for member in operands[0] if isinstance(member, Index))


def _with_positions(members: Sequence[Any], content: PageContent, moves: Moves) -> Iterator[Instruction]:
    for run, move in _runs(members, content, moves):
        if run[0] not in content.origins:
            yield [], "lost"
            return
        yield _matrix(content.strings[run[0]], content.origins[run[0]], move), "Tm"
        yield _strings(run, content), "TJ"


def _runs(
    members: Sequence[Any], content: PageContent, moves: Moves
) -> Iterator[tuple[list[Any], tuple[float, float]]]:
    """Strings with the same move, with the displacements between them."""
    run: list[Any] = []
    last = (0.0, 0.0)
    between: list[Any] = []
    for member in members:
        if not isinstance(member, Index):
            between.append(member)
            continue
        move = moves.get(member, (0.0, 0.0))
        string = content.strings[member]
        if move is None or not string.string:
            between = []
            if run:
                yield run, last
                run = []
            continue
        if run and (string.is_alone or not _is_alike(move, last)):
            yield run, last
            run = []
        run += [*(between if run else ()), member]
        between, last = [], move
    if run:
        yield run, last


def _is_alike(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) < _ALIKE


def _matrix(string: TextString, origin: tuple[float, float], move: tuple[float, float]) -> list[Any]:
    x, y = origin[0] + move[0], origin[1] + move[1]
    if any(move):
        x, y = round(x, POSITION_DECIMALS), round(y, POSITION_DECIMALS)
    x, y = string.to_page.inverse().point(x, y)
    a, b, c, d = string.axes
    place = x - string.rise * c, y - string.rise * d
    return [round(value, _EXACT) for value in (a, b, c, d, *place)]


def _strings(members: Sequence[Any], content: PageContent) -> list[Any]:
    shown = [pikepdf.String(content.strings[m].string) if isinstance(m, Index) else round(m, 4) for m in members]
    return [pikepdf.Array(shown)]
