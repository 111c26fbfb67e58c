"""The texts of a stream that are under way at the same time, each with what it holds back."""

from collections.abc import Iterator
from typing import Final

from api.proxy.joints import StreamTooLong
from api.proxy.json_text import JsonChannel
from api.proxy.prose import prose
from api.proxy.restorer import Restorer
from api.proxy.strict_json import Number

_MOST: Final = 4096  # texts at a time; an answer of 128 choices with 30 calls of tools each has fewer

Step = str | Number  # a key, or the `index` of a part of an array
Path = tuple[Step, ...]


class Channels:
    """A channel for every path, in groups (a content block, a choice) that end together."""

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer
        self._groups: dict[Step, dict[Path, JsonChannel]] = {}
        self._open = 0

    def feed(self, group: Step, path: Path, text: str, *, arguments: bool) -> str:
        """What can be said of a text's next piece. `arguments`: of a tool, and not prose.

        StreamTooLong when more are under way than any answer has.
        """
        paths = self._groups.setdefault(group, {})
        channel = paths.get(path)
        if channel is None:
            if self._open >= _MOST:
                raise StreamTooLong
            self._open += 1
            channel = paths[path] = JsonChannel(self._restorer) if arguments else prose(self._restorer)
        return channel.feed(text)

    def groups(self) -> list[Step]:
        """The groups that have texts under way."""
        return list(self._groups)

    def over(self, group: Step) -> Iterator[tuple[Path, str]]:
        """What the texts of a group held back; they are over with this."""
        paths = self._groups.pop(group, {})
        self._open -= len(paths)
        for path, channel in paths.items():
            if held := channel.flush():
                yield path, held
