"""The servers that tests trust: private, real, and gone when whoever started them is gone, however it ended."""

import os
import pwd
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import psycopg
import pytest
import redis
from botocore.config import Config
from botocore.exceptions import ClientError

from schemas.settings import load_settings
from tests.servers import Bucket, PostgreSQL, ServerFailed, ServerMissing
from tests.servers.process import Process, listens, ordinary_user, private_directory, program

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

ROOT = Path(__file__).parents[2]


@contextmanager
def started(*servers: str) -> Iterator[tuple["subprocess.Popen[str]", dict[str, str]]]:
    """The command, and the variables it printed, read until the last server is up."""
    command = [sys.executable, "-m", "tests.servers", *servers]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        variables = {}
        for line in process.stdout:
            name, _, value = line.strip().partition("=")
            variables[name] = value
            if name == "MASKER_REDIS_URL":  # the last one that these tests ask for
                break
        yield process, variables
        process.kill()


def connected(url: str) -> closing[psycopg.Connection]:
    return closing(psycopg.connect(url.replace("+psycopg", ""), autocommit=True))


def redis_port(variables: dict[str, str]) -> int:
    return int(variables["MASKER_REDIS_URL"].rpartition(":")[2].removesuffix("/0"))


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_settings_and_takes_its_servers_along(number: int) -> None:
    with started("--redis") as (process, variables):
        port = redis_port(variables)
        assert load_settings(redis_url=variables["MASKER_REDIS_URL"]).redis_url
        (server,) = children(process.pid)
        assert Path(f"/proc/{server}").stat().st_uid == pwd.getpwnam(ordinary_user("redis")).pw_uid
        process.send_signal(number)
        assert process.wait(timeout=30) == 0
    assert not listens(port)
    assert not directories_of(process.pid)


def test_a_killed_command_leaves_no_server_behind() -> None:
    with started("--postgres", "--redis") as (process, variables), connected(variables["MASKER_DATABASE_URL"]) as known:
        assert known.execute("SELECT 1").fetchone() == (1,)
        servers = [os.pidfd_open(pid) for pid in children(process.pid)]
        assert len(servers) == 2
        process.kill()
        for server in servers:
            assert select.select([server], [], [], 20)[0], "it lives on"  # a pidfd is readable when its process ends
            os.close(server)
    assert not listens(redis_port(variables))
    assert directories_of(process.pid)
    private_directory(ordinary_user()).rmdir()  # whoever starts next tidies up
    assert not directories_of(process.pid)


def directories_of(pid: int) -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"masker-server-{pid}-*"))


def test_a_database_is_a_copy_of_its_template(postgresql: PostgreSQL) -> None:
    template = postgresql.create()
    with connected(postgresql.url(template)) as connection:
        connection.execute("CREATE TABLE t (i INTEGER)")
    copy = postgresql.create(template)
    with connected(postgresql.url(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
        postgresql.drop(copy)  # while connected
    postgresql.drop(template)


def test_a_cleared_database_has_its_tables_and_no_rows(postgresql: PostgreSQL) -> None:
    name = postgresql.create()
    with connected(postgresql.url(name)) as connection:
        connection.execute("CREATE TABLE a (i INTEGER PRIMARY KEY); CREATE TABLE b (i INTEGER REFERENCES a)")
        connection.execute("INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)")
        connection.execute("BEGIN; LOCK TABLE a")
        postgresql.clear(name)
    with connected(postgresql.url(name)) as connection:
        assert connection.execute("SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b)").fetchone() == (0, 0)
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            connection.execute("INSERT INTO b VALUES (1)")
    postgresql.drop(name)


def test_redis_is_empty_at_the_start_of_each_test(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("left", "over")


def test_redis_is_empty_again(redis_url: str) -> None:
    test_redis_is_empty_at_the_start_of_each_test(redis_url)


@contextmanager
def s3_client(s3: Bucket, secret: str) -> Iterator["S3Client"]:
    client = boto3.client(
        "s3",
        endpoint_url=s3.endpoint_url,
        region_name=s3.region,
        aws_access_key_id=s3.access_key_id,
        aws_secret_access_key=secret,
        config=Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required"),
    )
    yield client
    client.close()


def test_the_s3_server_keeps_objects_and_checks_signatures(s3: Bucket) -> None:
    with s3_client(s3, s3.secret_access_key) as client:
        client.put_object(Bucket=s3.bucket, Key="a/b", Body=b"x" * 100_000)
        assert client.get_object(Bucket=s3.bucket, Key="a/b", Range="bytes=99990-")["Body"].read() == b"x" * 10
    with s3_client(s3, "wrong") as stranger, pytest.raises(ClientError, match="SignatureDoesNotMatch"):
        stranger.list_objects_v2(Bucket=s3.bucket)


def test_each_test_has_a_bucket_of_its_own(s3: Bucket) -> None:
    with s3_client(s3, s3.secret_access_key) as client:
        assert "Contents" not in client.list_objects_v2(Bucket=s3.bucket)


def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(ServerMissing, match="apt-get install some-package"):
        program("no-such-program", "some-package")


def test_a_server_that_ends_at_once_says_why(tmp_path: Path) -> None:
    server = Process("failing", ["sh", "-c", "echo out of luck; exit 3"], user=ordinary_user(), directory=tmp_path)
    with pytest.raises(ServerFailed, match="out of luck"):
        server.wait_until(lambda: False)
