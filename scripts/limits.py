"""Writes docs/limits.md: every bound on untrusted documents, from the tables that the code itself reads.

python -m scripts.limits
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

from pipeline.document_detection.caged import LIMITS, SECONDS_PER_BYTE
from pipeline.sandbox.parent import Limits
from schemas.stages import STAGES

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "limits.md"
HEAD = """# Limits on untrusted documents

Written by `make limits` from the tables that the code reads. A document past one of the first table's bounds is refused
with `unsupported_format` (at upload where its first bytes tell, else as a failed job), never half read; an output past
one of the second table's counts as not proven clean (`verify_failed`). A document type declaration
in a part of an Office file is dropped with its entities: none is resolved, and nothing that it names is fetched.
"""

COLUMNS = "\n| bound | value | of what, and why |\n|---|---|---|\n"


def rows(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Of each constant of a table: the heading above it, its name, its value, and what its comment says."""
    source = path.read_text()
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    values: dict[str, object] = {}
    headings = {line: text for line, text in comments.items() if source.splitlines()[line - 1].startswith("#")}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            code = compile(ast.Expression(node.value), str(path), "eval")
            values[name] = eval(code, {}, values)
            heading = next((headings[line] for line in sorted(headings, reverse=True) if line < node.lineno), "")
            yield heading, name, shown(values[name]), comments.get(node.end_lineno or 0, "")


def shown(value: object) -> str:
    """A number as people read it."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def table(path: Path) -> str:
    """The Markdown tables of one module, one per heading."""
    text, last = "", None
    for heading, name, value, comment in rows(path):
        if heading != last:
            text += (
                f"\n### {heading}\n" if heading else ""
            ) + "\n| bound | value | of what, and why |\n|---|---|---|\n"
            last = heading
        text += f"| `{name}` | {value} | {comment} |\n"
    return text


def document() -> str:
    """docs/limits.md as it should be."""
    limits = Limits()
    stages = "".join(f"| {row.stage} | {row.seconds} | {row.seconds_per_page} |\n" for row in STAGES)
    return (
        HEAD
        + "\n## Documents as they come (`pipeline/documents/limits.py`)\n"
        + table(ROOT / "pipeline" / "documents" / "limits.py")
        + "\n## Outputs that are read again (`pipeline/verification/limits.py`)\n"
        + table(ROOT / "pipeline" / "verification" / "limits.py")
        + "\n## Time\n\n| stage | seconds of one call, then `timeout` | and for each page |\n|---|---|---|\n"
        + stages
        + f"\n## The child that parses\n\nAddress space {limits.memory:,} bytes; answer {limits.reply:,} bytes; "
        + f"{limits.processes} processes and threads; {limits.files} open files; no network, no writing, an ordinary "
        + "user's rights.\n"
        + "\n## The child that detects\n\nThe same, without programs, and with an address space of "
        + f"{LIMITS.memory:,} bytes; a document that needs more fails with `redaction_incomplete`. To "
        + f"the seconds above come {SECONDS_PER_BYTE * 1_000_000:.0f} for each MB of text and its places.\n"
    )


if __name__ == "__main__":
    TARGET.write_text(document())
