"""Reads a line of text with a network of ours: characters from left to right, their places and probabilities.

Both networks (docs/models/lines.md) are read so; each has its weights, its way to prepare a line, and its windows.
"""

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.networks.numbers import MIN_SURE_DIGITS, OF_NUMBERS, Character, Number, without_false_blanks
from pipeline.networks.onnx_session import run, session

# Pixels of a prepared line to a column of scores.
STRIDE = 2
# Wider lines would be read as a blur of this many times their height.
MOST_RATIO = 12_000
# Gray levels: a difference between ink and paper that is smaller is no ink.
LEAST_CONTRAST = 24.0
OTHER = "□"
_LEAST_HEIGHT, _LEAST_WIDTH = 6, 3
# From this darkness on, a pixel of a prepared line is ink.
_INKED = 0.4
# A character of a number reaches this far to each side of its middle, in heights of the line.
_REACH = 0.35


class LineReader:
    """A network with its classes, its temperature, and the confidence from which a number of either digits is sure."""

    def __init__(self, content: bytes, prepared: Callable[[Any], NDArray[np.float32]], window: int, edge: int) -> None:
        """`content`: that of its ONNX file. `prepared` makes of a line what the network sees, paper 0 and ink 1.

        Lines are read in windows of so many prepared pixels; at its edges each sees `edge` pixels of its neighbours.
        """
        self._network = session(content)
        self._prepared, self._window, self._edge = prepared, window, edge
        about = self._network.get_modelmeta().custom_metadata_map
        self._classes: str = about["classes"]
        self._temperature = float(about["temperature"])
        self._sure: dict[str, float] = json.loads(about["sure"])
        # Of the features of a word that make its confidence; empty for a reader of numbers alone.
        self.word_weights: list[float] = json.loads(about.get("words", "[]"))

    def read_lines(self, lines: Sequence[NDArray[np.uint8]]) -> list[list[Character]]:
        """The characters of each line (h, w) of dark ink on light, from left to right.

        Each line is read by itself. One that is lower than 6 or narrower than 3 pixels has none.
        """
        return [self._read(line) for line in lines]

    def is_sure(self, number: Number) -> bool:
        """Whether numbers of this confidence, of two digits or more, were wrong at most once in 1,000.

        Measured on drawn lines in fonts that were kept back from training.
        """
        if sum(map(str.isdecimal, number.text)) < MIN_SURE_DIGITS:
            return False
        return number.confidence >= self._sure["eastern" if number.is_eastern else "ascii"]

    def _read(self, line: NDArray[np.uint8]) -> list[Character]:
        height, width = line.shape
        if height < _LEAST_HEIGHT or width < _LEAST_WIDTH:
            return []
        picture = self._prepared(line)
        logs = _log_probabilities(self._scores(picture) / self._temperature)
        best = logs.argmax(axis=1)
        starts = np.flatnonzero(np.diff(best, prepend=-1))
        ends = np.append(starts[1:], len(best))
        spikes = [
            (int(best[start]), int(start), int(end)) for start, end in zip(starts, ends, strict=True) if best[start]
        ]
        middles = [(start + end) / 2 for _, start, end in spikes]
        halves = [0.0, *((one + two) / 2 for one, two in pairwise(middles)), float(len(best))]
        pitch = width / len(best)
        ink = picture.reshape(len(picture), -1, STRIDE).max(axis=(0, 2)) > _INKED
        characters = []
        for index, (number, _, _) in enumerate(spikes):
            first, last = int(halves[index]), int(halves[index + 1])
            probability = _alone(logs[first:last, 0], logs[first:last, number])
            left, right = _extent(index, spikes, middles, ink, self._classes, _REACH * len(picture) / STRIDE)
            characters.append(Character(self._classes[number], left * pitch, right * pitch, probability))
        return without_false_blanks(characters, middles)

    def _scores(self, picture: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the network gives for a prepared line: (columns, classes)."""
        width = picture.shape[1]
        parts = []
        for start in range(0, width, self._window):
            end = min(width, start + self._window)
            left, right = max(0, start - self._edge), min(width, end + self._edge)
            window = picture[None, None, :, left:right]
            read = run(self._network, np.ascontiguousarray(window))[0]
            parts.append(read[(start - left) // STRIDE : (end - left) // STRIDE])
        return np.concatenate(parts)


def _log_probabilities(values: NDArray[np.float32]) -> NDArray[np.float32]:
    shifted = values - values.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def _alone(blank: NDArray[np.float32], own: NDArray[np.float32]) -> float:
    """The probability that some columns hold this character once and nothing else, from logarithms of theirs."""
    before, within, after = 1.0, 0.0, 0.0
    for nothing, character in zip(np.exp(blank).tolist(), np.exp(own).tolist(), strict=True):
        after = (after + within) * nothing
        within = (before + within) * character
        before *= nothing
    return min(1.0, within + after)


def _extent(
    index: int,
    spikes: list[tuple[int, int, int]],
    middles: list[float],
    ink: NDArray[np.bool_],
    classes: str,
    reach: float,
) -> tuple[float, float]:
    """The left and right of a character in columns: half-way to its neighbours, else to the end of its ink."""
    middle = middles[index]
    before = classes[spikes[index - 1][0]] if index else " "
    after = classes[spikes[index + 1][0]] if index + 1 < len(spikes) else " "
    first = middles[index - 1] if index else 0.0
    last = middles[index + 1] if index + 1 < len(spikes) else float(len(ink))
    if classes[spikes[index][0]] not in OF_NUMBERS:
        inked = np.flatnonzero(ink[int(first) : int(last)])
        left = (first + middle) / 2 if before != " " else first + (int(inked[0]) if len(inked) else 0)
        right = (last + middle) / 2 if after != " " else first + (int(inked[-1]) + 1 if len(inked) else last - first)
        return min(left, middle), max(right, middle)
    left, right = middle - reach, middle + reach
    if before in OF_NUMBERS:
        left = max(left, (first + middle) / 2)
    else:
        left = max(0.0, left, first)
        empty = np.flatnonzero(~ink[int(left) : int(middle)])
        left = left if not len(empty) else int(left) + int(empty[-1]) + 1
    if after in OF_NUMBERS:
        right = min(right, (last + middle) / 2)
    else:
        right = min(float(len(ink)), right, last)
        empty = np.flatnonzero(~ink[int(middle) + 1 : int(right)])
        right = right if not len(empty) else int(middle) + 1 + int(empty[0])
    return left, right
