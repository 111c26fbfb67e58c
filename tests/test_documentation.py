"""The documentation is true where a machine can check it: links lead somewhere, and named files exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(path.relative_to(ROOT) for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))
PACKAGES = "api|workers|pipeline|storage|schemas|tests|scripts|benchmarks|examples|docs"
# Files of the examples in the contributors' pages: a reader of the page makes them.
EXAMPLES = {
    "api/llm/acme.py",
    "pipeline/classification.py",
    "pipeline/documents/tsv/",
    "tests/hiding_places/tsv/places.py",
}


def links(page: str) -> Iterator[str]:
    """The targets of a page's links to other files, without their anchors."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page):
        if "://" not in target and not target.startswith(("#", "mailto:")):
            yield target.partition("#")[0]


def files(page: str) -> Iterator[str]:
    """The files and folders of the repository that a page names between backticks."""
    yield from re.findall(rf"`((?:{PACKAGES})/[\w/.-]*)`", page)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_leads_to_a_file(page: Path) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert [target for target in links(text) if not (ROOT / page.parent / target).exists()] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=str)
def test_every_named_file_exists(page: Path) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = {name for name in files(text) if name not in EXAMPLES}
    assert sorted(name for name in named if not _exists(name)) == []


def _exists(name: str) -> bool:
    """A module may be named without its ending."""
    return (ROOT / name).exists() or (ROOT / f"{name}.py").exists()


def test_a_page_that_lies_is_seen() -> None:
    assert list(links("[a](docs/none.md#x) [b](https://example.com) [c](#here)")) == ["docs/none.md"]
    assert list(files("`api/none.py` and `PATCH /api/v1` and `docs/`")) == ["api/none.py", "docs/"]
    assert not _exists("api/none.py") and _exists("api/app.py") and _exists("api/app")
