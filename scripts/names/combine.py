"""Learns how the rules and a tagger are combined, and writes the tagger's manifest.

The weights of the logistic regressions are fitted on text that the tagger was not trained on: the parts of the corpora
that were held back, WNUT 2017's development part, generated messages of another seed, a tenth of those written by hand,
and our own labelled messages. A regression is too sure of text from elsewhere. By how much is learnt from each source
in turn, scored by what was fitted on the others: one temperature for the scores (Guo et al. 2017). All of it is fitted
to a tagger that does not lean; studies/leaning.py shows why.
"""

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy import OWN_MESSAGES
from benchmarks.messages import read_marked
from pipeline.detect.detector import without_placeholders
from pipeline.detect.recognizers.named_entities import LEXICAL
from pipeline.detect.recognizers.tagged import TYPE, Reading, TaggedRecognizer, Zones, is_sure
from pipeline.detect.tagger.combination import Weights
from pipeline.detect.tagger.model import Names, Tagger
from pipeline.detect.text.normalize import normalize
from schemas.entities import EntityType
from schemas.spans import DetectOptions
from scripts import logistic
from scripts.names.generator.messages import Labelled, generate
from scripts.names.sentences import corpora, written
from scripts.names.sentences.corpora import LABELS, TAGS, Sentence, split
from scripts.names.sentences.labelled import UNJUDGED

_GROUP = 8  # sentences read together
_MESSAGES = 1500
_SEED = 990_099
_TEMPERATURES = [round(0.5 + 0.05 * step, 2) for step in range(51)]


def labelled_texts() -> Iterator[tuple[str, Labelled]]:
    """Texts with their entities, each with the name of its source."""
    data = corpora.training()
    held = split(data)[1]
    held["en-wnut17.dev"] = list(corpora.read(corpora.CORPORA / "en-wnut17.dev.tsv"))
    for name, sentences in held.items():
        for begin in range(0, len(sentences), _GROUP):
            yield name, _text(sentences[begin : begin + _GROUP])
    yield from (("generated", message) for message in generate(_SEED, _MESSAGES))
    yield from (("written", message) for message in written.held_back())
    names = {type_.value: label for label, type_ in TYPE.items()}
    for case in read_marked(OWN_MESSAGES):
        spans = [(zone.start, zone.end, names[zone.kind]) for zone in case.gold if zone.kind in names]
        yield "own", Labelled(case.text, tuple(sorted(spans)))


def _text(sentences: list[Sentence]) -> Labelled:
    text, spans = "", []
    for sentence in sentences:
        for word, tag in zip(sentence.words, sentence.tags, strict=True):
            if tag % 2:
                spans.append([len(text), len(text) + len(word), TAGS[tag][2:]])
            elif tag:
                spans[-1][1] = len(text) + len(word)
            text += word + " "
        text = text[:-1] + "\n"
    return Labelled(text, tuple((start, end, label) for start, end, label in spans))


class Sample(NamedTuple):
    """A candidate: what is known of it, whether it is right, and the source of its text."""

    features: tuple[float, ...]
    is_right: bool
    source: str


Rows = dict[tuple[str, EntityType], list[Sample]]


def rows(names: Names) -> Rows:
    """Features and truth of each candidate, by kind (mention or rule) and type, with the lean of `names`."""
    recognizer = TaggedRecognizer(names)
    found: Rows = defaultdict(list)
    for source, message in labelled_texts():
        normalized = without_placeholders(normalize(message.text))
        if not normalized.is_identity:
            continue
        gold = {label: np.zeros(len(message.text), dtype=bool) for label in (*LABELS, UNJUDGED)}
        for start, end, label in message.spans:
            gold[label][start:end] = True
        by_type = {type_: gold[label] for label, type_ in TYPE.items()}
        read: Reading = recognizer.read(normalized.text)
        ruled = list(LEXICAL.find(normalized, DetectOptions()))
        for span in ruled:
            if span.type in by_type and not is_sure(span) and not gold[UNJUDGED][span.start : span.end].any():
                truth = by_type[span.type][span.start : span.end].mean() >= 0.5
                found["rule", span.type].append(Sample(read.rule_features(span), bool(truth), source))
        by_rules = {type_: Zones(normalized.text, (s[:2] for s in ruled if s.type == type_)) for type_ in LEXICAL.types}
        for mention in read.mentions(by_rules, names.lean):
            if gold[UNJUDGED][mention.start : mention.end].any():
                continue
            truth = by_type[mention.type][mention.start : mention.end].mean() >= 0.5
            found["mention", mention.type].append(Sample(mention.features, bool(truth), source))
    return found


def fitted(samples: Sequence[Sample]) -> NDArray[np.float64]:
    """The weights of the features of samples."""
    return logistic.fitted([sample.features for sample in samples], [sample.is_right for sample in samples])


def combination(found: Rows) -> dict[EntityType, Weights]:
    """The weights of each type, for mentions and for spans of the rules."""
    kinds: dict[EntityType, dict[str, tuple[float, ...]]] = defaultdict(dict)
    for (kind, type_), samples in sorted(found.items()):
        kinds[type_][kind] = tuple(round(float(weight), 4) for weight in fitted(samples))
    return {type_: Weights(**weights) for type_, weights in kinds.items()}


def temperature(found: Rows) -> float:
    """What the logits of mentions are divided by, so that a score tells how often such mentions are right elsewhere.

    The likeliest for the mentions of each source by weights that were fitted without it. Each source counts the same; a
    type that only one source has does not count.
    """
    logits: dict[str, list[float]] = defaultdict(list)
    truth: dict[str, list[bool]] = defaultdict(list)
    for (kind, _), samples in sorted(found.items()):
        for source in sorted({sample.source for sample in samples} if kind == "mention" else ()):
            others = [sample for sample in samples if sample.source != source]
            if not others:
                continue
            weights = fitted(others)
            for sample in samples:
                if sample.source == source:
                    logits[source].append(float(weights @ sample.features))
                    truth[source].append(sample.is_right)
    if not logits:
        return 1.0  # one source alone does not tell

    def surprise(degrees: float) -> float:
        signs = {source: np.where(truth[source], -1, 1) for source in logits}
        losses = [np.logaddexp(0, sign * np.array(logits[source]) / degrees).mean() for source, sign in signs.items()]
        return float(np.mean(losses))

    return min(_TEMPERATURES, key=surprise)


def main() -> None:
    """Fit, print what was learnt, and write the manifest beside the ONNX file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="the ONNX file; its manifest has the same name with .json")
    parser.add_argument("--gate", type=Path, help="the ONNX file of the tagger that spares this one text without names")
    parser.add_argument("--threshold", type=float, default=0.3, help="least probability that counts")
    parser.add_argument("--lean", type=float, default=1.0, help="towards persons, in texts: see Decoder")
    arguments = parser.parse_args()
    digest = hashlib.sha256(arguments.model.read_bytes()).hexdigest()
    gate = Tagger(arguments.gate.read_bytes()) if arguments.gate else None
    tagger = Tagger(arguments.model.read_bytes(), gate)
    found = rows(Names(tagger, {}, arguments.threshold, temperature=1.0))
    learnt = combination(found)
    for (kind, type_), samples in sorted(found.items()):
        weights = np.array(learnt[type_]._asdict()[kind])
        shares = 1 / (1 + np.exp(-np.array([sample.features for sample in samples]) @ weights))
        truth = np.array([sample.is_right for sample in samples])
        kept = shares >= arguments.threshold
        precision, recall = (truth & kept).sum() / max(kept.sum(), 1), (truth & kept).sum() / max(truth.sum(), 1)
        print(
            f"{kind} {type_.value}: {len(samples)} candidates, {truth.mean():.3f} true; "
            f"precision {precision:.3f}, recall {recall:.3f} of those kept"
        )
    degrees = temperature(found)
    print(f"temperature of the scores: {degrees}")
    manifest = {
        "sha256": digest,
        "threshold": arguments.threshold,
        "temperature": degrees,
        "lean": arguments.lean,
        "combination": {type_.value: weights._asdict() for type_, weights in learnt.items()},
    }
    arguments.model.with_suffix(".json").write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
