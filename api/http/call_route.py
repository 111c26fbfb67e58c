"""A route without the framework's layers around a call, which cost a short call more than its authentication."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.types import ASGIApp, Receive, Scope, Send


def operation_id(route: APIRoute) -> str:
    """The id of a route's operation in the OpenAPI document: the name of its function."""
    return route.name


class CallRoute(APIRoute):
    """A route whose function takes the request and its caller, nothing else, and returns the response itself.

    The caller is what the function's one dependency gives for the request. TypeError when the route is declared with
    anything that the framework would have to solve. A route without dependencies is the framework's own, and so is one
    of an included router: the framework calls the functions of those itself.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **declared: Any) -> None:
        super().__init__(path, endpoint, **declared)
        if self.dependant.dependencies:
            self.app = _call(self)


def _call(route: APIRoute) -> ASGIApp:
    """Authenticates, runs the route's function and sends its response; the application answers what they raise."""
    dependant = route.dependant
    caller, *others = dependant.dependencies
    if others or caller.dependencies or any(_parameters(each) for each in (dependant, caller)):
        raise TypeError(f"{route.path} takes more than the request and its caller")
    name, authenticate = str(caller.name), cast("Callable[[Request], Awaitable[Any]]", caller.call)
    function = cast("Callable[..., Awaitable[Response]]", dependant.call)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        response = await function(request, **{name: await authenticate(request)})
        await response(scope, receive, send)

    return answer


def _parameters(dependant: Any) -> list[Any]:
    """What is read from the request by the framework."""
    kinds = ("path_params", "query_params", "header_params", "cookie_params", "body_params")
    return [parameter for kind in kinds for parameter in getattr(dependant, kind)]
