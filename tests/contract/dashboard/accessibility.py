"""What axe says of a page: no serious finding, and a score like Lighthouse's."""

from collections.abc import Mapping
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LEAST_SCORE = 95
# What a rule counts by its impact: the weights that Lighthouse gives them.
_WEIGHT = {"critical": 10, "serious": 7, "moderate": 3, "minor": 1}


def check(page: Page) -> int:
    """The score of the page as it is now. AssertionError for a serious finding or too low a score."""
    response = Axe().run(page).response
    found = [
        (rule["id"], rule["impact"], [node["html"][:200] for node in rule["nodes"]][:3])
        for rule in response["violations"]
    ]
    assert [rule for rule in found if rule[1] in ("serious", "critical")] == []
    reached = score(response)
    assert reached >= LEAST_SCORE, found
    return reached


def score(response: Mapping[str, Any]) -> int:
    """The share of the rules that apply and hold, 0 to 100, each with its weight; a rule that failed anywhere fails."""
    held = sum(_weight(rule) for rule in response["passes"])
    failed = sum(_weight(rule) for rule in response["violations"])
    return round(100 * held / (held + failed)) if held + failed else 0


def _weight(rule: Mapping[str, Any]) -> int:
    """By the impact that a finding would have; a rule that holds has no impact, only the tag of its level."""
    return _WEIGHT.get(rule["impact"] or "", _WEIGHT["moderate" if "best-practice" in rule["tags"] else "serious"])
