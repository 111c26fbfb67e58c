"""Every field of the official packages' request types, each with a body in which a value stands in that field alone."""

import collections.abc
import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import typing_extensions as te

_WRAPPERS = (te.Required, te.NotRequired, typing.Required, typing.NotRequired, Annotated)


class Field(NamedTuple):
    """`name` is the way to it, with the type or role of each object before the key; `body` puts a value there."""

    name: str
    steps: tuple[Any, ...]

    def body(self, value: Any) -> Any:
        """A body with the value in this field; around it stands what tells the provider what each object is."""
        node = value
        for step in reversed(self.steps):
            node = [node] if step is list else {**step.tags, step.key: node}
        return node if "messages" in node else {**node, "messages": []}


class _Key(NamedTuple):
    key: str
    tags: dict[str, Any]


def fields_of(root: Any) -> Iterator[Field]:
    """Each once: where it is met first, from the root down."""
    todo: list[tuple[Any, tuple[Any, ...]]] = [(root, ())]
    seen = set()
    while todo:
        kind, steps = todo.pop(0)
        if kind in seen:
            continue
        seen.add(kind)
        hints = te.get_type_hints(kind, include_extras=True)
        tags = _tags(hints)
        for key, hint in hints.items():
            own = {name: value for name, value in tags.items() if name != key}
            takes_text = False
            for alternative, below in _alternatives(hint, ()):
                path = (*steps, _Key(key, own), *below)
                if te.is_typeddict(alternative):
                    todo.append((alternative, path))
                elif alternative is object:
                    yield Field(_name(path), path)
                elif alternative is str and not takes_text:
                    takes_text = True
                    yield Field(_name(path), path)


def _name(steps: tuple[Any, ...]) -> str:
    parts = ["[]" if step is list else "." + ":".join((*step.tags.values(), step.key)) for step in steps]
    return "".join(parts).removeprefix(".")


def _tags(hints: dict[str, Any]) -> dict[str, Any]:
    """The fields that tell what an object is."""
    return {
        key: value
        for key in ("type", "role")
        if key in hints
        for alternative, _ in _alternatives(hints[key], ())
        if isinstance(alternative, str)
        for value in [alternative]
    }


def _alternatives(hint: Any, steps: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The types that a field may have, and the arrays and objects in between; a literal's values as strings."""
    origin, arguments = te.get_origin(hint), te.get_args(hint)
    if origin in _WRAPPERS:
        yield from _alternatives(arguments[0], steps)
    elif origin in (typing.Union, types.UnionType):
        for argument in arguments:
            yield from _alternatives(argument, steps)
    elif origin is te.Literal:
        yield from ((value, steps) for value in arguments if isinstance(value, str))
    elif origin in (dict, collections.abc.Mapping):
        yield from _alternatives(arguments[1], (*steps, _Key("anything", {})))
    elif origin is not None and issubclass(origin, collections.abc.Iterable):
        yield from _alternatives(arguments[0], (*steps, list))
    else:
        yield hint, steps
