"""Every clause of docs/interface has a test, every contract test a clause, and docs/conformance.md says so."""

from pathlib import Path

import pytest

from scripts.conformance import TABLE, Clause, Proof, clauses, problems, proofs, render

STATED = [Clause("A-01", "One.", "a.md", "A"), Clause("A-02", "Two | three.", "a.md", "A")]


def test_every_clause_is_proven_and_every_test_proves_one() -> None:
    assert problems(clauses(), proofs()) == []


def test_the_committed_table_is_current() -> None:
    assert render(clauses(), proofs()) == TABLE.read_text("utf-8"), "run make conformance"


def test_clauses_are_numbered_without_gaps() -> None:
    """A withdrawn clause keeps its number and its place on the page."""
    numbers: dict[str, list[int]] = {}
    for clause in clauses():
        surface, _, number = clause.id.partition("-")
        numbers.setdefault(surface, []).append(int(number))
    assert {surface: found for surface, found in numbers.items() if found != list(range(1, len(found) + 1))} == {}


@pytest.mark.parametrize(
    ("stated", "proven", "problem"),
    [
        (STATED, [Proof("t::a", ("A-01",))], "A-02 is proven by no test"),
        (STATED[:1], [Proof("t::a", ("A-01", "A-09"))], "t::a names the unknown clause A-09"),
        ([STATED[0], STATED[0]], [Proof("t::a", ("A-01",))], "A-01 is stated twice"),
        (STATED[:1], [Proof("t::a", ("A-01",)), Proof("t::b", ())], "t::b names no clause"),
        (STATED, [Proof("t::a", ("A-01", "A-02"))], None),
    ],
)
def test_what_is_wrong_is_named(stated: list[Clause], proven: list[Proof], problem: str | None) -> None:
    assert problems(stated, proven) == ([problem] if problem else [])


def test_pages_and_tests_are_read(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("| [b](b.md) | [a](a.md) |")
    (tmp_path / "a.md").write_text(
        "# A\n\n- **A-01** First\n  line.\n- **A-02** Second.\n\nNo clause: **A-03** here.\n"
    )
    (tmp_path / "b.md").write_text("# B\n\n- **B-01** Third.\n")
    (tmp_path / "test_it.py").write_text(
        'import pytest\n@pytest.mark.clause("A-01", "A-02")\n@pytest.mark.slow\ndef test_a(): ...\ndef test_b(): ...\n'
    )
    found = [(clause.id, clause.text, clause.title) for clause in clauses(tmp_path)]
    assert found == [("B-01", "Third.", "B"), ("A-01", "First line.", "A"), ("A-02", "Second.", "A")]
    assert proofs(tmp_path) == [Proof("test_it::test_a", ("A-01", "A-02")), Proof("test_it::test_b", ())]
    table = render(STATED, [Proof("t::a", ("A-01", "A-02"))])
    assert "| A-02 | Two \\| three. | `t::a` |" in table
