"""Traces: a value in a log, a temporary file, a page of a database, Redis or a prompt, and a process that outlives."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import psycopg
import pytest
import redis
from ahocorasick_rs import BytesAhoCorasick
from sqlalchemy import text

from benchmarks.storm.checks import tables_with, tracebacks
from benchmarks.storm.provider import Provider, spoken
from benchmarks.storm.system import MARK, holds, kept, marked
from storage.opening import Storage
from tests.benchmarks.storm.conftest import Caller
from tests.servers import PostgreSQL

VALUES = [b"1012345672", b"storm0a1b2c3d4e@example.com"]


@pytest.mark.parametrize("name", ["logs/api.log", "tmp/masker-x/page.png", "data/objects/results/1"])
def test_a_value_in_a_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\0nothing\n")
    assert holds([tmp_path], VALUES) == []
    path.write_bytes(b"\0" * 70_000 + VALUES[1] + b"\n")
    assert holds([tmp_path], VALUES) == [name]


def test_a_value_in_a_page_of_sqlite(storage: Storage, caller: Caller, tmp_path: Path) -> None:
    assert holds([tmp_path], VALUES) == []
    with storage.database.transaction() as session:
        session.execute(text("UPDATE accounts SET password_hash = '1012345672'"))
    (path, *_) = holds([tmp_path], VALUES)
    assert path.startswith("data/masker.db")
    assert tables_with(storage, BytesAhoCorasick(VALUES)) == ["accounts"]


def test_a_value_in_the_files_of_postgresql(postgresql: PostgreSQL, postgres_url: str) -> None:
    value = f"storm{uuid4().hex}@example.com".encode()
    assert holds([postgresql.directory], [value]) == []
    with psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("CREATE TABLE planted AS SELECT %s AS mail", [value.decode()])
        connection.execute("CHECKPOINT")
        found = holds([postgresql.directory], [value])
        connection.execute("DROP TABLE planted")
    assert any("/base/" in path for path in found)


def test_a_value_in_redis(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        keep = {
            b"list": lambda value: client.rpush("list", "other", value),
            b"hash": lambda value: client.hset("hash", "message", value),
            b"field": lambda value: client.hset("fields", value, "1"),
            b"set": lambda value: client.sadd("set", value),
            b"zset": lambda value: client.zadd("zset", {value: 1}),
            b"string": lambda value: client.set("string", value),
            b"key": lambda value: client.set(b"rate:" + value, "1"),
        }
        for kind, store in keep.items():
            store(b"message of " + kind)
        content = kept(client)
    assert [kind for kind in keep if b"message of " + kind not in content] == []


@pytest.fixture
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.close()


@pytest.mark.parametrize("is_streamed", [False, True])
def test_the_provider_hears_all_and_repeats_it(provider: Provider, is_streamed: bool) -> None:
    prompt = {"stream": is_streamed, "messages": [{"role": "user", "content": "Please repeat: 1012345672"}]}
    answer = httpx.post(f"{provider.url}/v1/messages", json=prompt)
    assert json.loads(provider.heard[0]) == prompt
    said = spoken(answer.text) if is_streamed else answer.json()["content"][0]["text"]
    assert said == "Please repeat: 1012345672"


def test_a_process_that_outlives_is_seen() -> None:
    mark = uuid4().hex
    assert marked(mark) == []
    command = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(
        command, env={**os.environ, MARK: mark}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        (line,) = marked(mark)
        process.communicate(b"\n")
    assert line.startswith(sys.executable)
    assert marked(mark) == []


def test_a_traceback_in_a_log_is_named() -> None:
    log = 'x\nTraceback (most recent call last):\n  File "/a/b.py", line 7, in f\n    g()\nValueError: 5\nx\n'
    assert tracebacks(log) == ["ValueError at /a/b.py:7"]
