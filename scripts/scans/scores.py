"""How well a recognizer reads drawn lines: of kept-back fonts, by kind of digits, clean and damaged.

Usage: python -m scripts.scans.scores tune|words|short|test recurrent|convolutional --texts FILE [--lines N]

`tune` sets the temperature and the sure confidences in the file of the weights, `words` what makes the confidence of
words (of the first network), `short` tells how often a likely short number has other digits (of the first network),
`test` prints the table of the model card.
"""

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from pipeline.networks.numbers import MIN_SURE_DIGITS, Character, Number, numbers_of
from pipeline.ocr.engines import line_recognizer as first
from pipeline.ocr.line_reading.short_numbers import LIKELY, is_short
from pipeline.verification import number_recognizer as second
from scripts import logistic
from scripts.scans import fonts, texts
from scripts.scans.drawing import Mark
from scripts.scans.export import describe
from scripts.scans.lines import line

_Sign = TypeVar("_Sign", Character, Mark)

MODULES = {"recurrent": first, "convolutional": second}
_TEMPERATURES = (0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.25)
_LONG = 5


class Read(NamedTuple):
    """A number that was read: whether its whole text is there, and its confidence."""

    kind: str
    right: bool
    confidence: float
    text: str
    truth: str


class Wanted(NamedTuple):
    """A number that is there, and whether it was read whole."""

    kind: str
    digits: int
    found: bool


class Tried(NamedTuple):
    """What came of some lines. `false`: numbers in lines that have none; `wordy`: how many such lines there were."""

    read: list[Read]
    wanted: list[Wanted]
    wordy: int
    seconds: float


def tried(name: str, part: fonts.Part, damaged: Sequence[bool], seed: int, sentences: Sequence[str]) -> Tried:
    """Draw and read one line for each entry of `damaged`; its phrases are of the sentences."""
    module = MODULES[name]
    draw = random.Random(seed)
    read: list[Read] = []
    wanted: list[Wanted] = []
    wordy, seconds = 0, 0.0
    for bad in damaged:
        made = line(draw, part, bad, sentences)
        begun = time.process_time()
        found = numbers_of(module.reader().read_lines([made.image])[0])
        seconds += time.process_time() - begun
        there = numbers_of([_character(mark) for mark in made.marks])
        wordy += not there
        for number in found:
            near = [one for one in there if number.left <= (one.left + one.right) / 2 <= number.right]
            truth = near[0].text if near else ""
            right = any(_plain(one.text) == _plain(number.text) for one in near)
            read.append(Read(_kind(truth or number.text), right, number.confidence, number.text, truth))
        for one in there:
            middle = (one.left + one.right) / 2
            hit = any(number.text == one.text and number.left <= middle <= number.right for number in found)
            wanted.append(Wanted(_kind(one.text), sum(map(str.isdecimal, one.text)), hit))
    return Tried(read, wanted, wordy, seconds)


def tune(name: str, lines: int, sentences: Sequence[str]) -> None:
    """Set the temperature by the least log loss, then the confidences from which a number is sure."""
    target = Path(str(MODULES[name].__file__)).with_suffix(".onnx")
    losses: dict[float, float] = {}
    for temperature in _TEMPERATURES:
        describe(target, temperature=temperature, sure={"ascii": 1.01, "eastern": 1.01})
        MODULES[name].reader.cache_clear()
        read = tried(name, "tune", _mixed(lines // 10), 11, sentences).read
        sure = np.clip([one.confidence if one.right else 1 - one.confidence for one in read], 1e-6, 1)
        losses[temperature] = float(-np.log(sure).mean())
        print(f"temperature {temperature}: log loss {losses[temperature]:.4f}", flush=True)
    temperature = min(losses, key=lambda one: losses[one])
    describe(target, temperature=temperature, sure={"ascii": 1.01, "eastern": 1.01})
    MODULES[name].reader.cache_clear()
    read = tried(name, "tune", _mixed(lines), 12, sentences).read
    read = [one for one in read if sum(map(str.isdecimal, one.text)) >= MIN_SURE_DIGITS]
    sure_from = {kind: _sure([one for one in read if one.kind == kind]) for kind in ("ascii", "eastern")}
    describe(target, sure=sure_from)
    print(f"temperature {temperature}, sure from {sure_from}, of {len(read)} numbers")


def _sure(read: list[Read]) -> float:
    """The least confidence from which one error more than there were would still be one in 1,000 at most."""
    best, errors = 1.01, 0
    for count, one in enumerate(sorted(read, key=lambda one: -one.confidence), 1):
        errors += not one.right
        if (errors + 1) * 1000 <= count:
            best = one.confidence
    return math.ceil(best * 1e5) / 1e5


def test(name: str, lines: int, seed: int, sentences: Sequence[str]) -> None:
    """Print a row of the model card for each kind of digits, clean and damaged."""
    module = MODULES[name]
    for label, damaged in (("clean", False), ("damaged", True)):
        result = tried(name, "test", [damaged] * lines, seed, sentences)
        for kind in ("ascii", "eastern"):
            long = [one.found for one in result.wanted if one.kind == kind and one.digits >= _LONG]
            short = [one.found for one in result.wanted if one.kind == kind and one.digits < _LONG]
            read = [one for one in result.read if one.kind == kind]
            sure = [one for one in read if module.reader().is_sure(Number(one.text, 0, 0, one.confidence))]
            wrong = [one for one in sure if not one.right]
            print(
                f"| {name} | {label} | {kind} | {_share(long)} of {len(long)} | {_share(short)} of {len(short)} "
                f"| {len(sure) / max(1, len(long) + len(short)):.3f} | {len(wrong)} of {len(sure)} |"
            )
            for one in wrong[:12]:
                print(f"    wrong: {one.text} for {one.truth or 'none'} at {one.confidence:.5f}")
        false = [one for one in result.read if not one.truth]
        sure_false = sum(module.reader().is_sure(Number(one.text, 0, 0, one.confidence)) for one in false)
        print(f"  numbers where none is: {len(false)}, sure {sure_false}; lines without a number: {result.wordy}")
        print(f"  {1000 * result.seconds / lines:.1f} ms a line", flush=True)


class SeenWord(NamedTuple):
    """An Arabic word without digits, the product of its characters' probabilities, and whether it is right."""

    text: str
    probability: float
    is_right: bool


def words_seen(part: fonts.Part, damaged: Sequence[bool], seed: int, sentences: Sequence[str]) -> Iterator[SeenWord]:
    """Draw and read one line for each entry of `damaged`, and give its words, without those of random letters."""
    draw = random.Random(seed)
    said = {token.strip(":،.؛؟") for text in sentences for token in text.split(" ")}
    for bad in damaged:
        made = line(draw, part, bad, sentences)
        there = [(text, (run[0].middle + run[-1].middle) / 2) for text, run in _words(made.marks)]
        for text, run in _words(first.reader().read_lines([made.image])[0]):
            if any("\u0621" <= one <= "\u064a" for one in text) and not any(map(str.isdigit, text)):
                near = [truth for truth, middle in there if run[0].left <= middle <= run[-1].right]
                right = text in near
                if near and not any("".join(first.logical(truth)).strip(":،.؛؟") in said for truth in near):
                    continue
                yield SeenWord("".join(first.logical(text)), math.prod(one.probability for one in run), right)


def _words(line: Sequence[_Sign]) -> Iterator[tuple[str, list[_Sign]]]:
    for blank, run in groupby(line, key=lambda one: one.text == " "):
        if not blank:
            own = list(run)
            yield "".join(one.text for one in own), own


def fit_words(lines: int, sentences: Sequence[str]) -> None:
    """Set the weights that make the confidence of a word, and print how often words of each confidence are right."""
    target = Path(str(first.__file__)).with_suffix(".onnx")
    seen = list(words_seen("tune", _mixed(lines), 13, sentences))
    rows = [first.features(one.text, one.probability) for one in seen]
    weights = [round(float(weight), 4) for weight in logistic.fitted(rows, [one.is_right for one in seen])]
    describe(target, words=weights)
    print(f"weights {weights}, of {len(seen)} words")
    shares = 1 / (1 + np.exp(-np.array(rows, dtype=float) @ weights))
    right = np.array([one.is_right for one in seen])
    for low, high in pairwise((0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.01)):
        chosen = (low <= shares) & (shares < high)
        print(f"| {low} to {high} | {chosen.sum()} | {right[chosen].mean():.3f} |")


def short(lines: int, sentences: Sequence[str]) -> None:
    """Print from which confidence on one short number in 1,000 has other digits in truth, and how many have now.

    pipeline.ocr.line_reading.short_numbers takes such numbers for read.
    """
    read = [
        one._replace(right=_digits(one.text) == _digits(one.truth))
        for seed in (31, 32)
        for one in tried("recurrent", "tune", _mixed(lines), seed, sentences).read
        if is_short(one.text)
    ]
    print(f"one in 1,000 of {len(read)} from {100 * _sure(read):.2f} on")
    chosen = [one for one in read if 100 * one.confidence >= LIKELY]
    wrong = [f"{one.text} for {one.truth or 'none'}" for one in chosen if not one.right]
    print(f"from {LIKELY} on {len(chosen)}, of which {len(wrong)} have other digits: {', '.join(wrong)}")


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _plain(text: str) -> str:
    """Without the signs around a number whose confusion changes nothing: `+` and `*`, brackets."""
    return text.strip("+*#()%")


def _mixed(lines: int) -> list[bool]:
    return [bool(index % 4) for index in range(lines)]


def _kind(text: str) -> str:
    return "eastern" if Number(text, 0, 0, 0).is_eastern else "ascii"


def _character(mark: Mark) -> Character:
    return Character(mark.text, mark.middle - 1, mark.middle + 1, 1.0)


def _share(found: list[bool]) -> str:
    return f"{sum(found) / max(1, len(found)):.4f}"


def main() -> None:
    """Tune or test one recognizer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["tune", "words", "short", "test"])
    parser.add_argument("name", choices=MODULES)
    parser.add_argument("--texts", type=Path, required=True, help="sentences (scripts.scans.texts)")
    parser.add_argument("--lines", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=21)
    options = parser.parse_args()
    if options.step == "tune":
        tune(options.name, options.lines, texts.read(options.texts))
    elif options.step == "words":
        fit_words(options.lines, texts.read(options.texts))
    elif options.step == "short":
        short(options.lines, texts.read(options.texts))
    else:
        test(options.name, options.lines, options.seed, texts.read(options.texts))


if __name__ == "__main__":
    main()
