"""The documentation as a site: whole, with every setting, and without dead links."""

import re
import subprocess
from pathlib import Path

import pytest

from schemas.settings import PREFIX, Settings
from scripts.documentation import pages
from scripts.documentation.pages import ROOT, DeadLink, gather

NAVIGATION = (ROOT / "scripts" / "documentation" / "mkdocs.yml").read_text()


def test_every_page_is_in_the_navigation(tmp_path: Path) -> None:
    gather(tmp_path)
    made = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.md")}
    assert made == set(re.findall(r"[\w/-]+\.md", NAVIGATION))


def test_links_lead_to_pages_of_the_site(tmp_path: Path) -> None:
    gather(tmp_path)
    index = (tmp_path / "index.md").read_text()
    assert "](files.md)" in index and "](compose.yaml)" not in index and "compose.yaml" in index
    for page in tmp_path.rglob("*.md"):
        for address in re.findall(r"\]\((?![a-z]+:|#)([^)#\s]+)", re.sub(r"(?ms)^```.*?^```$", "", page.read_text())):
            assert (page.parent / address).exists(), (page, address)


def test_a_dead_link_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "docs"
    source.mkdir()
    (source / "a.md").write_text("see [b](b.md)")
    monkeypatch.setattr(pages, "SOURCE", source)
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "BESIDE", {})
    with pytest.raises(DeadLink, match=r"a\.md: b\.md"):
        gather(tmp_path / "site")


def test_every_setting_is_in_the_table_and_no_secret(tmp_path: Path) -> None:
    table = pages.settings_page()
    assert {f"{PREFIX}{name.upper()}" for name in Settings.model_fields} == set(re.findall(r"^\| `(\w+)`", table, re.M))
    assert str(Path.home()) not in table


@pytest.mark.slow
def test_the_site_is_built_without_a_warning() -> None:
    done = subprocess.run(["make", "docs"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    site = ROOT / "build" / "site"
    assert "MASK-01" in (site / "interface" / "mask.html").read_text()
    for page in site.rglob("*.html"):  # nothing is loaded from elsewhere
        assert not re.search(
            r'<(?:script|img|iframe)[^>]+src="?(?:https?:)?//|<link[^>]+href="?https?://(?!.*rel=canonical)',
            page.read_text(),
        ), page
