"""Restores text that is itself JSON, whole or piece by piece: tool arguments, `input_json_delta`, structured output.

Nothing is parsed into values: the text is passed on as it is written, and only inside its strings are escapes read, so
that `\\u003cMASKED_…\\u003e` is recognized and what is put in is escaped. A string may itself hold JSON (`{"body":
"{\\"address\\": …}"}`): what is put in there is escaped once more.
"""

import re
from collections.abc import Sequence
from typing import Final, Protocol

from api.proxy import lenient_json
from api.proxy.json_nesting import Nesting
from api.proxy.json_strings import Piece, read
from api.proxy.restorer import Channel, Restorer, joined

_BETWEEN = re.compile(r'[^"]*')
_ARGUMENTS: Final = ("{", "[", '"')
_STRUCTURED: Final = ('{"', "{}", "[{", '["', "[[", "[]")
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
    string that is exactly a number's token becomes the number. `sure`: it is JSON, and does not end. `plain` takes what
    stands outside strings, or all when it is no JSON; `depth` is how many JSON strings all of it stands in.
    """

    __slots__ = (
        "_cut", "_cut_written", "_depth", "_json", "_lead", "_nesting", "_plain", "_restorer", "_string",
        "_structured", "_sure", "_whole",
    )  # fmt: skip

    def __init__(
        self,
        restorer: Restorer,
        *,
        structured: bool = False,
        whole: bool = False,
        sure: bool = False,
        plain: Plain | None = None,
        depth: int = 0,
    ) -> None:
        self._restorer = restorer
        self._structured, self._whole, self._sure, self._depth = structured, whole, sure, depth
        self._plain = plain or Channel(restorer, depth)
        self._string: _String | None = None
        self._nesting = Nesting()
        self._json = True if sure else None  # None: not yet known
        self._lead = ""
        self._cut = ""  # the beginning of an escape
        self._cut_written: Sequence[str] = ""

    def feed(self, text: str, written: Sequence[str] | None = None) -> str:
        """What can be said now."""
        if self._json is False or not self._restorer.live:
            return self._plain.feed(text, written)
        units = joined(self._cut_written, text if written is None else written)
        text, self._cut, self._cut_written = self._cut + text, "", ""
        out: list[str] = []
        at = 0
        while at < len(text):
            step = self._outside if self._string is None else self._inside
            at = step(text, units, at, out)
        return "".join(out)

    def flush(self) -> str:
        """What was held back."""
        cut, self._cut, self._cut_written = "".join(self._cut_written), "", ""
        return (self._string.flush() if self._string else self._plain.flush()) + cut

    def _outside(self, text: str, units: Sequence[str], at: int, out: list[str]) -> int:
        if self._json is None:
            self._decide(text, at)
        if self._json is False:
            out.append(self._plain.feed(text[at:], units[at:]) if at else self._plain.feed(text, units))
            return len(text)
        between = _BETWEEN.match(text, at)
        end = between.end() if between else at
        self._nesting.read(text[at:end])
        out.append(self._plain.feed(text[at:end], units[at:end]))
        if end == len(text):
            return end
        if self._nesting.over and not self._sure:
            self._json = False
            return end
        self._nesting.begun = True
        out.append(self._plain.flush())
        value = self._nesting.value and not self._structured
        self._string = _String(self._restorer, value=value, whole=self._whole, depth=self._depth + 1)
        out.append(self._string.opened(units[end]))
        return end + 1

    def _decide(self, text: str, at: int) -> None:
        """Take it for JSON, or not, by its first one or two characters that are not blank, or by all of it."""
        if self._structured and self._whole:
            self._json = lenient_json.begins(text[at:])
            return
        self._lead = (self._lead + "".join(text[at:].split(None, 2)[:2])[:2])[:2]
        if not self._structured:
            if self._lead:
                self._json = self._lead.startswith(_ARGUMENTS)
        elif self._lead not in ("", "{", "["):
            self._json = self._lead in _STRUCTURED

    def _inside(self, text: str, units: Sequence[str], at: int, out: list[str]) -> int:
        string, piece = self._string, read(text, units, at)
        if string is None:
            return at
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
