"""Asks the operator's judge, a language model, over HTTP, bounded in time and size.

When the call fails in any way the verdict is None, and the text call continues without it. Questions, verdicts and the
key are never logged; of a failure only the name of its type is.
"""

import logging
import ssl
from http.client import HTTPResponse
from http.cookiejar import CookieJar
from urllib.request import Request

import anyio
import httpx

from pipeline.detect.judge.prompt import Question, Verdict, read_verdict, request_of
from schemas.settings import Settings

log = logging.getLogger("masker.judge")
_MAX_CONNECTIONS = 32  # a call that finds none free waits, within the same deadline
_MAX_CALLS = 256  # at once, waiting and active; texts beyond that are not judged
_MAX_ANSWER_BYTES = 256 * 1024


class Judge:
    """The HTTP client of the judge, one per process. It keeps connections open until `close`."""

    def __init__(self, base_url: str, api_key: str | None, timeout: float) -> None:
        self._timeout = timeout
        self._waiting = 0
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if api_key is not None:
            headers["Authorization"] = f"Bearer {api_key}"
        self._request_headers = headers
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._client = httpx.AsyncClient(
            verify=ssl.create_default_context(),
            cookies=_NoCookies(),
            follow_redirects=False,
            trust_env=False,  # ignores proxies and credentials of the environment
            timeout=timeout,  # of each step; `ask` sets the deadline of the whole call
            limits=httpx.Limits(max_connections=_MAX_CONNECTIONS, max_keepalive_connections=_MAX_CONNECTIONS),
        )

    @classmethod
    def of(cls, settings: Settings) -> "Judge | None":
        """The judge of the settings; None when they name no judge or no model."""
        if settings.judge_base_url is None or not settings.judge_models:
            return None
        key = settings.judge_api_key
        return cls(
            settings.judge_base_url,
            None if key is None else key.get_secret_value(),
            settings.judge_timeout_seconds,
        )

    async def ask(self, question: Question, model: str) -> Verdict | None:
        """The verdict of `model` on the question; None when there is none within the timeout."""
        if self._waiting >= _MAX_CALLS:
            return None
        verdict, failure = None, "Timeout"
        self._waiting += 1
        try:
            with anyio.move_on_after(self._timeout):
                verdict = read_verdict(await self._post(request_of(question, model)))
                failure = "Rubbish"
        except (httpx.HTTPError, OSError, ValueError, _Unusable) as error:
            failure = type(error).__name__.lstrip("_")
        finally:
            self._waiting -= 1
        if verdict is None:
            log.warning("the judge was not heard", extra={"reason": failure})
        return verdict

    async def _post(self, body: bytes) -> bytes:
        """The body of the answer. _Unusable; httpx.HTTPError."""
        async with self._client.stream("POST", self._url, content=body, headers=self._request_headers) as response:
            if response.status_code != httpx.codes.OK or "content-encoding" in response.headers:
                raise _Unusable
            answer = bytearray()
            async for chunk in response.aiter_raw():
                answer += chunk
                if len(answer) > _MAX_ANSWER_BYTES:
                    raise _Unusable
            return bytes(answer)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.aclose()


class _NoCookies(CookieJar):
    """Ignores all cookies. The library's own jar prints a traceback for some malformed ones."""

    def extract_cookies(self, response: HTTPResponse, request: Request) -> None:
        """Stores nothing."""


class _Unusable(Exception):
    """The answer has another status than 200, a content encoding, or is too long."""
