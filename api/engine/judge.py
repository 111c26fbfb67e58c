"""Asks the operator's judge over HTTP: one bounded call to one address, and no answer is worth waiting for.

Whatever goes wrong, the answer is None and the text call goes on without it. What the judge sees and says is never
logged, and neither is the key; a failure is logged by the name of its type.
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
_MOST_AT_ONCE = 32  # connections; whoever finds none free waits, within the same time
_MOST_WAITING = 256  # calls, with those being answered; who comes then is not judged
_LONGEST_ANSWER = 256 * 1024  # bytes


class Judge:
    """The judge of one process. Its connections are kept open between calls; `close` ends them."""

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
            trust_env=False,  # no proxy and no other credentials than those of our settings
            timeout=timeout,  # of each step; one deadline holds for all of them
            limits=httpx.Limits(max_connections=_MOST_AT_ONCE, max_keepalive_connections=_MOST_AT_ONCE),
        )

    @classmethod
    def of(cls, settings: Settings) -> "Judge | None":
        """The judge that the settings name; None where they name none, or no model of it."""
        if settings.judge_base_url is None or not settings.judge_models:
            return None
        key = settings.judge_api_key
        return cls(
            settings.judge_base_url,
            None if key is None else key.get_secret_value(),
            settings.judge_timeout_seconds,
        )

    async def ask(self, question: Question, model: str) -> Verdict | None:
        """What `model` says to the question, within the judge's time, or None."""
        if self._waiting >= _MOST_WAITING:
            return None
        verdict, trouble = None, "Timeout"
        self._waiting += 1
        try:
            with anyio.move_on_after(self._timeout):
                verdict = read_verdict(await self._post(request_of(question, model)))
                trouble = "Rubbish"
        except (httpx.HTTPError, OSError, ValueError, _Unusable) as error:
            trouble = type(error).__name__.lstrip("_")
        finally:
            self._waiting -= 1
        if verdict is None:
            log.warning("the judge was not heard: %s", trouble)
        return verdict

    async def _post(self, body: bytes) -> bytes:
        """The body of a plain 200 of bearable size. _Unusable; httpx.HTTPError."""
        async with self._client.stream("POST", self._url, content=body, headers=self._request_headers) as response:
            if response.status_code != httpx.codes.OK or "content-encoding" in response.headers:
                raise _Unusable
            answer = bytearray()
            async for chunk in response.aiter_raw():
                answer += chunk
                if len(answer) > _LONGEST_ANSWER:
                    raise _Unusable
            return bytes(answer)

    async def close(self) -> None:
        """Ends its connections."""
        await self._client.aclose()


class _NoCookies(CookieJar):
    """Takes none and looks at none: at some, the library's own jar prints a traceback."""

    def extract_cookies(self, response: HTTPResponse, request: Request) -> None:
        """Takes none."""


class _Unusable(Exception):
    """An answer that is no 200, is encoded, or is too long."""
