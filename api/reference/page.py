"""Renders the OpenAPI document as one HTML page."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from api.reference.markup import Markup, curl_block, element, joined, json_block
from api.reference.schema_fields import Field, fields, type_name

Object = Mapping[str, Any]
_CREDENTIALS = {"bearer": "bearer key", "session": "session cookie"}
_HEADER = {"bearer": "Authorization: Bearer $KEY", "session": "Cookie: masker_session=$SESSION"}
_FIRST_ERROR = 400


def render(document: Object) -> str:
    """The page as HTML. Its style sheet is /docs/reference.css; it has no script."""
    title = f"{document['info']['title']} API reference"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("link", rel="stylesheet", href="/docs/reference.css"),
    )
    groups = {
        tag["name"]: (tag.get("description", ""), list(_operations(document, tag["name"]))) for tag in document["tags"]
    }
    body = element(
        "body",
        element("a", "Skip to content", class_="skip", href="#content"),
        _banner(document),
        element(
            "div",
            element("nav", [_menu(name, found) for name, (_, found) in groups.items()], aria_label="Operations"),
            element("main", _about(document), [_group(document, *group) for group in groups.items()], id="content"),
            class_="columns",
        ),
    )
    return "<!doctype html>\n" + element("html", head, body, lang="en", dir="ltr") + "\n"


def _banner(document: Object) -> Markup:
    info = document["info"]
    return element(
        "header",
        element(
            "p", element("strong", info["title"]), " API reference ", element("span", info["version"], class_="version")
        ),
        element("a", "Download openapi.json", href="/docs/openapi.json", download="openapi.json"),
    )


def _operations(document: Object, tag: str) -> Iterator[tuple[str, str, Object]]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if tag in operation["tags"]:
                yield method.upper(), path, operation


def _menu(tag: str, operations: list[tuple[str, str, Object]]) -> Markup:
    links = [
        element("li", element("a", _method(method), " ", _path(path), href=f"#{operation['operationId']}"))
        for method, path, operation in operations
    ]
    return joined(element("h2", tag), element("ul", links))


def _about(document: Object) -> Markup:
    schemes = document["components"]["securitySchemes"]
    return element(
        "section",
        element("h1", "API reference"),
        [element("p", _inline(text)) for text in document["info"]["description"].split("\n\n")],
        element("h2", "Credentials"),
        element(
            "dl",
            element("dt", "Bearer key"),
            element("dd", element("code", f"Authorization: Bearer {schemes['bearer']['bearerFormat']}")),
            element("dt", "Session cookie"),
            element("dd", element("code", f"Cookie: {schemes['session']['name']}=..."), ", for the dashboard alone"),
        ),
        class_="about",
    )


def _group(document: Object, tag: str, content: tuple[str, list[tuple[str, str, Object]]]) -> Markup:
    about, operations = content
    schemas = document["components"]["schemas"]
    return element(
        "section",
        element("h2", tag, class_="group"),
        element("p", about, class_="lead"),
        [_operation(method, path, operation, schemas) for method, path, operation in operations],
        aria_label=tag,
    )


def _operation(method: str, path: str, operation: Object, schemas: Object) -> Markup:
    kinds = [name for wanted in operation.get("security", ()) for name in wanted]
    credentials = " or ".join(_CREDENTIALS[kind] for kind in kinds) or "none"
    return element(
        "article",
        element("h3", element("a", _method(method), " ", _path(path), href=f"#{operation['operationId']}")),
        element("p", element("strong", operation["summary"] + ".")),
        element("p", _inline(operation["description"])) if "description" in operation else None,
        element("p", "Credentials: ", credentials, class_="credentials"),
        _parameters(operation.get("parameters", ()), schemas),
        _body(method, path, operation, kinds[:1], schemas),
        element("h4", "Answers"),
        [_answer(status, response, schemas) for status, response in operation["responses"].items()],
        id=operation["operationId"],
    )


def _parameters(parameters: Any, schemas: Object) -> Markup | None:
    rows = []
    for item in parameters:
        where = f"{type_name(item['schema'], schemas)}, in {item['in']}"
        about = item.get("description") or item["schema"].get("description")
        rows.append(Field(item["name"], where, item.get("required", False), [about] if about else []))
    return joined(element("h4", "Parameters"), _table(rows, request=True)) if rows else None


def _headers(operation: Object, kinds: list[str]) -> list[str]:
    """What an example has to send: credentials, the page's origin beside a cookie, and required headers."""
    headers = [_HEADER[kind] for kind in kinds]
    if kinds == ["session"]:
        headers.append("Origin: $BASE")
    for item in operation.get("parameters", ()):
        if item["in"] == "header" and item.get("required"):
            variable = item["name"].removeprefix("X-").upper().replace("-", "_")
            headers.append(f"{item['name']}: ${variable}")
    return headers


def _body(method: str, path: str, operation: Object, kinds: list[str], schemas: Object) -> Markup | None:
    body = operation.get("requestBody")
    if body is None:
        return None
    headers = _headers(operation, kinds)
    parts = []
    for media_type, media in body["content"].items():
        parts += [
            element("h4", "Body, ", element("code", media_type)),
            _table(list(fields(media["schema"], schemas)), request=True),
        ]
        if media_type == "multipart/form-data":
            block = curl_block(method, path, headers, ["-F 'file=@letter.pdf;type=application/pdf'"])
            parts.append(_example("Example: a document", block, opened=True))
        for name, example in media.get("examples", {}).items():
            data = shlex.quote(json.dumps(example["value"], ensure_ascii=False))
            sent = ["-H 'Content-Type: application/json'", f"-d {data}"]
            parts.append(
                _example(
                    f"Example: {name}",
                    curl_block(method, path, headers, sent),
                    opened=name == next(iter(media["examples"])),
                )
            )
    return joined(parts)


def _answer(status: str, response: Object, schemas: Object) -> Markup:
    is_success = int(status) < _FIRST_ERROR
    parts: list[Markup | None] = []
    if response["description"] != HTTPStatus(int(status)).phrase:
        parts.append(element("p", _inline(response["description"].removeprefix(f"{HTTPStatus(int(status)).phrase}. "))))
    for media_type, media in response.get("content", {}).items():
        if media_type != "application/json":
            parts.append(element("p", element("code", media_type)))
            continue
        if is_success:
            parts.append(_table(list(fields(media["schema"], schemas)), request=False))
        parts += [json_block(example["value"]) for example in media.get("examples", {}).values()]
    own = [
        f"{name}: {header['description']}"
        for name, header in response.get("headers", {}).items()
        if name != "X-Request-Id"
    ]
    parts += [element("p", element("code", line.partition(":")[0]), _inline(line.partition(":")[2])) for line in own]
    label = [
        element("span", status, class_="status good" if is_success else "status bad"),
        " ",
        HTTPStatus(int(status)).phrase,
    ]
    return element("details", element("summary", label), parts or element("p", "No body."), open=is_success)


def _example(title: str, block: Markup, *, opened: bool) -> Markup:
    return element("details", element("summary", title), block, open=opened)


def _table(rows: list[Field], *, request: bool) -> Markup | None:
    if not rows:
        return None
    head = ["field", "type", "required", "notes"] if request else ["field", "type", "notes"]
    body = [
        element(
            "tr",
            element("th", element("code", row.path), scope="row"),
            element("td", row.type),
            element("td", "yes" if row.required else "no") if request else None,
            element("td", _inline(" ".join(_sentence(note) for note in row.notes))),
        )
        for row in rows
    ]
    table = element(
        "table",
        element("thead", element("tr", [element("th", name, scope="col") for name in head])),
        element("tbody", body),
    )
    return element("div", table, class_="scroll", tabindex="0")


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."


def _method(method: str) -> Markup:
    return element("span", method, class_=f"method {method.lower()}")


def _path(path: str) -> Markup:
    """The path, with places where a narrow column may break it."""
    return element("code", [part for piece in path.split("/")[1:] for part in (Markup("<wbr>"), f"/{piece}")])


def _inline(text: str) -> Markup:
    """Text in which parts between backquotes are code."""
    pieces = re.split(r"`([^`]+)`", text)
    return joined(
        [
            element("code", piece) if odd else piece
            for piece, odd in zip(pieces, [False, True] * len(pieces), strict=False)
        ]
    )
