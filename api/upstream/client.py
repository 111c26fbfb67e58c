"""The client that speaks to the model providers: one per process, and no more is known of a failure than its kind.

It keeps no cookies, follows no redirects, tries nothing twice, and believes neither the environment nor a certificate
that does not hold. Keys, prompts and answers are in no message of an exception and in no line of a log.
"""

import logging
import ssl
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Hashable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from http.client import HTTPResponse
from http.cookiejar import CookieJar
from typing import NamedTuple
from urllib.request import Request

import httpcore
import httpx

from api.llm.model import Provider
from api.upstream.connections import MOST, Lanes
from api.upstream.decoding import ACCEPTED, Decoder, Undecodable, decoder
from api.upstream.headers import passed_back
from schemas.errors import MaskerUnavailable, ProviderTimeout, ProviderUnreachable
from schemas.settings import Settings

_PATHS: Mapping[Provider, str] = {Provider.ANTHROPIC: "/v1/messages", Provider.OPENAI: "/chat/completions"}
_LONGEST_ANSWER = 64 * 1024**2  # bytes of one that is not streamed
_STATUSES = {*range(200, 300), *range(400, 600)}  # RFC 9110, section 15: what an answer to a POST may have
_EVENTS = b"text/event-stream"
_RETRY_SECONDS = 1
_MOST_EACH = MOST // 2  # calls of one account at once: nobody has all connections
_FAILURES = (
    httpcore.ConnectionNotAvailable, httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol
)  # fmt: skip
_TALKATIVE = ("httpx", "httpcore", "h2", "hpack")  # at DEBUG they write headers, keys among them


class Patience(NamedTuple):
    """Seconds: to connect, to write a piece of the request, and between two pieces of the answer."""

    connect: float = 10.0
    read: float = 600.0
    write: float = 60.0


class Outgoing(NamedTuple):
    """A masked call: to whom, with which headers and query (`?beta=true` or nothing), and on whose account."""

    provider: Provider
    headers: Sequence[tuple[bytes, bytes]]
    query: str
    body: bytes
    whose: Hashable = None


class Reply:
    """A provider's answer, whose body is still to be read."""

    def __init__(self, response: httpx.Response, decode: Decoder) -> None:
        self._stream, self._decode = _stream_of(response), decode
        self.status = response.status_code
        self.headers = passed_back(response.headers)

    @property
    def streams(self) -> bool:
        """Whether it is a stream of events."""
        media_type = dict(self.headers).get(b"content-type", b"")
        return media_type.partition(b";")[0].strip().lower() == _EVENTS

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The body, decoded, as it comes and not before it is asked for. ProviderTimeout, ProviderUnreachable."""
        with _translated():
            async for chunk in self._stream:
                for piece in self._decode.pieces(chunk):
                    yield piece
            if not self._decode.is_whole():
                raise ProviderUnreachable

    async def whole(self) -> bytes:
        """The body. ProviderUnreachable also when it is longer than any that makes sense."""
        answer = bytearray()
        async for piece in self.pieces():
            answer += piece
            if len(answer) > _LONGEST_ANSWER:
                raise ProviderUnreachable
        return bytes(answer)


class Upstream:
    """The providers. `verify`: how certificates are checked; the system's authorities when left out."""

    def __init__(self, base_urls: Mapping[Provider, str], verify: ssl.SSLContext | None = None) -> None:
        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)
        self.patience, self.most_each = Patience(), _MOST_EACH
        self._under_way = Counter[Hashable]()
        self.lanes = Lanes(verify or ssl.create_default_context())
        self._urls = {provider: httpx.URL(base.rstrip("/") + _PATHS[provider]) for provider, base in base_urls.items()}
        self._client = httpx.AsyncClient(
            transport=self.lanes, cookies=_NoCookies(), follow_redirects=False, trust_env=False, headers={}
        )

    @classmethod
    def of(cls, settings: Settings) -> "Upstream":
        """The providers at the settings' addresses."""
        return cls({Provider.ANTHROPIC: settings.anthropic_base_url, Provider.OPENAI: settings.openai_base_url})

    @asynccontextmanager
    async def asked(self, call: Outgoing) -> AsyncIterator[Reply]:
        """The answer, for as long as the block lasts; what is not read by then is abandoned.

        ProviderUnreachable, ProviderTimeout; MaskerUnavailable when too many calls are under way, in all or of one
        account.
        """
        with self._counted(call.whose):
            async with self._answered(call) as reply:
                yield reply

    @contextmanager
    def _counted(self, whose: Hashable) -> Iterator[None]:
        if self._under_way[whose] >= self.most_each:
            raise MaskerUnavailable(retry_after=_RETRY_SECONDS)
        self._under_way[whose] += 1
        try:
            yield
        finally:
            self._under_way[whose] -= 1
            if not self._under_way[whose]:
                del self._under_way[whose]

    @asynccontextmanager
    async def _answered(self, call: Outgoing) -> AsyncIterator[Reply]:
        connect, read, write = self.patience
        url = self._urls[call.provider]
        request = httpx.Request(
            "POST",
            httpx.URL(f"{url}{call.query}") if call.query else url,
            headers=[*call.headers, (b"accept-encoding", ACCEPTED)],
            content=call.body,
            extensions={"timeout": httpx.Timeout(read, connect=connect, write=write).as_dict()},
        )
        with _translated():
            response = await self._client.send(request, stream=True)
        try:
            if response.is_redirect or response.status_code not in _STATUSES:
                raise ProviderUnreachable
            with _translated():
                decode = decoder(response.headers.get("content-encoding", ""))
            yield Reply(response, decode)
        finally:
            with _translated():
                await _stream_of(response).aclose()

    async def close(self) -> None:
        """Ends all connections."""
        await self._client.aclose()


@contextmanager
def _translated() -> Iterator[None]:
    """The library's failures as ours, of which nothing else is told."""
    try:
        yield
    except httpcore.PoolTimeout:
        raise MaskerUnavailable(retry_after=_RETRY_SECONDS) from None
    except httpcore.TimeoutException:
        raise ProviderTimeout from None
    except (*_FAILURES, httpx.HTTPError, httpx.InvalidURL, OSError, Undecodable):
        raise ProviderUnreachable from None


class _NoCookies(CookieJar):
    """Takes none: no caller's session at a provider shall be another's. Looks at none, too."""

    def extract_cookies(self, response: HTTPResponse, request: Request) -> None:
        """Takes none."""


def _stream_of(response: httpx.Response) -> httpx.AsyncByteStream:
    """The body as it comes: the library's response would cut it into chunks once more."""
    assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - what an async transport gives
    return response.stream
