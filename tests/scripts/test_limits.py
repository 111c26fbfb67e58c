"""The bounds on untrusted documents: one table in the code, the same in the documentation."""

import re
from pathlib import Path

import pytest

from scripts import limits

ROOT = Path(__file__).parents[2]


def test_the_documentation_lists_every_bound_as_it_is() -> None:
    assert limits.TARGET.read_text() == limits.document(), "run `make limits`"


@pytest.mark.parametrize("package", ["documents", "verification"])
def test_every_shared_bound_is_in_the_table(package: str) -> None:
    """In sub-packages too. Constants with an underscore are thresholds of one algorithm, not bounds on documents."""
    folder = ROOT / "pipeline" / package
    strays = [
        f"{path.relative_to(folder)}: {name}"
        for path in sorted(folder.rglob("*.py"))
        if path != folder / "limits.py"
        for name in re.findall(r"^(MAX_[A-Z_]+|[A-Z_]+_MAX) *=", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert strays == []


def test_every_bound_says_what_it_bounds() -> None:
    for room in ("documents", "verification"):
        bare = [name for _, name, _, comment in limits.rows(ROOT / "pipeline" / room / "limits.py") if not comment]
        assert not bare
