"""What routes depend on."""

from collections.abc import Iterator
from inspect import iscoroutinefunction

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from tests.api.serving import Served


def calls(dependant: Dependant) -> Iterator[object]:
    """What the framework calls for a route: its dependencies and the route itself."""
    yield dependant.call
    for inner in dependant.dependencies:
        yield from calls(inner)


def test_no_route_costs_a_thread_before_it_begins(served: Served) -> None:
    """The framework runs what is not `async` in a thread: a third of a millisecond for every request."""
    routes = [context.route for context in iter_route_contexts(served.app.routes)]
    walked = [route for route in routes if isinstance(route, APIRoute)]
    assert len(walked) > 15
    for route in walked:
        for call in calls(route.dependant):
            assert iscoroutinefunction(call), (route.path, call)
