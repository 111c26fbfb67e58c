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
from uuid import UUID

import httpx
import redis
from ahocorasick_rs import BytesAhoCorasick
from sqlmodel import col, select

from benchmarks.storm.provider import Provider
from examples.server import free_port, masker
from schemas.files import JobState
from schemas.settings import load_settings
from storage.jobs.tables import Job
from storage.opening import Storage
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
API = "API"  # the name of the service
PAID_TOKENS = 1_000_000_000  # of each account
READY_SECONDS = 120.0
EARLIER_SECONDS = 120.0  # for files that were under way when the master key was changed
GRACE_SECONDS = 60.0


class Service:
    """A `masker` process that is started again on the same arguments."""

    def __init__(self, name: str, environment: dict[str, str], log: Path, *arguments: str) -> None:
        self.name, self.environment, self._log, self._arguments = name, environment, log, arguments
        self._process: subprocess.Popen[bytes] | None = None
        self.killed: list[float] = []  # moments (monotonic)

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
            self.killed.append(time.monotonic())

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
        self.logs, self.temporary = self.folder / "logs", self.folder / "tmp"
        self.logs.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MASKER_")}
        self.environment = {
            **kept,
            **_SETTINGS,
            **settings,
            MARK: secrets.token_hex(8),
            "MASKER_MASTER_KEY": _new_key(),
            "MASKER_DATA_DIR": str(self.folder / "data"),
            "TMPDIR": str(self.temporary),
        }
        self.temporary.mkdir()
        (self.folder / "data").mkdir()
        self.parts: list[Part] = []
        self.services: list[Service] = []
        self.cables: dict[str, Cable] = {}
        self.own_urls: dict[str, str] = {}  # of database and Redis, past the cables
        self.places = [self.folder]  # where nothing may be readable
        self.missing: dict[str, str] = {}  # faults that this machine cannot do, with what is missing
        self._earlier: list[UUID] = []  # files that were under way when the master key was changed
        self.provider = Provider()
        self._stack.callback(self.provider.close)
        self.environment["MASKER_ANTHROPIC_BASE_URL"] = self.provider.url

    def __enter__(self) -> "System":
        try:
            if _FAKE_CLOCK is None:
                self.missing["clock"] = "no libfaketime"
            (self._open_embedded if self.mode == "embedded" else self._open_production)()
            self.start_services()
            self.wait_until_ready()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def account(self, email: str) -> str:
        """A bearer key of a new account with tokens for everything."""
        tokens = ("--paid-tokens", str(PAID_TOKENS))
        masker("account", "create", "--email", email, *tokens, environment=self.environment)
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
        if self.mode == "embedded" and "disk" not in self.missing:
            found["fill the disk"] = self._fill_disk
        return found

    def rotate(self) -> None:
        """A new master key: every process knows it, then seals with it, then all is sealed anew (docs/operating.md)."""
        old, new = self.environment["MASKER_MASTER_KEY"], _new_key()
        for first, second in ((old, new), (new, old)):
            self._restart_with(first, second)
        masker("key", "rotate", environment=self.environment)
        self._earlier = self._under_way()

    def take_old_key_out(self) -> None:
        """After `rotate`, once no file from before is under way: nothing needs the old key then. RuntimeError."""
        deadline = time.monotonic() + EARLIER_SECONDS
        while left := set(self._earlier).intersection(self._under_way()):
            if time.monotonic() > deadline:
                raise RuntimeError(f"{len(left)} files from before the new master key were still under way")
            time.sleep(0.5)
        masker("key", "rotate", environment=self.environment)
        self._restart_with(self.environment["MASKER_MASTER_KEY"], "")

    def open_storage(self) -> Storage:
        """The stores; the caller closes them."""
        variables = {
            name.removeprefix("MASKER_").lower(): value
            for name, value in self.environment.items()
            if name.startswith("MASKER_") and name != MARK
        }
        return Storage.open(load_settings(_env_file=None, **variables))

    def api_log(self) -> str:
        """The log of the API up to now."""
        return (self.logs / "api.log").read_text("utf-8")

    def redis_holds(self, values: Sequence[bytes]) -> bool:
        """Whether one of the values stands in what Redis keeps now; there is none in embedded mode. RedisError."""
        if "redis" not in self.own_urls or not values:
            return False
        with redis.Redis.from_url(self.own_urls["redis"], socket_timeout=10) as client:
            return bool(BytesAhoCorasick(values).find_matches_as_indexes(kept(client)))

    def start_services(self) -> None:
        """Starts those that do not run."""
        for service in self.services:
            service.start()

    def stop_services(self) -> None:
        """Asks all to end. RuntimeError."""
        for service in self.services:
            service.stop()

    def left_over(self) -> list[str]:
        """The command lines of processes of the system that still live."""
        return marked(self.environment[MARK])

    def _open_embedded(self) -> None:
        data = self.folder / "data"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "none", data], check=False, capture_output=True
        )
        if mounted.returncode == 0:
            self._stack.callback(subprocess.run, ["umount", "--lazy", data], check=False)
        else:
            self.missing["disk"] = "no right to mount"
        self._serve()

    def _open_production(self) -> None:
        postgresql, queues, swift = PostgreSQL(durable=True), RedisServer(), Swift()
        for server in (postgresql, queues, swift):
            self._stack.callback(server.stop)
        self.places += [postgresql.directory, queues.directory, swift.directory]
        bucket = swift.bucket()
        self.own_urls = {"database": postgresql.url(postgresql.create()), "redis": queues.url}
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
        for work in ("documents,ocr,reread", "detect,verify,light"):
            worker = Service(
                f"worker {work}", self.environment, self.logs / f"{work}.log",
                "worker", "--queues", work, "--processes", "2", "--threads", "2",
            )  # fmt: skip
            self._add(worker)
        self.parts += [Part("PostgreSQL", postgresql), Part("Redis", queues), Part("the S3 server", swift)]

    def _serve(self) -> None:
        self._add(Service(API, self.environment, self.logs / "api.log", "serve", "--port", str(self.port)))

    def _restart_with(self, master_key: str, previous: str) -> None:
        """One service after the other, on other keys; returns when the API is ready. RuntimeError."""
        self.environment |= {"MASKER_MASTER_KEY": master_key, "MASKER_PREVIOUS_MASTER_KEYS": previous}
        for service in self.services:
            service.environment = self.environment
            try:
                service.stop()
            finally:
                service.start()
        self.wait_until_ready()

    def _under_way(self) -> list[UUID]:
        storage = self.open_storage()
        try:
            with storage.database.reading() as session:
                running = col(Job.state).in_((JobState.QUEUED.value, JobState.PROCESSING.value))
                return list(session.exec(select(Job.id).where(running)).all())
        finally:
            storage.close()

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


def marked(mark: str) -> list[str]:
    """The command lines of processes whose environment has this MARK."""
    wanted, found = f"{MARK}={mark}".encode(), []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return found


def kept(client: redis.Redis) -> bytes:
    """The keys and values of a Redis, as they are: DUMP would compress them."""
    read = {
        b"string": client.get,
        b"hash": client.hgetall,
        b"list": lambda key: client.lrange(key, 0, -1),
        b"set": client.smembers,
        b"zset": lambda key: client.zrange(key, 0, -1),
    }
    gone = client.get
    return b"\n".join(key + b" " + _flat(read.get(client.type(key), gone)(key)) for key in client.scan_iter())


def _flat(value: object) -> bytes:
    if isinstance(value, dict):
        return b" ".join(_flat(each) for pair in value.items() for each in pair)
    if isinstance(value, (list, set)):
        return b" ".join(map(_flat, value))
    return value if isinstance(value, bytes) else b""


def holds(places: Sequence[Path], values: Sequence[bytes]) -> list[str]:
    """The files below the places in which one of the values stands as it is."""
    search, found = BytesAhoCorasick(values), []
    for place in places:
        for path in place.rglob("*"):
            with suppress(OSError):
                if path.is_file() and search.find_matches_as_indexes(path.read_bytes()):
                    found.append(str(path.relative_to(place)))
    return found
