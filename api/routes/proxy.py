"""`/api/v1/proxy`: the model providers' own endpoints, with prompts masked on the way out and answers restored."""

from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.types import Receive, Scope, Send

from api.dependencies import ProxyCallerDep, services_of
from api.http.call_route import CallRoute, operation_id
from api.llm.model import Provider
from api.proxy import demo
from api.proxy.calls import proxied
from api.proxy.description import COMPLETIONS, MESSAGES
from schemas.errors import EndpointNotSupported, MethodNotAllowed, UnknownProvider

PREFIX = "/api/v1/proxy"
router = APIRouter(prefix=PREFIX, tags=["proxy"], route_class=CallRoute, generate_unique_id_function=operation_id)
_METHODS = {"anthropic/v1/messages": "POST", "openai/v1/chat/completions": "POST", "status": "GET"}


@router.get("/status")
async def proxy_status(request: Request) -> dict[str, Any]:
    """Whether the proxy and the managed demo are available."""
    return {
        "proxy": {"available": True, "providers": [str(provider) for provider in Provider]},
        "managed_demo": {"available": demo.provider_of(services_of(request).settings) is not None},
    }


@router.post("/anthropic/v1/messages", response_model=None, openapi_extra=MESSAGES)
async def proxy_messages(request: Request, caller: ProxyCallerDep) -> Response:
    """Messages, in Anthropic's format: forwarded masked, answered restored.

    Body and answer are the provider's own, streams too; so are its errors, with their status.
    """
    return await proxied(request, services_of(request), caller, Provider.ANTHROPIC)


@router.post("/openai/v1/chat/completions", response_model=None, openapi_extra=COMPLETIONS)
async def proxy_chat_completions(request: Request, caller: ProxyCallerDep) -> Response:
    """Chat completions, in OpenAI's format: forwarded masked, answered restored.

    Body and answer are the provider's own, streams too; so are its errors, with their status.
    """
    return await proxied(request, services_of(request), caller, Provider.OPENAI)


class _UnknownPath:
    """Answers every other path and method below the prefix with an error, without authentication."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(f"{PREFIX}/")
        if path in _METHODS:
            raise MethodNotAllowed([_METHODS[path]])
        if path.partition("/")[0] in set(Provider):
            raise EndpointNotSupported
        raise UnknownProvider


_unknown_path: Any = _UnknownPath()  # an ASGI application, because a route to one accepts every method
router.add_route(f"{PREFIX}/{{path:path}}", _unknown_path, include_in_schema=False)
router.add_route(PREFIX, _unknown_path, include_in_schema=False)
