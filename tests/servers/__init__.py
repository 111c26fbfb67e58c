"""Real servers for tests, benchmarks and trials: PostgreSQL, Redis and an S3 API, private and temporary.

Each listens on a free loopback port only, keeps its files in a temporary directory, runs as an ordinary user even when
started by root, and ends with the process that started it, also when that one is killed. Nothing here is
for production.
"""

from tests.servers.postgresql import PostgreSQL
from tests.servers.process import ServerFailed, ServerMissing
from tests.servers.redis_server import RedisServer
from tests.servers.swift import Bucket, Swift

__all__ = ["Bucket", "PostgreSQL", "RedisServer", "ServerFailed", "ServerMissing", "Swift"]
