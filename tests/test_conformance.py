"""docs/conformance.md is current, and the matching behind it can be trusted."""

import re
from pathlib import Path

import pytest

from scripts.conformance import TABLE, TESTS, Quote, match, pairs, quotes, render, unquoted
from scripts.specification import DOCUMENTS, Block, blocks, normal

ROOT = Path(__file__).parents[1]
BLOCK = Block("a.md", "Limits", "glossaries | 10 per account | no more. a `key` is kept; the rest goes away quickly.")


def test_the_committed_table_says_what_the_docstrings_say() -> None:
    """Run `make conformance` after changing a contract test."""
    assert pairs(TABLE.read_text("utf-8")) == {(quote.text, quote.test) for quote in quotes()}


def test_the_committed_table_is_current(shared_dir: Path) -> None:
    """Against the specification itself; skipped where it is not beside the repository."""
    specification = blocks(shared_dir / "spec")
    matches, strays = match(quotes(), specification)
    assert not strays, "in no sentence of the specification"
    assert render(matches, specification) == TABLE.read_text("utf-8"), "run make conformance"


def test_every_sentence_of_the_proven_surfaces_is_quoted(shared_dir: Path) -> None:
    specification = blocks(shared_dir / "spec")
    matches, _ = match(quotes(), specification)
    assert [block.text[clause.start : clause.end] for block, clause in unquoted(matches, specification)] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_specification_is_read_whole(shared_dir: Path, document: str) -> None:
    """But for headings and the heads of tables, every line of it is in some block, and every block in clauses."""
    found = [block for block in blocks(shared_dir / "spec") if block.document == document]
    text = " ".join(block.text for block in found)
    lines = (shared_dir / "spec" / document).read_text("utf-8").splitlines()
    heads = {number for number, line in enumerate(lines[1:]) if line.startswith("|--")}
    for number, line in enumerate(lines):
        if not line.startswith(("#", "|--")) and number not in heads:
            for word in re.findall(r"\w{4,}", normal(line)):
                assert word in text, line
    for block in found:
        held = "".join(block.text[clause.start : clause.end] for clause in block.clauses())
        assert len(held) > 0.8 * len(block.text), block.text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("glossaries | 10 per account", 2),
        ("Glossaries: 10 per account", 2),
        ("10 per account ... the rest goes\n away quickly", 1),
        ("A key is kept", 2),
        ("key", 3),
        ("11 per account", 3),
    ],
)
def test_how_quotes_are_matched(text: str, left: int) -> None:
    """A quote counts for each clause of which it holds enough; mark-up, case, blanks and ellipses do not matter."""
    block = BLOCK._replace(text=BLOCK.text.replace("`", ""))
    matches, strays = match([Quote(text, "test_x.py::test_y")], [block])
    assert len(unquoted(matches, [block])) == left
    assert bool(strays) == (text == "11 per account")


def test_every_contract_test_quotes() -> None:
    """A file of contract tests without a single quote proves nothing that anybody can look up."""
    quoting = {quote.test.partition("::")[0] for quote in quotes()}
    assert {path.name for path in TESTS.rglob("test_*.py")} <= quoting
