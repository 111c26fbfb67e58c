"""`python -m tests.servers --postgres --redis --s3`: starts them, prints MASKER_ lines, stops on SIGINT or SIGTERM."""

import argparse
import base64
import secrets
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack

from tests.servers import PostgreSQL, RedisServer, ServerFailed, ServerMissing, Swift


def main() -> int:
    """Runs until told to stop. Exit status 1 with one sentence when a server is missing or does not start."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers", description=__doc__)
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL with an empty database `masker`")
    parser.add_argument("--redis", action="store_true", help="Redis")
    parser.add_argument("--s3", action="store_true", help="an S3 API with an empty bucket `masker`")
    parser.add_argument("--durable", action="store_true", help="let PostgreSQL write to disk as in production")
    wanted = parser.parse_args()
    if not (wanted.postgres or wanted.redis or wanted.s3):
        parser.error("name at least one server")
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())  # also while starting: then it stops when all have started
    with ExitStack() as running:
        try:
            for line in _start(wanted, running):
                print(line, flush=True)
        except (ServerMissing, ServerFailed) as error:
            print(error, file=sys.stderr)
            return 1
        stopping.wait()
    return 0


def _start(wanted: argparse.Namespace, running: ExitStack) -> Iterator[str]:
    if wanted.postgres:
        postgresql = PostgreSQL(durable=wanted.durable)
        running.callback(postgresql.stop)
        yield f"MASKER_DATABASE_URL={postgresql.url(postgresql.create(name='masker'))}"
        yield f"MASKER_MASTER_KEY={base64.b64encode(secrets.token_bytes(32)).decode()}"
    if wanted.redis:
        redis = RedisServer()
        running.callback(redis.stop)
        yield f"MASKER_REDIS_URL={redis.url}"
    if wanted.s3:
        swift = Swift()
        running.callback(swift.stop)
        bucket = swift.bucket("masker")
        yield f"MASKER_S3_BUCKET={bucket.bucket}"
        yield f"MASKER_S3_ENDPOINT_URL={bucket.endpoint_url}"
        yield f"MASKER_S3_REGION={bucket.region}"
        yield f"MASKER_S3_ACCESS_KEY_ID={bucket.access_key_id}"
        yield f"MASKER_S3_SECRET_ACCESS_KEY={bucket.secret_access_key}"


if __name__ == "__main__":
    sys.exit(main())
