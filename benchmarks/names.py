"""Token scores of persons, places and organizations on the labelled corpora of ../shared/data/ner, for `make eval`.

A token counts as found if spans of the type cover at least half of its letters; tokens without a letter or digit do not
count. Sentences are read in groups, as they stand in a document.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Protocol

from schemas.entities import EntityType
from schemas.spans import Detection, DetectOptions, Span

ROOT = Path(__file__).parents[1]
CORPORA = ROOT / "../shared/data/ner"
TYPES = {"PER": EntityType.PERSON, "LOC": EntityType.LOCATION, "ORG": EntityType.ORGANIZATION}
# The parts that nothing was trained on, each with its genre; BTC's places and organizations are users' own words.
TESTS = {
    "ar-anercorp.test": "news",
    "ar-aqmar.test": "encyclopedia",
    "en-wikigold.test": "encyclopedia",
    "en-btc.test": "social",
}
_LABEL = {type_: label for label, type_ in TYPES.items()}
_BINS = (0.0, 0.5, 0.7, 0.9, 1.0)  # of scores
_GROUP = 8  # sentences read together


class Finder(Protocol):
    """The part of a detector that is scored."""

    def detect(self, text: str, options: DetectOptions) -> Detection:
        """Spans in offsets of the text."""


class Token(NamedTuple):
    """`text[start:end]` and its label (PER, LOC, ORG, or empty)."""

    start: int
    end: int
    label: str


class Text(NamedTuple):
    """A text, its tokens with a letter or digit, and its labelled mentions, without signs at their edges."""

    text: str
    tokens: list[Token]
    mentions: list[Token]


class Score(NamedTuple):
    """The counts of one type on one corpus: of tokens, of mentions, and of words without any.

    `exact`: of the `mentions`, those that a span has the edges of; of `spans`. `alarms`: of the `empty` words of texts
    that hold none of this type. `graded`: the score of each finding of the tagger, and whether half of it is labelled.
    """

    right: int
    labelled: int
    found: int
    alarms: int
    empty: int
    exact: int = 0
    mentions: int = 0
    spans: int = 0
    graded: tuple[tuple[float, bool], ...] = ()

    @property
    def recall(self) -> float:
        """From 0 to 1."""
        return self.right / max(self.labelled, 1)

    @property
    def precision(self) -> float:
        """From 0 to 1."""
        return self.right / max(self.found, 1)

    @property
    def alarms_per_1000(self) -> float:
        """Words taken for this type among 1,000 words of texts that hold none."""
        return 1000 * self.alarms / max(self.empty, 1)

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        return 2 * self.right / max(self.labelled + self.found, 1)

    @property
    def span_f1(self) -> float:
        """F1 of whole mentions: both edges are right."""
        return 2 * self.exact / max(self.mentions + self.spans, 1)


def texts(path: Path) -> Iterator[Text]:
    """Texts of several sentences, a line each."""
    sentences = [
        [line.split("\t") for line in block.split("\n") if "\t" in line]
        for block in path.read_text("utf-8").split("\n\n")
    ]
    sentences = [sentence for sentence in sentences if sentence]
    for begin in range(0, len(sentences), _GROUP):
        text, tokens, mentions = "", [], []
        for sentence in sentences[begin : begin + _GROUP]:
            is_new = True
            for word, tag in sentence:
                label = tag.strip()[2:]
                is_new = is_new or tag.startswith("B") or label != mentions[-1].label
                if any(map(str.isalnum, word)):
                    token = Token(len(text), len(text) + len(word), label if label in TYPES else "")
                    tokens.append(token)
                    if token.label and is_new:
                        mentions.append(token)
                    elif token.label:
                        mentions[-1] = mentions[-1]._replace(end=token.end)
                    is_new = not token.label
                text += word + " "
            text = text[:-1] + "\n"
        yield Text(text, tokens, mentions)


class Read(NamedTuple):
    """A text with its labels, and what a detector finds in it."""

    text: Text
    spans: tuple[Span, ...]


def read(path: Path, detector: Finder) -> list[Read]:
    """The texts of a corpus."""
    options = DetectOptions(enabled=frozenset((*TYPES.values(), EntityType.ADDRESS)))
    return [Read(text, tuple(detector.detect(text.text, options).spans)) for text in texts(path)]


def score(reads: Iterable[Read]) -> dict[str, Score]:
    """The counts by label."""
    right, labelled, found = Counter[str](), Counter[str](), Counter[str]()
    alarms, empty = Counter[str](), Counter[str]()
    exact, mentioned, spans = Counter[str](), Counter[str](), Counter[str]()
    graded: dict[str, list[tuple[float, bool]]] = {label: [] for label in TYPES}
    for (text, tokens, mentions), found_spans in reads:
        covered: dict[str, list[bool]] = {label: [False] * len(text) for label in TYPES}
        gold = _labels_of_characters(text, mentions)
        mentioned.update(mention.label for mention in mentions)
        for span in found_spans:
            label = _LABEL.get(span.type)
            if label is None:
                continue
            covered[label][span.start : span.end] = [True] * (span.end - span.start)
            spans[label] += 1
            exact[label] += Token(*_bare(text, span.start, span.end), label) in mentions
            if span.recognizer == "tagger":
                on_gold = gold[span.start : span.end].count(label)
                graded[label].append((span.score, 2 * on_gold >= span.end - span.start))
        held = {token.label for token in tokens}
        for label in TYPES:
            for token in tokens:
                is_found = 2 * sum(covered[label][token.start : token.end]) >= token.end - token.start
                labelled[label] += label == token.label
                found[label] += is_found
                right[label] += is_found and label == token.label
                alarms[label] += is_found and label not in held
                empty[label] += label not in held
    return {
        label: Score(
            right[label], labelled[label], found[label], alarms[label], empty[label],
            exact[label], mentioned[label], spans[label], tuple(graded[label]),
        )
        for label in TYPES
    }  # fmt: skip


def _labels_of_characters(text: str, mentions: Iterable[Token]) -> list[str]:
    labels = [""] * len(text)
    for mention in mentions:
        labels[mention.start : mention.end] = [mention.label] * (mention.end - mention.start)
    return labels


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without signs and blanks at its edges."""
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return start, end


def mistakes(reads: Iterable[Read]) -> dict[str, Counter[str]]:
    """By label: the words of the type that were missed, and those that were taken for it, by class."""
    counts = {label: Counter[str]() for label in TYPES}
    for (text, tokens, _), spans in reads:
        types = [""] * len(text)
        for span in spans:
            types[span.start : span.end] = [span.type.value] * (span.end - span.start)
        found = [Counter(types[token.start : token.end]).most_common(1)[0][0] for token in tokens]
        for number, (token, type_) in enumerate(zip(tokens, found, strict=True)):
            beside = [i for i in (number - 1, number + 1) if 0 <= i < len(tokens)]
            for label, wanted in TYPES.items():
                if (token.label == label) == (type_ == wanted):
                    continue
                counts[label][
                    _missed(text, token, type_, is_torn=any(found[i] == wanted for i in beside))
                    if token.label == label
                    else _taken(token, is_beside=any(tokens[i].label == label for i in beside))
                ] += 1
    return counts


def _missed(text: str, token: Token, type_: str, *, is_torn: bool) -> str:
    if type_:
        return "missed: found as another type"
    if text[: token.start].rstrip().endswith("@"):
        return "missed: user name"
    return "missed: part of a name" if is_torn else "missed: whole name"


def _taken(token: Token, *, is_beside: bool) -> str:
    if token.label:
        return "false: of another type"
    return "false: beside a name" if is_beside else "false: no name"


Reads = Mapping[str, Mapping[str, Sequence[Read]]]
"""By corpus and tier."""


def read_all(detectors: Mapping[str, Finder], folder: Path) -> Reads:
    """The corpora in TESTS, read by each detector."""
    return {
        corpus: {tier: read(folder / f"{corpus}.tsv", detector) for tier, detector in detectors.items()}
        for corpus in TESTS
    }


def table_of_mistakes(reads: Reads) -> str:
    """A Markdown table: how many words each detector got wrong, by corpus, type and class."""
    by_corpus = {corpus: {tier: mistakes(of) for tier, of in by_tier.items()} for corpus, by_tier in reads.items()}
    detectors = next(iter(reads.values()))
    lines = [
        "| " + " | ".join(["corpus", "type", "words", *detectors]) + " |",
        "|" + " --- |" * (3 + len(detectors)),
    ]
    for corpus, by_tier in by_corpus.items():
        for label, type_ in TYPES.items():
            counted = [counts[label] for counts in by_tier.values()]
            for kind in sorted({kind for counts in counted for kind in counts}):
                row = [corpus, type_.value, kind, *(str(counts[kind]) for counts in counted)]
                lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


Scores = dict[str, dict[str, dict[str, Score]]]


def scores(reads: Reads) -> Scores:
    """By corpus, tier and label."""
    return {corpus: {tier: score(of) for tier, of in by_tier.items()} for corpus, by_tier in reads.items()}


def table(found: Scores) -> str:
    """A Markdown table: recall, precision, F1; F1 of mentions; and words taken for this type in 1,000 without it."""
    tiers = list(next(iter(found.values())))
    head = ["corpus", "genre", "type", "labelled", *tiers]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for corpus, by_tier in found.items():
        for label, type_ in TYPES.items():
            scored = [by_tier[tier][label] for tier in tiers]
            cells = [
                f"{one.recall:.3f} / {one.precision:.3f} / {one.f1:.3f}; {one.span_f1:.3f}; {one.alarms_per_1000:.1f}"
                for one in scored
            ]
            row = [corpus, TESTS[corpus], type_.value, str(scored[0].labelled), *cells]
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def table_of_calibration(found: Scores) -> str:
    """A Markdown table: of the tagger's persons with a score in each range, their mean score and how many are right.

    The last column is the expected calibration error over these ranges (Guo et al. 2017, arXiv:1706.04599).
    """
    tiers = [tier for tier in next(iter(found.values())) if any(by[tier]["PER"].graded for by in found.values())]
    ranges = [f"{low} to {high}" for low, high in pairwise(_BINS)]
    head = ["tier", *ranges, "expected calibration error"]
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    for tier in tiers:
        graded = [pair for by_tier in found.values() for pair in by_tier[tier]["PER"].graded]
        cells, error = [], 0.0
        for low, high in pairwise(_BINS):
            inside = [(score, right) for score, right in graded if low <= score < high or score == high == 1]
            mean = sum(score for score, _ in inside) / max(len(inside), 1)
            right = sum(is_right for _, is_right in inside) / max(len(inside), 1)
            error += abs(mean - right) * len(inside) / max(len(graded), 1)
            cells.append(f"{len(inside)}: {mean:.2f}, right {right:.2f}" if inside else "-")
        lines.append(f"| {' | '.join([tier, *cells, f'{error:.3f}'])} |")
    return "\n".join(lines)


def figures(found: Scores) -> dict[str, float]:
    """Recall and precision of each, by a name that says where they were measured."""
    return {
        f"{corpus}, {tier}: {TYPES[label].value} {measure}": round(getattr(by_label[label], measure), 3)
        for corpus, by_tier in found.items()
        for tier, by_label in by_tier.items()
        for label in TYPES
        for measure in ("recall", "precision")
    }
