"""The layout of the repository: folders that can be read at a glance, packages that say what they hold."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = ("api", "masker", "workers", "pipeline", "storage", "schemas")
TREES = (*CODE, "tests", "benchmarks", "docs", "examples", "scripts")
MOST_ENTRIES = 20


def folders(*trees: str, root: Path = ROOT) -> Iterator[Path]:
    """Every folder of these trees, the trees themselves too."""
    for tree in trees:
        yield root / tree
        yield from (path for path in sorted((root / tree).rglob("*")) if path.is_dir() and path.name != "__pycache__")


def entries(folder: Path) -> list[str]:
    """The names in a folder that a reader has to choose from."""
    return sorted(path.name for path in folder.iterdir() if path.name not in ("__pycache__", "__init__.py"))


def crowded(*trees: str, root: Path = ROOT) -> list[str]:
    return [
        f"{folder.relative_to(root)}: {len(names)}"
        for folder in folders(*trees, root=root)
        if len(names := entries(folder)) > MOST_ENTRIES
    ]


def repeated(*trees: str, root: Path = ROOT) -> list[str]:
    """Modules and packages whose name begins with their folder's name: the folder has said it already."""
    return [
        str((folder / name).relative_to(root))
        for folder in folders(*trees, root=root)
        for name in entries(folder)
        if name.removeprefix("test_").startswith(f"{folder.name}_")
    ]


def silent(*trees: str, root: Path = ROOT) -> list[str]:
    """Packages whose `__init__.py` is missing or says nothing."""
    return [
        str(folder.relative_to(root))
        for folder in folders(*trees, root=root)
        if any(folder.glob("*.py")) and not _docstring(folder / "__init__.py")
    ]


def _docstring(module: Path) -> str:
    return (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "") if module.exists() else ""


def test_no_folder_holds_more_than_twenty_entries() -> None:
    assert crowded(*TREES) == []


def test_no_module_repeats_the_name_of_its_folder() -> None:
    assert repeated(*CODE, "tests") == []


def test_every_package_says_what_it_holds() -> None:
    assert silent(*CODE, "tests") == []


def test_a_planted_violation_is_seen(tmp_path: Path) -> None:
    package = tmp_path / "api" / "pdf"
    package.mkdir(parents=True)
    for number in range(MOST_ENTRIES + 1):
        (package / f"module{number}.py").touch()
    (package / "pdf_fonts.py").touch()
    assert crowded("api", root=tmp_path) == [f"api/pdf: {MOST_ENTRIES + 2}"]
    assert repeated("api", root=tmp_path) == ["api/pdf/pdf_fonts.py"]
    assert silent("api", root=tmp_path) == ["api/pdf"]
