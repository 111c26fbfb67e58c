"""A table for `str.translate` that is filled as characters are met: most of Unicode never is."""

from collections.abc import Callable


class CharacterTable(dict[int, str]):
    """What `fold` makes of each character, once it has been asked."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        super().__init__()
        self._fold = fold

    def __missing__(self, code: int) -> str:
        folded = self[code] = self._fold(chr(code))
        return folded
