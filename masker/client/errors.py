"""What can go wrong: refusals of the server, silence, files that fail, envelopes that do not open."""

from collections.abc import Mapping
from typing import Any

import httpx


class MaskerError(Exception):
    """The server refused a call: its `status`, its `code` (or sentence) and the other fields of its answer, `extra`.

    For 402 `extra` has `needed_tokens` and `available_tokens`. A 422 has the code of its first error, and all of
    them in `errors`.
    """

    def __init__(self, status: int, code: str, extra: Mapping[str, Any], errors: list[Any]) -> None:
        super().__init__(f"{status} {code}")
        self.status, self.code, self.extra, self.errors = status, code, extra, errors

    @classmethod
    def of(cls, response: httpx.Response) -> "MaskerError":
        """The error that an answer describes; of a proxy in between it may say nothing but its status."""
        try:
            body = response.json()
        except ValueError:
            body = None
        fields: dict[str, Any] = dict(body) if isinstance(body, dict) else {}
        detail = fields.pop("error", None) or fields.pop("detail", "") or response.reason_phrase
        errors = detail if isinstance(detail, list) else []
        first = errors[0] if errors else detail
        code = first.get("type", "") if isinstance(first, dict) else first
        return cls(response.status_code, str(code), fields, errors)


class NotAnswering(Exception):
    """No answer came: the address is wrong, or the server or the network is away."""


class WebhookError(Exception):
    """A call that did not come from the server, or not now."""


class TimedOut(Exception):
    """A file was not ready in the time that the caller gave it. It goes on, and can be waited for again."""


class FileFailed(Exception):
    """A file job failed; nothing was charged. `code` is its `error_code`.

    `reason` says why a format is not supported, `remedy` what its owner can do; None for other failures.
    """

    def __init__(self, code: str, reason: str | None = None, remedy: str | None = None) -> None:
        super().__init__(f"{code}: {remedy}" if remedy else code)
        self.code, self.reason, self.remedy = code, reason, remedy


class EnvelopeError(Exception):
    """An envelope does not open: it was made with another key, or was changed."""
