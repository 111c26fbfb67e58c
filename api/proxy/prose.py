"""Restores prose, whole or piece by piece, in which JSON stands: all of it, between Markdown's fences, in lines."""

import re
from collections.abc import Sequence
from typing import Final

from api.proxy.json_text import JsonChannel, Plain
from api.proxy.restorer import Restorer
from api.proxy.unfenced import Unfenced

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
