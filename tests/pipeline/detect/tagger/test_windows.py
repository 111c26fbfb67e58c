"""Windows over long texts."""

import random

import pytest

from pipeline.detect.tagger.windows import LENGTH, windows


@pytest.mark.parametrize("sizes", [[], [1], [LENGTH], [3] * 1000, [LENGTH * 2, 1, LENGTH, 5] * 7])
def test_each_word_is_kept_exactly_once(sizes: list[int]) -> None:
    kept = [index for window in windows(sizes) for index in range(window.kept_from, window.kept_to)]
    assert kept == list(range(len(sizes)))


def test_windows_are_bounded_and_few() -> None:
    draw = random.Random(3)
    sizes = [draw.randint(1, 24) for _ in range(5000)]
    found = list(windows(sizes))
    assert all(sum(sizes[w.first : w.last]) <= LENGTH for w in found)
    assert all(w.first <= w.kept_from < w.kept_to <= w.last for w in found)
    assert sum(sum(sizes[w.first : w.last]) for w in found) < 1.5 * sum(sizes)


def test_a_word_between_two_windows_has_words_on_both_sides() -> None:
    first, second = list(windows([1] * (LENGTH + 50)))[:2]
    assert first.kept_to < first.last and second.first < second.kept_from == first.kept_to
