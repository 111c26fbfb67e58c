"""Restores text that is itself JSON, whole or piece by piece: tool arguments, `input_json_delta`, structured output.

Nothing is parsed into values: the text is passed on as it is written, and only inside its strings are escapes read, so
that `\u003cMASKED_…\u003e` is recognized and what is put in is escaped. A string may itself hold JSON (`{"body":
"{\"address\": …}"}`): what is put in there is escaped once more.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from api.llm import json_tree
from api.llm.restore import Channel, Restorer, joined

# Reads the strings of a JSON text piece by piece: what they say, and how every character of it is written.

_PLAIN = re.compile(r'[^"\\]+')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])", re.DOTALL)
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Piece(NamedTuple):
    """A part of a string: what it says, how every character of that is written, and where it ends."""

    said: str
    written: Sequence[str]  # as long as `said`
    end: int
    closed: bool = False  # `end` is behind the closing quote
    cut: str = ""  # an escape that is not over


def read(text: str, written: Sequence[str], at: int) -> Piece:
    """A string's text from `at` to its closing quote, or as far as there is any.

    `written`: how every character of `text` is written, which is otherwise where the text itself stands in a string.
    """
    plain = _PLAIN.match(text, at)
    end = plain.end() if plain else at
    words, units = text[at:end], written[at:end]
    if end == len(text):
        return Piece(words, units, end)
    if text[end] == '"':
        return Piece(words, units, end + 1, closed=True)
    return _read_escaped(text, written, end, Piece(words, units, end))


def _read_escaped(text: str, units: Sequence[str], at: int, first: Piece) -> Piece:
    said, written = [first.said], list(first.written)
    while at < len(text):
        if text[at] == '"':
            return Piece("".join(said), written, at + 1, closed=True)
        if plain := _PLAIN.match(text, at):
            said.append(plain.group())
            written += units[at : plain.end()]
            at = plain.end()
        elif _CUT_ESCAPE.match(text, at):
            return Piece("".join(said), written, len(text), cut=text[at:])
        else:
            escape = _ESCAPE.match(text, at)
            unit = escape.group() if escape else text[at]  # a backslash that escapes nothing stands for itself
            said.append(_unescaped(unit))
            written.append("".join(units[at : at + len(unit)]))
            at += len(unit)
    return Piece("".join(said), written, at)


def _unescaped(escape: str) -> str:
    if len(escape) == 6:
        return chr(int(escape[2:], 16))
    return _SHORT.get(escape[-1], escape[-1])


# Follows the brackets of a JSON text piece by piece.

_STRUCTURE = re.compile(r"[\[\]{},:]")
_DEEPEST_BRACKET: Final = 1000  # levels that are told apart; below them no string becomes a number again


class Nesting:
    """Where in the JSON the text stands: whether the next string is a value, and whether the JSON is over."""

    __slots__ = ("_deeper", "_levels", "begun", "value")

    def __init__(self) -> None:
        self._levels = bytearray()
        self._deeper = 0
        self.begun = False
        self.value = True

    def read(self, text: str, at: int, end: int) -> int:
        """Follows `text[at:end]` as far as the JSON goes: to where it is over, or to the end."""
        for match in _STRUCTURE.finditer(text, at, end):
            self._step(match.group())
            if self.over:
                return match.end()
        return end

    @property
    def over(self) -> bool:
        return self.begun and not self._levels

    def _step(self, mark: str) -> None:
        if mark in "{[":
            self.begun = True
            if len(self._levels) < _DEEPEST_BRACKET:
                self._levels += mark.encode()
            else:
                self._deeper += 1
            self.value = mark == "["
        elif mark in "}]":
            if self._deeper:
                self._deeper -= 1
            elif self._levels:
                self._levels.pop()
            self.value = False
        elif mark == ":":
            self.value = True
        else:
            self.value = self._levels.endswith(b"[")
        if self._deeper:
            self.value = False


_BETWEEN = re.compile(r'[^"]{0,1024}')  # not to the next quote, however far: it is read anew behind every JSON
_GOES_ON = re.compile(r"[\s,]{0,1024}(?:[{\[]|\Z)")  # as lines of JSON do
_FOREIGN = re.compile(r"[^\s\[\]{},:0-9+.eEtrufalsnNoTF-]")  # what no brackets, numbers, true, false and null have
_ARGUMENTS: Final = ("{", "[", '"')
STRUCTURED: Final = ('{"', "{}", "[{", '["', "[[", "[]")
_DEEPEST: Final = 4  # strings inside strings whose JSON is looked at


class Plain(Protocol):
    """A text in pieces, as `Channel` is."""

    def feed(self, text: str, written: Sequence[str] | None = None) -> str:
        """What can be said now."""

    def flush(self) -> str:
        """What was held back."""


class JsonChannel:
    """A JSON text in pieces: `feed` and `flush` as `Channel` has them.

    With `structured` it is an ordinary text, taken as JSON only when it begins like an object or an array of such, or
    with `whole`, where it comes in one piece, when it begins with one; otherwise it is what a tool is given, where a
    string that is exactly a number's token becomes the number. `sure`: it is JSON, and does not end. `opened`: the
    bracket, in the midst of prose, that it goes on from; then what no JSON has outside its strings, or a line break in
    one of them, ends it. `plain` takes what stands outside strings, `after` what stands behind the JSON, or all when it
    is none; `depth` is how many JSON strings all of it stands in.
    """

    __slots__ = (
        "_after", "_cut", "_cut_written", "_depth", "_json", "_lead", "_nesting", "_plain", "_restorer", "_strict",
        "_string", "_structured", "_sure", "_whole",
    )  # fmt: skip

    def __init__(
        self,
        restorer: Restorer,
        *,
        structured: bool = False,
        whole: bool = False,
        sure: bool = False,
        opened: str = "",
        plain: Plain | None = None,
        after: Plain | None = None,
        depth: int = 0,
    ) -> None:
        self._restorer = restorer
        self._structured, self._whole, self._sure, self._depth = structured, whole, sure, depth
        self._plain = plain or Channel(restorer, depth)
        self._after = after or self._plain
        self._string: _String | None = None
        self._nesting = Nesting()
        self._nesting.read(opened, 0, len(opened))
        self._strict = bool(opened)
        self._json = True if sure or opened else None  # None: not yet known
        self._lead = ""
        self._cut = ""  # the beginning of an escape
        self._cut_written: Sequence[str] = ""

    @property
    def left(self) -> bool:
        """Whether the JSON is over, or it was none."""
        return self._json is False

    def feed(self, text: str, written: Sequence[str] | None = None) -> str:
        """What can be said now."""
        if self._json is False or not self._restorer.live:
            return self._after.feed(text, written)
        units = text if written is None else written
        out: list[str] = []
        at = self.take(text, units, 0, out)
        if at < len(text):
            out.append(self._after.feed(text[at:], units[at:]) if at else self._after.feed(text, written))
        return "".join(out)

    def take(self, text: str, units: Sequence[str], at: int, out: list[str]) -> int:
        """Takes the text from `at` on as far as the JSON goes, and says in `out` what can be said; where that is.

        What was fed before is in front of the text: then `at` is 0.
        """
        ahead = len(self._cut)
        if ahead:
            text, units = self._cut + text, joined(self._cut_written, units)
            self._cut, self._cut_written = "", ""
        while at < len(text) and self._json is not False:
            step = self._outside if self._string is None else self._inside
            at = step(text, units, at, out)
        return at - ahead

    def flush(self) -> str:
        """What was held back."""
        cut, self._cut, self._cut_written = "".join(self._cut_written), "", ""
        held = self._string.flush() if self._string else self._plain.flush()
        return held + cut + (self._after.flush() if self._after is not self._plain else "")

    def _outside(self, text: str, units: Sequence[str], at: int, out: list[str]) -> int:
        if self._json is None:
            self._decide(text, at)
        if not self._sure and self._nesting.over and (self._strict or not _GOES_ON.match(text, at)):
            self._json = False
        if self._json is False:
            return at
        between = _BETWEEN.match(text, at)
        end = between.end() if between else at
        foreign = _FOREIGN.search(text, at, end) if self._strict else None
        stop = self._nesting.read(text, at, foreign.start() if foreign else end)
        out.append(self._plain.feed(text[at:stop], units[at:stop]))
        if foreign and stop == foreign.start():
            self._json = False
        elif text.startswith('"', stop) and (self._sure or not self._nesting.over):
            out.append(self._plain.flush())
            return self._opened(units, end, out)
        return stop

    def _opened(self, units: Sequence[str], at: int, out: list[str]) -> int:
        """A string begins; behind its quote."""
        self._nesting.begun = True
        value = self._nesting.value and not self._structured
        self._string = _String(self._restorer, value=value, whole=self._whole, depth=self._depth + 1)
        out.append(self._string.opened(units[at]))
        return at + 1

    def _decide(self, text: str, at: int) -> None:
        """Take it for JSON, or not, by its first one or two characters that are not blank, or by all of it."""
        if self._structured and self._whole:
            self._json = json_tree.begins(text[at:])
            return
        self._lead = (self._lead + "".join(text[at:].split(None, 2)[:2])[:2])[:2]
        if not self._structured:
            if self._lead:
                self._json = self._lead.startswith(_ARGUMENTS)
        elif self._lead not in ("", "{", "["):
            self._json = self._lead in STRUCTURED

    def _inside(self, text: str, units: Sequence[str], at: int, out: list[str]) -> int:
        string, piece = self._string, read(text, units, at)
        if string is None:
            return at
        line_end = text.find("\n", at, piece.end) if self._strict else -1
        if line_end >= 0:
            piece = read(text[at:line_end], units[at:line_end], 0)
            out += (string.take(piece), string.flush(), piece.cut)
            self._string, self._json = None, False
            return line_end
        self._cut, self._cut_written = piece.cut, units[len(text) - len(piece.cut) :]
        out.append(string.take(piece))
        if piece.closed:
            out.append(units[piece.end - 1] if string.quoted else "")
            self._string = None
        return piece.end


class _String:
    """One string of the JSON. Its opening quote waits as long as the string may be just a number's token."""

    __slots__ = ("_held", "_restorer", "_text", "_waiting", "_written", "quoted")

    def __init__(self, restorer: Restorer, *, value: bool, whole: bool, depth: int) -> None:
        self._restorer = restorer
        self._waiting = value and bool(restorer.numbers)
        self._held = ""  # as long as it waits
        self._written: Sequence[str] = ""
        self._text: Plain = (
            JsonChannel(restorer, structured=True, whole=whole, depth=depth)
            if depth <= _DEEPEST
            else Channel(restorer, depth)
        )
        self.quoted = True

    def opened(self, quote: str) -> str:
        return "" if self._waiting else quote

    def flush(self) -> str:
        return self._take("", "", final=True)

    def take(self, piece: Piece) -> str:
        """What can be said now; all that was held behind a closing quote, when see `quoted`."""
        if self._waiting and piece.closed:
            number = self._restorer.number(self._held + piece.said)
            if number is not None:
                self.quoted = False
                return number
        return self._take(piece.said, piece.written, final=piece.closed)

    def _take(self, said: str, written: Sequence[str], *, final: bool) -> str:
        quote = ""
        if self._waiting:
            said, written = self._held + said, joined(self._written, written)
            if not final and self._may_be_number(said):
                self._held, self._written = said, written
                return ""
            quote, self._waiting = '"', False
        return quote + self._text.feed(said, written) + (self._text.flush() if final else "")

    def _may_be_number(self, said: str) -> bool:
        hits, settled = self._restorer.live.find(said, 0, final=False)
        return settled == 0 or (len(hits) == 1 and hits[0][:2] == (0, len(said)))


def restored_arguments(restorer: Restorer, text: str) -> str:
    """A tool's arguments, whole: JSON in a string; as text when it is none."""
    channel = JsonChannel(restorer, whole=True)
    return channel.feed(text) + channel.flush()


def restored_data(restorer: Restorer, text: str) -> str:
    """A text of a tool's, whole, with what is put in escaped where the text is JSON itself."""
    channel = JsonChannel(restorer, structured=True, whole=True)
    return channel.feed(text) + channel.flush()
