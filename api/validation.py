"""Says what is wrong with an input in words of ours alone: declared names, declared bounds, nothing of the caller's."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticKnownError

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
