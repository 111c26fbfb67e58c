"""The report of `make bench`: its parts exist, and those with a target tell when it is missed."""

from importlib.util import find_spec

import pytest

from benchmarks.documents import start
from benchmarks.report import PARTS


@pytest.mark.parametrize("module", [module for module, _ in PARTS.values()])
def test_every_part_is_a_module_that_is_there(module: str) -> None:
    assert find_spec(module) is not None


@pytest.mark.parametrize("late", [[], [start.COLD], [start.FORKED, start.WAITING]])
def test_children_that_start_too_late_are_named(late: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    kinds = (start.FORK, start.PASS, start.COLD, start.FORKED, start.WAITING)
    spent = {kind: [start.TARGET * (2 if kind in late else 1)] * 3 for kind in kinds}
    assert start.missed(spent) == late
    start.show(spent)
    assert ("MISSED by " + ", ".join(late) if late else ": met") in capsys.readouterr().out
