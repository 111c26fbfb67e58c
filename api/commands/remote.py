"""The same commands by a server: whose address and key they use, and what its refusals say."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from api.commands.console import stop

if TYPE_CHECKING:
    from masker.client import Masker

Server = Annotated[
    str | None,
    typer.Option("--server", metavar="URL", envvar="MASKER_SERVER", help="Let this server do it; not this process."),
]
ApiKey = Annotated[
    str | None,
    typer.Option(
        "--api-key",
        metavar="KEY",
        envvar="MASKER_API_KEY",
        help="Bearer key for --server; better not on a command line.",
    ),
]
_REFUSALS = {
    401: "the server does not accept the key",
    402: "the account's tokens do not suffice",
    403: "the server does not serve this caller",
    404: "the server does not know this call: is --server the address of a Masker?",
}


@contextmanager
def client(server: str, api_key: str | None) -> Iterator["Masker"]:
    """A client of the server; its refusals, and its silence, end the command with one line."""
    from masker.client import Masker, MaskerError, NotAnswering

    if not api_key:
        stop("--server needs a key: set MASKER_API_KEY", 2)
    if not api_key.isascii() or not api_key.isprintable():
        stop("MASKER_API_KEY: not a bearer key", 2)
    if not _is_address(server):
        stop("--server: must be http://HOST... or https://HOST...", 2)
    try:
        with Masker(server, api_key) as masker:
            yield masker
    except MaskerError as error:
        known = _REFUSALS.get(error.status)
        stop(f"{known} ({error.code})" if known else f"the server refuses: {error.code}", 1)
    except NotAnswering:
        stop("the server does not answer", 1)


def _is_address(server: str) -> bool:
    try:
        parts = urlsplit(server)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a malformed port or bracket
        return False
