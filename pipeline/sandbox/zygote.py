"""The zygote: a process that has loaded the parsers, has never seen a document, and forks a child for each one.

`sandbox.warm` starts it as a script: `zygote.py PLAN CONTROL`, with two inherited descriptors, a memory file and a Unix
socket. It isolates itself, loads what the plan names, and reports `ready` or the name of an exception type.
"""

import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

_LOAD_SECONDS = 120  # more than the sandbox waits: a backstop if it has died


class SandboxUnavailable(Exception):
    """A measure that strict mode requires failed."""


class MoreThanOneThread(Exception):
    """The loaded code started a thread: a forked child would wait forever for locks that the thread held."""


def main(plan_file: int, control_socket: int) -> NoReturn:
    """Runs the zygote until the sandbox closes the control socket or its process ends."""
    plan = json.loads(os.pread(plan_file, os.fstat(plan_file).st_size, 0))
    os.close(plan_file)
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, control_socket)
    control.set_inheritable(False)
    # No death signal: it would come when the thread ends that started this process.
    sandbox = os.pidfd_open(plan["parent"])
    if os.getppid() != plan["parent"]:
        os._exit(1)  # the sandbox died before it could be watched
    sys.path.insert(0, plan["paths"][0])
    signal.alarm(_LOAD_SECONDS)
    try:
        rehearse = _load(plan)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - only the name of the type leaves the process
        control.send(type(error).__name__.encode())
        os._exit(1)
    signal.alarm(0)
    from pipeline.sandbox.forks import Forks
    from pipeline.sandbox.message import READY

    control.send(READY)
    Forks(control, sandbox, plan["child"], rehearse, has_namespaces=plan["namespaces"]).serve()


def _load(plan: dict[str, Any]) -> Callable[[], object] | None:
    """Isolates this process and loads what its children need; what they do while they wait, if there is something.

    SandboxUnavailable, MoreThanOneThread, any other.
    """
    from pipeline.sandbox.child import import_packages
    from pipeline.sandbox.isolation import REQUIRED, prepare

    module, _, name = plan["preload"].partition(":")
    import_packages(plan["answers"], module)
    missing = prepare(plan)
    if plan["strict"] and set(missing) & set(REQUIRED):
        raise SandboxUnavailable
    import_module("pipeline.sandbox.forks")
    preload: Callable[[], Callable[[], object] | None] = getattr(import_module(module), name)
    rehearse = preload()
    # The links of this directory are two and one per thread; Landlock forbids to list it.
    if Path("/proc/self/task").stat().st_nlink != 3:
        raise MoreThanOneThread
    gc.freeze()
    return rehearse


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
