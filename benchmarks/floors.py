"""What the API is measured beside: the same framework and server, once as an echo, once with money and the limiter.

    python -m benchmarks.floors echo|ledger|timed PORT EMAIL

`echo` gives the body back. `ledger` also counts the call in Redis and charges for its words, as the service does: the
same functions, and nothing of authentication, glossaries, detection or answers. `timed` is the service itself with a
clock around detection, which costs more between other work than alone in a loop; /bench tells the average.
"""

import gc
import os
import sys
import time
from uuid import uuid4

from fastapi import FastAPI
from pydantic import BaseModel

from api import logs
from api.app import create_app
from api.cashier import Cashier
from api.listener import listen
from api.serving import serve
from pipeline.detect.detector import Detector
from schemas.settings import load_settings
from schemas.spans import Detection, DetectOptions
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


def timed() -> FastAPI:
    """The service, whose detections are timed."""
    calls, seconds = 0, 0.0
    detect = Detector.detect

    def clocked(self: Detector, text: str, options: DetectOptions = DetectOptions()) -> Detection:
        nonlocal calls, seconds
        began = time.thread_time()
        found = detect(self, text, options)
        calls, seconds = calls + 1, seconds + time.thread_time() - began
        return found

    Detector.detect = clocked  # type: ignore[method-assign]
    app = create_app(load_settings(_env_file=None))

    @app.get("/bench")
    async def bench() -> dict[str, float]:
        return {"detection_seconds": seconds / max(1, calls)}

    return app


if __name__ == "__main__":
    kind, port, email = sys.argv[1:]
    logs.configure()
    application = echo() if kind == "echo" else timed() if kind == "timed" else with_ledger(email)
    gc.freeze()
    with listen("127.0.0.1", int(port)) as listener:
        serve(application, listener)
