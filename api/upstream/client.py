"""The HTTP client for the model providers, one per process.

Requests go straight to the connections: no cookies, redirects, retries or proxies of the environment. Certificates are
checked. Keys, prompts and answers never appear in exception messages or log lines.
"""

import logging
import ssl
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Hashable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from time import perf_counter
from typing import NamedTuple

import httpcore
import httpx
from opentelemetry.trace import SpanKind

from api.llm.model import Provider
from api.upstream.connections import MAX_CALLS, ConnectionPool
from api.upstream.decoding import ACCEPTED, Decoder, DecodingError, decoder
from api.upstream.headers import response_headers
from schemas.errors import MaskerUnavailable, ProviderTimeout, ProviderUnreachable
from schemas.settings import Settings
from schemas.telemetry.metrics import PROVIDER_SECONDS
from schemas.telemetry.tracing import TRACEPARENT, inner_span, traceparent

_PATHS: Mapping[Provider, str] = {Provider.ANTHROPIC: "/v1/messages", Provider.OPENAI: "/chat/completions"}
_MAX_ANSWER_BYTES = 64 * 1024**2  # of an answer that is not streamed
_STATUSES = {*range(200, 300), *range(400, 600)}  # RFC 9110, section 15: final statuses but redirects
_EVENT_STREAM = b"text/event-stream"
_RETRY_SECONDS = 1
_MAX_CALLS_PER_ACCOUNT = MAX_CALLS // 2  # at the same time: no account can take all connections
_UNREACHABLE_ERRORS = (
    httpcore.ConnectionNotAvailable, httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol
)  # fmt: skip
_LOGGERS_OF_HEADERS = ("httpx", "httpcore", "h2", "hpack")  # at DEBUG they log headers, and keys are among them


class Timeouts(NamedTuple):
    """Seconds to connect, to wait for the next bytes of the response, and to write a part of the request."""

    connect: float = 10.0
    read: float = 600.0
    write: float = 60.0


class ProviderRequest(NamedTuple):
    """A masked request. `query` is empty or such as `?beta=true`; `account` counts against the limit of calls."""

    provider: Provider
    headers: Sequence[tuple[bytes, bytes]]
    query: str
    body: bytes
    account: Hashable = None


class ProviderResponse:
    """A provider's response, whose body has not been read yet."""

    def __init__(self, response: httpx.Response, decode: Decoder) -> None:
        self._stream, self._decode = _stream_of(response), decode
        self.status = response.status_code
        self.headers = response_headers(response.headers)

    @property
    def is_event_stream(self) -> bool:
        """Whether the body is a stream of server-sent events."""
        media_type = dict(self.headers).get(b"content-type", b"")
        return media_type.partition(b";")[0].strip().lower() == _EVENT_STREAM

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The decoded body as it arrives, read only as fast as the consumer. ProviderTimeout, ProviderUnreachable."""
        with _errors_translated():
            async for chunk in self._stream:
                for data in self._decode.decoded(chunk):
                    yield data
            if not self._decode.is_complete():
                raise ProviderUnreachable

    async def read(self) -> bytes:
        """The whole decoded body. ProviderUnreachable also when it exceeds 64 MiB."""
        answer = bytearray()
        async for data in self.chunks():
            answer += data
            if len(answer) > _MAX_ANSWER_BYTES:
                raise ProviderUnreachable
        return bytes(answer)


class Upstream:
    """The providers. `verify`: how certificates are checked; the system's authorities when left out.

    `carries_trace`: whether calls have our `traceparent`. The caller's own never reaches a provider.
    """

    def __init__(
        self, base_urls: Mapping[Provider, str], verify: ssl.SSLContext | None = None, *, carries_trace: bool = False
    ) -> None:
        for name in _LOGGERS_OF_HEADERS:
            logging.getLogger(name).setLevel(logging.WARNING)
        self.timeouts, self.max_calls_per_account = Timeouts(), _MAX_CALLS_PER_ACCOUNT
        self.carries_trace = carries_trace
        self._under_way = Counter[Hashable]()
        self.connections = ConnectionPool(verify or ssl.create_default_context())
        self._urls = {provider: httpx.URL(base.rstrip("/") + _PATHS[provider]) for provider, base in base_urls.items()}

    @classmethod
    def of(cls, settings: Settings) -> "Upstream":
        """The client for the providers' addresses in the settings."""
        urls = {Provider.ANTHROPIC: settings.anthropic_base_url, Provider.OPENAI: settings.openai_base_url}
        return cls(urls, carries_trace=settings.traces_to_providers)

    @asynccontextmanager
    async def send(self, call: ProviderRequest) -> AsyncIterator[ProviderResponse]:
        """Sends a request and gives its response. The end of the block abandons what was not read.

        ProviderUnreachable, ProviderTimeout; MaskerUnavailable when too many calls are under way, in total or for one
        account.
        """
        with self._counted_for(call.account):
            async with self._response(call) as response:
                yield response

    @contextmanager
    def _counted_for(self, account: Hashable) -> Iterator[None]:
        if self._under_way[account] >= self.max_calls_per_account:
            raise MaskerUnavailable(retry_after=_RETRY_SECONDS)
        self._under_way[account] += 1
        try:
            yield
        finally:
            self._under_way[account] -= 1
            if not self._under_way[account]:
                del self._under_way[account]

    @asynccontextmanager
    async def _response(self, call: ProviderRequest) -> AsyncIterator[ProviderResponse]:
        with inner_span(f"provider {call.provider.value}", SpanKind.CLIENT) as traced:
            response = await self._head(call)
            traced.set_attribute("http.response.status_code", response.status_code)
        try:
            if response.is_redirect or response.status_code not in _STATUSES:
                raise ProviderUnreachable
            with _errors_translated():
                decode = decoder(response.headers.get("content-encoding", ""))
            yield ProviderResponse(response, decode)
        finally:
            with _errors_translated():
                await _stream_of(response).aclose()

    async def _head(self, call: ProviderRequest) -> httpx.Response:
        """The response, of which only the head was read."""
        connect, read, write = self.timeouts
        trace = [(TRACEPARENT.encode(), ours.encode())] if self.carries_trace and (ours := traceparent()) else []
        url = self._urls[call.provider]
        request = httpx.Request(
            "POST",
            httpx.URL(f"{url}{call.query}") if call.query else url,
            headers=[*call.headers, (b"accept-encoding", ACCEPTED), *trace],
            content=call.body,
            extensions={"timeout": httpx.Timeout(read, connect=connect, write=write).as_dict()},
        )
        began, status = perf_counter(), "0"
        try:
            with _errors_translated():
                response = await self.connections.handle_async_request(request)
            status = str(response.status_code)
        finally:
            PROVIDER_SECONDS.labels(call.provider.value, status).observe(perf_counter() - began)
        return response

    async def close(self) -> None:
        """Closes all connections."""
        await self.connections.aclose()


@contextmanager
def _errors_translated() -> Iterator[None]:
    """Raises httpx's and httpcore's errors as ours, without their messages and causes."""
    try:
        yield
    except httpcore.PoolTimeout:
        raise MaskerUnavailable(retry_after=_RETRY_SECONDS) from None
    except httpcore.TimeoutException:
        raise ProviderTimeout from None
    except (*_UNREACHABLE_ERRORS, httpx.HTTPError, httpx.InvalidURL, OSError, DecodingError):
        raise ProviderUnreachable from None


def _stream_of(response: httpx.Response) -> httpx.AsyncByteStream:
    """The raw body. httpx's `Response.aiter_raw` would copy it into chunks once more."""
    assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - an async transport gives one
    return response.stream
