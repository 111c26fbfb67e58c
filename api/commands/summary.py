"""The result of a folder: a row for each entry and the totals, as a table or as one JSON object."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

from api.commands.console import printable, show

Result = Literal["ready", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Row:
    """One file. `file` and `output` are paths below the two folders; `code` says why there is no output, `reason`
    why a format is not supported."""

    file: str
    result: Result
    output: str | None = None
    format: str | None = None
    entity_count: int = 0
    entities: dict[str, int] = field(default_factory=dict)
    pages: int | None = None
    seconds: float | None = None
    code: str | None = None
    reason: str | None = None

    @property
    def outcome(self) -> str:
        """The outcome in a few words."""
        return f"{self.code} ({self.reason})" if self.reason else self.code or self.result


def totals(rows: Sequence[Row]) -> dict[str, object]:
    """The number of files by outcome, and the entities that were removed."""
    ended = Counter(row.result for row in rows)
    entities = sum((Counter(row.entities) for row in rows), Counter[str]())
    return {
        "ready": ended["ready"],
        "failed": ended["failed"],
        "skipped": ended["skipped"],
        "entity_count": entities.total(),
        "entities": dict(sorted(entities.items())),
        "pages": sum(row.pages or 0 for row in rows),
        "seconds": round(sum(row.seconds or 0 for row in rows), 2),
    }


def show_summary(rows: Sequence[Row], *, as_json: bool) -> None:
    """Prints the summary on standard output."""
    if as_json:
        show({"files": [asdict(row) for row in rows], "totals": totals(rows)}, as_json=True)
        return
    _table(rows)


def _table(rows: Sequence[Row]) -> None:
    import sys

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_footer=True, header_style="", footer_style="")
    sums = totals(rows)
    counted = ", ".join(f"{sums[result]} {result}" for result in ("ready", "failed", "skipped"))
    for title, footer in (
        ("FILE", f"{len(rows)} files"), ("FORMAT", ""), ("ENTITIES", _listed(sums["entities"])),
        ("PAGES", str(sums["pages"])), ("SECONDS", f"{sums['seconds']:.2f}"), ("RESULT", counted),
    ):  # fmt: skip
        justify: Literal["left", "right"] = "right" if title in ("PAGES", "SECONDS") else "left"
        table.add_column(title, Text(footer), justify=justify, overflow="fold")
    for row in rows:
        result = printable(row.output or "") if row.result == "ready" else f"{row.result}: {row.outcome}"
        cells = (printable(row.file), row.format or "", _listed(row.entities), _number(row.pages), _time(row.seconds))
        table.add_row(*map(Text, cells), Text(result))
    Console(file=sys.stdout, width=None if sys.stdout.isatty() else _UNFOLDED).print(table)


_UNFOLDED = 10_000  # columns of a file or a pipe: nothing is folded


def _listed(entities: object) -> str:
    assert isinstance(entities, dict)  # noqa: S101 - of Row and of totals
    return ", ".join(f"{name} {count}" for name, count in sorted(entities.items())) or "-"


def _number(number: int | None) -> str:
    return "" if number is None else str(number)


def _time(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.2f}"
