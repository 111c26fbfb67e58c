"""Follows the brackets of a JSON text piece by piece."""

import re
from typing import Final

_STRUCTURE = re.compile(r"[\[\]{},:]")
_DEEPEST: Final = 1000  # levels that are told apart; below them no string becomes a number again


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
