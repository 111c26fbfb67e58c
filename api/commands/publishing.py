"""Writes files whole or not at all: into a hidden draft in the same folder, which is then renamed."""

import os
import secrets
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_LONGEST = 240  # bytes of a name; file systems hold 255


def write(*outputs: tuple[Path, bytes], force: bool) -> None:
    """All files whole, or nothing changed: a report never stays without its file.

    With `force` they replace whatever has their names. OSError, with the name of the one that could not be written;
    FileExistsError without `force`.
    """
    made = [(_hidden(target.parent), target) for target, _ in outputs]
    try:
        for (path, target), (_, data) in zip(made, outputs, strict=True):
            with _naming(target):
                _fill(path, data)
        publish(made, force=force)
    finally:
        for path, _ in made:
            path.unlink(missing_ok=True)


def publish(drafts: Sequence[tuple[Path, Path]], *, force: bool) -> None:
    """Gives drafts their names, all in this order, or none. OSError; FileExistsError unless `force`.

    After an interrupt at any moment the state is read from the files, not from how far the renaming came.
    """
    begun: list[tuple[Path, Path, Path]] = []
    try:
        for made, target in drafts:
            before = _hidden(target.parent)
            begun.append((made, target, before))
            with _naming(target):
                if force:
                    _keep(target, before)
                move(made, target, force=force)
    except BaseException:
        for made, target, before in reversed(begun):
            if os.path.lexists(before):
                before.replace(target)
            elif not made.exists() or (target.exists() and target.samefile(made)):
                target.unlink(missing_ok=True)
        raise
    finally:
        for _, _, before in begun:
            before.unlink(missing_ok=True)


@contextmanager
def _naming(target: Path) -> Iterator[None]:
    """Makes an OSError name the file to be written instead of the hidden draft."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None


def _keep(target: Path, before: Path) -> None:
    """Keeps an existing file under a second name (a hard link where possible); symbolic links are not followed."""
    if not os.path.lexists(target):
        return
    try:
        os.link(target, before, follow_symlinks=False)
    except OSError:
        target.rename(before)


def draft(folder: Path, data: bytes) -> Path:
    """Writes the bytes to a hidden file of the folder and syncs it; nothing is left behind on failure."""
    made = _hidden(folder)
    _fill(made, data)
    return made


def _fill(made: Path, data: bytes) -> None:
    try:
        with made.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def move(made: Path, target: Path, *, force: bool) -> None:
    """Gives a draft its name. FileExistsError when that is taken, unless `force`."""
    if force:
        made.replace(target)
        return
    try:
        os.link(made, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: the name is taken first, and then filled
        target.open("xb").close()
        try:
            made.replace(target)
        except BaseException:
            target.unlink()
            raise
    else:
        made.unlink()


def _hidden(folder: Path) -> Path:
    return folder / f".masker-{secrets.token_hex(8)}"


class Names:
    """Names given out in one run, so that two files never get the same, also on case-insensitive file systems."""

    def __init__(self) -> None:
        self._taken: set[tuple[Path, str]] = set()
        self._last: Counter[tuple[Path, str]] = Counter()

    def free(self, folder: Path, name: str) -> Path:
        """`folder/name`, with a number behind the stem where that name was given out before."""
        stem, suffix = os.path.splitext(name)  # noqa: PTH122 - a name, not a path
        wanted, found = (folder, _same(name)), _shortened(stem, suffix)
        while (folder, _same(found)) in self._taken:
            self._last[wanted] += 1
            found = _shortened(stem, f" ({self._last[wanted] + 1}){suffix}")
        self._taken.add((folder, _same(found)))
        return folder / found


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _shortened(stem: str, rest: str) -> str:
    room = max(1, _LONGEST - len(os.fsencode(rest)))
    while len(os.fsencode(stem)) > room:
        stem = stem[: -max(1, (len(os.fsencode(stem)) - room) // 4)]
    return stem + rest
