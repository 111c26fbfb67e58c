"""What the gate of the accurate tagger spares, and what it costs.

    python -m scripts.names.studies.gate

Prints a table for docs/models/names.md: the same texts as ablation.py, read with the gate open, at the probability that
is shipped, and at others. "Windows" are those that the accurate tagger computes.
"""

from collections.abc import Iterator, Sequence
from unittest.mock import patch

from benchmarks import pages
from pipeline.detect.detector import Detector
from pipeline.detect.tagger import model
from pipeline.detect.tagger.decode import Scores
from pipeline.detect.tagger.model import Tagger
from schemas.entities import EntityType
from scripts.names.combine import labelled_texts
from scripts.names.studies.ablation import count

_TYPES = (EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION)
_PROBABILITIES = (0.0, 0.003, model.LEAST_LIKELY, 0.03, 0.1)


class Windows:
    """Counts the windows that encoders compute."""

    def __init__(self) -> None:
        self.count = 0
        self._encoded = Tagger._encoded

    def encoded(self, tagger: Tagger, words: Sequence[str], is_open: Sequence[bool]) -> Iterator[tuple[slice, Scores]]:
        """What the tagger computes, counted."""
        for kept, scores in self._encoded(tagger, words, is_open):
            self.count += 1
            yield kept, scores


def main() -> None:
    """Print the table."""
    texts = [message for _, message in labelled_texts()]
    documents, labels = list(pages.read_documents()), pages.read_labels()
    print("| least probability | windows | words found | false words | windows in documents | found there | false |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    detector = Detector(names="accurate")
    for least in _PROBABILITIES:
        held, read = Windows(), Windows()
        with patch.object(model, "LEAST_LIKELY", least):
            with patch.object(Tagger, "_encoded", lambda *of, to=held: to.encoded(*of)):
                words = count(texts, detector)
            with patch.object(Tagger, "_encoded", lambda *of, to=read: to.encoded(*of)):
                counts = pages.measure(documents, {"accurate": detector}, labels).counts
        found = [counts["accurate", type_.value] for type_ in _TYPES]
        cells = [held.count, words.true.total(), words.false.total(), read.count]
        cells += [sum(one.true for one in found), sum(one.false for one in found)]
        print(f"| {least} | {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
