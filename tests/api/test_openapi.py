"""The committed description is the one that the routes give."""

import json
from pathlib import Path

from api.description.document import describe
from api.openapi import PATH
from tests.api.serving import Served

ROOT = Path(__file__).parents[2]


def test_the_description_is_current(served: Served) -> None:
    """Run `python -m api.openapi` after changing a route."""
    described = json.loads(json.dumps(describe(served.app)))
    assert json.loads((ROOT / PATH).read_text("utf-8")) == described
