"""Receives webhooks: checks that a call comes from the server and is fresh (Standard Webhooks)."""

import base64
import binascii
import hmac
import json
import time
from collections.abc import Mapping
from typing import Literal, TypedDict, cast

from masker.client.errors import WebhookError

_INFO = b"masker-webhook-v1"
_PREFIX = "whsec_"


class WebhookData(TypedDict):
    """The file that has ended; `error_code` only of one that failed."""

    file_id: str
    state: Literal["ready", "failed", "expired"]
    error_code: str | None
    poll_url: str


class WebhookEvent(TypedDict):
    """What a webhook says. `type`: `file.ready`, `file.failed` or `file.expired`."""

    type: str
    timestamp: str
    data: WebhookData


def webhook_secret(key: str) -> str:
    """The secret of the webhooks of a bearer key, for the receiver, who then needs no key: `whsec_` and base64."""
    return _PREFIX + base64.b64encode(hmac.digest(key.encode(), _INFO, "sha256")).decode()


def verify_webhook(
    body: bytes, headers: Mapping[str, str], secret: str, *, tolerance: float = 300.0, now: float | None = None
) -> WebhookEvent:
    """The event of a call whose signature is right and not older than `tolerance` seconds. WebhookError.

    A repeated call has the same `webhook-id`, the file's.
    """
    named = {name.lower(): value for name, value in headers.items()}
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
        moment, covered = (
            int(named["webhook-timestamp"]),
            f"{named['webhook-id']}.{named['webhook-timestamp']}.".encode(),
        )
        given = [part.partition(",") for part in named["webhook-signature"].split()]
    except (KeyError, ValueError, binascii.Error):
        raise WebhookError("not signed") from None
    right = base64.b64encode(hmac.digest(key, covered + body, "sha256"))
    if not any(version == "v1" and hmac.compare_digest(value.encode(), right) for version, _, value in given):
        raise WebhookError("the signature is not right")
    now = time.time() if now is None else now  # noqa: TID251 - the receiver's clock; schemas is the server's
    if abs(now - moment) > tolerance:
        raise WebhookError("too old, or from the future")
    return cast("WebhookEvent", json.loads(body))
