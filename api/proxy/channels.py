"""The texts of a stream that are under way at the same time, each with what it holds back."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from api.proxy.joints import StreamTooLong
from api.proxy.json_text import JsonChannel
from api.proxy.prose import prose
from api.proxy.restorer import Restorer
from api.proxy.strict_json import Number

_MOST: Final = 4096  # texts at a time; an answer of 128 choices with 30 calls of tools each has fewer


class Part(NamedTuple):
    """What tells a part of an array from others where the parts have no `index`."""

    id: str = ""
    type: str = ""


Index = str | Number
Step = Index | Part  # a key, or a part of an array, by its `index` if it has one
Path = tuple[Step, ...]


class Channels:
    """A channel for every path, in groups (a content block, a choice) that end together."""

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer
        self._groups: dict[Index, dict[Path, JsonChannel]] = {}
        self._open = 0

    def feed(self, group: Index, path: Path, text: str, *, arguments: bool, begun: str = "") -> str:
        """What can be said of a text's next piece. `arguments`: of a tool, and not prose, before which `begun` stands.

        StreamTooLong when more are under way than any answer has.
        """
        paths = self._groups.setdefault(group, {})
        channel = paths.get(path)
        if channel is None:
            if self._open >= _MOST:
                raise StreamTooLong
            self._open += 1
            channel = paths[path] = JsonChannel(self._restorer) if arguments else prose(self._restorer, begun=begun)
        return channel.feed(text)

    def part(self, group: Index, array: Path, part: Part) -> Part:
        """Which part of an array goes on with one that says so little of itself: the newest that it may be, or it."""
        if part.id:
            return part
        for path in reversed(self._groups.get(group, {})):
            known = path[len(array)] if path[: len(array)] == array and len(path) > len(array) else None
            if isinstance(known, Part) and part.type in ("", known.type):
                return known
        return part

    def groups(self) -> list[Index]:
        """The groups that have texts under way."""
        return list(self._groups)

    def over(self, group: Index) -> Iterator[tuple[Path, str]]:
        """What the texts of a group held back; they are over with this."""
        paths = self._groups.pop(group, {})
        self._open -= len(paths)
        for path, channel in paths.items():
            if held := channel.flush():
                yield path, held
