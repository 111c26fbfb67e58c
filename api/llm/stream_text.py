"""The texts of a stream that are under way at the same time, each with what it holds back."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from api.llm.json_stream import STRUCTURED, JsonChannel, Plain
from api.llm.json_tree import Number
from api.llm.model import StreamTooLong
from api.llm.restore import Channel, Restorer

# Restores prose outside the fences of Markdown, whole or piece by piece, in which lines may begin with JSON.

# As a line that is quoted or an item of a list may begin; and the same as long as it is not known.
_LEAD = r"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?"
_BEGINS = re.compile(_LEAD + r'([{\[])\s*(["{}\[\]])')
_MAY_BEGIN = re.compile(rf"{_LEAD}(?:[{{\[]\s*|[-*+]|[0-9]{{1,9}}[.)]?)?\Z")
_LONGEST: Final = 64  # characters of a line within which JSON begins


class Unfenced:
    """A text in pieces, as `Channel` has it. What begins like JSON at the beginning of a line is JSON while it can be.

    Nothing waits for that: brackets are no part of a token. `line`: how much of the first line came before; None where
    that does not begin with JSON.
    """

    def __init__(self, restorer: Restorer, line: str | None = "") -> None:
        self._restorer = restorer
        self._plain = Channel(restorer)
        self._json: JsonChannel | None = None
        self._line = line

    def feed(self, text: str, written: Sequence[str] | None = None) -> str:
        """What can be said now. The text is written as it is: it stands in no string."""
        out: list[str] = []
        at = 0
        while at < len(text):
            if self._json is None:
                end = self._beginning(text, at)
                out.append(self._plain.feed(text[at:end] if at or end < len(text) else text))
            else:
                end = self._json.take(text, text, at, out)
                self._json = None if self._json.left else self._json
            at = end
        return "".join(out)

    def flush(self) -> str:
        """What was held back."""
        return self._json.flush() if self._json else self._plain.flush()

    def _beginning(self, text: str, at: int) -> int:
        """Where, behind its first bracket, the next JSON goes on; the text's end if none begins."""
        while True:
            if self._line is not None:
                came, self._line = self._line, None
                line = came + text[at : at + _LONGEST]
                begins = _BEGINS.match(line)
                if begins and begins[1] + begins[2] in STRUCTURED:
                    self._json = JsonChannel(self._restorer, structured=True, opened=begins[1], plain=self._plain)
                    return at + begins.start(2) - len(came)
                if len(line) < _LONGEST and _MAY_BEGIN.match(line):
                    self._line = line
                    return len(text)
            line_end = text.find("\n", at)
            if line_end < 0:
                return len(text)
            at, self._line = line_end + 1, ""


# Restores prose, whole or piece by piece, in which JSON stands: all of it, between Markdown's fences, in lines.

_FENCE = re.compile(r"[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?([^`~]*+)(`{3,}+|~{3,}+)[ \t]*+([^\s`]*+)[^`]*+")
_JSON_NAMES: Final = frozenset({"json", "json5", "jsonc", "jsonl", "ndjson", "geojson", "json-ld", "jsonld"})
_LONGEST_LINE: Final = 200  # characters; a longer one is no fence


def prose(restorer: Restorer, *, whole: bool = False, begun: str = "") -> JsonChannel:
    """A text in pieces; with `whole` it comes in one. `begun`: what stands before it, in the `shape` of a prefill."""
    channel = JsonChannel(restorer, structured=True, whole=whole, after=Fences(restorer))
    channel.feed(begun)
    return channel


def restored_prose(restorer: Restorer, text: str, begun: str = "") -> str:
    """A text, whole, with what is put in escaped where the text is JSON itself, as structured output is."""
    channel = prose(restorer, whole=True, begun=begun)
    said = channel.feed(text) + channel.flush()
    return text if said == text else said


class Fences:
    """A text in pieces, as `Channel` has it. What stands in it between fences is JSON if they say so, or it begins so.

    Source: CommonMark 0.31, section 4.5; a fence may be indented as deep as it likes, as in lists,
    and one of JSON may stand behind words.
    """

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer
        self._now: Plain = Unfenced(restorer, line=None)  # whether the first line is JSON is known already
        self._line = ""  # its beginning, as far as it came
        self._fence = ""  # the marks of the one that is open
        self._is_json = False  # what stands behind it says so itself

    def feed(self, text: str, written: Sequence[str] | None = None) -> str:
        """What can be said now. The text is written as it is: it stands in no string."""
        if not self._restorer.live:
            return text
        out: list[str] = []
        start = at = 0
        while (end := text.find("\n", at)) >= 0:
            line = self._line + text[at : min(end, at + _LONGEST_LINE)]
            self._line, at = "", end + 1
            following = self._behind(line)
            if following is not None:
                out += (self._now.feed(text[start:at]), self._now.flush())
                self._now, start = following, at
        self._line = (self._line + text[at : at + _LONGEST_LINE])[:_LONGEST_LINE]
        out.append(self._now.feed(text[start:] if start else text))
        return "".join(out)

    def flush(self) -> str:
        """What was held back."""
        return self._now.flush()

    def _behind(self, line: str) -> Plain | None:
        """What takes the text behind a line; None where that stays as it was."""
        if len(line) >= _LONGEST_LINE or ("```" not in line and "~~~" not in line):
            return None
        fence = _FENCE.fullmatch(line)
        begun, marks, name = fence.groups() if fence else ("", "", "")
        if self._fence:
            if not self._is_closed(line, marks if not begun and not name else ""):
                return None
            self._fence = ""
            return Unfenced(self._restorer)
        is_json = name.lower() in _JSON_NAMES
        if not marks or (begun and not is_json):
            return None
        self._fence, self._is_json = marks, is_json
        return JsonChannel(self._restorer, structured=True, sure=is_json)

    def _is_closed(self, line: str, marks: str) -> bool:
        """JSON has no line that ends with the marks, so that they close it also behind its last bracket."""
        return marks.startswith(self._fence) or (self._is_json and line.rstrip().endswith(self._fence))


_MOST: Final = 4096  # texts at a time; an answer of 128 choices with 30 calls of tools each has fewer


class Part(NamedTuple):
    """What tells a part of an array from others where the parts have no `index`."""

    id: str = ""
    type: str = ""


Index = str | Number
Step = Index | Part  # a key, or a part of an array, by its `index` if it has one
Path = tuple[Step, ...]


class Channels:
    """A channel for every path, in groups (a content block, a choice) that end together."""

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer
        self._groups: dict[Index, dict[Path, JsonChannel]] = {}
        self._open = 0

    def feed(self, group: Index, path: Path, text: str, *, arguments: bool, begun: str = "") -> str:
        """What can be said of a text's next piece. `arguments`: of a tool, and not prose, before which `begun` stands.

        StreamTooLong when more are under way than any answer has.
        """
        paths = self._groups.setdefault(group, {})
        channel = paths.get(path)
        if channel is None:
            if self._open >= _MOST:
                raise StreamTooLong
            self._open += 1
            channel = paths[path] = JsonChannel(self._restorer) if arguments else prose(self._restorer, begun=begun)
        return channel.feed(text)

    def part(self, group: Index, array: Path, part: Part) -> Part:
        """Which part of an array goes on with one that says so little of itself: the newest that it may be, or it."""
        if part.id:
            return part
        for path in reversed(self._groups.get(group, {})):
            known = path[len(array)] if path[: len(array)] == array and len(path) > len(array) else None
            if isinstance(known, Part) and part.type in ("", known.type):
                return known
        return part

    def groups(self) -> list[Index]:
        """The groups that have texts under way."""
        return list(self._groups)

    def over(self, group: Index) -> Iterator[tuple[Path, str]]:
        """What the texts of a group held back; they are over with this."""
        paths = self._groups.pop(group, {})
        self._open -= len(paths)
        for path, channel in paths.items():
            if held := channel.flush():
                yield path, held
