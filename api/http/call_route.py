"""A route without the framework's solving of parameters, which costs a short call as much as its authentication."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, cast

from fastapi import Request, Response
from fastapi.routing import APIRoute


def operation_id(route: APIRoute) -> str:
    """The id of a route's operation in the OpenAPI document: the name of its function."""
    return route.name


class CallRoute(APIRoute):
    """A route whose function takes the request and its caller, nothing else, and returns the response itself.

    The caller is what the function's one dependency gives for the request. TypeError when the route is declared with
    anything that the framework would have to solve. A route without dependencies is the framework's own.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Authenticates, then runs the function."""
        dependant = self.dependant
        if not dependant.dependencies:
            return super().get_route_handler()
        caller, *others = dependant.dependencies
        if others or caller.dependencies or any(_parameters(each) for each in (dependant, caller)):
            raise TypeError(f"{self.path} takes more than the request and its caller")
        name, authenticate = str(caller.name), cast("Callable[[Request], Awaitable[Any]]", caller.call)
        function = cast("Callable[..., Awaitable[Response]]", dependant.call)

        async def handle(request: Request) -> Response:
            return await function(request, **{name: await authenticate(request)})

        return handle


def _parameters(dependant: Any) -> list[Any]:
    """What is read from the request by the framework."""
    kinds = ("path_params", "query_params", "header_params", "cookie_params", "body_params")
    return [parameter for kind in kinds for parameter in getattr(dependant, kind)]
