"""No pattern of ours uses a possessive or atomic group: CPython before 3.11.5 matches them wrongly (issue 106052)."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+(?!=)|\(\?>")
MARKS = "/:?#[]@!$&'()*+,;=~\""  # the reserved characters of RFC 3986, no pattern


@pytest.mark.parametrize("package", ["api", "workers", "pipeline", "storage", "schemas"])
def test_no_possessive_group(package: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in (ROOT / package).rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if POSSESSIVE_GROUP.search(line) and MARKS not in line
    ]
    assert found == []
