"""A private Redis that keeps everything in memory."""

import shutil
from functools import partial
from pathlib import Path

import redis

from tests.servers.process import Process, free_port, ordinary_user, private_directory, program


class RedisServer:
    """A running Redis on a free port or a given one; anyone on the loopback may use it."""

    def __init__(self, port: int | None = None) -> None:
        server = program("redis-server", "redis-server")
        user = ordinary_user("redis")
        self._directory = private_directory(user)
        try:
            port = port or free_port()
            self.url = f"redis://127.0.0.1:{port}/0"
            command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
            command += ["--dir", str(self._directory)]
            self._start_process = partial(Process, "redis", command, user=user, directory=self._directory)
            self._process = self._start_process()
            self._process.wait_until(self._answers)
        except BaseException:
            shutil.rmtree(self._directory, ignore_errors=True)
            raise

    def kill(self) -> None:
        """Ends it with SIGKILL, with all that it holds; `start` brings it back, empty."""
        self._process.kill()

    def start(self) -> None:
        """Starts it again after `kill`, on the same port."""
        self._process = self._start_process()
        self._process.wait_until(self._answers)

    def family(self) -> list[int]:
        """The process ids of all its processes."""
        return self._process.family()

    @property
    def directory(self) -> Path:
        """Where its log is."""
        return self._directory

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def flush(self) -> None:
        """Forgets everything."""
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def stop(self) -> None:
        """Ends it and removes its files."""
        self._process.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False
