"""What recognizers note of their reasons while they look: kept only where an explanation was asked for."""

from collections.abc import Callable
from typing import NamedTuple

from schemas.spans import Cue

Place = tuple[int, int]
LABELLED = "label: "  # before a kind of labels: under it, notes about values that such a label governs


class Note(NamedTuple):
    """Why a recognizer reports a place: the cue word that counted, and the shape where it has several."""

    cue: Cue | None = None
    shape: str = ""


_NOTHING = Note()


class Trace:
    """The notes of one detection, by place (normalized offsets) and by who looked. It lives as long as its text."""

    __slots__ = ("_notes",)

    def __init__(self) -> None:
        self._notes: dict[tuple[int, int, str], Note] = {}

    def note(
        self, place: Place, source: str, cue: Place | None = None, *, certain: bool = False, shape: str = ""
    ) -> None:
        """Notes why `source` reports `place`; of two reasons the first stands.

        `source`: a kind of label (behind LABELLED), a type that words can be, or a recognizer's name.
        """
        word = None if cue is None else Cue(*cue, certain)
        self._notes.setdefault((*place, source), Note(word, shape))

    def of(self, place: Place, source: str) -> Note:
        """What was noted."""
        return self._notes.get((*place, source), _NOTHING)

    def widened(self, whole: Callable[[int, int], Place]) -> "Trace":
        """The same notes, their places passed through `whole`."""
        moved = Trace()
        for (start, end, source), note in self._notes.items():
            moved._notes.setdefault((*whole(start, end), source), note)
        return moved
