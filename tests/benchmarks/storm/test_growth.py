"""The long load: memory, descriptors, connections and objects that grow are a remark."""

import pytest

from benchmarks.storm.soak import GROWTH, grown

LEVEL = dict.fromkeys(GROWTH, 300.0)


def test_what_swings_does_not_grow() -> None:
    samples = [
        {**LEVEL, "API MB": 300.0 + 10 * (number % 3), "descriptors": 300.0 - number % 5} for number in range(80)
    ]
    assert grown(samples) == []


@pytest.mark.parametrize("name", GROWTH)
def test_what_grows_without_end(name: str) -> None:
    """Twice as much at the end as at the beginning."""
    samples = [{**LEVEL, name: 300.0 + 300.0 * number / 80} for number in range(80)]
    (remark,) = grown(samples)
    assert remark.startswith(f"{name} grew from ")


def test_what_grows_while_the_system_warms_up_alone() -> None:
    samples = [{**LEVEL, "API MB": 100.0 if number < 15 else 300.0} for number in range(80)]
    assert grown(samples) == []
