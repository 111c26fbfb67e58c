"""Restores text that is itself JSON, whole or piece by piece: tool arguments, `input_json_delta`, structured output.

Nothing is parsed into values: the text is passed on as it is written, and only inside its strings are escapes read, so
that `\\u003cMASKED_…\\u003e` is recognized and what is put in is escaped.
"""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from api.proxy.bent import LOOK_BACK, Hit
from api.proxy.restorer import Channel, Restorer

_BETWEEN = re.compile(r'[^"]*')
_STRUCTURE = re.compile(r"[\[\]{},:]")
_PLAIN = re.compile(r'[^"\\]+')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])", re.DOTALL)
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_BEGINS_LIKE_JSON = re.compile(r"\s*[{\[]")
_DEEPEST = 1000  # levels that are told apart; below them no string becomes a number again

_ARGUMENTS = ("{", "[", '"')
_STRUCTURED = ('{"', "{}", "[{", '["', "[[", "[]")


def escaped(value: str) -> str:
    """A value as it stands between the quotes of a JSON string; lone surrogates stay escapes."""
    return json.dumps(value, ensure_ascii=False)[1:-1].encode("utf-8", "backslashreplace").decode()


class _Nesting:
    """Where in the JSON the text stands: whether the next string is a value, and whether the JSON is over."""

    __slots__ = ("_deeper", "_levels", "begun", "value")

    def __init__(self) -> None:
        self._levels = bytearray()
        self._deeper = 0
        self.begun = False
        self.value = True

    def read(self, text: str) -> None:
        for match in _STRUCTURE.finditer(text):
            self._step(match.group())

    @property
    def over(self) -> bool:
        return self.begun and not self._levels

    def _step(self, mark: str) -> None:
        if mark in "{[":
            self.begun = True
            if len(self._levels) < _DEEPEST:
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


class JsonChannel:
    """A JSON text in pieces: `feed` and `flush` as `Channel` has them.

    With `structured` it is an ordinary text, taken as JSON only when it begins like an object or an array of such;
    otherwise it is what a tool is given, where a string that is exactly a number's token becomes the number.
    """

    __slots__ = ("_cut", "_json", "_lead", "_nesting", "_plain", "_restorer", "_string", "_structured")

    def __init__(self, restorer: Restorer, *, structured: bool = False) -> None:
        self._restorer = restorer
        self._structured = structured
        self._plain = Channel(restorer)  # what stands outside strings, or all when it is no JSON
        self._string: _String | None = None
        self._nesting = _Nesting()
        self._json: bool | None = None  # not yet known
        self._lead = ""
        self._cut = ""  # the beginning of an escape

    def feed(self, text: str) -> str:
        """What can be said now."""
        if not self._restorer.live:
            return text
        if self._json is False:
            return self._plain.feed(text)
        text, self._cut = self._cut + text, ""
        out: list[str] = []
        at = 0
        while at < len(text):
            at = self._outside(text, at, out) if self._string is None else self._inside(self._string, text, at, out)
        return "".join(out)

    def flush(self) -> str:
        """What was held back."""
        cut, self._cut = self._cut, ""
        return (self._string.flush() if self._string else self._plain.flush()) + cut

    def _outside(self, text: str, at: int, out: list[str]) -> int:
        if self._json is None:
            self._decide(text, at)
        if self._json is False:
            out.append(self._plain.feed(text[at:] if at else text))
            return len(text)
        between = _BETWEEN.match(text, at)
        end = between.end() if between else at
        self._nesting.read(text[at:end])
        out.append(self._plain.feed(text[at:end]))
        if end == len(text):
            return end
        if self._nesting.over:
            self._json = False
            return end
        self._nesting.begun = True
        out.append(self._plain.flush())
        self._string = _String(self._restorer, value=self._nesting.value and not self._structured)
        out.append(self._string.opened())
        return end + 1

    def _decide(self, text: str, at: int) -> None:
        """Take it for JSON, or not, by its first one or two characters that are not blank."""
        self._lead = (self._lead + "".join(text[at:].split(None, 2)[:2])[:2])[:2]
        if not self._structured:
            if self._lead:
                self._json = self._lead.startswith(_ARGUMENTS)
        elif self._lead not in ("", "{", "["):
            self._json = self._lead in _STRUCTURED

    def _inside(self, string: "_String", text: str, at: int, out: list[str]) -> int:
        piece = _read(text, at)
        self._cut = piece.cut
        out.append(string.take(piece, final=piece.closed))
        if piece.closed:
            out.append('"' if string.quoted else "")
            self._string = None
        return piece.end


class _Piece(NamedTuple):
    """A part of a string: what it says, how every character of that is written, and where it ends."""

    said: str
    written: Sequence[str]  # as long as `said`
    end: int
    closed: bool = False  # `end` is behind the closing quote
    cut: str = ""  # an escape that is not over


def _read(text: str, at: int) -> _Piece:
    """The string's text from `at` to its closing quote, or as far as there is any."""
    plain = _PLAIN.match(text, at)
    words, end = (plain.group(), plain.end()) if plain else ("", at)
    if end == len(text):
        return _Piece(words, words, end)
    if text[end] == '"':
        return _Piece(words, words, end + 1, closed=True)
    return _read_escaped(text, end, words)


def _read_escaped(text: str, at: int, words: str) -> _Piece:
    said, written = [words], list(words)
    while at < len(text):
        if text[at] == '"':
            return _Piece("".join(said), written, at + 1, closed=True)
        if plain := _PLAIN.match(text, at):
            said.append(plain.group())
            written += plain.group()
            at = plain.end()
        elif _CUT_ESCAPE.match(text, at):
            return _Piece("".join(said), written, len(text), cut=text[at:])
        else:
            escape = _ESCAPE.match(text, at)
            unit = escape.group() if escape else text[at]  # a backslash that escapes nothing stands for itself
            said.append(_unescaped(unit))
            written.append(unit)
            at += len(unit)
    return _Piece("".join(said), written, at)


def _unescaped(escape: str) -> str:
    if len(escape) == 6:
        return chr(int(escape[2:], 16))
    return _SHORT.get(escape[-1], escape[-1])


class _String:
    """One string of the JSON. Its opening quote waits as long as the string may be just a number's token."""

    __slots__ = ("_before", "_held", "_restorer", "_waiting", "_written", "quoted")

    def __init__(self, restorer: Restorer, *, value: bool) -> None:
        self._restorer = restorer
        self._waiting = value and bool(restorer.numbers)
        self._before = ""
        self._held = ""
        self._written: Sequence[str] = ""
        self.quoted = True

    def opened(self) -> str:
        return "" if self._waiting else '"'

    def flush(self) -> str:
        return self.take(_Piece("", "", 0), final=True)

    def take(self, piece: _Piece, *, final: bool) -> str:
        """What can be said now; all that was held when `final`. After a closing quote see `quoted`."""
        joined = self._before + self._held + piece.said
        start = len(self._before)
        written = _joined(self._written, piece.written)
        hits, settled = self._restorer.live.find(joined, start, final=final)
        quote = ""
        if self._waiting:
            number = hits[0].token if len(hits) == 1 and hits[0][:2] == (0, len(joined)) else ""
            if number in self._restorer.numbers:
                if piece.closed:
                    self.quoted = False
                    return self._restorer.original(number)
                if not final:
                    hits, settled = [], 0
            if settled or final:
                quote, self._waiting = '"', False
        said = self._rendered(written, start, settled, hits)
        self._before = joined[max(0, settled - LOOK_BACK) : settled]
        self._held, self._written = joined[settled:], written[settled - start :]
        return quote + said

    def _rendered(self, written: Sequence[str], start: int, end: int, hits: Sequence[Hit]) -> str:
        out: list[str] = []
        at = start
        for hit in hits:
            out += (*written[at - start : hit.start - start], escaped(self._restorer.original(hit.token)))
            at = hit.end
        out += written[at - start : end - start]
        return "".join(out)


def _joined(first: Sequence[str], second: Sequence[str]) -> Sequence[str]:
    if isinstance(first, str) and isinstance(second, str):
        return first + second
    return [*first, *second]


def restored_arguments(restorer: Restorer, text: str) -> str:
    """A tool's arguments, whole: JSON in a string; as text when it is none."""
    channel = JsonChannel(restorer)
    return channel.feed(text) + channel.flush()


def restored_prose(restorer: Restorer, text: str) -> str:
    """A text, whole, with what is put in escaped where the text is JSON itself, as structured output is."""
    if not _BEGINS_LIKE_JSON.match(text):
        return restorer.text(text)
    channel = JsonChannel(restorer, structured=True)
    return channel.feed(text) + channel.flush()
