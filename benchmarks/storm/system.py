"""The system in the storm, embedded or in production's shape, and what can be done to its parts."""

import base64
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from ahocorasick_rs import BytesAhoCorasick

from examples.server import free_port, masker
from tests.faults.cable import Cable
from tests.servers import PostgreSQL, RedisServer, Swift
from tests.servers.process import descendants

MASKER = Path(sys.executable).with_name("masker")
MARK = "MASKER_STORM"  # in the environment of each process of the system, so that none is missed
_SETTINGS = {
    "MASKER_LEASE_SECONDS": "4",
    "MASKER_SWEEP_INTERVAL_SECONDS": "1",
    "MASKER_RATE_LIMIT_PER_MINUTE": "1000000",
    "MASKER_CONCURRENT_JOBS": "6",
    "MASKER_DAILY_UPLOADS": "100000",
    "MASKER_ACTIVE_FILES": "100000",
    "MASKER_SANDBOX": "best-effort",
}
_DISK = "256m"
# Fakes the wall clock of a program, not its monotonic one; Debian's package libfaketime.
_FAKE_CLOCK = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
# Its clock_nanosleep fails beside other threads (version 0.9.10), and Python sleeps by that: in such a program it waits
# for a while in which nothing can be read.
_OTHER_SLEEP = """
import select, time
time.sleep = lambda seconds: select.select([], [], [], seconds) and None
"""
_SKEW = 75  # seconds: many leases, and less than an object store forgives in a signature
_SKEWED_SECONDS = 6.0  # at least; a process needs seconds to start
READY_SECONDS = 120.0
GRACE_SECONDS = 60.0


class Service:
    """A `masker` process that is started again on the same arguments."""

    def __init__(self, name: str, environment: dict[str, str], log: Path, *arguments: str) -> None:
        self.name, self.environment, self._log, self._arguments = name, environment, log, arguments
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it if it does not run."""
        if self._process is not None and self._process.poll() is None:
            return
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [MASKER, *self._arguments], env=self.environment, stdout=log, stderr=log, cwd=self._log.parent
            )

    def kill(self) -> None:
        """Ends the process alone with SIGKILL: what it started has to end by itself."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """Asks it to end, and waits until it did what it had begun. RuntimeError after GRACE_SECONDS."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RuntimeError(f"{self._arguments[0]} did not end {GRACE_SECONDS:.0f} s after SIGTERM") from None

    def family(self) -> list[int]:
        """The process ids of it and all below it."""
        return descendants(self._process.pid) if self._process is not None and self._process.poll() is None else []


class Part:
    """Something that can be killed and frozen: a service or a server."""

    def __init__(self, name: str, own: Service | PostgreSQL | RedisServer | Swift) -> None:
        self.name, self._own = name, own

    def kill_and_start(self, seconds: float) -> None:
        """SIGKILL; it comes back after `seconds`."""
        self._own.kill()
        time.sleep(seconds)
        self._own.start()

    def freeze(self, seconds: float) -> None:
        """SIGSTOP to all its processes for `seconds`: it is there, and does nothing."""
        frozen = self._own.family()
        try:
            for pid in frozen:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            time.sleep(seconds)
        finally:
            for pid in frozen:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)


class System:
    """A running system of one mode, with its faults by name; a context manager."""

    def __init__(self, mode: str, **settings: str) -> None:
        """`settings`: further variables of every process."""
        self.mode, self.port = mode, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._stack = ExitStack()
        self.folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="masker-storm-")))
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MASKER_")}
        self.environment = {
            **kept,
            **_SETTINGS,
            **settings,
            MARK: secrets.token_hex(8),
            "MASKER_MASTER_KEY": _new_key(),
            "MASKER_DATA_DIR": str(self.folder / "data"),
            "TMPDIR": str(self.folder / "tmp"),
        }
        (self.folder / "tmp").mkdir()
        (self.folder / "data").mkdir()
        self.parts: list[Part] = []
        self.services: list[Service] = []
        self.cables: dict[str, Cable] = {}
        self.own_urls: dict[str, str] = {}  # of database and Redis, past the cables
        self.places = [self.folder]  # where nothing may be readable
        self.has_own_disk = False

    def __enter__(self) -> "System":
        try:
            (self._open_embedded if self.mode == "embedded" else self._open_production)()
            for service in self.services:
                service.start()
            self.wait_until_ready()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def account(self, email: str) -> str:
        """A bearer key of a new account with tokens for everything."""
        masker("account", "create", "--email", email, "--paid-tokens", "1000000000", environment=self.environment)
        return str(masker("key", "create", "--email", email, environment=self.environment)["key"])

    def wait_until_ready(self) -> None:
        """Returns when the API says that it is ready. RuntimeError after READY_SECONDS."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            with suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/api/v1/health/ready", timeout=10).status_code == 200:
                    return
            time.sleep(0.2)
        raise RuntimeError(f"the API was not ready after {READY_SECONDS:.0f} s")

    def faults(self) -> dict[str, Callable[[float], None]]:
        """What can be done, each for some seconds: kill, freeze, wrong clock, cut, slow, fill the disk."""
        found: dict[str, Callable[[float], None]] = {}
        for part in self.parts:
            found[f"kill {part.name}"] = part.kill_and_start
            found[f"freeze {part.name}"] = part.freeze
        for service in self.services if _FAKE_CLOCK else ():
            found[f"put the clock of {service.name} forward"] = partial(self._skew, service, _SKEW)
            found[f"put the clock of {service.name} back"] = partial(self._skew, service, -_SKEW)
        for name, cable in self.cables.items():
            found[f"cut off {name}"] = _cutting(cable)
            found[f"slow {name}"] = _slowing(cable)
        if self.has_own_disk:
            found["fill the disk"] = self._fill_disk
        return found

    def rotate(self) -> None:
        """A new master key: every process knows it, then seals with it, then all is sealed anew (docs/operating.md)."""
        old, new = self.environment["MASKER_MASTER_KEY"], _new_key()
        for first, second in ((old, new), (new, old)):
            self.environment |= {"MASKER_MASTER_KEY": first, "MASKER_PREVIOUS_MASTER_KEYS": second}
            for service in self.services:
                service.environment = self.environment
                service.stop()
                service.start()
            self.wait_until_ready()
        masker("key", "rotate", environment=self.environment)

    def stop_services(self) -> None:
        """Asks all to end. RuntimeError."""
        for service in self.services:
            service.stop()

    def left_over(self) -> list[str]:
        """The command lines of processes of the system that still live."""
        mark, found = f"{MARK}={self.environment[MARK]}".encode(), []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        return found

    def _open_embedded(self) -> None:
        data = self.folder / "data"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "none", data], check=False, capture_output=True
        )
        self.has_own_disk = mounted.returncode == 0
        if self.has_own_disk:
            self._stack.callback(subprocess.run, ["umount", "--lazy", data], check=False)
        self._serve()

    def _open_production(self) -> None:
        postgresql, redis, swift = PostgreSQL(durable=True), RedisServer(), Swift()
        for server in (postgresql, redis, swift):
            self._stack.callback(server.stop)
        self.places += [postgresql.directory, swift.directory]
        bucket = swift.bucket()
        self.own_urls = {"database": postgresql.url(postgresql.create()), "redis": redis.url}
        self.environment |= {
            "MASKER_DATABASE_URL": self._through("the database", self.own_urls["database"]),
            "MASKER_REDIS_URL": self._through("Redis", self.own_urls["redis"]),
            "MASKER_S3_ENDPOINT_URL": self._through("the object store", bucket.endpoint_url),
            "MASKER_S3_BUCKET": bucket.bucket,
            "MASKER_S3_REGION": bucket.region,
            "MASKER_S3_ACCESS_KEY_ID": bucket.access_key_id,
            "MASKER_S3_SECRET_ACCESS_KEY": bucket.secret_access_key,
        }
        masker("migrate", environment=self.environment)
        self._serve()
        for queues in ("documents,ocr,reread", "detect,verify,light"):
            worker = Service(
                f"worker {queues}", self.environment, self.logs / f"{queues}.log",
                "worker", "--queues", queues, "--processes", "2", "--threads", "2",
            )  # fmt: skip
            self._add(worker)
        self.parts += [Part("PostgreSQL", postgresql), Part("Redis", redis), Part("the S3 server", swift)]

    def _serve(self) -> None:
        self._add(Service("API", self.environment, self.logs / "api.log", "serve", "--port", str(self.port)))

    def _add(self, service: Service) -> None:
        self.services.append(service)
        self.parts.append(Part(service.name, service))
        self._stack.callback(service.kill)

    def _through(self, name: str, url: str) -> str:
        """The address through a cable of its own."""
        place = urlsplit(url)
        assert place.hostname and place.port
        cable = Cable(place.hostname, place.port)
        self.cables[name] = cable
        self._stack.callback(cable.close)
        user, at, _ = place.netloc.rpartition("@")
        return place._replace(netloc=f"{user}{at}127.0.0.1:{cable.port}").geturl()

    def _skew(self, service: Service, skew: int, seconds: float) -> None:
        """Runs a service with a wrong wall clock for a while, between two kills."""
        service.kill()
        fake = {"LD_PRELOAD": str(_FAKE_CLOCK), "FAKETIME": f"{skew:+d}s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        start = self.folder / "start"
        start.mkdir(exist_ok=True)
        (start / "sitecustomize.py").write_text(_OTHER_SLEEP)
        fake["PYTHONPATH"] = f"{start}:{self.environment.get('PYTHONPATH', '')}".rstrip(":")
        service.environment = {**self.environment, **fake}
        service.start()
        time.sleep(_SKEWED_SECONDS + seconds)
        service.kill()
        service.environment = self.environment
        service.start()

    def _fill_disk(self, seconds: float) -> None:
        ballast = self.folder / "data" / "ballast"
        try:
            free = shutil.disk_usage(ballast.parent).free
            with suppress(OSError), ballast.open("wb") as file:
                for _ in range(free // 65536 + 1):
                    file.write(bytes(65536))
            time.sleep(seconds)
        finally:
            ballast.unlink(missing_ok=True)


def _cutting(cable: Cable) -> Callable[[float], None]:
    def cut(seconds: float) -> None:
        cable.cut()
        time.sleep(seconds)
        cable.mend()

    return cut


def _slowing(cable: Cable) -> Callable[[float], None]:
    def slow(seconds: float) -> None:
        cable.delay = 0.3
        time.sleep(seconds)
        cable.delay = 0.0

    return slow


def _new_key() -> str:
    return base64.b64encode(secrets.token_bytes(32)).decode()


def holds(places: Sequence[Path], values: Sequence[bytes]) -> list[str]:
    """The files below the places in which one of the values stands as it is."""
    search, found = BytesAhoCorasick(values), []
    for place in places:
        for path in place.rglob("*"):
            with suppress(OSError):
                if path.is_file() and search.find_matches_as_indexes(path.read_bytes()):
                    found.append(str(path.relative_to(place)))
    return found
