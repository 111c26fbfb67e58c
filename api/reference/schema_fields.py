"""Lists the fields of a JSON schema as table rows: path, type, whether required, bounds and meaning."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_MAX_DEPTH = 4  # of nested objects
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
    """One row of the table. `path` is written like `entries[].term`."""

    path: str
    type: str
    required: bool
    notes: list[str]


def fields(schema: Schema, schemas: Schema, prefix: str = "", depth: int = 0) -> Iterator[Field]:
    """The fields of an object, each followed by those of the objects in it; for an array the fields of its items."""
    schema = _resolve(schema, schemas)
    if depth > _MAX_DEPTH:
        return
    if "items" in schema:
        yield from fields(schema["items"], schemas, f"{prefix}[]" if prefix else "[]", depth)
        return
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}.{name}" if prefix else name
        resolved = _resolve(inner, schemas)
        branches = list(_branches(resolved, schemas))
        descriptions = [str(branch["description"]) for _, branch in branches if "description" in branch]
        notes = dict.fromkeys([*_notes(inner, resolved), *descriptions])
        yield Field(path, type_name(inner, schemas), name in schema.get("required", ()), list(notes))
        for suffix, branch in branches:
            yield from fields(branch, schemas, path + suffix, depth + 1)


def type_name(schema: Schema, schemas: Schema) -> str:
    """The type in words, such as `integer or null` or `array of string`."""
    schema = _resolve(schema, schemas)
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
    """The objects that a field can hold: itself, its items (suffix `[]`), or its alternatives."""
    for branch in schema.get("anyOf") or schema.get("oneOf") or [schema]:
        resolved = _resolve(branch, schemas)
        suffix = "[]" if "items" in resolved else ""
        resolved = _resolve(resolved["items"], schemas) if suffix else resolved
        if "properties" in resolved:
            yield suffix, resolved


def _notes(schema: Schema, resolved: Schema) -> Iterator[str]:
    if descriptions := schema.get("description"):
        yield str(descriptions)
    for part in (resolved, *resolved.get("anyOf", ())):
        if "enum" in part:
            yield "one of " + ", ".join(str(value) for value in part["enum"])
        if "enum" in part.get("propertyNames", {}):
            yield "keys: " + ", ".join(part["propertyNames"]["enum"])
        yield from (_bound(words, part[key]) for key, words in _BOUNDS if key in part)
    if schema.get("default", []) not in (None, []):
        yield f"default {str(schema['default']).lower() if isinstance(schema['default'], bool) else schema['default']}"


def _bound(words: str, number: int) -> str:
    text = words.format(f"{number:,}")
    return text.removesuffix("s") if number == 1 else text


def _resolve(schema: Schema, schemas: Schema) -> Schema:
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    return schema
