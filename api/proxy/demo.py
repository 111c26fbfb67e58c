"""The managed demo: visitors of the dashboard try the proxy at one provider with the operator's own provider key.

It is off unless the operator configures a provider, a key and models. It serves browser sessions only, configured
models only, the body fields declared here only, and a limited number of calls for each account in any 24 hours.
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

# The models below are the closed list of fields that a demo body may have: texts, and tools that the caller runs.
# The operator pays, so everything else is refused: other models, server tools, what the provider fetches or stores
# (URLs, files, threads, containers), what is billed apart (service tiers, several choices), answers without a limit.

MAX_ANSWER_TOKENS: Final = 4096
_MAX_STOPS: Final = 16

_Bound = Annotated[int, Field(ge=1, le=MAX_ANSWER_TOKENS)]
_Object = dict[str, Any]  # free content of the caller: arguments, a schema
_Stops = Annotated[list[str], Field(max_length=_MAX_STOPS)]


class _Closed(BaseModel):
    """An object of a provider's format that may have the declared fields only."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Text(_Closed):
    type: Literal["text"]
    text: str
    citations: None = None  # answers have this field, and clients send them back


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


class _CalledFunction(_Closed):
    name: str
    arguments: str


class _Call(_Closed):
    id: str
    type: Literal["function"]
    function: _CalledFunction


class _Message(_Closed):
    role: str
    content: str | list[_Text] | None = None
    name: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    annotations: Annotated[list[Any], Field(max_length=0)] | None = (
        None  # answers have this field, and clients send them back
    )
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
    """InvalidBody when the body has a field that is not declared, or sets no limit to the answer."""
    try:
        if provider is Provider.ANTHROPIC:
            _Messages.model_validate(body)
            return
        asked = _Completion.model_validate(body)
    except ValidationError:
        raise InvalidBody from None
    if asked.max_tokens is None and asked.max_completion_tokens is None:
        raise InvalidBody


_DAY = 24 * 60 * 60  # seconds
_ACCOUNT_HEADERS: Final = frozenset({"anthropic-beta", "idempotency-key", "openai-organization", "openai-project"})


def provider_of(settings: Settings) -> Provider | None:
    """The demo's provider; None when the demo is off."""
    if settings.demo_provider is None or settings.demo_provider_key is None or not settings.demo_models:
        return None
    return Provider(settings.demo_provider)


def is_demo_call(request: Request, settings: Settings) -> bool:
    """Whether a proxy call is a demo call: session cookie, no Authorization header, path of the demo's provider."""
    has_session = "authorization" not in request.headers and SESSION_COOKIE in request.cookies
    provider = provider_of(settings)
    return has_session and provider is not None and request.scope["path"].startswith(f"{PROXY}{provider}/")


def operator_key(settings: Settings) -> str:
    """The operator's provider key. Only for a demo call."""
    assert settings.demo_provider_key is not None  # noqa: S101 - the demo is on
    return settings.demo_provider_key.get_secret_value()


async def count_call(services: Services, who: Authenticated) -> None:
    """Counts one call of the account. RateLimited, with the seconds to wait, when its daily calls are used up.

    The shared limiter fails open, so the limiter of this process counts too.
    """
    for limiter in (services.limiter, services.local_limiter):
        wait = await limiter.hit(f"demo:{who.caller.account_id}", services.settings.demo_calls_per_day, _DAY)
        if wait is not None:
            raise RateLimited(retry_after=wait)


def without_account_headers(headers: Headers) -> Headers:
    """The headers without those that act on the provider account, which all visitors share."""
    return Headers(raw=[(name, value) for name, value in headers.raw if name.decode("latin-1") not in _ACCOUNT_HEADERS])


def check(raw: bytes, provider: Provider, settings: Settings) -> None:
    """Checks a demo body. InvalidBody; ModelNotAllowed when its model is not one of the demo's."""
    try:
        body: Any = json.loads(raw, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        raise InvalidBody from None
    if not isinstance(body, dict) or body.get("model") not in settings.demo_models:
        raise ModelNotAllowed
    check_body(body, provider)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without duplicate keys: of two `model` keys the provider might use the other."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found
