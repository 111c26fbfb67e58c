"""Restores JSON text, whole or in pieces: tool arguments, `input_json_delta`, structured output.

The text is not parsed into values but forwarded as it is spelled. Only inside strings are escapes read, so that
`\u003cMASKED_…\u003e` is recognized and originals are escaped. A string may itself contain JSON (`{"body":
"{\"address\": …}"}`); originals are escaped once more there.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from api.llm import json_tree
from api.llm.restore import Restorer, TextStream, concatenated

_PLAIN = re.compile(r'[^"\\]+')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])", re.DOTALL)
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class StringPart(NamedTuple):
    """A part of a JSON string: its decoded text, the source spelling of each character, and where the part ends."""

    said: str
    written: Sequence[str]  # as long as `said`
    end: int
    closed: bool = False  # whether the string is closed; `end` is behind its quote
    cut: str = ""  # an incomplete escape at the end


def read(text: str, written: Sequence[str], at: int) -> StringPart:
    """Reads a string from `at` to its closing quote, or as far as it has arrived.

    `written`: the source spelling of each character of `text`, which differs when `text` itself comes from a string.
    """
    plain = _PLAIN.match(text, at)
    end = plain.end() if plain else at
    words, units = text[at:end], written[at:end]
    if end == len(text):
        return StringPart(words, units, end)
    if text[end] == '"':
        return StringPart(words, units, end + 1, closed=True)
    return _read_escaped(text, written, end, StringPart(words, units, end))


def _read_escaped(text: str, units: Sequence[str], at: int, first: StringPart) -> StringPart:
    said, written = [first.said], list(first.written)
    while at < len(text):
        if text[at] == '"':
            return StringPart("".join(said), written, at + 1, closed=True)
        if plain := _PLAIN.match(text, at):
            said.append(plain.group())
            written += units[at : plain.end()]
            at = plain.end()
        elif _CUT_ESCAPE.match(text, at):
            return StringPart("".join(said), written, len(text), cut=text[at:])
        else:
            escape = _ESCAPE.match(text, at)
            unit = escape.group() if escape else text[at]  # a backslash that begins no escape is literal
            said.append(_unescaped(unit))
            written.append("".join(units[at : at + len(unit)]))
            at += len(unit)
    return StringPart("".join(said), written, at)


def _unescaped(escape: str) -> str:
    if len(escape) == 6:
        return chr(int(escape[2:], 16))
    return _SHORT.get(escape[-1], escape[-1])


_STRUCTURE = re.compile(r"[\[\]{},:]")
_MAX_TRACKED_DEPTH: Final = 1000  # tracked levels; deeper strings never become numbers


class BracketTracker:
    """Follows the brackets of a JSON text that arrives in pieces: whether the next string is a value, whether the JSON
    is over.
    """

    __slots__ = ("_deeper", "_levels", "begun", "is_value")

    def __init__(self) -> None:
        self._levels = bytearray()
        self._deeper = 0
        self.begun = False
        self.is_value = True

    def read(self, text: str, at: int, end: int) -> int:
        """Reads `text[at:end]`. The position where the JSON is over, or `end`."""
        for match in _STRUCTURE.finditer(text, at, end):
            self._step(match.group())
            if self.is_over:
                return match.end()
        return end

    @property
    def is_over(self) -> bool:
        return self.begun and not self._levels

    def _step(self, mark: str) -> None:
        if mark in "{[":
            self.begun = True
            if len(self._levels) < _MAX_TRACKED_DEPTH:
                self._levels += mark.encode()
            else:
                self._deeper += 1
            self.is_value = mark == "["
        elif mark in "}]":
            if self._deeper:
                self._deeper -= 1
            elif self._levels:
                self._levels.pop()
            self.is_value = False
        elif mark == ":":
            self.is_value = True
        else:
            self.is_value = self._levels.endswith(b"[")
        if self._deeper:
            self.is_value = False


_BETWEEN = re.compile(r'[^"]{0,1024}')  # bounded, since it is searched again after every JSON value
_GOES_ON = re.compile(r"[\s,]{0,1024}(?:[{\[]|\Z)")  # as in JSON lines
_FOREIGN = re.compile(r"[^\s\[\]{},:0-9+.eEtrufalsnNoTF-]")  # not in brackets, numbers, true, false, null
_ARGUMENTS: Final = ("{", "[", '"')
STRUCTURED: Final = ('{"', "{}", "[{", '["', "[[", "[]")
_MAX_STRING_DEPTH: Final = 4  # nested strings whose content may be JSON


class RestoringStream(Protocol):
    """Restores one text that arrives in pieces, as `TextStream` does."""

    def feed(self, text: str, written: Sequence[str] | None = None) -> str:
        """The text that can be released now."""

    def flush(self) -> str:
        """The text that was held back."""


class JsonStream:
    """Restores a JSON text that arrives in pieces.

    By default the text is a tool's arguments, where a string that is exactly one number token becomes the number. With
    `structured` it is ordinary text, handled as JSON only when it begins like an object or an array; with `whole` as
    well, it arrives in one piece and is handled as JSON when it begins with a complete or cut-off JSON value.

    `sure`: it is JSON and has no end. `opened`: the bracket after which the text begins, in the middle of prose; a
    character that JSON cannot have outside strings, or a line break inside a string, then ends the JSON. `plain`
    restores text outside strings; `after` restores text behind the JSON, or everything when it is not JSON. `depth`:
    the number of JSON strings around the text.
    """

    __slots__ = (
        "_after",
        "_brackets",
        "_cut",
        "_cut_written",
        "_depth",
        "_json",
        "_lead",
        "_plain",
        "_restorer",
        "_strict",
        "_string",
        "_structured",
        "_sure",
        "_whole",
    )  # fmt: skip

    def __init__(
        self,
        restorer: Restorer,
        *,
        structured: bool = False,
        whole: bool = False,
        sure: bool = False,
        opened: str = "",
        plain: RestoringStream | None = None,
        after: RestoringStream | None = None,
        depth: int = 0,
    ) -> None:
        self._restorer = restorer
        self._structured, self._whole, self._sure, self._depth = structured, whole, sure, depth
        self._plain = plain or TextStream(restorer, depth)
        self._after = after or self._plain
        self._string: _StringStream | None = None
        self._brackets = BracketTracker()
        self._brackets.read(opened, 0, len(opened))
        self._strict = bool(opened)
        self._json = True if sure or opened else None  # None: undecided
        self._lead = ""
        self._cut = ""  # an incomplete escape
        self._cut_written: Sequence[str] = ""

    @property
    def is_left(self) -> bool:
        """Whether the JSON is over, or the text is not JSON."""
        return self._json is False

    def feed(self, text: str, written: Sequence[str] | None = None) -> str:
        """The text that can be released now."""
        if self._json is False or not self._restorer.live:
            return self._after.feed(text, written)
        units = text if written is None else written
        out: list[str] = []
        at = self.take(text, units, 0, out)
        if at < len(text):
            out.append(self._after.feed(text[at:], units[at:]) if at else self._after.feed(text, written))
        return "".join(out)

    def take(self, text: str, units: Sequence[str], at: int, out: list[str]) -> int:
        """Reads `text` from `at` as far as the JSON goes, appends what can be released to `out`, and gives the end.

        When an incomplete escape is held, `at` must be 0: the escape is put in front of the text.
        """
        ahead = len(self._cut)
        if ahead:
            text, units = self._cut + text, concatenated(self._cut_written, units)
            self._cut, self._cut_written = "", ""
        while at < len(text) and self._json is not False:
            step = self._outside if self._string is None else self._inside
            at = step(text, units, at, out)
        return at - ahead

    def flush(self) -> str:
        """The text that was held back."""
        cut, self._cut, self._cut_written = "".join(self._cut_written), "", ""
        held = self._string.flush() if self._string else self._plain.flush()
        return held + cut + (self._after.flush() if self._after is not self._plain else "")

    def _outside(self, text: str, units: Sequence[str], at: int, out: list[str]) -> int:
        if self._json is None:
            self._decide(text, at)
        if not self._sure and self._brackets.is_over and (self._strict or not _GOES_ON.match(text, at)):
            self._json = False
        if self._json is False:
            return at
        between = _BETWEEN.match(text, at)
        end = between.end() if between else at
        foreign = _FOREIGN.search(text, at, end) if self._strict else None
        stop = self._brackets.read(text, at, foreign.start() if foreign else end)
        out.append(self._plain.feed(text[at:stop], units[at:stop]))
        if foreign and stop == foreign.start():
            self._json = False
        elif text.startswith('"', stop) and (self._sure or not self._brackets.is_over):
            out.append(self._plain.flush())
            return self._opened(units, end, out)
        return stop

    def _opened(self, units: Sequence[str], at: int, out: list[str]) -> int:
        """Begins a string behind its opening quote."""
        self._brackets.begun = True
        value = self._brackets.is_value and not self._structured
        self._string = _StringStream(self._restorer, value=value, whole=self._whole, depth=self._depth + 1)
        out.append(self._string.opened(units[at]))
        return at + 1

    def _decide(self, text: str, at: int) -> None:
        """Decides whether the text is JSON by its first one or two non-blank characters, or by the whole text."""
        if self._structured and self._whole:
            self._json = json_tree.begins_as_json(text[at:])
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


class _StringStream:
    """One string of the JSON. Its opening quote is held back while the string may be exactly one number token."""

    __slots__ = ("_held", "_restorer", "_text", "_waiting", "_written", "quoted")

    def __init__(self, restorer: Restorer, *, value: bool, whole: bool, depth: int) -> None:
        self._restorer = restorer
        self._waiting = value and bool(restorer.numbers)
        self._held = ""  # while the quote is held back
        self._written: Sequence[str] = ""
        self._text: RestoringStream = (
            JsonStream(restorer, structured=True, whole=whole, depth=depth)
            if depth <= _MAX_STRING_DEPTH
            else TextStream(restorer, depth)
        )
        self.quoted = True

    def opened(self, quote: str) -> str:
        return "" if self._waiting else quote

    def flush(self) -> str:
        return self._take("", "", final=True)

    def take(self, piece: StringPart) -> str:
        """The text that can be released now. After a closing quote that is everything; see `quoted`."""
        if self._waiting and piece.closed:
            number = self._restorer.number(self._held + piece.said)
            if number is not None:
                self.quoted = False
                return number
        return self._take(piece.said, piece.written, final=piece.closed)

    def _take(self, said: str, written: Sequence[str], *, final: bool) -> str:
        quote = ""
        if self._waiting:
            said, written = self._held + said, concatenated(self._written, written)
            if not final and self._may_be_number(said):
                self._held, self._written = said, written
                return ""
            quote, self._waiting = '"', False
        return quote + self._text.feed(said, written) + (self._text.flush() if final else "")

    def _may_be_number(self, said: str) -> bool:
        hits, decided = self._restorer.live.find(said, 0, final=False)
        return decided == 0 or (len(hits) == 1 and hits[0][:2] == (0, len(said)))


def restored_arguments(restorer: Restorer, text: str) -> str:
    """A tool's arguments, whole: JSON in a string, or plain text when it is not JSON."""
    stream = JsonStream(restorer, whole=True)
    return stream.feed(text) + stream.flush()


def restored_data(restorer: Restorer, text: str) -> str:
    """A whole text of a tool. Where it is JSON itself, originals are escaped."""
    stream = JsonStream(restorer, structured=True, whole=True)
    return stream.feed(text) + stream.flush()
