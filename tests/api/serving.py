"""A real server on loopback over a data directory of its own: streaming and limits are what a socket shows."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import uvicorn
from fastapi import FastAPI

from api.app import create_app
from api.http.server import configuration, listen
from api.services.container import Services
from schemas.clock import utc_now
from schemas.settings import Settings, load_settings
from storage import ledger
from storage.accounts import keys, sessions
from storage.accounts import records as accounts
from storage.opening import Storage


@dataclass(frozen=True)
class Account:
    """An account and its bearer."""

    id: UUID
    bearer: str

    @property
    def headers(self) -> dict[str, str]:
        """What each of its calls carries."""
        return {"Authorization": f"Bearer {self.bearer}"}


@dataclass(frozen=True)
class Served:
    """A running server and the stores behind it."""

    url: str
    app: FastAPI
    services: Services

    def account(self, *, paid_tokens: int = 0, judge_allowed: bool = False, **create: Any) -> Account:
        """A new account with a key; `judge_allowed`: the key's calls may ask for the judge."""
        now, pepper = utc_now(), self.services.pepper
        with self.services.storage.database.transaction() as session:
            row = accounts.create(
                session,
                email=f"{uuid4().hex}@example.com",
                password_hash="-",
                now=now,
                paid_tokens=paid_tokens,
                **create,
            )
            _, bearer = keys.mint(session, pepper, account_id=row.id, name="test", judge_allowed=judge_allowed, now=now)
        return Account(row.id, bearer)

    def balance(self, account: Account) -> int:
        """What the account can spend."""
        with self.services.storage.database.reading() as session:
            left = ledger.balance(
                session, account.id, free_per_day=self.services.settings.free_tokens_per_day, now=utc_now()
            )
        return left.free_tokens + left.paid_tokens

    def session(self, account: Account, *, began: datetime | None = None) -> str:
        """The cookie's value of a new browser session of the account."""
        with self.services.storage.database.transaction() as session:
            ttl = self.services.settings.session_ttl_seconds
            return sessions.begin(session, account.id, ttl_seconds=ttl, now=began or utc_now())

    def browser(self, account: Account | None = None) -> httpx.Client:
        """A client that calls as a page of the dashboard in which the account is logged in."""
        headers = {"Cookie": f"masker_session={self.session(account or self.account())}", "Origin": self.url}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30)

    def client(self, account: Account | None = None) -> httpx.Client:
        """A client that calls as a new account, or as a given one."""
        return httpx.Client(base_url=self.url, headers=(account or self.account()).headers, timeout=30)


def settings_for(data_dir: Path, **overrides: Any) -> Settings:
    """Embedded settings in a directory, whatever the environment says."""
    return load_settings(_env_file=None, data_dir=data_dir, database_url="", **overrides)


@contextlib.contextmanager
def serving(settings: Settings, storage: Storage | None = None) -> Iterator[Served]:
    """Serves until the block ends."""
    opened = storage or Storage.open(settings)
    opened.database.migrate()
    app = create_app(settings, opened)
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(configuration(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        _wait_until_answering(listener)
        yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", app, app.state.services)
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        if storage is None:
            opened.close()


def _wait_until_answering(listener: socket.socket) -> None:
    """The listener already queues connections; the answer to this one comes when the server runs."""
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/api/v1/health"
    httpx.get(url, timeout=20).raise_for_status()
