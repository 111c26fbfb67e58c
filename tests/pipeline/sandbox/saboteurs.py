"""The actions of a parser that a hostile document controls: every verb here runs inside the real sandbox child."""

import ctypes
import errno
import os
import resource
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from schemas.errors import StageFailed

Answer = tuple[Any, dict[str, bytes]]
STATE: dict[str, Any] = {"preloaded": False, "document": None}
FLOOD = b"\x00" * 65536


def answer(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    if verb == "probe":  # the sandbox tests its isolation when it is built
        return {"leaks": []}, {}
    return VERBS[verb](meta, dict(blobs))


def preload() -> None:
    """Stands for the loading of models in the zygote, and tries what the zygote may not do."""
    STATE["preloaded"] = True
    STATE["zygote"] = {
        "read": _code(Path("/etc/passwd").read_bytes),
        "write": _code(lambda: Path("/dev/shm/masker-left-behind").write_bytes(b"left behind")),
        "socket": _code(socket.socket),
        "memory": resource.getrlimit(resource.RLIMIT_AS),
        "written": resource.getrlimit(resource.RLIMIT_FSIZE),
    }


def preload_and_rehearse() -> Callable[[], None]:
    return rehearse


def rehearse() -> None:
    """Stands for the work on an example in a child that waits."""
    STATE["rehearsed"] = os.getpid()


def is_rehearsed(meta, blobs):
    return {"rehearsed": STATE.get("rehearsed") == os.getpid()}, {}


def preload_with_a_thread() -> None:
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()


def preload_that_fails() -> None:
    raise ValueError("Fahad Alqahtani 1012345672")


def preload_that_dies() -> None:
    os._exit(0)


def take_a_second(meta, blobs):
    time.sleep(1)
    return {"done": True}, {}


def is_preloaded(meta, blobs):
    return {"preloaded": STATE["preloaded"]}, {}


def zygote(meta, blobs):
    return STATE["zygote"], {}


def echo(meta, blobs):
    return meta, blobs


def hang(meta, blobs):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1000)


def spin(meta, blobs):
    while True:
        pass


def die(meta, blobs):
    os._exit(0)


def segfault(meta, blobs):
    ctypes.string_at(0)
    return {}, {}


def kill_itself(meta, blobs):
    os.abort()


def hog(meta, blobs):
    eaten = []
    while True:
        eaten.append(bytearray(64 * 1024 * 1024))


def raise_text(meta, blobs):
    raise ValueError(meta["secret"])


def leave(meta, blobs):
    sys.exit(meta["secret"])


def refuse(meta, blobs):
    raise StageFailed(meta["code"])


def not_an_object(meta, blobs):
    return ["not", "an", "object"], {}


def noise(meta, blobs):
    print("x" * 100_000)
    os.write(1, FLOOD)
    os.write(2, FLOOD)
    return {"said": "something"}, {}


def _everywhere(data: bytes) -> None:
    """Writes to every open descriptor: one of them is the reply."""
    for descriptor in range(3, 64):
        with suppress(OSError):
            os.write(descriptor, data)


def garbage(meta, blobs):
    _everywhere(b"\x00\x00\x00\x05hello")
    os._exit(0)


def false_size(meta, blobs):
    _everywhere(b"\xff\xff\xff\xff" + FLOOD)
    hang(meta, blobs)


def flood(meta, blobs):
    _everywhere((8 * 1024 * 1024).to_bytes(4, "big"))
    while True:
        _everywhere(FLOOD)


def cut_short(meta, blobs):
    header = b'{"meta":{"ok":{},"missing":[]},"blobs":[["data",1000]]}'
    _everywhere(len(header).to_bytes(4, "big") + header + b"only this")
    os._exit(0)


def two_names(meta, blobs):
    header = b'{"meta":{"ok":{},"missing":[]},"blobs":[["data",1],["data",1]]}'
    _everywhere(len(header).to_bytes(4, "big") + header + b"ab")
    hang(meta, blobs)


def large(meta, blobs):
    return {}, {"data": b"\x00" * meta["size"]}


def close_everything(meta, blobs):
    os.closerange(3, 256)
    hang(meta, blobs)


def fork_bomb(meta, blobs):
    while True:
        with suppress(OSError):
            os.fork()


def daemon(meta, blobs):
    """Tries to leave the session, then starts a grandchild that would run for hours."""
    escaped = []
    with suppress(OSError):
        os.setsid()
        escaped.append("setsid")
    with suppress(OSError):
        os.setpgid(0, 0)
        escaped.append("setpgid")
    subprocess.Popen(["sleep", meta["marker"]], close_fds=False)
    if os.fork() == 0:
        subprocess.Popen(["sleep", meta["marker"]], close_fds=False)
        hang(meta, blobs)
    return {"escaped": escaped}, {}


def _code(act: Callable[[], object]) -> str:
    """The name of the errno of a failed call, else its result."""
    try:
        given = act()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "?")
    except Exception as error:
        return type(error).__name__
    return f"worked: {str(given)[:60]}"


def _call(number: int, *arguments: int) -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    given = libc.syscall(number, *arguments)
    return errno.errorcode[ctypes.get_errno()] if given < 0 else f"worked: {given}"


def network(meta, blobs):
    return {
        "inet": _code(socket.socket),
        "unix": _code(lambda: socket.socket(socket.AF_UNIX)),
        "netlink": _code(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
        "pair": _code(socket.socketpair),
        "dns": _code(lambda: socket.getaddrinfo("localhost", 80)),
        "io_uring": _call(425, 8, 0),
    }, {}


def processes(meta, blobs):
    """Starts a process in a verb that may not start one."""
    libc = ctypes.CDLL(None, use_errno=True)
    return {
        "fork": _code(lambda: os.fork() or os._exit(0)),
        "exec": _code(lambda: subprocess.run(["true"], check=False)),
        "kill": _code(lambda: os.kill(meta["victim"], signal.SIGTERM)),
        "ptrace": "worked" if libc.ptrace(16, meta["victim"], 0, 0) == 0 else errno.errorcode[ctypes.get_errno()],
        "unshare": _code(lambda: libc.unshare(0x10000000) == 0 or (_ for _ in ()).throw(PermissionError(1, ""))),
    }, {}


def files(meta, blobs):
    shown = {name: _code(lambda path=path: Path(path).read_bytes()) for name, path in meta["read"].items()}
    for path in meta["write"]:
        shown[f"write {path}"] = _code(lambda path=path: Path(path).write_bytes(b"left behind"))
    memory = os.memfd_create("hoard")
    shown["memory file"] = _code(lambda: os.write(memory, b"x" * 100))
    return shown, {}


def who(meta, blobs):
    return {
        "users": [*os.getresuid(), *os.getresgid(), *os.getgroups()],
        "environment": dict(os.environ),
        "memory": resource.getrlimit(resource.RLIMIT_AS),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "privileges": _code(lambda: os.setuid(0)),
        "raise": _code(lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1))),
        "modules": sorted(sys.modules),
    }, {}


def program(meta, blobs):
    done = subprocess.run(meta["command"], input=blobs.get("data", b""), capture_output=True, check=False)
    return {"status": done.returncode, "errors": done.stderr.decode()[-500:]}, {"data": done.stdout}


def keep_document(meta, blobs):
    """Leaves the document where a later child of the same zygote would find it."""
    seen, STATE["document"] = STATE["document"], blobs["data"].decode()
    return {"seen": seen}, {}


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _capabilities() -> list[int]:
    """The effective, permitted and inheritable sets, twice: the second half for bits 32 and up."""
    sets = ctypes.create_string_buffer(24)
    ctypes.CDLL(None).capget(struct.pack("=Ii", 0x20080522, 0), sets)
    return list(struct.unpack("=6I", sets.raw))


def cage(meta, blobs):
    """What isolates this process, for comparison, and what is its own."""
    libc = ctypes.CDLL(None, use_errno=True)
    limits = {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")}
    return {
        "same": {
            "limits": limits,
            "capabilities": _capabilities(),
            "seccomp": libc.prctl(21, 0, 0, 0, 0),
            "no new privileges": libc.prctl(39, 0, 0, 0, 0),
            "dumpable": libc.prctl(3, 0, 0, 0, 0),
            "niceness": os.getpriority(os.PRIO_PROCESS, 0),
            "process id": os.getpid(),
            "parent": os.getppid(),
            "environment": dict(os.environ),
            "directory": Path.cwd() == Path("/"),
            "groups": os.getgroups(),
            "unshare": _code(lambda: libc.unshare(0x20000) == 0 or (_ for _ in ()).throw(PermissionError(1, ""))),
            "landlock": _call(444, 0, 0, 1),
            "group": _code(lambda: os.setpgid(0, 0)),
            "sockets": [
                number for number in range(256) if _is_open(number) and stat.S_ISSOCK(os.fstat(number).st_mode)
            ],
        },
        "own": {
            "user": os.getresuid(),
            "user group": os.getresgid(),
            **{name: Path(f"/proc/self/ns/{name}").readlink().name for name in ("pid", "net", "ipc", "uts")},
        },
        "death signal": _death_signal(),
    }, {}


def _death_signal() -> int:
    number = ctypes.c_int()
    ctypes.CDLL(None).prctl(2, ctypes.byref(number), 0, 0, 0)
    return number.value


def wait(meta, blobs):
    """Holds a document until a program that it started ends."""
    subprocess.run(["sleep", meta["marker"]], close_fds=False, check=False)
    return {"document": blobs["data"].decode()}, {}


def spy(meta, blobs):
    """Tries to reach the zygote and another of its children."""
    libc = ctypes.CDLL(None, use_errno=True)
    outcomes = {}
    for victim in meta["victims"]:
        for file in ("mem", "environ", "cmdline", "maps", "fd/3"):
            outcomes[f"{victim} {file}"] = _code(lambda path=f"/proc/{victim}/{file}": os.open(path, os.O_RDONLY))
        outcomes[f"{victim} signal"] = _code(lambda victim=victim: os.kill(victim, signal.SIGKILL))
        outcomes[f"{victim} group"] = _code(lambda victim=victim: os.killpg(victim, signal.SIGKILL))
        outcomes[f"{victim} join"] = _code(lambda victim=victim: os.setpgid(0, victim))
        outcomes[f"{victim} ptrace"] = "worked" if libc.ptrace(16, victim, 0, 0) == 0 else "EPERM"
        outcomes[f"{victim} vm"] = _call(310, victim, 0, 0, 0, 0, 0)
        outcomes[f"{victim} pidfd"] = _code(lambda victim=victim: os.pidfd_open(victim))
    kinds = [stat.filemode(os.fstat(number).st_mode)[0] for number in range(256) if _is_open(number)]
    return {"outcomes": outcomes, "kinds": sorted(kind for kind in kinds if kind != "d")}, {}  # not import directories


def kill_all(meta, blobs):
    """Kills every process that it can see."""
    os.kill(-1, signal.SIGKILL)
    return {}, {}


VERBS = {
    function.__name__: function
    for function in (
        echo, hang, spin, die, segfault, kill_itself, hog, raise_text, leave, refuse, not_an_object, noise, garbage,
        false_size, flood, cut_short, two_names, large, close_everything, fork_bomb, daemon, network, processes, files,
        take_a_second, who, program, is_preloaded, is_rehearsed, zygote, keep_document, cage, wait, spy,
        kill_all,
    )
}  # fmt: skip
