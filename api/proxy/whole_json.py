"""A tool's JSON as a reader has it before them: what stands beside a value, or at the head of its column, tells of it.

In `{"field": "Passport number", "value": "K12345678"}` no value tells by itself what it is, and no key does.
"""

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from api.proxy.arguments import Split, is_json
from api.proxy.rules import Rule, Says, said
from api.proxy.strict_json import Holder, Number, at

_LONGEST_CUE: Final = 64  # characters of a string that passes, and may yet say what the others are
_PASSING: Final = frozenset({Says.OPAQUE, Says.BYTES})
_APART: Final = frozenset({Says.ARGUMENTS, Says.RESULT})  # where they hold JSON, that is a whole of its own


@dataclass(slots=True, eq=False)
class WholeJson:
    """JSON whose strings are spelled without escapes.

    `places`: where in `text` each value begins, by the identity of what holds it and its key there.
    """

    text: str = field(repr=False)
    places: dict[tuple[int, str | int], int] = field(repr=False)


def of_split(read: Split) -> WholeJson:
    """The JSON text that was taken apart: each value by its number in `pieces`."""
    shown = [str(piece) for piece in read.pieces]
    for value in read.values:
        if value.text is not None:
            shown[value.at] = f'"{value.text}"'
    begins = list(accumulate(map(len, shown), initial=0))
    holder = id(read.pieces)
    whole = WholeJson("".join(shown), {})
    for value in read.values:
        whole.places[holder, value.at] = begins[value.at] + (value.text is not None)
    return whole


def of_tree(holder: Holder, key: str | int, rule: Rule) -> WholeJson:
    """What stands at `holder[key]`, where `rule` tells what is read of it."""
    writing = _Writing()
    writing.below(holder, key, rule)
    return WholeJson("".join(writing.pieces), writing.places)


class _Writing:
    """Recursive: a body has no more levels than `strict_json` lets through."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.places: dict[tuple[int, str | int], int] = {}
        self._length = 0

    def below(self, holder: Holder, key: str | int, rule: Rule) -> None:
        node = at(holder, key)
        if isinstance(node, dict):
            own = rule.of_object(node)
            self._add("{")
            for nth, name in enumerate(node):
                self._add(f'{", " if nth else ""}"{name}": ')
                self.below(node, name, own.of_field(name))
            self._add("}")
        elif isinstance(node, list):
            self._add("[")
            for nth in range(len(node)):
                self._add(", " if nth else "")
                self.below(node, nth, rule)
            self._add("]")
        elif isinstance(node, str):
            self._string(holder, key, node if _is_read(rule.says, node) else "")
        elif isinstance(node, Number):
            self.places[id(holder), key] = self._length
            self._add(node.literal)
        else:
            self._add("null" if node is None else "true" if node else "false")

    def _string(self, holder: Holder, key: str | int, text: str) -> None:
        self._add('"')
        self.places[id(holder), key] = self._length
        self._add(f'{text}"')

    def _add(self, text: str) -> None:
        self.pieces.append(text)
        self._length += len(text)


def _is_read(says: Says, text: str) -> bool:
    if says in _APART:
        return not is_json(text)
    return len(text) <= _LONGEST_CUE or said(says, text) not in _PASSING
