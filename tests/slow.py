"""Which of many tests of one kind `make test` runs; `make test-slow` runs the others."""

from collections.abc import Iterable
from typing import Any

import pytest


def every(step: int, rows: Iterable[Any]) -> list[Any]:
    """Parameters of which each `step`-th, from the first on, is for `make test`."""
    return [row if number % step == 0 else pytest.param(row, marks=pytest.mark.slow) for number, row in enumerate(rows)]
