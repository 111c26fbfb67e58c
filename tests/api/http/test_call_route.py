"""Routes that the framework solves nothing for: they authenticate first, and may declare nothing that would be lost."""

from typing import Annotated

import pytest
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.testclient import TestClient

from api.http.call_route import CallRoute


async def _named(request: Request) -> str:
    return request.headers["x-name"]


async def _with_a_query(request: Request, name: str) -> str:
    return name


Caller = Annotated[str, Depends(_named)]


def test_the_function_gets_the_request_and_its_caller() -> None:
    router = APIRouter(prefix="/calls", route_class=CallRoute)

    @router.post("/one")
    async def one(request: Request, who: Caller) -> Response:
        return Response(f"{who} {(await request.body()).decode()}")

    @router.get("/free")
    async def free() -> dict[str, int]:
        return {"calls": 1}

    app = FastAPI()
    app.router.routes.extend(router.routes)
    client = TestClient(app)
    assert client.post("/calls/one", content="text", headers={"x-name": "Amal"}).text == "Amal text"
    assert client.get("/calls/free").json() == {"calls": 1}


async def _query(request: Request, who: Caller, more: str) -> Response:
    return Response(more)


async def _two(request: Request, who: Caller, other: Annotated[str, Depends(_named)]) -> Response:
    return Response(other)


async def _query_of_the_caller(request: Request, who: Annotated[str, Depends(_with_a_query)]) -> Response:
    return Response(who)


@pytest.mark.parametrize("function", [_query, _two, _query_of_the_caller])
def test_nothing_may_be_declared_that_nobody_would_solve(function: object) -> None:
    router = APIRouter(route_class=CallRoute)
    with pytest.raises(TypeError, match="/calls takes more"):
        router.post("/calls")(function)  # type: ignore[arg-type]
