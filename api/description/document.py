"""Builds the OpenAPI document of the application: operations, their credentials, bodies, answers and examples."""

from collections.abc import Iterator
from copy import deepcopy
from http import HTTPStatus
from typing import Any, get_args

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import iter_route_contexts

from api.dependencies import BearerCallerDep, CallerDep, CookieCallerDep, ProxyCallerDep
from api.description.examples import ANSWERS, REQUESTS
from api.description.failures import SCHEMAS, Credentials, Object, described, failures
from api.http.answer_headers import TYPES_HEADER, WARNING_HEADER
from api.http.errors import PROXY

_ABOUT = """Finds personal data, Saudi first, in Arabic and English, and takes it out of text and documents.

Mask a text to get its values back later: every value becomes a token, and the mapping comes back encrypted for you
alone. Redact it when nobody shall. Text costs one token per whitespace-separated word.

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
_REQUEST_ID = {
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
    """The document; made anew each time. Depends on the routes alone, not on settings."""
    document: Object = deepcopy(app.openapi())  # the framework keeps its own
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
        "components": {"schemas": _tidied({**schemas, **SCHEMAS}), "securitySchemes": _SCHEMES},
    }


def _operation(
    path: str, method: str, operation: Object, credentials: Credentials | None, schemas: dict[str, Object]
) -> Object:
    """One operation with what the framework cannot know; what its body refers to is added to `schemas`."""
    summary, _, rest = str(operation.get("description", operation["summary"])).partition("\n")
    whole = {**operation, "summary": summary.strip().rstrip("."), "description": rest.strip()}
    if not whole["description"]:
        del whole["description"]
    takes_json = False
    if body := operation.get("requestBody"):
        content = {kind: dict(media) for kind, media in body["content"].items()}
        takes_json = "application/json" in content
        if takes_json:
            media = content["application/json"]
            media["schema"] = _hoisted(media["schema"], schemas)
            media["examples"] = _named(REQUESTS.get((method, path), {}))
        whole["requestBody"] = {**body, "content": content}
    own = {status: dict(response) for status, response in operation["responses"].items() if status != "422"}
    for status, response in own.items():
        response["description"] = HTTPStatus(int(status)).phrase
        if examples := ANSWERS.get((method, path)) if status < "3" else None:
            response["content"]["application/json"]["examples"] = _named(examples)
    responses = {**own, **described(failures(method, path, credentials, takes_json=takes_json), path)}
    for status, response in responses.items():
        headers = {**response.get("headers", {}), "X-Request-Id": _REQUEST_ID}
        if "requestBody" in whole and not path.startswith(PROXY) and status.startswith("2"):
            headers[WARNING_HEADER] = _WARNING
            if operation["tags"] == ["text"]:
                headers[TYPES_HEADER] = _TYPES
        response["headers"] = headers
    if credentials:
        whole["security"] = _SECURITY[credentials]
    return {**whole, "responses": responses}


def _named(examples: dict[str, Any]) -> dict[str, Object]:
    return {name: {"value": value} for name, value in examples.items()}


def _hoisted(schema: Object, schemas: dict[str, Object]) -> Object:
    """A reference to a body's model, which moves with its definitions to the document's `schemas`."""
    if "$ref" in schema:
        return schema
    definitions = schema.get("$defs", {})
    for name, definition in {**definitions, schema["title"]: schema}.items():
        schemas[name] = {key: value for key, value in definition.items() if key != "$defs"}
    return {"$ref": f"#/components/schemas/{schema['title']}"}


def _tidied(node: Any) -> Any:
    """With references into the document, and without titles that only say a field's name again."""
    if isinstance(node, dict):
        return {
            key: value.replace("#/$defs/", "#/components/schemas/") if key == "$ref" else _tidied(value)
            for key, value in node.items()
            if key != "title" or not isinstance(value, str)
        }
    return [_tidied(item) for item in node] if isinstance(node, list) else node


def _credentials(app: FastAPI) -> Iterator[tuple[tuple[str, str], Credentials]]:
    """What each operation wants to know its caller by, as its route's dependencies say."""
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
