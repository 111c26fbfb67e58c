"""Calls an address back: signed (Standard Webhooks), to a public host only, without following where it points.

The host is resolved once and the address that was checked is the one that is connected to, so that a name cannot lead
elsewhere between the two (DNS rebinding). TLS still verifies the name.
"""

import asyncio
import base64
import hmac
import json
import logging
import socket
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlsplit

import httpx

from schemas.callbacks import is_public
from schemas.version import VERSION
from storage.jobs.records import FILES_PATH
from storage.jobs.webhooks import Delivery

# At INFO httpx logs each address that it calls, and an address may hold a token. Workers log from INFO on.
for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.WARNING)

_CONNECT_SECONDS = 5.0
_GONE = 410  # the receiver wants no more


class NotCalled(Exception):
    """The receiver did not answer with success. The message names the kind of failure, never the address."""


def signed(delivery: Delivery, now: datetime) -> tuple[bytes, dict[str, str]]:
    """Body and headers of a call. The signature is HMAC-SHA256 over `id.timestamp.body`, in base64."""
    data = {
        "file_id": str(delivery.job_id),
        "state": delivery.state.value,
        "error_code": delivery.error_code,
        "poll_url": f"{FILES_PATH}/{delivery.job_id}",
    }
    moment = now.isoformat(timespec="seconds").replace("+00:00", "Z")
    body = json.dumps({"type": f"file.{delivery.state.value}", "timestamp": moment, "data": data}).encode()
    seconds = str(int(now.timestamp()))
    covered = f"{delivery.job_id}.{seconds}.".encode() + body
    signature = base64.b64encode(hmac.digest(delivery.secret, covered, "sha256")).decode()
    return body, {
        "Content-Type": "application/json",
        "User-Agent": f"masker/{VERSION}",
        "webhook-id": str(delivery.job_id),
        "webhook-timestamp": seconds,
        "webhook-signature": f"v1,{signature}",
    }


async def call(url: str, body: bytes, headers: Mapping[str, str], *, seconds: float, allow_private: bool) -> None:
    """Posts; returns when the receiver answers with success or 410. NotCalled, also after `seconds` in all."""
    try:
        async with asyncio.timeout(seconds):
            status = await _post(url, body, headers, allow_private=allow_private)
    except TimeoutError:
        raise NotCalled("timeout") from None
    except (httpx.HTTPError, OSError, UnicodeError) as error:
        raise NotCalled(type(error).__name__) from None
    if status != _GONE and not 200 <= status < 300:
        raise NotCalled(f"status {status}")


async def _post(url: str, body: bytes, headers: Mapping[str, str], *, allow_private: bool) -> int:
    parts = urlsplit(url)
    host = parts.hostname or ""
    address = await _address(host, parts.port or (443 if parts.scheme == "https" else 80), allow_private=allow_private)
    target = httpx.URL(url).copy_with(host=address)
    timeout = httpx.Timeout(None, connect=_CONNECT_SECONDS)  # the caller's deadline holds for all of it
    async with (
        httpx.AsyncClient(timeout=timeout, trust_env=False, follow_redirects=False) as client,
        client.stream(
            "POST",
            target,
            content=body,
            headers={**headers, "Host": parts.netloc},
            extensions={"sni_hostname": host},
        ) as response,
    ):
        return response.status_code


async def _address(host: str, port: int, *, allow_private: bool) -> str:
    """The first address of a host, all of which must be public. NotCalled."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(place[4][0]) for place in found]
    if not addresses or not (allow_private or all(map(is_public, addresses))):
        raise NotCalled("not a public address")
    return addresses[0]
