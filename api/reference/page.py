"""Renders the OpenAPI document as one page."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from http import HTTPStatus
from typing import Any, NamedTuple, TypeAlias

# Lists the fields of a JSON schema as rows: path, type, whether required, bounds and meaning.

_DEEPEST = 4
_BOUNDS = (
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("exclusiveMinimum", "more than {}"),
    ("exclusiveMaximum", "less than {}"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
)
Schema = Mapping[str, Any]


class Field(NamedTuple):
    """One row. `path` as in `entries[].term`."""

    path: str
    type: str
    required: bool
    notes: list[str]


def fields(schema: Schema, schemas: Schema, prefix: str = "", depth: int = 0) -> Iterator[Field]:
    """The fields of an object, those of objects inside it following; for an array, the fields of its items."""
    schema = _resolved(schema, schemas)
    if depth > _DEEPEST:
        return
    if "items" in schema:
        yield from fields(schema["items"], schemas, f"{prefix}[]" if prefix else "[]", depth)
        return
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}.{name}" if prefix else name
        whole = _resolved(inner, schemas)
        branches = list(_branches(whole, schemas))
        about = [str(branch["description"]) for _, branch in branches if "description" in branch]
        notes = dict.fromkeys([*_notes(inner, whole), *about])
        yield Field(path, type_name(inner, schemas), name in schema.get("required", ()), list(notes))
        for suffix, branch in branches:
            yield from fields(branch, schemas, path + suffix, depth + 1)


def type_name(schema: Schema, schemas: Schema) -> str:
    """`string`, `integer or null`, `array of string`, ..."""
    schema = _resolved(schema, schemas)
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        names = dict.fromkeys(type_name(branch, schemas) for branch in branches)
        return " or ".join(sorted(names, key=lambda name: name == "null"))
    if "const" in schema:
        return f'"{schema["const"]}"'
    if schema.get("type") == "array":
        return f"array of {type_name(schema.get('items', {}), schemas)}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {type_name(schema['additionalProperties'], schemas)}"
    name = str(schema.get("type", "any"))
    return f"{name} ({schema['format']})" if "format" in schema else name


def _branches(schema: Schema, schemas: Schema) -> Iterator[tuple[str, Schema]]:
    """The objects that a field holds: itself, its items (then with a suffix), or those of its alternatives."""
    for branch in schema.get("anyOf") or schema.get("oneOf") or [schema]:
        whole = _resolved(branch, schemas)
        suffix = "[]" if "items" in whole else ""
        whole = _resolved(whole["items"], schemas) if suffix else whole
        if "properties" in whole:
            yield suffix, whole


def _notes(schema: Schema, whole: Schema) -> Iterator[str]:
    if about := schema.get("description"):
        yield str(about)
    for part in (whole, *whole.get("anyOf", ())):
        if "enum" in part:
            yield "one of " + ", ".join(str(value) for value in part["enum"])
        if "enum" in part.get("propertyNames", {}):
            yield "keys: " + ", ".join(part["propertyNames"]["enum"])
        yield from (_bound(words, part[key]) for key, words in _BOUNDS if key in part)
    if schema.get("default", []) not in (None, []):
        yield f"default {str(schema['default']).lower() if isinstance(schema['default'], bool) else schema['default']}"


def _bound(words: str, number: int) -> str:
    said = words.format(f"{number:,}")
    return said.removesuffix("s") if number == 1 else said


def _resolved(schema: Schema, schemas: Schema) -> Schema:
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    return schema


# Writes HTML whose text is always escaped: what is no `Markup` is text.

_EMPTY = frozenset({"link", "meta"})  # elements without an end tag


class Markup(str):
    """HTML that was made here."""

    __slots__ = ()


Child: TypeAlias = "str | Markup | Iterable[str | Markup | None] | None"


def element(tag: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """An element; `class_` and `aria_label` stand for `class` and `aria-label`, True for an attribute without value."""
    said = "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{tag}{said}>" if tag in _EMPTY else f"<{tag}{said}>{joined(*children)}</{tag}>")


def joined(*children: Child) -> Markup:
    """Children side by side, text among them escaped."""
    return Markup("".join(_html(child) for child in children))


def _html(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    return escape(child) if isinstance(child, str) else joined(*child)


def _attribute(key: str, value: str | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


# Shows JSON and shell lines: coloured by markup, and readable where Arabic stands among Latin.

_INDENT = "  "


def json_block(value: Any) -> Markup:
    """A JSON value, indented. Each string is a unit of its own to the bidirectional algorithm (UAX 9)."""
    return element("pre", element("code", _value(value, "")), tabindex="0", class_="sample")


def curl_block(method: str, path: str, header: str | None, body: Any) -> Markup:
    """The same call from a shell, where BASE is the service's address."""
    lines = [f"curl -s{'' if method == 'GET' else f' -X {method}'} $BASE{path}"]
    if header:
        lines.append(f'-H "{header}"')
    if body is not None:
        data = shlex.quote(json.dumps(body, ensure_ascii=False))
        lines += ["-H 'Content-Type: application/json'", f"-d {data}"]
    shown = [element("bdi", line) for line in lines]
    joints: list[str | Markup] = [part for line in shown for part in (" \\\n" + _INDENT, line)][1:]
    return element("pre", element("code", joints), tabindex="0", class_="sample")


def _value(value: Any, margin: str) -> Markup:
    if isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), str):
        ((key, text),) = value.items()
        return joined("{", _text(key, "key"), ": ", _text(text, "string"), "}")
    if isinstance(value, dict) and value:
        return _lines(
            "{",
            "}",
            [joined(_text(key, "key"), ": ", _value(item, margin + _INDENT)) for key, item in value.items()],
            margin,
        )
    if isinstance(value, list) and value:
        if all(isinstance(item, (str, int)) for item in value) and len(json.dumps(value)) < 80:
            return joined("[", [part for item in value for part in (", ", _value(item, ""))][1:], "]")
        return _lines("[", "]", [_value(item, margin + _INDENT) for item in value], margin)
    if isinstance(value, str):
        return _text(value, "string")
    return element("span", json.dumps(value), class_="literal")


def _lines(opening: str, closing: str, items: list[Markup], margin: str) -> Markup:
    inside = [part for item in items for part in (f",\n{margin}{_INDENT}", item)][1:]
    return joined(opening, f"\n{margin}{_INDENT}", inside, f"\n{margin}", closing)


def _text(text: str, class_: str) -> Markup:
    return element("span", json.dumps(text, ensure_ascii=False), class_=class_, dir="auto")


Object = Mapping[str, Any]
_CREDENTIALS = {"bearer": "bearer key", "session": "session cookie"}
_HEADER = {"bearer": "Authorization: Bearer $KEY", "session": "Cookie: masker_session=$SESSION"}
_FIRST_ERROR = 400


def render(document: Object) -> str:
    """The whole page, UTF-8 text. Its style sheet is /docs/reference.css; it has no script."""
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
        _body(method, path, operation.get("requestBody"), kinds[:1], schemas),
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


def _body(method: str, path: str, body: Object | None, kinds: list[str], schemas: Object) -> Markup | None:
    if body is None:
        return None
    parts = []
    for media_type, media in body["content"].items():
        parts += [
            element("h4", "Body, ", element("code", media_type)),
            _table(list(fields(media["schema"], schemas)), request=True),
        ]
        for name, example in media.get("examples", {}).items():
            header = _HEADER[kinds[0]] if kinds else None
            parts.append(
                _example(
                    f"Example: {name}",
                    curl_block(method, path, header, example["value"]),
                    opened=name == next(iter(media["examples"])),
                )
            )
    return joined(parts)


def _answer(status: str, response: Object, schemas: Object) -> Markup:
    good = int(status) < _FIRST_ERROR
    parts: list[Markup | None] = []
    if response["description"] != HTTPStatus(int(status)).phrase:
        parts.append(element("p", _inline(response["description"].removeprefix(f"{HTTPStatus(int(status)).phrase}. "))))
    for media_type, media in response.get("content", {}).items():
        if media_type != "application/json":
            parts.append(element("p", element("code", media_type)))
            continue
        if good:
            parts.append(_table(list(fields(media["schema"], schemas)), request=False))
        parts += [json_block(example["value"]) for example in media.get("examples", {}).values()]
    own = [
        f"{name}: {header['description']}"
        for name, header in response.get("headers", {}).items()
        if name != "X-Request-Id"
    ]
    parts += [element("p", element("code", line.partition(":")[0]), _inline(line.partition(":")[2])) for line in own]
    label = [
        element("span", status, class_="status good" if good else "status bad"),
        " ",
        HTTPStatus(int(status)).phrase,
    ]
    return element("details", element("summary", label), parts or element("p", "No body."), open=good)


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
    """With places where a narrow column may break it."""
    return element("code", [part for piece in path.split("/")[1:] for part in (Markup("<wbr>"), f"/{piece}")])


def _inline(text: str) -> Markup:
    """Text whose `code` is set as code."""
    pieces = re.split(r"`([^`]+)`", text)
    return joined(
        [
            element("code", piece) if odd else piece
            for piece, odd in zip(pieces, [False, True] * len(pieces), strict=False)
        ]
    )
