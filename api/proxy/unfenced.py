"""Restores prose outside the fences of Markdown, whole or piece by piece, in which lines may begin with JSON."""

import re
from collections.abc import Sequence
from typing import Final

from api.proxy.json_text import STRUCTURED, JsonChannel
from api.proxy.restorer import Channel, Restorer

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
