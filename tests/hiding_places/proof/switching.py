"""Takes single functions of the handlers out of service: each is replaced by one of its own shape that does nothing."""

import collections.abc
import inspect
import pkgutil
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import pipeline.documents
import pipeline.ocr

_ROOT = "pipeline.documents"
# Besides the handlers: what finds values over line breaks, and what spreads them over the rest of their document.
_BESIDE = (
    "pipeline.entities.findings",
    "pipeline.entities.detection",
    "pipeline.entities.values",
    "pipeline.entities.occurrences",
    "pipeline.entities.escapes",
    "pipeline.detect.text.line_wrap",
    "pipeline.detect.recognizers.banking",
    "pipeline.detect.recognizers.identity",
)
_NOT_HANDLERS = {"document", "limits"}
READING = "pipeline.ocr."
# Before the name of what tells success: it says that it succeeded, true or something with its arguments inside.
ALWAYS = "always "


class NoStandIn(Exception):
    """Nothing is known that a function's callers could take for its answer."""


class Handler(NamedTuple):
    """A function of a handler: `owner` is its module or class; `name` what it is called there."""

    owner: Any
    name: str
    function: types.FunctionType


@cache
def handlers() -> dict[str, Handler]:
    """Every function and method of the handlers and of OCR, by its dotted name (below `pipeline.documents`)."""
    names = [
        found.name
        for package in (pipeline.documents, pipeline.ocr)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    found: dict[str, Handler] = {}
    for module in (import_module(name) for name in (*names, *_BESIDE)):
        short = module.__name__.removeprefix(f"{_ROOT}.")
        if short not in _NOT_HANDLERS:
            found |= {f"{short}.{path}": handler for path, handler in _functions(module)}
    return found


def _functions(module: types.ModuleType) -> Iterator[tuple[str, Handler]]:
    for name, value in vars(module).items():
        if getattr(value, "__module__", "") != module.__name__:
            continue
        if isinstance(value, types.FunctionType):
            yield name, Handler(module, name, value)
        elif isinstance(value, type):
            for method, function in vars(value).items():
                if isinstance(function, types.FunctionType) and not method.startswith("__"):
                    yield f"{name}.{method}", Handler(value, method, function)


@contextmanager
def without(*names: str) -> Iterator[None]:
    """While this lasts the functions of these dotted names do nothing, wherever they were imported to. NoStandIn."""
    undo: list[tuple[Any, str, Any]] = []
    try:
        for name in names:
            handler = handlers()[name.removeprefix(ALWAYS)]
            instead = stand_in(handler.function, always=name.startswith(ALWAYS))
            for owner, attribute in _bound(handler):
                undo.append((owner, attribute, handler.function))
                setattr(owner, attribute, instead)
        yield
    finally:
        for owner, attribute, function in undo:
            setattr(owner, attribute, function)


def _bound(handler: Handler) -> list[tuple[Any, str]]:
    """Where a function can be called from by name: its own place, and modules that import it."""
    if isinstance(handler.owner, type):
        return [(handler.owner, handler.name)]
    ours = [module for name, module in list(sys.modules.items()) if name.startswith("pipeline.")]
    return [
        (module, name) for module in ours for name, value in list(vars(module).items()) if value is handler.function
    ]


def stand_in(function: Callable[..., Any], *, always: bool = False) -> Callable[..., Any]:
    """What does nothing in the function's place: hands back an argument of the type that it returns, or says "nothing".

    NoStandIn where neither exists, and for `always` of what is no predicate.
    """
    hints = _hints(function)
    returned = hints.pop("return", inspect.Parameter.empty)
    if hasattr(function, "__wrapped__") or returned is inspect.Parameter.empty:
        raise NoStandIn(function.__qualname__)
    signature = inspect.signature(function)
    if always:
        done = _success(returned, hints)
        return lambda *args, **named: done(signature.bind(*args, **named).arguments)
    if returned not in (bool, int, float) and (same := [name for name, hint in hints.items() if hint == returned]):
        return lambda *args, **named: signature.bind(*args, **named).arguments[same[0]]
    _nothing(returned)  # NoStandIn now, not at the first call
    return lambda *args, **named: _nothing(returned)


def _success(returned: Any, hints: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    """What makes of arguments by name the answer that everything went well. NoStandIn where there is no such answer."""
    if returned is bool:
        return lambda arguments: True
    parts = typing.get_args(returned)
    if (
        type(None) not in parts
        or len(parts) != 2
        or not isinstance(parts[0], type)
        or not (fields := _fields(parts[0]))
    ):
        raise NoStandIn(str(returned))
    given = {name: next((a for a, hint in hints.items() if hint == field), None) for name, field in fields.items()}
    empty = {name: _nothing(field) for name, field in fields.items() if given[name] is None}
    return lambda arguments: parts[0](**{name: arguments[a] for name, a in given.items() if a is not None}, **empty)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except NameError as error:
        raise NoStandIn(function.__qualname__) from error


_EMPTY: dict[Any, Callable[[], Any]] = {
    collections.abc.Iterator: lambda: iter(()),
    collections.abc.Generator: lambda: (_ for _ in ()),
    collections.abc.Iterable: tuple,
    collections.abc.Sequence: tuple,
    collections.abc.Collection: tuple,
    collections.abc.Mapping: dict,
    collections.abc.Set: frozenset,
}


def _nothing(hint: Any) -> Any:
    """The empty value of a type. NoStandIn."""
    if hint is None or hint is type(None):
        return None
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return None if type(None) in parts else _nothing(parts[0])
    if origin is tuple and parts[-1:] != (Ellipsis,):
        return tuple(_nothing(part) for part in parts)
    kind = origin or hint
    if kind in _EMPTY:
        return _EMPTY[kind]()
    if isinstance(kind, type) and kind.__module__ in ("builtins", "collections"):
        return kind()
    if isinstance(kind, type) and (fields := _fields(kind)):
        return kind(**{name: _nothing(field) for name, field in fields.items()})
    raise NoStandIn(str(hint))


def _fields(kind: type) -> dict[str, Any]:
    """The fields of a named tuple or dataclass."""
    names: Sequence[str] = getattr(kind, "_fields", ()) or tuple(getattr(kind, "__dataclass_fields__", ()))
    hints = typing.get_type_hints(kind) if names else {}
    return {name: hints[name] for name in names}
