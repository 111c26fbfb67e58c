"""The managed demo: the dashboard's visitors try the proxy at one provider with the operator's own key.

Off unless the operator names a provider and a key. For browser sessions alone, for listed models alone, for what
`demo_body` lists alone, and so many calls of an account in any 24 hours.
"""

import json
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import Headers
from starlette.requests import Request

from api.auth.bearer import SESSION_COOKIE, Authenticated
from api.http.errors import PROXY
from api.llm.model import Provider
from api.services.container import Services
from schemas.errors import InvalidBody, ModelNotAllowed, RateLimited
from schemas.settings import Settings

# What a body of the managed demo may say: words, and calls of plain tools. A closed list: the operator pays.
#
# Refused with all else: what names another model, a server's tools, what the provider fetches or keeps (URLs, files,
# threads, containers), what is billed apart (service tiers, several answers), and answers without a bound.

MOST_ANSWERED: Final = 4096  # tokens of an answer
_MOST_STOPS: Final = 16

_Bound = Annotated[int, Field(ge=1, le=MOST_ANSWERED)]
_Object = dict[str, Any]  # a caller's own: arguments, a schema
_Stops = Annotated[list[str], Field(max_length=_MOST_STOPS)]


class _Closed(BaseModel):
    """An object of a provider's with these fields and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Text(_Closed):
    type: Literal["text"]
    text: str
    citations: None = None  # as answers have it that are sent back


class _ToolUse(_Closed):
    type: Literal["tool_use"]
    id: str
    name: str
    input: _Object


class _ToolResult(_Closed):
    type: Literal["tool_result"]
    tool_use_id: str
    content: str | list[_Text] | None = None
    is_error: bool | None = None


class _Turn(_Closed):
    role: str
    content: str | list[_Text | _ToolUse | _ToolResult]


class _Tool(_Closed):
    type: Literal["custom"] | None = None
    name: str
    description: str | None = None
    input_schema: _Object
    strict: bool | None = None


class _ToolChoice(_Closed):
    type: str
    name: str | None = None
    disable_parallel_tool_use: bool | None = None


class _User(_Closed):
    user_id: str | None = None


class _Messages(_Closed):
    model: str
    messages: list[_Turn]
    max_tokens: _Bound
    system: str | list[_Text] | None = None
    stop_sequences: _Stops | None = None
    stream: bool | None = None
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    tools: list[_Tool] | None = None
    tool_choice: _ToolChoice | None = None
    metadata: _User | None = None


class _Called(_Closed):
    name: str
    arguments: str


class _Call(_Closed):
    id: str
    type: Literal["function"]
    function: _Called


class _Message(_Closed):
    role: str
    content: str | list[_Text] | None = None
    name: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    annotations: Annotated[list[Any], Field(max_length=0)] | None = None  # as answers have it that are sent back
    audio: None = None
    function_call: None = None


class _Function(_Closed):
    name: str
    description: str | None = None
    parameters: _Object | None = None
    strict: bool | None = None


class _FunctionTool(_Closed):
    type: Literal["function"]
    function: _Function


class _Name(_Closed):
    name: str


class _FunctionChoice(_Closed):
    type: Literal["function"]
    function: _Name


class _StreamOptions(_Closed):
    include_usage: bool | None = None
    include_obfuscation: bool | None = None


class _Completion(_Closed):
    model: str
    messages: list[_Message]
    max_tokens: _Bound | None = None
    max_completion_tokens: _Bound | None = None
    stop: str | _Stops | None = None
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    temperature: float | None = None
    top_p: float | None = None
    tools: list[_FunctionTool] | None = None
    tool_choice: str | _FunctionChoice | None = None
    parallel_tool_calls: bool | None = None
    user: str | None = None


def check_body(body: _Object, provider: Provider) -> None:
    """InvalidBody when the body asks for anything that is not on the list, or sets no bound to the answer."""
    try:
        if provider is Provider.ANTHROPIC:
            _Messages.model_validate(body)
            return
        asked = _Completion.model_validate(body)
    except ValidationError:
        raise InvalidBody from None
    if asked.max_tokens is None and asked.max_completion_tokens is None:
        raise InvalidBody


_DAY = 24 * 60 * 60
_SHARED: Final = frozenset({"anthropic-beta", "idempotency-key", "openai-organization", "openai-project"})


def provider_of(settings: Settings) -> Provider | None:
    """Where the demo calls; None where there is none."""
    if settings.demo_provider is None or settings.demo_provider_key is None or not settings.demo_models:
        return None
    return Provider(settings.demo_provider)


def is_meant(request: Request, settings: Settings) -> bool:
    """Whether a call to the proxy is the demo's: a session's cookie, no Authorization header, the demo's provider."""
    has_session = "authorization" not in request.headers and SESSION_COOKIE in request.cookies
    provider = provider_of(settings)
    return has_session and provider is not None and request.scope["path"].startswith(f"{PROXY}{provider}/")


def operators_key(settings: Settings) -> str:
    """The key that the demo's calls are made with."""
    assert settings.demo_provider_key is not None  # noqa: S101 - there is a demo
    return settings.demo_provider_key.get_secret_value()


async def count_demo(services: Services, who: Authenticated) -> None:
    """Counts one call of the account. RateLimited with the seconds to wait.

    In the shared limiter, which fails open, and in this process, which does not.
    """
    for limiter in (services.limiter, services.local_limiter):
        wait = await limiter.hit(f"demo:{who.caller.account_id}", services.settings.demo_calls_per_day, _DAY)
        if wait is not None:
            raise RateLimited(retry_after=wait)


def plain(headers: Headers) -> Headers:
    """The headers without those that ask for something beside the body: all visitors share one account's key."""
    return Headers(raw=[(name, value) for name, value in headers.raw if name.decode("latin-1") not in _SHARED])


def check(raw: bytes, provider: Provider, settings: Settings) -> None:
    """InvalidBody; ModelNotAllowed when the body names none of the demo's models."""
    try:
        body: Any = json.loads(raw, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise InvalidBody from None
    if not isinstance(body, dict) or body.get("model") not in settings.demo_models:
        raise ModelNotAllowed
    check_body(body, provider)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys come once: of two models, the provider might take the other."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found
