"""Describes failed validations in words of our own: declared names and declared bounds, nothing that the caller sent.

The messages of pydantic quote the input, which is personal data here. So only the parts of a message and of a location
that come from our declarations are kept.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticKnownError

ErrorItem: TypeAlias = Mapping[str, Any]
Declared: TypeAlias = type[BaseModel] | TypeAdapter[Any]

_MAX_ERRORS = 10_000  # of one input; beyond it they are not listed one by one
MAX_ITEMS = 100  # of one answer: a body can be wrong in a million places
# Placeholders of pydantic's messages whose values are our own declarations, or a count of elements.
_SAFE_PLACEHOLDERS = frozenset(
    {
        "actual_length", "class", "class_name", "decimal_places", "discriminator", "encoding", "expected",
        "expected_plural", "expected_schemes", "expected_tags", "expected_version", "field_type", "ge", "gt", "le",
        "lt", "max_digits", "max_length", "method_name", "min_length", "multiple_of", "pattern", "tz_expected",
        "whole_digits",
    }
)  # fmt: skip
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_POSITION = re.compile(r" at line \d+ column \d+$")
_GENERIC_MESSAGE = "Input is invalid"
_MAPPING_KEY = "[key]"  # pydantic's last location step for an error in a mapping's key


def public_errors(items: Iterable[ErrorItem], place: Sequence[str], declared: Declared) -> list[dict[str, Any]]:
    """The public form of pydantic errors. `place` is where the input came from, such as ("body",)."""
    schema = _schema(declared)
    return [_public_item(item, [*place, *_declared_steps(item["loc"], schema)]) for item in _first(items)]


def public_validation_errors(error: ValidationError, place: Sequence[str], declared: Declared) -> list[dict[str, Any]]:
    """The public form of a failed validation against the model or type that was `declared`."""
    if error.error_count() > _MAX_ERRORS:  # a list of a million would cost more than the body
        return [{"type": "too_many_errors", "loc": list(place), "msg": f"More than {_MAX_ERRORS} errors"}]
    return public_errors(error.errors(include_url=False, include_input=False), place, declared)


def public_parameter_errors(items: Iterable[ErrorItem], names: frozenset[str]) -> list[dict[str, Any]]:
    """The public form of invalid path, query and header parameters. `names` are those that the route declares."""
    return [
        _public_item(
            item, [*item["loc"][:1], *(step for step in item["loc"][1:] if isinstance(step, int) or step in names)]
        )
        for item in _first(items)
    ]


def _first(items: Iterable[ErrorItem]) -> Iterator[ErrorItem]:
    return (item for item, _ in zip(items, range(MAX_ITEMS), strict=False))


def _public_item(item: ErrorItem, loc: list[str | int]) -> dict[str, Any]:
    return {"type": item["type"], "loc": loc, "msg": _message(item)}


def _message(item: ErrorItem) -> str:
    """Pydantic's message, cut before the first placeholder that is filled with a part of the input."""
    try:
        template = PydanticKnownError(item["type"], item.get("ctx")).message_template
    except KeyError:  # an error type of our own, with our own message
        return str(item["msg"])
    except TypeError:  # the context is missing, so what fills the message is unknown
        return _GENERIC_MESSAGE
    unsafe = next(
        (placeholder for placeholder in _PLACEHOLDER.finditer(template) if placeholder[1] not in _SAFE_PLACEHOLDERS),
        None,
    )
    if unsafe is None:
        return str(item["msg"])
    safe_part = template[: unsafe.start()]
    if _PLACEHOLDER.search(safe_part):
        return _GENERIC_MESSAGE
    position = _POSITION.search(item["msg"]) if item["type"] == "json_invalid" else None
    return safe_part.rstrip(" ,:'") + (position[0] if position else "")


def _declared_steps(path: Sequence[str | int], schema: ErrorItem) -> list[str | int]:
    """The steps of `path` that are indexes or that the schema declares. Keys that the caller invented are left out."""
    definitions, nodes, steps = schema.get("$defs", {}), [schema], list[str | int]()
    of_mapping = False
    for step in path:
        nodes = [whole for node in nodes for whole in _branches(node, definitions)]
        if isinstance(step, int):
            steps.append(step)
            nodes = [node["items"] for node in nodes if "items" in node]
        elif named := [node["properties"][step] for node in nodes if step in node.get("properties", ())]:
            steps.append(step)
            nodes = named
        elif mappings := [node for node in nodes if isinstance(node.get("additionalProperties"), Mapping)]:
            if any(step in _declared_keys(node, definitions) for node in mappings):
                steps.append(step)
            nodes = [node["additionalProperties"] for node in mappings]
            of_mapping = True
        elif step == _MAPPING_KEY and of_mapping:
            steps.append(step)
        # else it is pydantic's name for a branch of a union: the same schema nodes stay
    return steps


def _branches(node: ErrorItem, definitions: ErrorItem) -> Iterator[ErrorItem]:
    """The schema node with its references resolved, and every branch of its unions."""
    if "$ref" in node:
        yield from _branches(definitions[node["$ref"].rpartition("/")[2]], definitions)
    yield node
    for branch in (*node.get("anyOf", ()), *node.get("oneOf", ()), *node.get("allOf", ())):
        yield from _branches(branch, definitions)


def _declared_keys(mapping: ErrorItem, definitions: ErrorItem) -> frozenset[str]:
    """The keys that a mapping may have, where the schema lists them."""
    return frozenset(
        key for node in _branches(mapping.get("propertyNames", {}), definitions) for key in node.get("enum", ())
    )


@cache
def _schema(declared: Declared) -> ErrorItem:
    return declared.json_schema() if isinstance(declared, TypeAdapter) else declared.model_json_schema()
