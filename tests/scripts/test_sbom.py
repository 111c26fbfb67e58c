"""The bill of materials: every locked package, with version and licence, as CycloneDX."""

import json
from pathlib import Path

import pytest

from scripts import sbom


@pytest.mark.parametrize("name", sorted({name for name, _ in sbom.locked()}))
def test_the_licence_of_every_locked_package_is_known(name: str) -> None:
    (declared,) = sbom.licence(name).values()
    assert declared if isinstance(declared, str) else declared["name"]


def test_no_line_of_a_lock_is_passed_over() -> None:
    lines = [line for path in sbom.LOCKS for line in path.read_text().splitlines() if line and line[0] not in " #"]
    assert len(lines) == len(list(sbom.locked()))
    assert {"fastapi", "rapidocr"} <= {name for name, _ in sbom.locked()}  # of the service, and of its assets


def test_a_package_without_a_known_licence_stops_it() -> None:
    with pytest.raises(SystemExit, match="not known"):
        sbom.licence("no-such-package")


needs_tools = pytest.mark.skipif(not sbom.TOOLS.exists(), reason="needs scripts/setup sbom")


@needs_tools
@pytest.mark.slow
def test_every_locked_package_is_in_it_with_version_hashes_and_licence() -> None:
    bill = json.loads(sbom.bill())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert sorted((item["name"], item["version"]) for item in bill["components"]) == sorted(sbom.locked())
    for item in bill["components"]:
        assert item["licenses"] == [sbom.licence(item["name"])]
        assert any(reference.get("hashes") for reference in item["externalReferences"]), item["name"]


@needs_tools
@pytest.mark.slow
def test_what_the_schema_does_not_allow_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sbom, "licence", lambda name: {"license": {"id": "No-Such-Licence"}})
    with pytest.raises(SystemExit, match="not CycloneDX"):
        sbom.bill()


def test_the_makefile_makes_it_and_the_slow_tests_install_its_tools() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text()
    assert "-m scripts.sbom" in makefile
    assert makefile.count("scripts/setup sbom") == 2
