"""Restores JSON text, whole or in pieces: tool arguments, `input_json_delta`, structured output.

The text is not parsed into values but forwarded as it is spelled. Only inside strings are escapes read_string, so that
`\u003cMASKED_…\u003e` is recognized and originals are escaped. A string may itself contain JSON (`{"body":
"{\"address\": …}"}`); originals are escaped once more there.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from api.llm import json_tree
from api.llm.restore import Restorer, TextStream, concatenated

_UNESCAPED = re.compile(r'[^"\\]+')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])", re.DOTALL)
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_SHORT_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_STRUCTURE = re.compile(r"[\[\]{},:]")
_MAX_TRACKED_DEPTH: Final = 1000  # tracked levels; deeper strings never become numbers
_BEFORE_QUOTE = re.compile(r'[^"]{0,1024}')  # bounded, since it is searched again after every JSON value
_MORE_JSON = re.compile(r"[\s,]{0,1024}(?:[{\[]|\Z)")  # as in JSON lines
_NOT_JSON = re.compile(r"[^\s\[\]{},:0-9+.eEtrufalsnNoTF-]")  # not in brackets, numbers, true, false, null
_ARGUMENT_STARTS: Final = ("{", "[", '"')
JSON_STARTS: Final = ('{"', "{}", "[{", '["', "[[", "[]")
_MAX_STRING_DEPTH: Final = 4  # nested strings whose content may be JSON


class StringPart(NamedTuple):
    """A part of a JSON string. `decoded` is its text; `source` has the spelling of each character of it."""

    decoded: str
    source: Sequence[str]  # as long as `decoded`
    end: int
    is_closed: bool = False  # `end` is then behind the closing quote
    incomplete: str = ""  # an incomplete escape at the end


def read_string(text: str, source: Sequence[str], at: int) -> StringPart:
    """Reads a string from `at` to its closing quote, or as far as it has arrived.

    `source`: the spelling of each character of `text`, which differs when `text` itself comes from a string.
    """
    plain = _UNESCAPED.match(text, at)
    end = plain.end() if plain else at
    plain_text, spelling = text[at:end], source[at:end]
    if end == len(text):
        return StringPart(plain_text, spelling, end)
    if text[end] == '"':
        return StringPart(plain_text, spelling, end + 1, is_closed=True)
    return _read_escaped(text, source, end, StringPart(plain_text, spelling, end))


def _read_escaped(text: str, spelling: Sequence[str], at: int, first: StringPart) -> StringPart:
    decoded, source = [first.decoded], list(first.source)
    while at < len(text):
        if text[at] == '"':
            return StringPart("".join(decoded), source, at + 1, is_closed=True)
        if plain := _UNESCAPED.match(text, at):
            decoded.append(plain.group())
            source += spelling[at : plain.end()]
            at = plain.end()
        elif _CUT_ESCAPE.match(text, at):
            return StringPart("".join(decoded), source, len(text), incomplete=text[at:])
        else:
            escape = _ESCAPE.match(text, at)
            spelled = escape.group() if escape else text[at]  # a backslash that begins no escape is literal
            decoded.append(_unescaped(spelled))
            source.append("".join(spelling[at : at + len(spelled)]))
            at += len(spelled)
    return StringPart("".join(decoded), source, at)


def _unescaped(escape: str) -> str:
    if len(escape) == 6:
        return chr(int(escape[2:], 16))
    return _SHORT_ESCAPES.get(escape[-1], escape[-1])


class BracketTracker:
    """Follows the brackets of a JSON text in pieces: where values are, and whether the text is over."""

    __slots__ = ("_levels", "_untracked", "has_begun", "is_value")

    def __init__(self) -> None:
        self._levels = bytearray()
        self._untracked = 0
        self.has_begun = False
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
        """Whether the first value has ended: every bracket is closed."""
        return self.has_begun and not self._levels

    def _step(self, mark: str) -> None:
        if mark in "{[":
            self.has_begun = True
            if len(self._levels) < _MAX_TRACKED_DEPTH:
                self._levels += mark.encode()
            else:
                self._untracked += 1
            self.is_value = mark == "["
        elif mark in "}]":
            if self._untracked:
                self._untracked -= 1
            elif self._levels:
                self._levels.pop()
            self.is_value = False
        elif mark == ":":
            self.is_value = True
        else:
            self.is_value = self._levels.endswith(b"[")
        if self._untracked:
            self.is_value = False


class RestoringStream(Protocol):
    """Restores one text that arrives in pieces, as `TextStream` does."""

    def feed(self, text: str, source: Sequence[str] | None = None) -> str:
        """The text that can be released now."""

    def flush(self) -> str:
        """The text that was held back."""


class JsonStream:
    """Restores a JSON text that arrives in pieces.

    By default the text is a tool's arguments, where a string that is exactly one number token becomes the number. With
    `structured` it is ordinary text, handled as JSON only when it begins like an object or an array; with `whole` as
    well, it arrives in one piece and is handled as JSON when it begins with a complete or cut-off JSON value.

    `is_certain`: it is JSON and has no end. `open_bracket`: the bracket after which the text begins, in the middle of
    prose; a character that JSON cannot have outside strings, or a line break inside a string, then ends the JSON.
    `plain` restores text outside strings; `after` restores text behind the JSON, or everything when it is not JSON.
    `depth`: the number of JSON strings around the text.
    """

    __slots__ = (
        "_after", "_brackets", "_cut", "_cut_source", "_depth", "_in_prose", "_is_certain", "_json", "_plain",
        "_restorer", "_start", "_string", "_structured", "_whole",
    )  # fmt: skip

    def __init__(
        self,
        restorer: Restorer,
        *,
        structured: bool = False,
        whole: bool = False,
        is_certain: bool = False,
        open_bracket: str = "",
        plain: RestoringStream | None = None,
        after: RestoringStream | None = None,
        depth: int = 0,
    ) -> None:
        self._restorer = restorer
        self._structured, self._whole, self._is_certain, self._depth = structured, whole, is_certain, depth
        self._plain = plain or TextStream(restorer, depth)
        self._after = after or self._plain
        self._string: _StringStream | None = None
        self._brackets = BracketTracker()
        self._brackets.read(open_bracket, 0, len(open_bracket))
        self._in_prose = bool(open_bracket)
        self._json = True if is_certain or open_bracket else None  # None: undecided
        self._start = ""
        self._cut = ""  # an incomplete escape
        self._cut_source: Sequence[str] = ""

    @property
    def is_left(self) -> bool:
        """Whether the JSON is over, or the text is not JSON."""
        return self._json is False

    def feed(self, text: str, source: Sequence[str] | None = None) -> str:
        """The text that can be released now."""
        if self._json is False or not self._restorer.tokens:
            return self._after.feed(text, source)
        spelling = text if source is None else source
        out: list[str] = []
        at = self.take(text, spelling, 0, out)
        if at < len(text):
            out.append(self._after.feed(text[at:], spelling[at:]) if at else self._after.feed(text, source))
        return "".join(out)

    def take(self, text: str, spelling: Sequence[str], at: int, out: list[str]) -> int:
        """Reads `text` from `at` as far as the JSON goes, appends what can be released to `out`, and gives the end.

        When an incomplete escape is held, `at` must be 0: the escape is put in front of the text.
        """
        held_length = len(self._cut)
        if held_length:
            text, spelling = self._cut + text, concatenated(self._cut_source, spelling)
            self._cut, self._cut_source = "", ""
        while at < len(text) and self._json is not False:
            step = self._outside if self._string is None else self._inside
            at = step(text, spelling, at, out)
        return at - held_length

    def flush(self) -> str:
        """The text that was held back."""
        incomplete, self._cut, self._cut_source = "".join(self._cut_source), "", ""
        held = self._string.flush() if self._string else self._plain.flush()
        return held + incomplete + (self._after.flush() if self._after is not self._plain else "")

    def _outside(self, text: str, spelling: Sequence[str], at: int, out: list[str]) -> int:
        if self._json is None:
            self._decide(text, at)
        if not self._is_certain and self._brackets.is_over and (self._in_prose or not _MORE_JSON.match(text, at)):
            self._json = False
        if self._json is False:
            return at
        between = _BEFORE_QUOTE.match(text, at)
        end = between.end() if between else at
        not_json = _NOT_JSON.search(text, at, end) if self._in_prose else None
        stop = self._brackets.read(text, at, not_json.start() if not_json else end)
        out.append(self._plain.feed(text[at:stop], spelling[at:stop]))
        if not_json and stop == not_json.start():
            self._json = False
        elif text.startswith('"', stop) and (self._is_certain or not self._brackets.is_over):
            out.append(self._plain.flush())
            return self._begin_string(spelling, end, out)
        return stop

    def _begin_string(self, spelling: Sequence[str], at: int, out: list[str]) -> int:
        """Begins a string behind its opening quote."""
        self._brackets.has_begun = True
        is_value = self._brackets.is_value and not self._structured
        self._string = _StringStream(self._restorer, is_value=is_value, whole=self._whole, depth=self._depth + 1)
        out.append(self._string.begin(spelling[at]))
        return at + 1

    def _decide(self, text: str, at: int) -> None:
        """Decides whether the text is JSON by its first one or two non-blank characters, or by the whole text."""
        if self._structured and self._whole:
            self._json = json_tree.begins_as_json(text[at:])
            return
        self._start = (self._start + "".join(text[at:].split(None, 2)[:2])[:2])[:2]
        if not self._structured:
            if self._start:
                self._json = self._start.startswith(_ARGUMENT_STARTS)
        elif self._start not in ("", "{", "["):
            self._json = self._start in JSON_STARTS

    def _inside(self, text: str, spelling: Sequence[str], at: int, out: list[str]) -> int:
        string, part = self._string, read_string(text, spelling, at)
        if string is None:
            return at
        line_end = text.find("\n", at, part.end) if self._in_prose else -1
        if line_end >= 0:
            part = read_string(text[at:line_end], spelling[at:line_end], 0)
            out += (string.take(part), string.flush(), part.incomplete)
            self._string, self._json = None, False
            return line_end
        self._cut, self._cut_source = part.incomplete, spelling[len(text) - len(part.incomplete) :]
        out.append(string.take(part))
        if part.is_closed:
            out.append(spelling[part.end - 1] if string.is_quoted else "")
            self._string = None
        return part.end


class _StringStream:
    """One string of the JSON. Its opening quote is held back while the string may be exactly one number token."""

    __slots__ = ("_held", "_holds_quote", "_restorer", "_source", "_text", "is_quoted")

    def __init__(self, restorer: Restorer, *, is_value: bool, whole: bool, depth: int) -> None:
        self._restorer = restorer
        self._holds_quote = is_value and bool(restorer.numbers)
        self._held = ""  # while the quote is held back
        self._source: Sequence[str] = ""
        self._text: RestoringStream = (
            JsonStream(restorer, structured=True, whole=whole, depth=depth)
            if depth <= _MAX_STRING_DEPTH
            else TextStream(restorer, depth)
        )
        self.is_quoted = True

    def begin(self, quote: str) -> str:
        return "" if self._holds_quote else quote

    def flush(self) -> str:
        return self._release("", "", final=True)

    def take(self, part: StringPart) -> str:
        """The text that can be released now. After a closing quote that is everything; see `is_quoted`."""
        if self._holds_quote and part.is_closed:
            number = self._restorer.number(self._held + part.decoded)
            if number is not None:
                self.is_quoted = False
                return number
        return self._release(part.decoded, part.source, final=part.is_closed)

    def _release(self, decoded: str, source: Sequence[str], *, final: bool) -> str:
        quote = ""
        if self._holds_quote:
            decoded, source = self._held + decoded, concatenated(self._source, source)
            if not final and self._may_be_number(decoded):
                self._held, self._source = decoded, source
                return ""
            quote, self._holds_quote = '"', False
        return quote + self._text.feed(decoded, source) + (self._text.flush() if final else "")

    def _may_be_number(self, decoded: str) -> bool:
        hits, decided = self._restorer.tokens.find(decoded, 0, final=False)
        return decided == 0 or (len(hits) == 1 and hits[0][:2] == (0, len(decoded)))


def restored_arguments(restorer: Restorer, text: str) -> str:
    """A tool's arguments, whole: JSON in a string, or plain text when it is not JSON."""
    stream = JsonStream(restorer, whole=True)
    return stream.feed(text) + stream.flush()


def restored_data(restorer: Restorer, text: str) -> str:
    """A whole text of a tool. Where it is JSON itself, originals are escaped."""
    stream = JsonStream(restorer, structured=True, whole=True)
    return stream.feed(text) + stream.flush()
