"""An attribute computed at first use. Before Python 3.12 functools.cached_property holds one lock for all instances."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - used as a decorator, as `property` is
    """Computes the value of a method once per instance and keeps it in its `__dict__`, where it shadows this.

    Threads that come at once to the same instance may each compute it; a large text holds up nobody else's.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "lazy[T]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> "T | lazy[T]":
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
