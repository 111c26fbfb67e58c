"""What an engine reads in a line of text: words with their places in the cut of the line."""

from typing import NamedTuple

from pipeline.documents.document import Engine


class LineWord(NamedTuple):
    """A word that `engine` read, its letters in logical order; `left` and `right` in pixels; `confidence` 0 to 100."""

    text: str
    left: float
    right: float
    confidence: float
    engine: Engine

    @property
    def has_digits(self) -> bool:
        """Whether one of its characters is a digit of any script."""
        return any(map(str.isdigit, self.text))

    def moved(self, pixels: float) -> "LineWord":
        """The same word so far to the right."""
        return self._replace(left=self.left + pixels, right=self.right + pixels)

    def shared(self, other: "LineWord") -> float:
        """The pixels that both words cover."""
        return max(0.0, min(self.right, other.right) - max(self.left, other.left))
