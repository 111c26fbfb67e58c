"""What every subcommand shares: settings with their warnings, the opened stores, results and regrets in one line."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from schemas.settings import Settings
    from storage.opening import Storage

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on one line.")]


def load() -> "Settings":
    """The settings of the environment; unknown MASKER_ variables are warned about. InvalidSettings."""
    from schemas.settings import load_settings, unknown_variables

    for name in unknown_variables():
        warn(f"{name} is not a setting of Masker")
    return load_settings()


@contextmanager
def stores(settings: "Settings") -> Iterator["Storage"]:
    """What lasts, opened; in embedded mode its schema is brought up to date first."""
    from storage.opening import Storage

    storage = Storage.open(settings)
    try:
        if settings.is_embedded:
            storage.database.migrate()
        yield storage
    finally:
        storage.close()


def show(answer: dict[str, object], *, as_json: bool) -> None:
    """A result on standard output: one JSON line, or one `name: value` line each."""
    if as_json:
        typer.echo(json.dumps(answer, ensure_ascii=False))
        return
    for name, value in answer.items():
        typer.echo(f"{name}: {value}")


def write(text: str) -> None:
    """Text on standard output exactly as it is, in UTF-8 whatever the locale."""
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    sys.stdout.buffer.flush()


def printable(name: str) -> str:
    """A file's name in one line of plain characters: no control of a terminal, nothing that writes backwards."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape", "backslashreplace").decode()
        for character in name
    )


def plain(name: str) -> str:
    """A path in Unicode: bytes that are none, which arrive as lone surrogates, become replacement characters."""
    return os.fsencode(name).decode("utf-8", "replace")


def say(message: str) -> None:
    """What goes on, in one line on standard error."""
    typer.echo(f"masker: {message}", err=True)


def warn(message: str) -> None:
    """One line on standard error."""
    typer.echo(f"masker: warning: {message}", err=True)


def stop(message: str, status: int = 1) -> NoReturn:
    """Ends the command with one line on standard error."""
    typer.echo(f"masker: {message}", err=True)
    raise SystemExit(status)
