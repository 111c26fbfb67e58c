"""The recognizer of values that count only near a label, such as MRN and STUDENT_ID; each is one row of parameters."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

from pipeline.detect.recognizer import span
from pipeline.detect.text import context
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_MOST_AMOUNT_DIGITS = 7


def _anything(surface: str) -> bool:
    return bool(surface)


def _is_amount(text: NormalizedText, start: int, end: int) -> bool:
    """Whether the number at `start:end` is an amount: of few digits, with a currency after it that has no other."""
    shadow = text.shadow
    if end - start > _MOST_AMOUNT_DIGITS or not shadow[start:end].isdigit():
        return False
    words = text.triggers["money"]
    index = bisect_left(words, end, key=attrgetter("start"))
    if index == len(words) or shadow[end : words[index].start] not in (b"", b" "):
        return False
    return not shadow[words[index].end : words[index].end + 2].strip().isdigit()


@dataclass(frozen=True, slots=True)
class Labelled:
    """Finds matches of `form` (over the shadow) that a label of `kind` applies to, if `accept` takes the surface."""

    name: str
    type: EntityType
    kind: str
    form: re.Pattern[bytes]
    score: float = 0.8
    accept: Callable[[str], bool] = _anything

    @property
    def types(self) -> frozenset[EntityType]:
        """The type of its spans."""
        return frozenset({self.type})

    def find(self, text: NormalizedText, options: DetectOptions) -> Iterable[Span]:
        """A span for each value with a label."""
        return self._spans(text, options) if context.has_label(text, options, self.kind) else ()

    def _spans(self, text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
        for start, end in context.values(text, options, self.kind, self.form):
            if self.accept(text.text[start:end]) and not _is_amount(text, start, end):
                yield span(start, end, self.type, self.score, self.name)
