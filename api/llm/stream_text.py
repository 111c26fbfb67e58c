"""Restores the texts of a stream: prose with JSON in it, and all texts of a stream that are under way together.

JSON is looked for in three places of prose: the whole text, fenced code blocks of Markdown, and lines that begin with
JSON.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from api.llm.json_stream import JSON_STARTS, JsonStream, RestoringStream
from api.llm.json_tree import Number
from api.llm.model import StreamTooLong
from api.llm.restore import Restorer, TextStream

# The beginning of a quoted line or of a list item, complete and incomplete.
_LEAD = r"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?"
_BEGINS = re.compile(_LEAD + r'([{\[])\s*(["{}\[\]])')
_MAY_BEGIN = re.compile(rf"{_LEAD}(?:[{{\[]\s*|[-*+]|[0-9]{{1,9}}[.)]?)?\Z")
_MAX_LEAD: Final = 64  # characters of a line before its JSON


class LineJsonStream:
    """Restores prose outside code fences. A line that begins like JSON is handled as JSON as long as it can be JSON.

    Nothing is held back to decide that, since brackets are not part of a token. `line`: the part of the first line that
    before before; None when that line cannot begin with JSON.
    """

    def __init__(self, restorer: Restorer, line: str | None = "") -> None:
        self._restorer = restorer
        self._plain = TextStream(restorer)
        self._json: JsonStream | None = None
        self._line = line

    def feed(self, text: str, source: Sequence[str] | None = None) -> str:
        """The text that can be released now. `source` is not used: prose is inside no string."""
        out: list[str] = []
        at = 0
        while at < len(text):
            if self._json is None:
                end = self._beginning(text, at)
                out.append(self._plain.feed(text[at:end] if at or end < len(text) else text))
            else:
                end = self._json.take(text, text, at, out)
                self._json = None if self._json.is_left else self._json
            at = end
        return "".join(out)

    def flush(self) -> str:
        """The text that was held back."""
        return self._json.flush() if self._json else self._plain.flush()

    def _beginning(self, text: str, at: int) -> int:
        """The position behind the first bracket of the next JSON; the end of the text if there is none."""
        while True:
            if self._line is not None:
                before, self._line = self._line, None
                line = before + text[at : at + _MAX_LEAD]
                begin = _BEGINS.match(line)
                if begin and begin[1] + begin[2] in JSON_STARTS:
                    self._json = JsonStream(self._restorer, structured=True, open_bracket=begin[1], plain=self._plain)
                    return at + begin.start(2) - len(before)
                if len(line) < _MAX_LEAD and _MAY_BEGIN.match(line):
                    self._line = line
                    return len(text)
            line_end = text.find("\n", at)
            if line_end < 0:
                return len(text)
            at, self._line = line_end + 1, ""


_FENCE = re.compile(r"[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?([^`~]*+)(`{3,}+|~{3,}+)[ \t]*+([^\s`]*+)[^`]*+")
_JSON_NAMES: Final = frozenset({"json", "json5", "jsonc", "jsonl", "ndjson", "geojson", "json-ld", "jsonld"})
_MAX_FENCE_LINE: Final = 200  # characters; a longer line is not a fence


def prose(restorer: Restorer, *, whole: bool = False, prefix: str = "") -> JsonStream:
    """A stream that restores prose. `whole`: it arrives in one piece.

    `prefix`: the text before it, which the answer continues, as `neutral_shape` gives it.
    """
    stream = JsonStream(restorer, structured=True, whole=whole, after=MarkdownStream(restorer))
    stream.feed(prefix)
    return stream


def restored_prose(restorer: Restorer, text: str, prefix: str = "") -> str:
    """A whole text, restored. Where it is JSON, such as structured output, originals are escaped."""
    stream = prose(restorer, whole=True, prefix=prefix)
    restored = stream.feed(text) + stream.flush()
    return text if restored == text else restored


class MarkdownStream:
    """Restores prose with code fences. A fenced block is JSON if its info string says so, or if it begins like JSON.

    Source: CommonMark 0.31, section 4.5. Two things are allowed beyond it: a fence may be indented to any depth, as in
    lists, and a fence of JSON may follow words on its line.
    """

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer
        # Whether the first line is JSON is decided before it gets here.
        self._current: RestoringStream = LineJsonStream(restorer, line=None)
        self._line = ""  # the beginning of the current line
        self._fence = ""  # the marks of the open fence
        self._is_json_fence = False  # the info string of the open fence says JSON

    def feed(self, text: str, source: Sequence[str] | None = None) -> str:
        """The text that can be released now. `source` is not used: prose is inside no string."""
        if not self._restorer.tokens:
            return text
        out: list[str] = []
        start = at = 0
        while (end := text.find("\n", at)) >= 0:
            line = self._line + text[at : min(end, at + _MAX_FENCE_LINE)]
            self._line, at = "", end + 1
            following = self._stream_after(line)
            if following is not None:
                out += (self._current.feed(text[start:at]), self._current.flush())
                self._current, start = following, at
        self._line = (self._line + text[at : at + _MAX_FENCE_LINE])[:_MAX_FENCE_LINE]
        out.append(self._current.feed(text[start:] if start else text))
        return "".join(out)

    def flush(self) -> str:
        """The text that was held back."""
        return self._current.flush()

    def _stream_after(self, line: str) -> RestoringStream | None:
        """The stream for the text behind a line; None when the line is not a fence."""
        if len(line) >= _MAX_FENCE_LINE or ("```" not in line and "~~~" not in line):
            return None
        fence = _FENCE.fullmatch(line)
        words, marks, name = fence.groups() if fence else ("", "", "")
        if self._fence:
            if not self._is_closed(line, marks if not words and not name else ""):
                return None
            self._fence = ""
            return LineJsonStream(self._restorer)
        is_json = name.lower() in _JSON_NAMES
        if not marks or (words and not is_json):
            return None
        self._fence, self._is_json_fence = marks, is_json
        return JsonStream(self._restorer, structured=True, is_certain=is_json)

    def _is_closed(self, line: str, marks: str) -> bool:
        """Whether a line closes the open fence. A fence of JSON is also closed at the end of a line with JSON."""
        return marks.startswith(self._fence) or (self._is_json_fence and line.rstrip().endswith(self._fence))


_MAX_TEXTS: Final = 4096  # under way at the same time; 128 choices with 30 tool calls each have fewer


class ArrayItem(NamedTuple):
    """Identifies an item of an array whose items have no `index`."""

    id: str = ""
    type: str = ""


Index = str | Number
Step = Index | ArrayItem  # a key, or an array item, by its `index` if it has one
Path = tuple[Step, ...]


class StreamTexts:
    """The restoring stream of every text, by its path, in groups (a content block, a choice) that end together."""

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer
        self._groups: dict[Index, dict[Path, JsonStream]] = {}
        self._open = 0

    def feed(self, group: Index, path: Path, text: str, *, arguments: bool, prefix: str = "") -> str:
        """Restores the next piece of a text and gives what can be released.

        `arguments`: it is of a tool; otherwise it is prose, and `prefix` is the text before it. StreamTooLong when more
        texts are under way than any answer has.
        """
        paths = self._groups.setdefault(group, {})
        stream = paths.get(path)
        if stream is None:
            if self._open >= _MAX_TEXTS:
                raise StreamTooLong
            self._open += 1
            stream = paths[path] = JsonStream(self._restorer) if arguments else prose(self._restorer, prefix=prefix)
        return stream.feed(text)

    def matching_item(self, group: Index, array: Path, part: ArrayItem) -> ArrayItem:
        """The known item that `part` continues, the newest of its type; `part` itself if it has an id or none fits."""
        if part.id:
            return part
        for path in reversed(self._groups.get(group, {})):
            known = path[len(array)] if path[: len(array)] == array and len(path) > len(array) else None
            if isinstance(known, ArrayItem) and part.type in ("", known.type):
                return known
        return part

    def groups(self) -> list[Index]:
        """The groups with texts under way."""
        return list(self._groups)

    def end_group(self, group: Index) -> Iterator[tuple[Path, str]]:
        """Ends the texts of a group and gives what they held back."""
        paths = self._groups.pop(group, {})
        self._open -= len(paths)
        for path, stream in paths.items():
            if held := stream.flush():
                yield path, held
