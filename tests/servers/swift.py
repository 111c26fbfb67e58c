"""A private S3 API: OpenStack Swift on one device, with its s3api in front, which checks signatures for real."""

import secrets
import shutil
import signal
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from tests.servers.process import (
    Process,
    free_port,
    listens,
    ordinary_user,
    private_directory,
    program,
    run_as,
)

ACCESS_KEY_ID, SECRET_ACCESS_KEY, REGION = "test:tester", "testing", "us-east-1"
if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_PACKAGES = "swift-proxy swift-account swift-container swift-object memcached"
_STORES = ("account", "container", "object")

_COMMON = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {directory}
log_level = WARNING
"""
_STORE = """devices = {directory}/devices
mount_check = false
fallocate_reserve = 0

[pipeline:main]
pipeline = {kind}-server

[app:{kind}-server]
use = egg:swift#{kind}
"""
_PROXY = """
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache s3api tempauth bulk slo dlo versioned_writes symlink proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true

[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{memcached}

[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true

[filter:s3api]
use = egg:swift#s3api
location = us-east-1
s3_acl = false
"""
_PLAIN_FILTERS = ("catch_errors", "gatekeeper", "healthcheck", "bulk", "slo", "dlo", "symlink")

_BUILD_RINGS = """
import sys
from swift.common.ring import RingBuilder

directory, *stores = sys.argv[1:]
for store in stores:
    kind, port = store.split("=")
    builder = RingBuilder(part_power=4, replicas=1, min_part_hours=1)
    device = {"region": 1, "zone": 1, "ip": "127.0.0.1", "port": int(port), "device": "d1", "weight": 1}
    builder.add_dev(device)
    builder.rebalance()
    builder.get_ring().save(f"{directory}/{kind}.ring.gz")
"""


@dataclass(frozen=True, slots=True)
class Bucket:
    """An empty bucket and all that is needed to use it."""

    endpoint_url: str
    region: str
    access_key_id: str
    secret_access_key: str
    bucket: str


class Swift:
    """A running Swift: memcached, the three stores and the proxy."""

    def __init__(self) -> None:
        commands = {kind: program(f"swift-{kind}-server", _PACKAGES) for kind in ("proxy", *_STORES)}
        memcached = program("memcached", _PACKAGES)
        self._user = ordinary_user("swift")
        self._directory = private_directory(self._user)
        self._processes: list[Process] = []
        try:
            ports = {kind: free_port() for kind in (*commands, "memcached")}
            self._configure(ports)
            self._proxy = [commands["proxy"], str(self._directory / "proxy-server.conf")]
            self._start("memcached", [memcached, "-l", "127.0.0.1", "-p", str(ports["memcached"]), "-U", "0"])
            for kind in (*_STORES, "proxy"):
                self._start(kind, [commands[kind], str(self._directory / f"{kind}-server.conf")])
            for process, kind in zip(self._processes, ("memcached", *_STORES, "proxy"), strict=True):
                process.wait_until(partial(listens, ports[kind]))
            self.endpoint_url = f"http://127.0.0.1:{ports['proxy']}"
            self._client = self._connect()
            self._processes[-1].wait_until(self._answers)
        except BaseException:
            self.stop()
            raise

    def bucket(self, name: str | None = None) -> Bucket:
        """A new bucket."""
        name = name or f"test-{secrets.token_hex(8)}"
        self._client.create_bucket(Bucket=name)
        return Bucket(self.endpoint_url, REGION, ACCESS_KEY_ID, SECRET_ACCESS_KEY, name)

    def kill(self) -> None:
        """Ends the proxy, which speaks S3, with SIGKILL; `start` brings it back."""
        self._processes[-1].kill()

    def start(self) -> None:
        """Starts the proxy again after `kill`, on the same port."""
        self._processes.pop()
        self._start("proxy", self._proxy)
        self._processes[-1].wait_until(self._answers)

    def family(self) -> list[int]:
        """The process ids of the proxy."""
        return self._processes[-1].family()

    @property
    def directory(self) -> Path:
        """Where all its files are."""
        return self._directory

    def stop(self) -> None:
        """Ends all five and removes their files."""
        for process in reversed(self._processes):
            process.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _start(self, name: str, command: list[str]) -> None:
        # Nothing of it is worth a graceful end: SIGKILL is at once.
        process = Process(name, command, user=self._user, directory=self._directory, stop_signal=signal.SIGKILL)
        self._processes.append(process)

    def _configure(self, ports: dict[str, int]) -> None:
        directory = self._directory
        (directory / "devices/d1").mkdir(parents=True)
        # The device stands for a disk of the user's own.
        for path in (directory / "devices", directory / "devices/d1"):
            shutil.chown(path, self._user)
        salt = secrets.token_hex(8)
        _write(
            directory / "swift.conf",
            f"[swift-hash]\nswift_hash_path_suffix = {salt}\nswift_hash_path_prefix = {salt}\n",
        )
        self._build_rings(ports)
        for kind in _STORES:
            common = _COMMON.format(port=ports[kind], user=self._user, directory=directory)
            _write(directory / f"{kind}-server.conf", common + _STORE.format(kind=kind, directory=directory))
        filters = "".join(f"\n[filter:{name}]\nuse = egg:swift#{name}\n" for name in _PLAIN_FILTERS)
        common = _COMMON.format(port=ports["proxy"], user=self._user, directory=directory)
        _write(directory / "proxy-server.conf", common + _PROXY.format(memcached=ports["memcached"]) + filters)

    def _build_rings(self, ports: dict[str, int]) -> None:
        # In one interpreter, the one that Swift is installed for: its command line takes a second per step.
        proxy = Path(program("swift-proxy-server", _PACKAGES))
        interpreter = proxy.read_text().splitlines()[0].removeprefix("#!").strip()
        arguments = [str(self._directory), *(f"{kind}={ports[kind]}" for kind in _STORES)]
        run_as(self._user, [interpreter, "-c", _BUILD_RINGS, *arguments], self._directory)

    def _connect(self) -> "S3Client":
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint_url,
            region_name=REGION,
            aws_access_key_id=ACCESS_KEY_ID,
            aws_secret_access_key=SECRET_ACCESS_KEY,
            config=Config(
                signature_version="s3v4",
                s3={"addressing_style": "path"},
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
                retries={"total_max_attempts": 1},
            ),
        )

    def _answers(self) -> bool:
        try:
            self._client.list_buckets()
        except (BotoCoreError, ClientError):
            return False
        return True


def _write(path: Path, content: str) -> None:
    path.write_text(content)
    path.chmod(0o644)
