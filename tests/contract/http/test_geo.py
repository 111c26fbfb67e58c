"""The geo restriction: who is refused, how little is said, and whose word counts about an address."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from api.app import create_app
from examples.server import MASKER, free_port
from schemas.settings import InvalidSettings
from tests.api.http.country_database import BAHRAINI, FOREIGN, FOREIGN_6, SAUDI, SAUDI_6, UNLISTED, write_countries
from tests.api.serving import Served, serving, settings_for
from tests.contract.wire import until

ROUTES = [
    ("POST", "/api/v1/mask"), ("POST", "/api/v1/redact"), ("POST", "/api/v1/files/redact"), ("GET", "/api/v1/files"),
    ("GET", "/v1/glossaries"), ("GET", "/me"), ("POST", "/auth/login"), ("GET", "/v1/keys"), ("GET", "/docs"),
    ("GET", "/"), ("GET", "/admin/anything"), ("GET", "/nothing/here"), ("PUT", "/api/v1/mask"), ("HEAD", "/docs"),
    ("OPTIONS", "/api/v1/mask"), ("GET", "/api/v1/proxy/status"), ("PURGE", "/%00"), ("GET", "/api/v1/health"),
    ("GET", "/api/v1/health/ready"),
]  # fmt: skip


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that lets Saudi callers in, behind a proxy on the loopback whose word it takes."""
    folder = tmp_path_factory.mktemp("guarded")
    settings = settings_for(
        folder,
        geo_database=write_countries(folder / "countries.mmdb"),
        trusted_proxies=("127.0.0.1", "10.0.0.0/8"),
        cors_origins=("https://app.example.com",),
    )
    with serving(settings) as served:
        yield served


@pytest.fixture(scope="module")
def caller(guarded: Served) -> Iterator[httpx.Client]:
    """A client of it, without a key."""
    with httpx.Client(base_url=guarded.url, timeout=30) as client:
        yield client


def status(client: httpx.Client, path: str, *forwarded: str, method: str = "GET") -> int:
    headers = [("X-Forwarded-For", line) for line in forwarded]
    return client.request(method, path, headers=headers).status_code


@pytest.mark.clause("HTTP-13", "HTTP-24")
@pytest.mark.parametrize("address", [FOREIGN, FOREIGN_6, UNLISTED, BAHRAINI, "2a00::1", "0.0.0.0"])
def test_a_bare_403(caller: httpx.Client, address: str) -> None:
    for method, path in ROUTES:
        answer = caller.request(method, path, headers={"X-Forwarded-For": address})
        assert (answer.status_code, answer.content) == (403, b"")
        assert answer.headers.keys() - {"date", "connection"} == {"content-length", "x-request-id", "cache-control"}
        assert answer.headers["content-length"] == "0"


@pytest.mark.clause("HTTP-24")
@pytest.mark.parametrize("address", [SAUDI, SAUDI_6, f"::ffff:{SAUDI}"])
def test_saudi_callers_are_let_in(caller: httpx.Client, address: str) -> None:
    assert [row for row in ROUTES if status(caller, row[1], address, method=row[0]) == 403] == []


@pytest.mark.clause("HTTP-22", "HTTP-23", "HTTP-24", "HTTP-25")
def test_it_comes_before_authentication_and_nothing_is_charged(guarded: Served, caller: httpx.Client) -> None:
    account = guarded.account()
    before = guarded.balance(account)
    for headers in (account.headers, {}, {"Authorization": "Basic x"}):
        call = {**headers, "X-Forwarded-For": FOREIGN}
        answer = caller.post("/api/v1/mask", json={"text": "one two"}, headers=call)
        assert (answer.status_code, answer.content) == (403, b"")
    assert guarded.balance(account) == before
    saudi = {**account.headers, "X-Forwarded-For": SAUDI}
    assert caller.post("/api/v1/mask", json={"text": "one two"}, headers=saudi).status_code == 200
    assert status(caller, "/api/v1/mask", SAUDI, method="POST") == 401


@pytest.mark.clause("HTTP-24")
def test_a_preflight_from_abroad_is_refused_too(caller: httpx.Client) -> None:
    asks = {"Origin": "https://app.example.com", "Access-Control-Request-Method": "POST"}
    for address, expected in ((FOREIGN, 403), (SAUDI, 200)):
        answer = caller.options("/api/v1/mask", headers={**asks, "X-Forwarded-For": address})
        assert answer.status_code == expected
        assert ("access-control-allow-origin" in answer.headers) == (expected == 200)


@pytest.mark.clause("HTTP-27")
@pytest.mark.parametrize(
    ("forwarded", "let_in"),
    [
        ((f"{FOREIGN}, {SAUDI}",), True),
        ((f"{SAUDI}, {FOREIGN}",), False),
        ((SAUDI, FOREIGN), False),
        ((FOREIGN, SAUDI), True),
        ((f"{SAUDI}, {FOREIGN}, 10.1.1.1, 127.0.0.1",), False),
        ((f"{FOREIGN}, {SAUDI}, 10.1.1.1",), True),
        ((SAUDI, f"{FOREIGN}, 10.1.1.1"), False),
    ],
)
def test_forwarded_addresses_are_read_from_the_right(
    caller: httpx.Client, forwarded: tuple[str, ...], let_in: bool
) -> None:
    assert (status(caller, "/api/v1/files", *forwarded) != 403) == let_in


@pytest.mark.clause("HTTP-27")
@pytest.mark.parametrize(
    "garbage", ["", "unknown", "_hidden", "203.0.113.7.", "203.0.113.007", "fe80::1%eth0", "203.0.113.7/32", "x" * 5000]
)
def test_what_cannot_be_parsed_is_refused(caller: httpx.Client, garbage: str) -> None:
    assert status(caller, "/api/v1/files", garbage) == 403
    assert status(caller, "/api/v1/files", f"{SAUDI},{garbage}") == 403
    assert status(caller, "/api/v1/health", garbage) == 403


@pytest.mark.clause("HTTP-26")
@pytest.mark.parametrize("near", ["192.168.1.5", "172.16.0.9", "169.254.7.7", "fd00::7", "::1", "10.2.3.4"])
def test_near_callers_reach_the_probes_alone(caller: httpx.Client, near: str) -> None:
    assert status(caller, "/api/v1/health", near) == 200
    assert status(caller, "/api/v1/health/ready", near) == 200
    for path in ("/api/v1/files", "/docs", "/api/v1/health/", "/api/v1/healthy", "/api/v1/health/ready/x", "/"):
        assert status(caller, path, near) == 403
    assert status(caller, "/api/v1/mask", near, method="POST") == 403


@pytest.mark.clause("HTTP-26")
def test_the_proxy_itself_is_near(caller: httpx.Client) -> None:
    """Without a forwarded address, the peer's own counts."""
    assert status(caller, "/api/v1/health") == 200
    assert status(caller, "/api/v1/files") == 403


@pytest.mark.clause("HTTP-28")
def test_forwarded_addresses_of_strangers_do_not_count(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "data", geo_database=write_countries(tmp_path / "countries.mmdb"))
    with serving(settings) as served, httpx.Client(base_url=served.url) as client:
        for path in ("/api/v1/files", "/docs"):
            assert status(client, path, SAUDI) == 403
        assert status(client, "/api/v1/health", FOREIGN) == 200


@pytest.mark.clause("HTTP-29")
def test_other_countries_in_any_case(tmp_path: Path) -> None:
    settings = settings_for(
        tmp_path / "data",
        geo_database=write_countries(tmp_path / "countries.mmdb"),
        geo_countries=("bh", "Us"),
        trusted_proxies=("127.0.0.1",),
    )
    with serving(settings) as served, httpx.Client(base_url=served.url) as client:
        let_in = {address: status(client, "/api/v1/files", address) != 403 for address in (SAUDI, FOREIGN, BAHRAINI)}
    assert let_in == {SAUDI: False, FOREIGN: True, BAHRAINI: True}


@pytest.mark.clause("HTTP-29")
def test_without_a_database_everybody_is_let_in(client: httpx.Client) -> None:
    assert client.get("/api/v1/files", headers={"X-Forwarded-For": FOREIGN}).status_code == 200


@pytest.mark.clause("HTTP-24")
def test_a_refused_call_is_logged_without_its_address(caller: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    """Who runs the server sees how many."""
    with caplog.at_level("INFO", logger="masker"):
        status(caller, "/api/v1/files", FOREIGN)
        # The line is written when the answer is out.
        until(lambda: '"status": 403' in caplog.text)
    assert FOREIGN not in caplog.text


@pytest.mark.clause("RUN-05")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("geo_database", "/nonexistent/countries.mmdb"),
        ("geo_database", "/dev/null"),
        ("trusted_proxies", ("10.0.0.0/99",)),
        ("cors_origins", ("https://app.example.com/path",)),
    ],
)
def test_a_bad_setting_is_named(tmp_path: Path, name: str, value: object) -> None:
    with pytest.raises(InvalidSettings, match=f"MASKER_{name.upper()}"):
        create_app(settings_for(tmp_path / "data", **{name: value}))
    assert not (tmp_path / "data").exists()


@pytest.mark.clause("HTTP-24")
@pytest.mark.parametrize("trusted", [(), ("127.0.0.1",)])
def test_what_is_no_http_is_refused_as_well(tmp_path: Path, trusted: tuple[str, ...]) -> None:
    database = write_countries(tmp_path / "countries.mmdb")
    with serving(settings_for(tmp_path / "data", geo_database=database, trusted_proxies=trusted)) as served:
        address = ("127.0.0.1", int(served.url.rpartition(":")[2]))
        with closing(socket.create_connection(address, timeout=20)) as line, line.makefile("rb") as stream:
            line.sendall(b"what is this\r\n\r\n")
            answer = stream.read()
    head, _, body = answer.partition(b"\r\n\r\n")
    if trusted:
        assert head.startswith(b"HTTP/1.1 400 ") and b"detail" in body
    else:
        assert head.startswith(b"HTTP/1.1 403 ") and body == b""
        assert b"content-type" not in head.lower() and b"x-request-id" in head.lower()


@pytest.mark.clause("RUN-04")
def test_a_bad_setting_stops_the_start(tmp_path: Path) -> None:
    data, value = tmp_path / "data", "/nonexistent/countries.mmdb"
    environment = {"PATH": "/usr/bin:/bin", "MASKER_DATA_DIR": str(data), "MASKER_GEO_DATABASE": value}
    done = subprocess.run(
        [MASKER, "serve", "--port", str(free_port())],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "MASKER_GEO_DATABASE" in done.stderr and "Traceback" not in done.stderr and value not in done.stderr
    assert not data.exists()
