"""What the API is compared with: the same framework and server as an echo, and with charging alone.

    python -m benchmarks.floors echo|ledger|cashier|own-server|timed|rest PORT EMAIL

`echo` returns the body. `ledger` also counts the call in Redis and charges for its words in a transaction of its own,
by the service's functions, without authentication, glossaries, detection and answers. `cashier` charges as the service
does: waiting calls of an account share a transaction. These three run under uvicorn as it comes, without what the
service does to its server. `own-server` is the cashier under the service's own one. `timed` is the service itself with
a clock around detection, because detection between other work costs more than detection in a loop; /bench returns the
average and the median. `rest` is the service itself without the cost of detection: it remembers what it found in a
text.
"""

import asyncio
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from statistics import median
from uuid import UUID, uuid4

import uvicorn
from anyio import to_thread
from fastapi import FastAPI
from pydantic import BaseModel

from api.app import create_app
from api.http.server import listen, serve
from api.services.charge_batches import ChargeBatcher
from api.services.open_charges import OpenCharges
from pipeline.detect.detector import Detector
from schemas.clock import utc_now
from schemas.settings import LogFormat, load_settings
from schemas.spans import Detection, DetectOptions
from schemas.telemetry import logs
from storage import ledger
from storage.accounts import records as accounts
from storage.ledger import Order
from storage.opening import Storage
from storage.rate_limiter import open_limiter

BARE = ("echo", "ledger", "cashier")  # kinds that run under uvicorn as it comes


class Message(BaseModel):
    """The body of requests and answers."""

    text: str


def echo() -> FastAPI:
    """The framework alone."""
    app = FastAPI()

    @app.post("/api/v1/mask")
    async def answer(body: Message) -> Message:
        return body

    return _with_health(app)


def with_ledger(email: str, *, together: bool) -> FastAPI:
    """The framework, the limiter's round trip and the ledger's transaction, one per call or shared by waiting calls."""
    settings = load_settings(_env_file=None)
    storage = Storage.open(settings)
    limiter = open_limiter(settings.redis_url, storage.keyring.derive("rate-limiter"))
    with storage.database.reading() as session:
        account = accounts.by_email(session, email)
    assert account is not None
    open_charges = OpenCharges(storage.database)
    batcher = ChargeBatcher(storage.database, open_charges, settings.free_tokens_per_day)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        renewing = asyncio.create_task(open_charges.keep_renewing())
        yield
        renewing.cancel()
        await asyncio.wait({renewing})

    app = FastAPI(lifespan=lifespan)

    @app.post("/api/v1/mask")
    async def answer(body: Message) -> Message:
        await limiter.hit(f"account:{account.id}", settings.rate_limit_per_minute)
        tokens, reference = len(body.text.split()), f"text:{uuid4()}"
        if together:
            await batcher.charge(account.id, Order(tokens, reference))
        else:
            await to_thread.run_sync(charge, account.id, tokens, reference)
        return body

    def charge(account_id: UUID, tokens: int, reference: str) -> None:
        orders, lease = [Order(tokens, reference)], open_charges.lease()
        free, now = settings.free_tokens_per_day, utc_now()
        with storage.database.bare_transaction() as connection:
            ledger.charge_all(connection, account_id, orders, lease=lease, free_per_day=free, now=now)

    return _with_health(app)


def _with_health(app: FastAPI) -> FastAPI:
    @app.get("/api/v1/health/ready")
    async def ready() -> dict[str, str]:
        return {"process": str(os.getpid())}

    return app


def timed() -> FastAPI:
    """The service, whose detections are timed."""
    took: list[float] = []
    detect = Detector.detect

    def clocked(self: Detector, text: str, options: DetectOptions = DetectOptions()) -> Detection:
        began = time.thread_time()
        found = detect(self, text, options)
        took.append(time.thread_time() - began)
        return found

    Detector.detect = clocked  # type: ignore[method-assign]
    app = create_app(load_settings(_env_file=None))

    @app.get("/bench")
    async def bench() -> dict[str, float]:
        return {"detection_seconds": sum(took) / max(1, len(took)), "median_seconds": median(took or [0.0])}

    return app


def rest() -> FastAPI:
    """The service, whose detections are remembered."""
    Detector.detect = cache(Detector.detect)  # type: ignore[method-assign]
    return create_app(load_settings(_env_file=None))


def serve_bare(app: FastAPI, listener: socket.socket) -> None:
    """Serves under uvicorn as it comes, on its own parser of HTTP, without a line for each call."""
    uvicorn.Server(uvicorn.Config(app, http="h11", loop="asyncio", access_log=False)).run(sockets=[listener])


if __name__ == "__main__":
    kind, port, email = sys.argv[1:]
    logs.configure(LogFormat.AUTO)
    kinds: dict[str, Callable[[], FastAPI]] = {
        "echo": echo,
        "timed": timed,
        "rest": rest,
        "ledger": lambda: with_ledger(email, together=False),
        "cashier": lambda: with_ledger(email, together=True),
        "own-server": lambda: with_ledger(email, together=True),
    }
    application = kinds[kind]()
    with listen("127.0.0.1", int(port)) as listener:
        (serve_bare if kind in BARE else serve)(application, listener)
