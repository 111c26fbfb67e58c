"""Turns failures into answers: one shape for every typed error, and 422 bodies that repeat nothing the caller sent."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from fastapi import FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticKnownError
from starlette.exceptions import HTTPException

from schemas.errors import (
    EndpointNotSupported,
    Forbidden,
    MaskerError,
    MaskingFailed,
    MethodNotAllowed,
    RateLimited,
    RedactFailed,
    RequestTimeout,
    Unauthenticated,
)

# Says what is wrong with an input in words of ours alone: declared names, declared bounds, nothing of the caller's.

Item: TypeAlias = Mapping[str, Any]
Declared: TypeAlias = type[BaseModel] | TypeAdapter[Any]

_MANY = 10_000  # errors of one input past which they are not even listed
MAX_ITEMS = 100  # of one answer: a body may be wrong in a million places
# What a message of the library may be filled with: bounds that we declared, and a count of elements.
_OURS = frozenset(
    {
        "actual_length", "class", "class_name", "decimal_places", "discriminator", "encoding", "expected",
        "expected_plural", "expected_schemes", "expected_tags", "expected_version", "field_type", "ge", "gt", "le",
        "lt", "max_digits", "max_length", "method_name", "min_length", "multiple_of", "pattern", "tz_expected",
        "whole_digits",
    }
)  # fmt: skip
_HOLE = re.compile(r"\{(\w+)\}")
_POSITION = re.compile(r" at line \d+ column \d+$")
_UNSAID = "Input is invalid"
_KEY = "[key]"  # the library's mark of an error in a mapping's key


def of_declared(items: Iterable[Item], place: Sequence[str], declared: Declared) -> list[dict[str, Any]]:
    """The public form of a failed validation against a model: `place` says where the input came from."""
    schema = _schema(declared)
    return [_item(item, [*place, *_known(item["loc"], schema)]) for item in _first(items)]


def of_error(error: ValidationError, place: Sequence[str], declared: Declared) -> list[dict[str, Any]]:
    """The public form of a failed validation against what was `declared`."""
    if error.error_count() > _MANY:  # a list of a million would cost more than the body
        return [{"type": "too_many_errors", "loc": list(place), "msg": f"More than {_MANY} errors"}]
    return of_declared(error.errors(include_url=False, include_input=False), place, declared)


def of_parameters(items: Iterable[Item], names: frozenset[str]) -> list[dict[str, Any]]:
    """The public form of wrong parameters; `names` are those that the route declares."""
    return [
        _item(item, [*item["loc"][:1], *(step for step in item["loc"][1:] if isinstance(step, int) or step in names)])
        for item in _first(items)
    ]


def _first(items: Iterable[Item]) -> Iterator[Item]:
    return (item for item, _ in zip(items, range(MAX_ITEMS), strict=False))


def _item(item: Item, loc: list[str | int]) -> dict[str, Any]:
    return {"type": item["type"], "loc": loc, "msg": _message(item)}


def _message(item: Item) -> str:
    """The library's message, cut before the first place that is filled with something of the input's."""
    try:
        template = PydanticKnownError(item["type"], item.get("ctx")).message_template
    except KeyError:  # a type of our own, whose message we wrote
        return str(item["msg"])
    except TypeError:  # its context is missing, so nobody knows what fills the message
        return _UNSAID
    foreign = next((hole for hole in _HOLE.finditer(template) if hole[1] not in _OURS), None)
    if foreign is None:
        return str(item["msg"])
    known = template[: foreign.start()]
    if _HOLE.search(known):
        return _UNSAID
    position = _POSITION.search(item["msg"]) if item["type"] == "json_invalid" else None
    return known.rstrip(" ,:'") + (position[0] if position else "")


def _known(path: Sequence[str | int], schema: Item) -> list[str | int]:
    """The steps of `path` that the schema names, and indexes; a key that the caller made up is left out."""
    definitions, nodes, steps = schema.get("$defs", {}), [schema], list[str | int]()
    of_mapping = False
    for step in path:
        nodes = [whole for node in nodes for whole in _whole(node, definitions)]
        if isinstance(step, int):
            steps.append(step)
            nodes = [node["items"] for node in nodes if "items" in node]
        elif named := [node["properties"][step] for node in nodes if step in node.get("properties", ())]:
            steps.append(step)
            nodes = named
        elif mappings := [node for node in nodes if isinstance(node.get("additionalProperties"), Mapping)]:
            if any(step in _keys(node, definitions) for node in mappings):
                steps.append(step)
            nodes = [node["additionalProperties"] for node in mappings]
            of_mapping = True
        elif step == _KEY and of_mapping:
            steps.append(step)
        # else: the library's name for a branch of a union; the same nodes go on
    return steps


def _whole(node: Item, definitions: Item) -> Iterator[Item]:
    """The node without references, and every branch of it."""
    if "$ref" in node:
        yield from _whole(definitions[node["$ref"].rpartition("/")[2]], definitions)
    yield node
    for branch in (*node.get("anyOf", ()), *node.get("oneOf", ()), *node.get("allOf", ())):
        yield from _whole(branch, definitions)


def _keys(mapping: Item, definitions: Item) -> frozenset[str]:
    """The keys that a mapping may have, where they are a closed list."""
    return frozenset(
        key for node in _whole(mapping.get("propertyNames", {}), definitions) for key in node.get("enum", ())
    )


@cache
def _schema(declared: Declared) -> Item:
    return declared.json_schema() if isinstance(declared, TypeAdapter) else declared.model_json_schema()


# What an unexpected failure answers, by path; everywhere else it is MaskerError's own 500.
UNEXPECTED: Mapping[str, type[MaskerError]] = {"/api/v1/mask": MaskingFailed, "/api/v1/redact": RedactFailed}


class Invalid(MaskerError):
    """422 with an array of `{type, loc, msg}`, whose words are all ours."""

    status = 422

    def __init__(self, errors: Sequence[Mapping[str, Any]]) -> None:
        super().__init__("invalid")
        self.errors = [{"type": item["type"], "loc": list(item["loc"]), "msg": item["msg"]} for item in errors]

    @classmethod
    def of(cls, error: ValidationError, *place: str, declared: Declared) -> "Invalid":
        """From a failed validation, against what was `declared`, of something that came in `place` (`body`, ...)."""
        return cls(of_error(error, place, declared))


PROXY = "/api/v1/proxy/"
# What the proxy calls failures whose own words are prose.
_PROXY_CODES: Mapping[type, str] = {
    Forbidden: "forbidden",
    Invalid: "invalid_body",
    MethodNotAllowed: "method_not_allowed",
    RateLimited: "rate_limit_exceeded",
    Unauthenticated: "unauthorized",
}


def answer(error: MaskerError, path: str = "") -> JSONResponse:
    """The error's status, and `{detail, ...extra}`; `detail` is an array for a 422 and a string otherwise.

    Below the proxy's paths it is `{error, ...extra}`, a code, with a `detail` where that says more.
    """
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"  # RFC 6750, section 3
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = ", ".join(error.allowed)  # RFC 9110, section 15.5.6
    if isinstance(error, RequestTimeout):
        headers["Connection"] = "close"  # RFC 9110, section 15.5.9
    if isinstance(error, EndpointNotSupported):
        headers["x-should-retry"] = "false"  # the providers' client libraries repeat a 501 otherwise
    if f"{path}/".startswith(PROXY):
        return JSONResponse(_proxied(error), error.status, headers)
    detail = getattr(error, "errors", error.detail)
    return JSONResponse({"detail": detail, **error.extra}, error.status, headers)


def _proxied(error: MaskerError) -> dict[str, object]:
    kind = next((kind for kind in type(error).__mro__ if kind in _PROXY_CODES), None)
    code = _PROXY_CODES[kind] if kind else type(error).detail
    said = (
        {} if error.detail in {code, type(error).detail} and kind is not Unauthenticated else {"detail": error.detail}
    )
    return {"error": code, **said, **error.extra}


def install(app: FastAPI) -> None:
    """Registers the answers with the application."""

    async def on_masker_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, MaskerError)  # noqa: S101 - the handler's signature is the framework's
        return answer(error, request.scope["path"])

    async def on_validation_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
        names = frozenset(_parameters(request.scope["route"].dependant))
        return answer(Invalid(of_parameters(error.errors(), names)))

    async def on_http_error(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - as above
        if error.status_code == MethodNotAllowed.status:
            return answer(MethodNotAllowed(_allowed(request)), request.scope["path"])
        return JSONResponse({"detail": error.detail}, error.status_code, error.headers)

    app.add_exception_handler(MaskerError, on_masker_error)
    app.add_exception_handler(RequestValidationError, on_validation_error)
    app.add_exception_handler(HTTPException, on_http_error)


def _parameters(dependant: Dependant) -> Iterator[str]:
    """The names of a route's parameters as callers write them."""
    for group in (dependant.path_params, dependant.query_params, dependant.header_params, dependant.cookie_params):
        yield from (field.alias for field in group)
    for inner in dependant.dependencies:
        yield from _parameters(inner)


def _allowed(request: Request) -> list[str]:
    """Every method of the path that was asked for: the framework names those of one route alone."""
    path = request.scope["route"].path
    contexts = iter_route_contexts(request.app.routes)
    return sorted({method for context in contexts if context.path == path for method in context.methods or ()})
