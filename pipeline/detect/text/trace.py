"""Collects the reasons of recognizers for an explanation. Nothing is collected if none was asked for."""

from collections.abc import Callable
from typing import NamedTuple

from schemas.spans import Cue

Offsets = tuple[int, int]
LABELLED = "label: "  # prefix of the source of notes about labelled values; the kind of the label follows


class Note(NamedTuple):
    """Why a recognizer reports a span: the cue word that counted, and the shape if it has several."""

    cue: Cue | None = None
    shape: str = ""


_NOTHING = Note()


class Trace:
    """The notes of one detection, by offsets (normalized) and source."""

    __slots__ = ("_notes",)

    def __init__(self) -> None:
        self._notes: dict[tuple[int, int, str], Note] = {}

    def note(
        self, offsets: Offsets, source: str, cue: Offsets | None = None, *, certain: bool = False, shape: str = ""
    ) -> None:
        """Records why `source` reports `offsets`. Of two reasons the first is kept.

        `source`: LABELLED and a kind of label, an entity type for words, or the name of a recognizer.
        """
        word = None if cue is None else Cue(*cue, certain)
        self._notes.setdefault((*offsets, source), Note(word, shape))

    def of(self, offsets: Offsets, source: str) -> Note:
        """The note of a source about a span; an empty note if there is none."""
        return self._notes.get((*offsets, source), _NOTHING)

    def widened(self, widen: Callable[[int, int], Offsets]) -> "Trace":
        """The same notes with their offsets passed through `widen`."""
        moved = Trace()
        for (start, end, source), note in self._notes.items():
            moved._notes.setdefault((*widen(start, end), source), note)
        return moved
