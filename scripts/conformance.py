"""Writes docs/conformance.md: each sentence of the interface that a contract test quotes, and the tests that prove it.

`python -m scripts.conformance` rewrites the table; with --check it only compares. Where the specification lies beside
the repository it also says which sentences of the text and file surfaces nobody quotes, and which quotes are in no
sentence.
"""

import argparse
import ast
import re
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from scripts.specification import CONTEXT, PROVEN, SPECIFICATION, Block, Clause, blocks, normal

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests" / "contract"
TABLE = ROOT / "docs" / "conformance.md"
ENOUGH = 12  # characters of a clause that a quote must hold, or all of it

HEADER = """# Conformance

Made by `make conformance` from the docstrings of `tests/contract`; do not edit. Each row is a quote from the
specification of the interface and the tests that prove it over HTTP. Of the text surface (mask, redact, glossaries,
toggles, judge, money, limits, authentication, geo, errors, versioning), of the file surface and of the proxy every
sentence has its row; of running it those that tests quote already."""


class Quote(NamedTuple):
    """What stands between “ and ” in a contract test's docstring."""

    text: str
    test: str  # file::function


def quotes(folder: Path = TESTS) -> list[Quote]:
    """Every quote of every contract test, in order of files and lines."""
    found = []
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                docstring = ast.get_docstring(node) or ""
                found += [
                    Quote(" ".join(text.split()), f"{path.name}::{node.name}")
                    for text in re.findall("“(.+?)”", docstring, re.DOTALL)
                ]
    return found


def fragments(quote: str) -> list[str]:
    """A quote's pieces between its ellipses, in normal form."""
    pieces = (normal(piece).strip(" .,;:|") for piece in re.split(r"\.\.\.|…|\[…\]", quote))
    return [piece for piece in pieces if len(piece) > 1]


class Match(NamedTuple):
    """A quote found in the specification: the block's number, and the parts of its text that the quote holds."""

    quote: Quote
    block: int
    parts: tuple[tuple[int, int], ...]


def match(found: Iterable[Quote], specification: list[Block]) -> tuple[list[Match], list[Quote]]:
    """Where each quote stands, and the quotes that stand nowhere."""
    matches, strays = list[Match](), list[Quote]()
    for quote in found:
        pieces = fragments(quote.text)
        here = [
            Match(quote, number, parts)
            for number, block in enumerate(specification)
            if pieces and (parts := _parts(pieces, block.text)) is not None
        ]
        matches += here
        if not here:
            strays.append(quote)
    return matches, strays


def _parts(pieces: list[str], text: str) -> tuple[tuple[int, int], ...] | None:
    """Where the pieces stand in the text, in order; None unless all do. A quote may leave out a row's middle cells."""
    return _in_order(pieces, text) or _in_order(
        [cell for piece in pieces for cell in re.split(r" \| |: ", piece)], text
    )


def _in_order(pieces: list[str], text: str) -> tuple[tuple[int, int], ...] | None:
    parts, start = [], 0
    for piece in pieces:
        place = text.find(piece, start)
        if place < 0:
            return None
        start = place + len(piece)
        parts.append((place, start))
    return tuple(parts)


def unquoted(
    matches: Iterable[Match], specification: list[Block], surfaces: Collection[str] = PROVEN
) -> list[tuple[Block, Clause]]:
    """The clauses of these surfaces that no quote holds."""
    parts: dict[int, list[tuple[int, int]]] = {}
    for found in matches:
        parts.setdefault(found.block, []).extend(found.parts)
    return [
        (block, clause)
        for number, block in enumerate(specification)
        for clause in block.clauses()
        if clause.surface in surfaces and not any(_holds(part, clause) for part in parts.get(number, ()))
    ]


def _holds(part: tuple[int, int], clause: Clause) -> bool:
    shared = min(part[1], clause.end) - max(part[0], clause.start)
    return shared >= min(ENOUGH, clause.end - clause.start - 2)


def render(matches: list[Match], specification: list[Block]) -> str:
    """The table: quotes in the order of the specification, each with the tests that quote it."""
    tests: dict[str, list[str]] = {}
    place: dict[str, Match] = {}
    for found in sorted(matches, key=lambda found: (found.block, found.parts)):
        place.setdefault(found.quote.text, found)
        if found.quote.test not in tests.setdefault(found.quote.text, []):
            tests[found.quote.text].append(found.quote.test)
    lines, section = [HEADER], ("", "")
    for text, found in place.items():
        block = specification[found.block]
        if section != (block.document, block.heading):
            section = (block.document, block.heading)
            lines += [
                "",
                f"## {block.heading} ({block.document})",
                "",
                "| sentence | surface | tests |",
                "|---|---|---|",
            ]
        named = " ".join(f"`{test.replace('.py', '')}`" for test in sorted(tests[text]))
        lines.append(f"| {_escaped(text)} | {_of_match(found, block)} | {named} |")
    lines.append("")
    for surface in PROVEN:
        total = sum(clause.surface == surface for block in specification for clause in block.clauses())
        left = len(unquoted(matches, specification, (surface,)))
        lines.append(f"Sentences and table rows of the {surface} surface: {total}; quoted by no test: {left}.")
    return "\n".join([*lines, ""])


def pairs(table: str) -> set[tuple[str, str]]:
    """What a rendered table says: quotes with their tests."""
    rows = re.findall(r"^\| (.+) \| (?:text|files|proxy|running|context) \| (`.+`) \|$", table, re.MULTILINE)
    return {
        (text.replace("\\|", "|"), test.replace("::", ".py::"))
        for text, tests in rows
        for test in tests.strip("`").split("` `")
    }


def _of_match(found: Match, block: Block) -> str:
    held = [clause for clause in block.clauses() if any(_holds(part, clause) for part in found.parts)]
    return held[0].surface if held else CONTEXT


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Writes the table, or compares it. Status 1 when it is old, a quote strays, or a sentence is unquoted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    if not SPECIFICATION.is_dir():
        print(f"the specification is not in {SPECIFICATION}: nothing to match against")
        return 0
    specification = blocks()
    matches, strays = match(quotes(), specification)
    table, missing = render(matches, specification), unquoted(matches, specification)
    for quote in strays:
        print(f"in no sentence: “{quote.text}” ({quote.test})")
    for block, clause in missing:
        print(f"quoted by nobody: {block.heading}: {block.text[clause.start : clause.end].strip()}")
    old = not TABLE.exists() or TABLE.read_text("utf-8") != table
    if not check:
        TABLE.write_text(table, "utf-8")
    elif old:
        print(f"{TABLE.name} is old: run make conformance")
    return int(bool(strays or missing or (check and old)))


if __name__ == "__main__":
    sys.exit(main())
