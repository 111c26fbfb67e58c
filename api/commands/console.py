"""What all subcommands share: settings, opened stores, results on standard output, messages on standard error."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from schemas.settings import Settings
    from storage.opening import Storage

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on one line.")]


def load() -> "Settings":
    """The settings of the environment. Warns of unknown MASKER_ variables. InvalidSettings."""
    from schemas.settings import load_settings, unknown_variables

    for name in unknown_variables():
        warn(f"{name} is not a setting of Masker")
    return load_settings()


@contextmanager
def stores(settings: "Settings") -> Iterator["Storage"]:
    """The opened stores; in embedded mode the schema is migrated first."""
    from storage.opening import Storage

    storage = Storage.open(settings)
    try:
        if settings.is_embedded:
            storage.database.migrate()
        yield storage
    finally:
        storage.close()


def show(answer: dict[str, object], *, as_json: bool) -> None:
    """Prints a result: one JSON line, or a line `name: value` for each entry."""
    if as_json:
        typer.echo(json.dumps(answer, ensure_ascii=False))
        return
    for name, value in answer.items():
        typer.echo(f"{name}: {value}")


def write(text: str) -> None:
    """Writes text to standard output unchanged, in UTF-8 whatever the locale."""
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    sys.stdout.buffer.flush()


def printable(name: str) -> str:
    """A file name as one line without control characters and without characters that change the writing direction."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "backslashreplace").decode()
        for character in name
    )


def plain(name: str) -> str:
    """A path as Unicode text; bytes that are not UTF-8 become replacement characters."""
    return os.fsencode(name).decode("utf-8", "replace")


def say(message: str) -> None:
    """Prints one line of progress on standard error."""
    typer.echo(f"masker: {message}", err=True)


def warn(message: str) -> None:
    """Prints one warning on standard error."""
    typer.echo(f"masker: warning: {message}", err=True)


def stop(message: str, status: int = 1) -> NoReturn:
    """Ends the command with one line on standard error, and with `--json` one JSON object on standard output."""
    typer.echo(f"masker: {message}", err=True)
    if "--json" in sys.argv and sys.stdout is not None:
        typer.echo(json.dumps({"error": message, "exit_status": status}, ensure_ascii=False))
    raise SystemExit(status)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, err: bool = False) -> None:
    """Prints rows in columns under a head."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip(), err=err)
