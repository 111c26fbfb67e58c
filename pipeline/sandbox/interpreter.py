"""Starts a script of the sandbox in an interpreter of its own, with a fixed environment and closed standard streams."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    # One document, one core: the thread pools of several children would compete, and a zygote may have no threads.
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    # Huge pages where the kernel has them: the tensors of a scan would cost each child 400,000 page faults, a second.
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}


def start(script: str, descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
    """Starts `script` of this package with the numbers of the inherited `descriptors` as its arguments. OSError.

    The interpreter is isolated (-I), without site (-S), in its own session, so that all of it can be killed.
    """
    path = str(ROOT / "pipeline" / "sandbox" / script)
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-X", "utf8", path, *map(str, descriptors)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # error messages of parsers may quote the document
        env=_ENVIRONMENT,
        cwd="/",
        pass_fds=descriptors,
        start_new_session=True,
    )
