"""Real servers of the production mode, for benchmarks: PostgreSQL, Redis, and `masker serve` or a floor over them."""

import os
import secrets
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from examples.server import masker, wait_until_ready
from tests.servers import PostgreSQL, RedisServer

PAID_TOKENS = 10**12  # nobody runs out


@contextmanager
def environment(**settings: str) -> Iterator[dict[str, str]]:
    """The environment variables of processes over a migrated PostgreSQL and a Redis that end with the block.

    `settings`: more variables, without their prefix. The rate limit is set high enough not to matter.
    """
    postgresql, redis = PostgreSQL(), RedisServer()
    try:
        with tempfile.TemporaryDirectory(prefix="masker-bench-") as folder:
            variables = {
                **{name: value for name, value in os.environ.items() if not name.startswith("MASKER_")},
                "MASKER_DATA_DIR": folder,
                "MASKER_DATABASE_URL": postgresql.url(postgresql.create()),
                "MASKER_REDIS_URL": redis.url,
                "MASKER_MASTER_KEY": b64encode(secrets.token_bytes(32)).decode(),
                "MASKER_RATE_LIMIT_PER_MINUTE": "1000000",
                **{f"MASKER_{name}": value for name, value in settings.items()},
            }
            masker("migrate", environment=variables)
            yield variables
    finally:
        redis.stop()
        postgresql.stop()


def bearer(variables: dict[str, str], email: str) -> str:
    """A key of a new account with enough tokens for everything."""
    masker("account", "create", "--email", email, "--paid-tokens", str(PAID_TOKENS), environment=variables)
    return str(masker("key", "create", "--email", email, environment=variables)["key"])


@contextmanager
def running(command: Sequence[str | Path], port: int, variables: dict[str, str]) -> Iterator[str]:
    """The address of a server that `command` starts, as soon as it is ready; it is stopped when the block ends."""
    folder = Path(variables["MASKER_DATA_DIR"])
    log = folder / f"server-{port}.log"
    root = str(Path(__file__).parents[1])
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command, env={**variables, "PYTHONPATH": root}, cwd=folder, stdout=stream, stderr=stream
        )
    try:
        wait_until_ready(f"http://127.0.0.1:{port}", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=60)
