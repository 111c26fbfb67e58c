"""A sealed file in memory: how bytes reach a child. Nobody can change it, not even the child."""

import errno
import fcntl
import os
import time
from collections.abc import Sequence

# Seconds between attempts to seal; in each attempt the kernel itself waits up to a sixth of a second.
_SEAL_WAITS = (0.0, 0.01, 0.05, 0.2, 1.0)


def sealed(parts: Sequence[bytes]) -> int:
    """A sealed memory file with these bytes."""
    file = empty()
    try:
        fill(file, parts)
    except BaseException:
        os.close(file)
        raise
    return file


def empty() -> int:
    """An empty memory file, for `fill`."""
    return os.memfd_create("message", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)


def fill(file: int, parts: Sequence[bytes]) -> None:
    """Writes these bytes to an empty memory file and seals it."""
    with open(file, "wb", closefd=False) as stream:
        stream.writelines(parts)
    _seal(file)


def _seal(file: int) -> None:
    """Seals a memory file against every change. The kernel refuses with EBUSY while it migrates one of the pages."""
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
    for wait in _SEAL_WAITS:
        try:
            fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            time.sleep(wait)
        else:
            return
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)
