"""What a tagger finds when a word is outside of names only if that is several times likelier than all else.

    python -m scripts.names.studies.leaning [fast|accurate]

Prints a table for docs/models/names.md: persons by word on the test corpora, and by mention in the unseen messages, as
recall / precision / F1. The combination is fitted anew for each row, on the same held-back text as always.
"""

import sys
from collections import defaultdict
from pathlib import Path
from unittest.mock import patch

from benchmarks import accuracy
from benchmarks import names as corpora
from benchmarks.messages import read_marked
from pipeline.detect.detector import ACCURATE, FAST, Detector
from pipeline.detect.recognizers.tagged import TYPE
from pipeline.detect.tagger import model
from pipeline.detect.tagger.combination import MENTION_FEATURES, RULE_FEATURES, Weights
from pipeline.detect.tagger.decode import Decoder, Entity, Scores
from pipeline.detect.tagger.model import Names
from schemas.entities import EntityType
from scripts.names.combine import fitted, rows

_TIMES = {FAST: (1, 3, 6, 12), ACCURATE: (1, 2)}
_entities = Decoder.entities


def leaning(decoder: Decoder, shares: Scores, times: float) -> list[Entity]:
    """The entities where O must be so many times likelier; their scores are those of the shares as they are."""
    leant = shares.copy()
    leant[:, 0] /= times
    leant /= leant.sum(axis=1, keepdims=True)
    found = []
    for entity in _entities(decoder, leant):
        columns = decoder.columns(entity.label)
        score = shares[entity.first : entity.last + 1, columns].sum(axis=1).mean()
        found.append(entity._replace(score=float(score)))
    return found


def refitted(names: Names) -> Names:
    """The same with weights that are learnt from what its tagger finds now."""
    blank = Weights((0.0,) * len(MENTION_FEATURES), (0.0,) * len(RULE_FEATURES))
    weights: dict[EntityType, dict[str, tuple[float, ...]]] = defaultdict(dict)
    for (kind, type_), samples in rows(names._replace(weights=dict.fromkeys(TYPE.values(), blank))).items():
        weights[type_][kind] = tuple(map(float, fitted(samples)))
    return names._replace(weights={type_: Weights(**row) for type_, row in weights.items()})


def _row(names: Names, tier: str, messages: Path = accuracy.UNSEEN_MESSAGES) -> list[str]:
    with patch.object(model, "load", lambda _: names):
        detector = Detector(names=tier)
    cells = []
    for name in corpora.TESTS:
        score = corpora.score(corpora.read(corpora.CORPORA / f"{name}.tsv", detector))["PER"]
        cells.append(f"{score.recall:.3f} / {score.precision:.3f} / {score.f1:.3f}")
    tallies, _ = accuracy.evaluate(read_marked(messages), detector, accuracy.LABELLED_IN_OWN)
    found = accuracy.figures("", tallies)
    recall, precision = found[": PERSON recall"], found[": PERSON precision"]
    return [*cells, f"{recall:.3f} / {precision:.3f} / {2 * recall * precision / (recall + precision):.3f}"]


def main() -> None:
    """Print the table."""
    print(f"| tier | times | {' | '.join(corpora.TESTS)} | unseen messages |")
    print("| --- " * (len(corpora.TESTS) + 3) + "|")
    for tier in sys.argv[1:] or _TIMES:
        for times in _TIMES[tier]:
            with patch.object(Decoder, "entities", lambda of, shares, to=times: leaning(of, shares, to)):
                cells = _row(refitted(model.load(tier)), tier)
            print(f"| {tier} | {times} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
