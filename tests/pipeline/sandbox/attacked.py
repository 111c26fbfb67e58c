"""A service whose sandbox is attacked: `python -m tests.pipeline.sandbox.attacked KIND MEASURE,MEASURE…`.

KIND: `cold`, `forked` or `forked for programs`. The measures are taken away first. It prints what the sandbox misses,
and for each attack whether it succeeded and why not, as JSON.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack, suppress
from ctypes import CDLL
from pathlib import Path
from typing import Any

from pipeline.sandbox.parent import ChildFailed, Limits, Sandbox
from tests.pipeline.sandbox.attacks import ATTACKS, MEMORY, PROCESSES
from tests.pipeline.sandbox.refusals import refuse

TESTS = Path(__file__).parents[2]
_SECONDS = 20.0
_ENDLESS_SECONDS = 0.5  # for an attack that does not end
_libc = CDLL(None)


def main(kind: str, refused: list[str]) -> None:
    """Builds the sandbox on such a machine and lets every attack run in a child of its own."""
    with ExitStack() as service:
        aims = _aims(service)
        refuse(refused)
        sandbox = Sandbox(
            "off",
            limits=Limits(memory=MEMORY, processes=PROCESSES),
            answers="tests.pipeline.sandbox.attacks:answer",
            code=(TESTS,),
            preload="tests.pipeline.sandbox.attacks:preload",
            parsers="tests.pipeline.sandbox.attacks:preload",
        )
        if kind == "forked":
            sandbox.warm_parsers()
        outcomes = {name: _outcome(sandbox, name, aims, forks=kind == "forked for programs") for name in ATTACKS}
        sandbox.close()
    print(json.dumps({"missing": sandbox.missing, "outcomes": outcomes}))


def _aims(service: ExitStack) -> dict[str, Any]:
    """What there is to attack; everything ends with the service."""
    directory = Path(service.enter_context(tempfile.TemporaryDirectory()))
    directory.chmod(0o777)
    for name, mode in (("open", 0o666), ("private", 0o600)):
        (directory / name).write_text("secret")
        (directory / name).chmod(mode)
    tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    abstract, by_path = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0masker-attacked-{os.getpid()}")
    by_path.bind(str(directory / "socket"))
    (directory / "socket").chmod(0o777)
    for listener in (abstract, by_path):
        listener.listen()
    for each in (tcp, udp, abstract, by_path):
        service.enter_context(each)
    victim = service.enter_context(subprocess.Popen(["sleep", "1000"]))
    service.callback(victim.kill)
    os.environ["MASKER_MASTER_KEY"] = "c2VjcmV0"
    return {
        "open file": str(directory / "open"),
        "private file": str(directory / "private"),
        "directory": str(directory),
        "secret": "c2VjcmV0",
        "service": os.getpid(),
        "tcp": tcp.getsockname()[1],
        "udp": udp.getsockname()[1],
        "abstract": f"masker-attacked-{os.getpid()}",
        "path": str(directory / "socket"),
        "survivor": f"survivor {os.getpid()}"[:15],  # the name of a process that tries to outlive its call
        "shared memory": 0x6D000000 + os.getpid(),  # the key of a segment that tries the same
        "victim": victim.pid,
        "address": int(Path(f"/proc/{victim.pid}/maps").read_text().partition("-")[0], 16),
    }


def _outcome(sandbox: Sandbox, name: str, aims: dict[str, Any], *, forks: bool) -> tuple[bool, str]:
    seconds = _ENDLESS_SECONDS if name == "outlast_its_time" else _SECONDS
    try:
        said, _ = sandbox.call("attack", {**aims, "attack": name}, {}, seconds, forks=forks)
    except ChildFailed as failure:
        return False, failure.reason
    left_behind = {"outlive_the_call": _has_survivor, "leave_shared_memory": _has_shared_memory}.get(name)
    if left_behind is not None and said["succeeded"]:
        sandbox.close()  # a forked child may still be ending when its call has returned; this waits until it is gone
        return left_behind(aims), "gone after the call"
    return bool(said["succeeded"]), str(said["why"])


def _has_survivor(aims: dict[str, Any]) -> bool:
    """Whether the process that the attack started runs on; it is killed."""
    survived = False
    for path in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError):
            if path.read_text().strip() == aims["survivor"]:
                os.kill(int(path.parent.name), 9)
                survived = True
    return survived


def _has_shared_memory(aims: dict[str, Any]) -> bool:
    """Whether the segment outlived its child; it is removed."""
    segment = _libc.shmget(aims["shared memory"], 0, 0)
    if segment >= 0:
        _libc.shmctl(segment, 0, None)
    return bool(segment >= 0)


if __name__ == "__main__":
    main(sys.argv[1], [name for name in sys.argv[2].split(",") if name])
