"""What the API is measured beside: the same framework and server, once as an echo, once with money and the limiter.

    python -m benchmarks.floors echo|ledger PORT EMAIL

`echo` gives the body back. `ledger` also counts the call in Redis and charges for its words, as the service does: the
same functions, and nothing of authentication, glossaries, detection or answers.
"""

import os
import sys
from uuid import uuid4

from fastapi import FastAPI
from pydantic import BaseModel

from api.cashier import Cashier
from api.listener import listen
from api.serving import serve
from schemas.settings import load_settings
from storage import accounts
from storage.limiter import open_limiter
from storage.opening import Storage


class Message(BaseModel):
    """What both take and give."""

    text: str


def echo() -> FastAPI:
    """Nothing but the framework."""
    app = FastAPI()

    @app.post("/api/v1/mask")
    async def answer(body: Message) -> Message:
        return body

    return _with_health(app)


def with_ledger(email: str) -> FastAPI:
    """The framework, the limiter's round trip and the ledger's transaction."""
    settings = load_settings(_env_file=None)
    storage = Storage.open(settings)
    limiter = open_limiter(settings.redis_url, storage.keyring.derive("rate-limiter"))
    with storage.database.reading() as session:
        account = accounts.by_email(session, email)
    assert account is not None
    cashier = Cashier(storage.database, settings.free_tokens_per_day)
    app = FastAPI()

    @app.post("/api/v1/mask")
    async def answer(body: Message) -> Message:
        await limiter.hit(f"account:{account.id}", settings.rate_limit_per_minute)
        await cashier.charge(account.id, len(body.text.split()), f"text:{uuid4()}")
        return body

    return _with_health(app)


def _with_health(app: FastAPI) -> FastAPI:
    @app.get("/api/v1/health/ready")
    async def ready() -> dict[str, str]:
        return {"process": str(os.getpid())}

    return app


if __name__ == "__main__":
    kind, port, email = sys.argv[1:]
    with listen("127.0.0.1", int(port)) as listener:
        serve(echo() if kind == "echo" else with_ledger(email), listener)
