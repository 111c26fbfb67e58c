"""What routes depend on."""

from collections.abc import Iterator
from inspect import iscoroutinefunction

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from tests.api.serving import Served


def calls(dependant: Dependant) -> Iterator[object]:
    """The functions that the framework calls for a route: its dependencies and the route itself."""
    yield dependant.call
    for inner in dependant.dependencies:
        yield from calls(inner)


def test_no_dependency_runs_in_a_thread(served: Served) -> None:
    """The framework runs functions that are not `async` in a thread, which takes a third of a millisecond."""
    routes = [context.route for context in iter_route_contexts(served.app.routes)]
    walked = [route for route in routes if isinstance(route, APIRoute)]
    assert len(walked) > 15
    for route in walked:
        for call in calls(route.dependant):
            assert iscoroutinefunction(call), (route.path, call)
