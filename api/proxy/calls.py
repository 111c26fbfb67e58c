"""A proxied call: checks the request, charges it, masks the prompt, calls the provider and restores the answer."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple, TypeVar

from anyio import to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from api.auth.bearer import Authenticated
from api.engine.fair_queue import Disconnected
from api.http.bodies import wait_for_disconnect
from api.llm import answers
from api.llm.model import MaskedPrompt, MaskingOptions, Provider, StreamTooLong
from api.llm.streams import RestoredStream
from api.proxy import demo, incoming
from api.services.charges import Charged, PendingCharge
from api.services.container import Services
from api.upstream import headers
from api.upstream.client import ProviderRequest, ProviderResponse
from pipeline.transform.mask import token_key
from schemas.clock import riyadh_day, utc_now
from schemas.errors import ProviderTimeout, ProviderUnreachable, type_name
from storage.accounts.keys import Caller

log = logging.getLogger("masker.api")
T = TypeVar("T")
_REASON = "proxy"  # in the ledger
_SMALL_PROMPT = 8 * 1024  # bytes; masked within milliseconds, so this may begin before the charge succeeds
_SMALL_ANSWER = 32 * 1024  # bytes; restored faster than a thread starts


class _Forwarded(NamedTuple):
    """What is forwarded to the provider besides the body."""

    headers: list[tuple[bytes, bytes]]
    query: str


async def proxied(request: Request, services: Services, who: Authenticated, provider: Provider) -> Response:
    """Checks an authenticated call and gives the response that performs it. A session's call is a managed demo call.

    MissingProviderKey, InvalidTransforms, RequestTooLarge, RequestTimeout, InvalidBody; for the demo also RateLimited
    and ModelNotAllowed. Nothing is charged before the response is sent.
    """
    sent, settings = request.headers, services.settings
    key = demo.operator_key(settings) if who.by_session else headers.provider_key(sent)
    transforms = incoming.transforms(sent)
    if who.by_session:
        await demo.count_call(services, who)
    raw = await incoming.read(request, settings.proxy_max_body_bytes)
    if who.by_session:
        await to_thread.run_sync(demo.check, raw, provider, settings)
    policy = services.policies.cached(who.caller)
    if policy is None:
        policy = await to_thread.run_sync(services.policies.get, who.caller)
    options = MaskingOptions(
        provider=provider,
        key=token_key(who.key_material),
        today=riyadh_day(utc_now()),
        terms=policy.terms,
        transforms=transforms,
        preserve_tags=incoming.is_set(sent, incoming.PRESERVE_TAGS),
        allow_attachments=incoming.is_set(sent, incoming.ALLOW_ATTACHMENTS),
        min_score=policy.min_score,
    )
    allowed = demo.without_account_headers(sent) if who.by_session else sent
    forwarded = _Forwarded(headers.request_headers(allowed, provider, key), headers.query(request.query_params))
    return _ProxiedResponse(services, who.caller, options, raw, forwarded, partial(wait_for_disconnect, request))


class _ProxiedResponse(Response):
    """Does all work while it is sent, so that it notices at every step when the caller disconnects."""

    def __init__(
        self,
        services: Services,
        caller: Caller,
        options: MaskingOptions,
        raw: bytes,
        forwarded: _Forwarded,
        disconnected: Disconnected,
    ) -> None:
        super().__init__()
        self._services, self._account_id, self._options = services, caller.account_id, options
        self._raw, self._forwarded, self._disconnected = raw, forwarded, disconnected

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises the errors of masking and charging, ProviderUnreachable, ProviderTimeout and ClientDisconnect."""
        services, account_id = self._services, self._account_id
        tokens = await services.detection.count_prompt_words(
            self._raw, self._options, caller=account_id, disconnected=self._disconnected
        )
        # A small prompt is masked while the charge is made: the database is most of the latency that the proxy adds.
        masking = _started(self._masked) if len(self._raw) <= _SMALL_PROMPT else nullcontext(self._masked)
        async with masking as masked, Charged(services, account_id, tokens, _REASON) as charge:
            try:
                prompt = await masked()
                last = await _unless_disconnected(self._forward(prompt, charge, send), self._disconnected)
            finally:
                if charge.is_final:
                    services.usage_log.note(account_id, tokens=tokens, entities=prompt.found, now=utc_now())
        for message in last:  # sent after the charge is final
            await send(message)

    async def _masked(self) -> MaskedPrompt:
        raw, self._raw = self._raw, b""  # frees the memory while the answer is awaited
        return await self._services.detection.mask_prompt(
            raw, self._options, caller=self._account_id, disconnected=self._disconnected
        )

    async def _forward(self, prompt: MaskedPrompt, charge: PendingCharge, send: Send) -> list[Message]:
        """Sends the answer except its last messages, which it returns. An unstreamed answer is returned whole."""
        provider = self._options.provider
        call = ProviderRequest(provider, self._forwarded.headers, self._forwarded.query, prompt.body, self._account_id)
        async with self._services.upstream.send(call) as response:
            if response.is_event_stream:
                return await _stream(response, RestoredStream(provider, prompt.minted), charge, send)
            restored = partial(answers.restored, provider=provider, minted=prompt.minted)
            return await _unstreamed(response, restored, charge)


async def _unstreamed(
    response: ProviderResponse, restored: Callable[[bytes], bytes], charge: PendingCharge
) -> list[Message]:
    """The messages of a restored answer. The charge is final if the body is not empty, whatever the status."""
    raw = await response.read()
    charge.is_final = bool(raw)
    answer = restored(raw) if len(raw) <= _SMALL_ANSWER else await to_thread.run_sync(restored, raw)
    return [_head(response, (b"content-length", str(len(answer)).encode())), _end(answer)]


async def _stream(
    response: ProviderResponse, stream: RestoredStream, charge: PendingCharge, send: Send
) -> list[Message]:
    """Sends each chunk as it arrives, as fast as the caller reads. The charge is final from the first chunk on."""
    await send(_head(response, (b"x-accel-buffering", b"no")))  # switches off buffering in nginx and the like
    try:
        async with aclosing(response.chunks()) as chunks:
            async for chunk in chunks:
                charge.is_final = True
                if ready := await _in_thread_if_large(partial(stream.feed, chunk), stream.pending + len(chunk)):
                    await send({"type": "http.response.body", "body": ready, "more_body": True})
        return [_end(await _in_thread_if_large(stream.end, stream.pending))]
    except (ProviderTimeout, ProviderUnreachable, StreamTooLong) as error:
        log.warning("a provider's stream broke off", extra={"error": type_name(error)})
        detail = ProviderUnreachable.detail if isinstance(error, StreamTooLong) else error.detail
        return [_end(await _in_thread_if_large(partial(stream.broken, detail), stream.pending))]


async def _in_thread_if_large(work: Callable[[], bytes], size: int) -> bytes:
    """The result of `work` on `size` bytes, computed in a thread where it would delay other calls."""
    return work() if size <= _SMALL_ANSWER else await to_thread.run_sync(work)


def _head(response: ProviderResponse, *more: tuple[bytes, bytes]) -> Message:
    return {"type": "http.response.start", "status": response.status, "headers": [*response.headers, *more]}


def _end(answer: bytes) -> Message:
    return {"type": "http.response.body", "body": answer}


@asynccontextmanager
async def _started(work: Callable[[], Coroutine[Any, Any, T]]) -> AsyncIterator[Callable[[], Awaitable[T]]]:
    """Starts `work` and gives a function that waits for its result. The end of the block cancels it."""
    task = asyncio.ensure_future(work())

    async def result() -> T:
        return await task

    try:
        yield result
    finally:
        await _cancel(task)


async def _cancel(task: asyncio.Future[Any]) -> None:
    """Cancels a task, waits for its end and ignores its result and its exception."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()  # marks it as retrieved: asyncio would log it otherwise


async def _unless_disconnected(work: Awaitable[T], disconnected: Disconnected) -> T:
    """The result of `work`, which is cancelled when `disconnected` returns. ClientDisconnect in that case.

    Starlette and uvicorn do not do this before the first byte of the response.
    """
    task, gone = asyncio.ensure_future(work), asyncio.ensure_future(disconnected())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        gone.cancel()
        await _cancel(task)
