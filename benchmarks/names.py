"""Token scores of persons, places and organizations on the labelled corpora of ../shared/data/ner, for `make eval`.

A token counts as found if spans of the type cover at least half of its letters; tokens without a letter or digit do not
count. Sentences are read in groups, as they stand in a document.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from schemas.entities import EntityType
from schemas.spans import Detection, DetectOptions

ROOT = Path(__file__).parents[1]
CORPORA = ROOT / "../shared/data/ner"
TYPES = {"PER": EntityType.PERSON, "LOC": EntityType.LOCATION, "ORG": EntityType.ORGANIZATION}
# The parts that nothing was trained on; BTC's places and organizations are users' own words.
TESTS = ("ar-anercorp.test", "ar-aqmar.test", "en-wikigold.test", "en-btc.test")
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


class Score(NamedTuple):
    """The counts of one type on one corpus. `alarms`: of the `empty` words of texts that hold none of this type."""

    right: int
    labelled: int
    found: int
    alarms: int
    empty: int

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


def texts(path: Path) -> Iterator[tuple[str, list[Token]]]:
    """Texts of several sentences, a line each, with their tokens."""
    sentences = [
        [line.split("\t") for line in block.split("\n") if "\t" in line]
        for block in path.read_text("utf-8").split("\n\n")
    ]
    sentences = [sentence for sentence in sentences if sentence]
    for begin in range(0, len(sentences), _GROUP):
        text, tokens = "", []
        for sentence in sentences[begin : begin + _GROUP]:
            for word, tag in sentence:
                label = tag.strip()[2:]
                if any(map(str.isalnum, word)):
                    tokens.append(Token(len(text), len(text) + len(word), label if label in TYPES else ""))
                text += word + " "
            text = text[:-1] + "\n"
        yield text, tokens


def score(path: Path, detector: Finder) -> dict[str, Score]:
    """The counts by label."""
    right, labelled, found = Counter[str](), Counter[str](), Counter[str]()
    alarms, empty = Counter[str](), Counter[str]()
    options = DetectOptions(enabled=frozenset((*TYPES.values(), EntityType.ADDRESS)))
    for text, tokens in texts(path):
        covered: dict[str, list[bool]] = {label: [False] * len(text) for label in TYPES}
        for span in detector.detect(text, options).spans:
            for label, type_ in TYPES.items():
                if span.type == type_:
                    covered[label][span.start : span.end] = [True] * (span.end - span.start)
        held = {token.label for token in tokens}
        for label in TYPES:
            for token in tokens:
                is_found = 2 * sum(covered[label][token.start : token.end]) >= token.end - token.start
                labelled[label] += label == token.label
                found[label] += is_found
                right[label] += is_found and label == token.label
                alarms[label] += is_found and label not in held
                empty[label] += label not in held
    return {label: Score(right[label], labelled[label], found[label], alarms[label], empty[label]) for label in TYPES}


def mistakes(path: Path, detector: Finder) -> Counter[str]:
    """The words of persons that were missed, and those that were taken for persons, by class."""
    counts = Counter[str]()
    options = DetectOptions(enabled=frozenset((*TYPES.values(), EntityType.ADDRESS)))
    for text, tokens in texts(path):
        types = [""] * len(text)
        for span in detector.detect(text, options).spans:
            types[span.start : span.end] = [span.type.value] * (span.end - span.start)
        found = [Counter(types[token.start : token.end]).most_common(1)[0][0] for token in tokens]
        for number, (token, type_) in enumerate(zip(tokens, found, strict=True)):
            is_person = token.label == "PER"
            if is_person == (type_ == EntityType.PERSON):
                continue
            beside = [i for i in (number - 1, number + 1) if 0 <= i < len(tokens)]
            counts[
                _missed(text, token, type_, is_torn=any(found[i] == EntityType.PERSON for i in beside))
                if is_person
                else _taken(token, is_beside=any(tokens[i].label == "PER" for i in beside))
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
        return "false: a place or organization"
    return "false: beside a name" if is_beside else "false: no name"


def table_of_mistakes(detectors: Mapping[str, Finder], folder: Path) -> str:
    """A Markdown table: how many words each detector got wrong, by corpus and class."""
    by_corpus = {
        corpus: {tier: mistakes(folder / f"{corpus}.tsv", detector) for tier, detector in detectors.items()}
        for corpus in TESTS
    }
    lines = [
        "| " + " | ".join(["corpus", "words of persons", *detectors]) + " |",
        "|" + " --- |" * (2 + len(detectors)),
    ]
    for corpus, by_tier in by_corpus.items():
        kinds = sorted({kind for counts in by_tier.values() for kind in counts})
        lines += [f"| {corpus} | {kind} | {' | '.join(str(c[kind]) for c in by_tier.values())} |" for kind in kinds]
    return "\n".join(lines)


Scores = dict[str, dict[str, dict[str, Score]]]


def scores(detectors: Mapping[str, Finder], folder: Path) -> Scores:
    """By corpus, tier and label."""
    return {
        corpus: {tier: score(folder / f"{corpus}.tsv", detector) for tier, detector in detectors.items()}
        for corpus in TESTS
    }


def table(found: Scores) -> str:
    """A Markdown table: recall, precision, F1, and words taken for this type in 1,000 words without it, by tier."""
    tiers = list(next(iter(found.values())))
    lines = ["| " + " | ".join(["corpus", "type", "labelled", *tiers]) + " |", "|" + " --- |" * (3 + len(tiers))]
    for corpus, by_tier in found.items():
        for label, type_ in TYPES.items():
            cells = [f"{by_tier[tier][label].recall:.3f} / {by_tier[tier][label].precision:.3f} / "
                     f"{by_tier[tier][label].f1:.3f}; {by_tier[tier][label].alarms_per_1000:.1f}"
                     for tier in tiers]  # fmt: skip
            lines.append(
                "| " + " | ".join([corpus, type_.value, str(by_tier[tiers[0]][label].labelled), *cells]) + " |"
            )
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
