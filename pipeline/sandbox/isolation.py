"""Builds the cage around the process that calls it: namespaces, limits, an ordinary user, Landlock, seccomp.

Runs in the sandbox child before anything untrusted is read and before any parser is imported. Linux calls are made
through ctypes with their numbers, because the child must start in milliseconds. Each part that the kernel refuses is
named in the answer; the caller decides whether that is acceptable.
"""

import ctypes
import os
import resource
import select
import signal
import struct
import sys
from base64 import b64decode
from contextlib import suppress
from itertools import chain
from typing import Any

# What strict mode insists on; namespaces and Landlock come on top where the kernel allows them.
REQUIRED = ("limits", "ordinary user", "seccomp")

_NEW_IPC, _NEW_UTS, _NEW_USER, _NEW_PID, _NEW_NET = 0x08000000, 0x04000000, 0x10000000, 0x20000000, 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_DESCRIPTORS = "/proc/self/fd/"
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # the same numbers on every machine
_CAPSET = {"x86_64": 126, "aarch64": 91}
_FIRST_UID = 0x70000000  # a range that neither systemd nor containers hand out; plus the process id: one user per child
_NOBODY = 65534

_libc = ctypes.CDLL(None, use_errno=True)


def enter(plan: dict[str, Any]) -> list[str]:
    """Builds the whole cage; returns the names of the parts that could not be built.

    `plan`: `parent` (process id of the sandbox), `memory` and `processes` (limits), `files` (open files), `seconds`,
    `forks`, `filter` (base64 BPF, empty: none), `paths` (to import from), `readable` (to read at all), `stay` (whether
    to keep the user), `keep` (open file descriptors). With namespaces the caller goes on as process 1 of its own world;
    its first self only waits.
    """
    missing = []
    _die_with_parent()
    if os.getppid() != plan["parent"]:
        os._exit(1)  # the sandbox died before we could ask to die with it
    _write("/proc/self/oom_score_adj", "1000")  # when memory ends, the document goes, not the worker
    number = os.getpid()
    apart, alone = _unshare()
    if not apart:
        missing.append("namespaces")
    else:
        _become_first_process(plan["keep"])
    doors = [_Door(path) for path in dict.fromkeys([*plan["paths"], *sys.path, *chain(*_package_places())])]
    fence = _landlock_rules(plan)
    own_user = _drop_rights(number, stay=plan["stay"])
    if own_user is None:
        missing.append("ordinary user")
    _die_with_parent()  # a change of user forgets it
    _open_doors(doors, plan["paths"])
    if not _limit(plan, counted_alone=alone or own_user is True):
        missing.append("limits")
    if not _lock(fence):
        missing.append("landlock")
    if not _filter(b64decode(plan["filter"])):
        missing.append("seccomp")
    return missing


def hide() -> None:
    """Keeps this process's memory and environment from others of the same user, for the case without Landlock."""
    _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _die_with_parent() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _unshare() -> tuple[bool, bool]:
    """Whether we have namespaces of our own, and whether a user namespace (which counts processes) is among them."""
    apart = _NEW_PID | _NEW_NET | _NEW_IPC | _NEW_UTS
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:  # no user namespace for root: it could then not become anybody else
        return _libc.unshare(apart) == 0, False
    if _libc.unshare(apart | _NEW_USER) != 0:
        return False, False
    for name, line in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        _write(f"/proc/self/{name}", line)
    return True, True


def _write(path: str, text: str) -> None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def _become_first_process(keep: list[int]) -> None:
    """Goes on as process 1 of the new namespace: when it dies, the kernel kills everything in there.

    The first self stays outside and holds nothing. On SIGTERM it kills process 1 and reaps it, so that no zombie is
    left to a worker that is itself a container's process 1; when it is killed, process 1 dies too.
    """
    alive, held = os.pipe()
    waited = {signal.SIGTERM, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    child = os.fork()
    if child:
        for descriptor in (alive, *keep):
            os.close(descriptor)
        signal.sigwait(waited)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os._exit(0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, waited)
    os.close(held)
    _die_with_parent()
    if select.select([alive], [], [], 0)[0]:
        os._exit(1)  # the first self died before we could ask to die with it
    os.close(alive)


class _Door:
    """A directory to import from, opened while we still may: a checkout under /root stays importable for its child."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.descriptor = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            self.descriptor = -1

    def name(self) -> str:
        """The path itself where the present user can pass, else the open descriptor, which needs no passing."""
        if self.descriptor < 0 or os.access(self.path, os.R_OK | os.X_OK):
            return self.path
        return f"{_DESCRIPTORS}{self.descriptor}"


def _open_doors(doors: list[_Door], first: list[str]) -> None:
    names = {door.path: door.name() for door in doors}
    sys.path[:] = [names[path] for path in dict.fromkeys([*first, *sys.path])]
    sys.path_importer_cache.clear()
    for places in _package_places():
        places[:] = [names[place] for place in places]
    if any(name.startswith(_DESCRIPTORS) for name in names.values()):
        _stay_inside_doors()


def _stay_inside_doors() -> None:
    """OpenCV resolves the path that it was imported from, and would end where the present user cannot pass."""
    resolve = os.path.realpath

    def realpath(filename: str, **strict: bool) -> str:
        return filename if str(filename).startswith(_DESCRIPTORS) else resolve(filename, **strict)

    os.path.realpath = realpath  # type: ignore[assignment]


def _package_places() -> list[list[str]]:
    """Where each package that is already imported looks for its modules."""
    found = (getattr(module, "__path__", None) for module in list(sys.modules.values()))
    return [places for places in found if isinstance(places, list)]


def _drop_rights(number: int, *, stay: bool) -> bool | None:
    """Gives up root for good. True: a user that is ours alone; False: a shared ordinary one; None: still privileged."""
    alone = not stay and 0 in (os.getuid(), os.geteuid()) and _become_somebody(number)
    _drop_capabilities()
    hide()
    no_new = _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    if not no_new or 0 in (*os.getresuid(), *os.getresgid(), *os.getgroups()):
        return None
    return alone


def _become_somebody(number: int) -> bool:
    """Becomes a user that nobody else is, or nobody; whether it is the former."""
    with suppress(OSError):
        os.setgroups([])
    for uid in (_FIRST_UID + number % 0x00400000, _NOBODY):
        with suppress(OSError):
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            return uid != _NOBODY
    return False


def _drop_capabilities() -> None:
    """Inside a user namespace of ours we would hold all of them; nothing here needs one."""
    number = _CAPSET.get(os.uname().machine)
    if number is not None:
        header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
        nothing = ctypes.create_string_buffer(24)
        _libc.syscall(number, header, nothing)


def _limit(plan: dict[str, Any], *, counted_alone: bool) -> bool:
    """Sets every limit, hard and soft. Where processes are counted with the whole user's, theirs is only a backstop."""
    processes = plan["processes"] if counted_alone else max(plan["processes"], 2048)
    seconds = int(plan["seconds"]) + 2
    limits = {
        resource.RLIMIT_AS: plan["memory"],
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: plan["files"],
        resource.RLIMIT_NPROC: processes,
        resource.RLIMIT_MEMLOCK: 0,
    }
    if hasattr(resource, "RLIMIT_MSGQUEUE"):
        limits[resource.RLIMIT_MSGQUEUE] = 0
    try:
        for kind, value in limits.items():
            hard = resource.getrlimit(kind)[1]
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (most, most))
    except (OSError, ValueError):
        return False
    return True


# Landlock's access rights (linux/landlock.h): what each ABI version can govern, and what reading needs.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_GOVERNED = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/etc/ld.so.cache", "/etc/localtime")


def _landlock_rules(plan: dict[str, Any]) -> int:
    """A ruleset that lets the process read code and system libraries and nothing else; -1 where the kernel has none."""
    version = _libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    if version < 1:
        return -1
    governed = _GOVERNED.get(version, _GOVERNED[5])
    network = 3 if version >= 4 else 0  # TCP bind and connect
    scoped = 3 if version >= 6 else 0  # abstract sockets and signals stay inside
    attributes = struct.pack("=QQQ", governed, network, scoped)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset: int = _libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if ruleset < 0:
        return -1
    reading = _READ_FILE | _READ_DIR
    execution = _EXECUTE if plan["forks"] else 0
    for path in plan["readable"]:
        _allow(ruleset, path, reading)
    for path in _SYSTEM:
        _allow(ruleset, path, reading | execution)
    for path in _DEVICES:
        _allow(ruleset, path, _READ_FILE | (_WRITE_FILE if path == "/dev/null" else 0))
    return ruleset


def _allow(ruleset: int, path: str, rights: int) -> None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", rights, descriptor)
        _libc.syscall(_LANDLOCK_ADD, ruleset, ctypes.c_int(1), rule, ctypes.c_uint(0))
        os.close(descriptor)


def _lock(ruleset: int) -> bool:
    if ruleset < 0:
        return False
    done: int = _libc.syscall(_LANDLOCK_RESTRICT, ruleset, ctypes.c_uint(0))
    os.close(ruleset)
    return done == 0


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _filter(instructions: bytes) -> bool:
    """Loads the seccomp program; each instruction has eight bytes."""
    if not instructions:
        return False
    program = _Program(len(instructions) // 8, instructions)
    return bool(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)
