"""What a tagger finds when it leans towards persons: such a word is outside of names only if that is several times
likelier than all else.

    python -m scripts.names.studies.leaning [fast|accurate]

Prints a table for docs/models/names.md: persons by word on the test corpora, and by mention in the unseen messages, as
recall / precision / F1; on the real documents of benchmarks/pages.py distinct persons, which read without leaning.
Beside the combination that ships, one that is fitted to the tagger as it leans, on the same held-back text.
"""

import sys
from pathlib import Path
from unittest.mock import patch

from benchmarks import accuracy, pages
from benchmarks import names as corpora
from benchmarks.messages import read_marked
from pipeline.detect.detector import ACCURATE, FAST, Detector
from pipeline.detect.tagger import model
from pipeline.detect.tagger.model import Names
from schemas.entities import EntityType
from scripts.names.combine import combination, rows

_TIMES = {FAST: (1, 1.5, 2, 3, 6, 12), ACCURATE: (1, 2, 3)}


def _cells(detector: Detector, messages: Path = accuracy.UNSEEN_MESSAGES) -> list[str]:
    cells = []
    for name in corpora.TESTS:
        score = corpora.score(corpora.read(corpora.CORPORA / f"{name}.tsv", detector))["PER"]
        cells.append(f"{score.recall:.3f} / {score.precision:.3f} / {score.f1:.3f}")
    tallies, _ = accuracy.evaluate(read_marked(messages), detector, accuracy.LABELLED_IN_OWN)
    found = accuracy.figures("", tallies)
    recall, precision = found[": PERSON recall"], found[": PERSON precision"]
    return [*cells, f"{recall:.3f} / {precision:.3f} / {2 * recall * precision / (recall + precision):.3f}"]


def _detector(tier: str, names: Names) -> Detector:
    loaded = {FAST: model.load(FAST), tier: names}
    with patch.object(model, "load", loaded.__getitem__):
        return Detector(names=tier)


def main() -> None:
    """Print the table."""
    documents, labels = list(pages.read_documents()), pages.read_labels()
    heads = ["tier", "times", "combination", *corpora.TESTS, "unseen messages", "documents: true, false"]
    print(f"| {' | '.join(heads)} |")
    print("| --- " * len(heads) + "|")
    for tier in sys.argv[1:] or _TIMES:
        for times in _TIMES[tier]:
            shipped = model.load(tier)._replace(lean=float(times))
            fitted = shipped._replace(weights=combination(rows(shipped)))
            for kind, names in (
                {"as it ships": shipped, "fitted to it": fitted}.items() if times > 1 else [("", shipped)]
            ):
                detector = _detector(tier, names)
                read = pages.measure(documents, {tier: detector}, labels).counts[tier, EntityType.PERSON.value]
                cells = [tier, str(times), kind, *_cells(detector), f"{read.true}, {read.false}"]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
