"""Builds the OpenAPI document: the framework's own, with credentials, errors, headers and examples added."""

from collections.abc import Iterator
from copy import deepcopy
from http import HTTPStatus
from typing import Any, get_args

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import iter_route_contexts

from api.dependencies import BearerCallerDep, CallerDep, CookieCallerDep, ProxyCallerDep
from api.description.command_lines import command_lines
from api.description.examples import ANSWERS, REQUESTS
from api.description.failures import SCHEMAS, Credentials, Object, errors_of, responses_of
from api.http.answer_headers import TYPES_HEADER, WARNING_HEADER
from api.http.errors import PROXY

_ABOUT = """Finds personal data, Saudi first, in Arabic and English, and removes it from text and documents.

Mask a text to restore its values later: each value becomes a token, and the answer holds the mapping, encrypted for you
alone. Redact a text when its values must never come back. Text costs one token per whitespace-separated word.

Branch on the status of an answer first; retry only 429, 500 and 503. Every answer carries an `X-Request-Id`."""
_TAGS = {
    "text": "Mask and redact texts.",
    "proxy": "Call a model provider with personal data masked on the way out and restored in the answer.",
    "files": "Redact documents: upload, poll, download.",
    "glossaries": "Terms of your own that are always found.",
    "entities": "Which types of personal data text detection looks for.",
    "keys": "Bearer keys, from the dashboard.",
    "account": "Balance, use and ledger of the account, from the dashboard.",
    "auth": "Browser sessions.",
    "health": "Probes.",
}
_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "mk_live_<prefix>_<secret>"},
    "session": {"type": "apiKey", "in": "cookie", "name": "masker_session", "description": "The dashboard's session."},
}
_SECURITY: dict[Credentials, list[Object]] = {
    "either": [{"bearer": []}, {"session": []}],
    "bearer": [{"bearer": []}],
    "session": [{"session": []}],
}
_REQUEST_ID_HEADER = {
    "description": "The request's id, for support and logs.",
    "required": True,
    "schema": {"type": "string", "pattern": "^[a-z]+_[0-9a-f]{8}$"},
}


_WARNING = {
    "description": "Names the fields of the request that were ignored because the interface does not know them.",
    "schema": {"type": "string"},
    "example": "unknown fields ignored: glossry",
}
_TYPES = {
    "description": "The entity types that the text was searched for, in the order of the catalogue.",
    "schema": {"type": "string"},
    "example": "PERSON,NATIONAL_ID,PHONE_NUMBER",
}


def describe(app: FastAPI) -> Object:
    """A new OpenAPI document of the application. It depends only on the routes, not on settings."""
    document: Object = deepcopy(app.openapi())  # the framework caches its document
    document["info"]["description"] = _ABOUT
    schemas = dict(document.get("components", {}).get("schemas", {}))
    credentials = dict(_credentials(app))
    paths = {
        path: {
            method: _operation(path, method.upper(), operation, credentials.get((method.upper(), path)), schemas)
            for method, operation in operations.items()
        }
        for path, operations in document["paths"].items()
    }
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    used = {tag for operations in paths.values() for operation in operations.values() for tag in operation["tags"]}
    return {
        **{key: document[key] for key in ("openapi", "info")},
        "tags": [{"name": name, "description": about} for name, about in _TAGS.items() if name in used],
        "paths": paths,
        "components": {"schemas": _cleaned({**schemas, **SCHEMAS}), "securitySchemes": _SCHEMES},
    }


def _operation(
    path: str, method: str, operation: Object, credentials: Credentials | None, schemas: dict[str, Object]
) -> Object:
    """The operation with what the framework does not know. The schemas of its body are added to `schemas`."""
    summary, _, rest = str(operation.get("description", operation["summary"])).partition("\n")
    described = {**operation, "summary": summary.strip().rstrip("."), "description": rest.strip()}
    if not described["description"]:
        del described["description"]
    takes_json = False
    if body := operation.get("requestBody"):
        content = {kind: dict(media) for kind, media in body["content"].items()}
        takes_json = "application/json" in content
        if takes_json:
            media = content["application/json"]
            media["schema"] = _moved_to_components(media["schema"], schemas)
            media["examples"] = _named(REQUESTS.get((method, path), {}))
        described["requestBody"] = {**body, "content": content}
    own = {status: dict(response) for status, response in operation["responses"].items() if status != "422"}
    for status, response in own.items():
        response["description"] = HTTPStatus(int(status)).phrase
        if examples := ANSWERS.get((method, path)) if status < "3" else None:
            response["content"]["application/json"]["examples"] = _named(examples)
    responses = {**own, **responses_of(errors_of(method, path, credentials, takes_json=takes_json), path)}
    for status, response in responses.items():
        headers = {**response.get("headers", {}), "X-Request-Id": _REQUEST_ID_HEADER}
        if "requestBody" in described and not path.startswith(PROXY) and status.startswith("2"):
            headers[WARNING_HEADER] = _WARNING
            if operation["tags"] == ["text"]:
                headers[TYPES_HEADER] = _TYPES
        response["headers"] = headers
    if credentials:
        described["security"] = _SECURITY[credentials]
    parts = (described.get("description", ""), command_lines(method, path, described))
    if text := "\n\n".join(filter(None, parts)):
        described["description"] = text
    return {**described, "responses": responses}


def _named(examples: dict[str, Any]) -> dict[str, Object]:
    return {name: {"value": value} for name, value in examples.items()}


def _moved_to_components(schema: Object, schemas: dict[str, Object]) -> Object:
    """Moves a body's schema and its definitions to `schemas`. Returns a reference to it."""
    if "$ref" in schema:
        return schema
    definitions = schema.get("$defs", {})
    for name, definition in {**definitions, schema["title"]: schema}.items():
        schemas[name] = {key: value for key, value in definition.items() if key != "$defs"}
    return {"$ref": f"#/components/schemas/{schema['title']}"}


def _cleaned(node: Any) -> Any:
    """The schema with references into the document, and without titles, which only repeat names."""
    if isinstance(node, dict):
        return {
            key: value.replace("#/$defs/", "#/components/schemas/") if key == "$ref" else _cleaned(value)
            for key, value in node.items()
            if key != "title" or not isinstance(value, str)
        }
    return [_cleaned(item) for item in node] if isinstance(node, list) else node


def _credentials(app: FastAPI) -> Iterator[tuple[tuple[str, str], Credentials]]:
    """The credentials that each operation accepts, by method and path, from the dependencies of its route."""
    kinds: dict[Any, Credentials] = {
        get_args(CallerDep)[1].dependency: "either",
        get_args(BearerCallerDep)[1].dependency: "bearer",
        get_args(ProxyCallerDep)[1].dependency: "bearer",  # the managed demo is the dashboard's own
        get_args(CookieCallerDep)[1].dependency: "session",
    }
    for context in iter_route_contexts(app.routes):
        dependant = getattr(context, "dependant", None)
        if isinstance(dependant, Dependant):
            for call in _calls(dependant):
                if call in kinds:
                    yield from (((method, context.path or ""), kinds[call]) for method in context.methods or ())


def _calls(dependant: Dependant) -> Iterator[Any]:
    for inner in dependant.dependencies:
        yield inner.call
        yield from _calls(inner)
