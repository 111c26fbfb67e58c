"""The bounds on untrusted documents: one table in the code, the same in the documentation."""

import re
from pathlib import Path

import pytest

from scripts import limits

ROOT = Path(__file__).parents[1]


def test_the_documentation_lists_every_bound_as_it_is() -> None:
    assert limits.TARGET.read_text() == limits.document(), "run `make limits`"


@pytest.mark.parametrize("room", ["documents", "verification"])
def test_no_bound_stands_outside_the_table(room: str) -> None:
    folder = ROOT / "pipeline" / room
    strays = [
        f"{path.name}: {name}"
        for path in sorted(folder.glob("*.py"))
        if path.name != "limits.py"
        for name in re.findall(r"^_?(MAX_[A-Z_]+|[A-Z_]+_MAX) *=", path.read_text(), re.MULTILINE)
    ]
    assert not strays


def test_every_bound_says_what_it_bounds() -> None:
    for room in ("documents", "verification"):
        bare = [name for _, name, _, comment in limits.rows(ROOT / "pipeline" / room / "limits.py") if not comment]
        assert not bare
