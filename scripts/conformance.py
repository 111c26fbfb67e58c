"""Writes docs/conformance.md: each clause of docs/interface and the contract tests that prove it.

`python -m scripts.conformance` rewrites the table, `--check` only compares it. Clauses are list items of the pages of
docs/interface that begin with their id in bold: `- **MASK-07** …`. A test names the clauses that it proves by the
marker `@pytest.mark.clause("MASK-07", …)`. Exit status 1 when a clause is stated twice or has no test, when a test
names an unknown clause or none at all, and, with `--check`, when the table is old.
"""

import argparse
import ast
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "interface"
TESTS = ROOT / "tests" / "contract"
TABLE = ROOT / "docs" / "conformance.md"

HEADER = """# Conformance

Made by `make conformance` from the clauses of [docs/interface/](interface/README.md) and the markers of the tests in
`tests/contract`, which prove them over HTTP. Do not edit."""
_ITEM = re.compile(r"^- \*\*([A-Z]+-\d{2,})\*\* (.+(?:\n  .+)*)", re.MULTILINE)
_SECTION = re.compile(r"^# (.+)$", re.MULTILINE)
_LONGEST = 160  # characters of a clause that the table repeats


class Clause(NamedTuple):
    """One numbered behaviour: its id, its text in one line, and the page (a file's name and its title)."""

    id: str
    text: str
    page: str
    title: str


class Proof(NamedTuple):
    """A test (`folder/file::function`) and the clauses that it names."""

    test: str
    clauses: tuple[str, ...]


def clauses(folder: Path = PAGES) -> list[Clause]:
    """Every clause, page by page in the order of the index, each in the order of its page."""
    pages = sorted(folder.glob("*.md"), key=_rank((folder / "README.md").read_text("utf-8")))
    return [
        Clause(match[1], " ".join(match[2].split()), page.name, _title(text))
        for page in pages
        for text in [page.read_text("utf-8")]
        for match in _ITEM.finditer(text)
    ]


def proofs(folder: Path = TESTS) -> list[Proof]:
    """Every contract test with its clauses, in order of files and lines. The files are parsed, not imported."""
    return [
        Proof(f"{path.relative_to(folder).with_suffix('')}::{node.name}", tuple(_marked(node)))
        for path in sorted(folder.rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


def problems(stated: Sequence[Clause], proven: Sequence[Proof]) -> list[str]:
    """What is wrong with the clauses and the tests, one sentence each."""
    ids = [clause.id for clause in stated]
    named = [(proof.test, id_) for proof in proven for id_ in proof.clauses]
    proved = {id_ for _, id_ in named}
    return [
        *(f"{id_} is stated twice" for id_ in sorted({id_ for id_ in ids if ids.count(id_) > 1})),
        *(f"{id_} is proven by no test" for id_ in ids if id_ not in proved),
        *(f"{test} names the unknown clause {id_}" for test, id_ in named if id_ not in ids),
        *(f"{proof.test} names no clause" for proof in proven if not proof.clauses),
    ]


def render(stated: Sequence[Clause], proven: Sequence[Proof]) -> str:
    """docs/conformance.md: one table for each page."""
    tests: dict[str, list[str]] = {}
    for proof in proven:
        for id_ in proof.clauses:
            tests.setdefault(id_, []).append(proof.test)
    lines = [HEADER]
    for number, clause in enumerate(stated):
        if number == 0 or stated[number - 1].page != clause.page:
            lines += ["", f"## [{clause.title}](interface/{clause.page})", "", "| clause | | tests |", "|---|---|---|"]
        proving = " ".join(f"`{test}`" for test in tests.get(clause.id, ()))
        lines.append(f"| {clause.id} | {_short(clause.text)} | {proving} |")
    return "\n".join([*lines, "", f"{len(stated)} clauses, {len(proven)} tests.", ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the table, or compares it. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m scripts.conformance", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="compare the table with what would be written")
    check = parser.parse_args(arguments).check
    stated, proven = clauses(), proofs()
    found = problems(stated, proven)
    if check and TABLE.read_text("utf-8") != render(stated, proven):
        found.append("docs/conformance.md is old: run make conformance")
    if not check:
        TABLE.write_text(render(stated, proven), "utf-8")
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{len(stated)} clauses, {len(proven)} tests, {len(found)} problems")
    return 1 if found else 0


def _marked(node: ast.FunctionDef) -> Iterator[str]:
    """The arguments of the `clause` markers of a test."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.clause":
            for argument in decorator.args:
                yield str(ast.literal_eval(argument))


def _rank(index: str) -> Callable[[Path], int]:
    """Pages in the order in which the index names them; others behind."""
    return lambda page: index.find(f"({page.name})") if f"({page.name})" in index else len(index)


def _title(text: str) -> str:
    match = _SECTION.search(text)
    return match[1].replace("`", "") if match else ""


def _short(text: str) -> str:
    """The beginning of a clause, safe inside a table: links become their words."""
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"
    if text.count("`") % 2:  # cut inside a literal
        text = text.rsplit("`", 1)[0].rstrip() + " …"
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
