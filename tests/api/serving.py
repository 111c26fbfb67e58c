"""A real server on loopback over a data directory of its own: streaming and limits are what a socket shows."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from uuid import UUID

import httpx
import uvicorn
from fastapi import FastAPI

from api.app import create_app
from api.services import Services
from schemas.clock import utc_now
from schemas.settings import Settings, load_settings
from storage import accounts, keys
from storage.opening import Storage


@dataclass(frozen=True)
class Account:
    """An account and its bearer."""

    id: UUID
    bearer: str


@dataclass(frozen=True)
class Served:
    """A running server and the stores behind it."""

    url: str
    app: FastAPI
    services: Services

    def account(self, *, paid_tokens: int = 0, **create: Any) -> Account:
        """A new account with a key."""
        now, pepper = utc_now(), self.services.pepper
        with self.services.storage.database.transaction() as session:
            row = accounts.create(
                session,
                email=f"someone{utc_now().timestamp()}@example.com",
                password_hash="-",
                now=now,
                paid_tokens=paid_tokens,
                **create,
            )
            _, bearer = keys.mint(session, pepper, account_id=row.id, name="test", now=now)
        return Account(row.id, bearer)

    def client(self, account: Account | None = None) -> httpx.Client:
        """A client that calls as a new account, or as a given one."""
        bearer = (account or self.account()).bearer
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {bearer}"}, timeout=30)


def settings_for(data_dir: Path, **overrides: Any) -> Settings:
    """Embedded settings in a directory, whatever the environment says."""
    return load_settings(_env_file=None, data_dir=data_dir, database_url="", **overrides)


@contextlib.contextmanager
def serving(settings: Settings, storage: Storage | None = None) -> Iterator[Served]:
    """Serves until the block ends."""
    opened = storage or Storage.open(settings)
    opened.database.migrate()
    app = create_app(settings, opened)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, proxy_headers=False, timeout_graceful_shutdown=2
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = monotonic() + 20
    while not server.started and monotonic() < deadline:
        sleep(0.01)
    try:
        yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", app, app.state.services)
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        if storage is None:
            opened.close()
