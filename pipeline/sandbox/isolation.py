"""Isolates the calling process: namespaces, resource limits, an unprivileged user, Landlock, seccomp.

Runs in the sandbox child before it reads anything untrusted and before it imports a parser, and in the zygote before it
imports one. System calls are made through ctypes, because the child must start within milliseconds. The result names
each measure that the kernel refuses; the caller decides whether to go on.
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

# Measures that strict mode requires; namespaces and Landlock are added where the kernel allows them.
REQUIRED = ("limits", "ordinary user", "seccomp")

_NEW_IPC, _NEW_UTS, _NEW_USER, _NEW_PID, _NEW_NET = 0x08000000, 0x04000000, 0x10000000, 0x20000000, 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_KEEPCAPS, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 8, 22, 38
_SECCOMP_MODE_FILTER = 2
_NICENESS = 10  # a tenth of the processor time of a process that is not nice
_DESCRIPTORS = "/proc/self/fd/"
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # the same numbers on all architectures
_CAPABILITY_VERSION = 0x20080522
# What the zygote keeps so that it can isolate its children: to open directories, to signal other users, to change the
# user and the groups, to make namespaces.
_DAC_READ_SEARCH, _KILL, _SETGID, _SETUID, _SYS_ADMIN = 1 << 2, 1 << 5, 1 << 6, 1 << 7, 1 << 21
_ISOLATE = _DAC_READ_SEARCH | _KILL | _SETGID | _SETUID | _SYS_ADMIN
# A range of user ids that neither systemd nor containers use. The process id is added: one user per child.
_FIRST_UID = 0x70000000
_NOBODY = 65534

_libc = ctypes.CDLL(None, use_errno=True)


def enter(plan: dict[str, Any]) -> list[str]:
    """Applies all measures; returns the names of those that failed.

    `plan`: `parent` (process id of the sandbox or of the zygote), `root` (whether the sandbox is root's), `memory`
    (bytes), `processes`, `files` (open files), `forks` (whether it may start programs), `filter` (BPF in base64; empty
    for none), `paths` (to import from), `readable` (paths that it may read), `stay` (keep the user), `keep`
    (descriptors that stay open). With namespaces the caller continues as process 1 of a new PID namespace; the original
    process only waits.
    """
    missing = []
    die_with_parent()
    if os.getppid() != plan["parent"]:
        os._exit(1)  # the parent died before the death signal was set
    _be_last()
    number = os.getpid()
    namespaced, has_user_namespace = _unshare(is_root=plan["root"])
    if not namespaced:
        missing.append("namespaces")
    else:
        _become_first_process(plan["keep"])
    # A forked child uses those of its zygote, an ordinary user too: as they are, or by inherited descriptors.
    import_directories = _import_directories(plan) if plan["paths"] else []
    ruleset = _landlock_rules(plan)
    is_exclusive_user = _drop_privileges(number, changes=plan["root"] and not plan["stay"])
    if is_exclusive_user is None:
        missing.append("ordinary user")
    die_with_parent()  # a change of user clears the death signal
    if import_directories:
        _use_import_directories(import_directories, plan["paths"])
    if not _limit(plan, is_exclusive=has_user_namespace or is_exclusive_user is True):
        missing.append("limits")
    if not _restrict_files(ruleset):
        missing.append("landlock")
    if not _load_filter(b64decode(plan["filter"])):
        missing.append("seccomp")
    return missing


def prepare(plan: dict[str, Any]) -> list[str]:
    """Isolates the zygote as far as a process can be that isolates others; returns the names of what failed.

    It gets the limits, Landlock and a filter of its own. Root becomes another user and keeps only the capabilities that
    `enter` needs in a forked child. `plan`: as for `enter`, with the filter of the zygote. The zygote has no PID
    namespace: its children take their user ids from process ids, which must differ from those of other children.
    """
    missing = []
    _be_last()
    import_directories = _import_directories(plan)
    # A child of an ordinary user writes the maps of its user namespace.
    ruleset = _landlock_rules(plan, writable=("/proc",))
    if not _drop_most_privileges(os.getpid(), changes=plan["root"] and not plan["stay"]):
        missing.append("ordinary user")
    _use_import_directories(import_directories, plan["paths"])
    if not _set_limits(_process_limits(plan)):
        missing.append("limits")
    if not _restrict_files(ruleset):
        missing.append("landlock")
    if not _load_filter(b64decode(plan["filter"])):
        missing.append("seccomp")
    return missing


def limit_time(seconds: float) -> bool:
    """Limits the processor time of this process, counted from its start; whether it worked."""
    return _set_limits({resource.RLIMIT_CPU: int(seconds) + 2})


def leaks() -> list[str]:
    """Tests the isolation from inside: the names of measures that are active but have no effect."""
    import socket  # no other child needs it

    found = []
    try:
        socket.socket().close()
        found.append("seccomp")
    except OSError:
        pass
    if 0 in os.getresuid():
        found.append("ordinary user")
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        found.append("limits")
    return found


def hide() -> None:
    """Protects memory and environment of this process from other processes of its user, where Landlock is missing."""
    _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> None:
    """Sends this process a signal when the thread ends that started it (PR_SET_PDEATHSIG, prctl(2))."""
    _libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)


def _be_last() -> None:
    """The kernel kills this process rather than the worker, and lets calls to the API go first."""
    _write("/proc/self/oom_score_adj", "1000")
    with suppress(OSError):  # a child of a zygote has its niceness, and may not set it
        os.setpriority(os.PRIO_PROCESS, 0, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))


def _unshare(*, is_root: bool) -> tuple[bool, bool]:
    """Whether new namespaces were created, and whether one is a user namespace, which counts processes separately."""
    flags = _NEW_PID | _NEW_NET | _NEW_IPC | _NEW_UTS
    if is_root:  # no user namespace for root: it could not change its user then
        return _libc.unshare(flags) == 0, False
    uid, gid = os.geteuid(), os.getegid()
    _libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # the maps of a hidden process, as a zygote's child is, belong to root
    if _libc.unshare(flags | _NEW_USER) != 0:
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
    """Continues as process 1 of the new PID namespace: when it dies, the kernel kills all processes in the namespace.

    The original process stays outside and keeps nothing open. On SIGTERM it kills process 1 and reaps it, so that a
    worker that is process 1 of a container gets no zombie. If it is killed itself, process 1 dies too.
    """
    alive_read, alive_write = os.pipe()
    signals = {signal.SIGTERM, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    child = os.fork()
    if child:
        for descriptor in (alive_read, *keep):
            os.close(descriptor)
        exited = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while signal.sigwait(signals) == signal.SIGCHLD and os.waitid(os.P_PID, child, exited) is None:
            pass  # it was stopped, or goes on: whoever suspends a worker and its children loses nothing
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os._exit(0)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
    os.close(alive_write)
    die_with_parent()
    if select.select([alive_read], [], [], 0)[0]:
        os._exit(1)  # the original process died before the death signal was set
    os.close(alive_read)


class _ImportDirectory:
    """An import directory, opened before privileges are dropped: code under /root stays importable."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.descriptor = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            self.descriptor = -1

    def usable_path(self) -> str:
        """The path if the current user can read it, else the path of the descriptor, which stays open only then."""
        if self.descriptor < 0:
            return self.path
        if os.access(self.path, os.R_OK | os.X_OK):
            os.close(self.descriptor)
            return self.path
        return f"{_DESCRIPTORS}{self.descriptor}"


def _import_directories(plan: dict[str, Any]) -> list[_ImportDirectory]:
    paths = dict.fromkeys([*plan["paths"], *sys.path, *chain(*_package_paths())])
    return [_ImportDirectory(path) for path in paths]


def _use_import_directories(directories: list[_ImportDirectory], first_paths: list[str]) -> None:
    paths = {directory.path: directory.usable_path() for directory in directories}
    sys.path[:] = [paths[path] for path in dict.fromkeys([*first_paths, *sys.path])]
    sys.path_importer_cache.clear()
    for search_paths in _package_paths():
        search_paths[:] = [paths[search_path] for search_path in search_paths]
    if any(name.startswith(_DESCRIPTORS) for name in paths.values()):
        _keep_descriptor_paths()


def _keep_descriptor_paths() -> None:
    """Keeps descriptor paths unresolved: OpenCV resolves its import path, which the current user may not read."""
    resolve = os.path.realpath

    def realpath(filename: str, **strict: bool) -> str:
        return filename if str(filename).startswith(_DESCRIPTORS) else resolve(filename, **strict)

    os.path.realpath = realpath  # type: ignore[assignment]


def _package_paths() -> list[list[str]]:
    """The search paths of all imported packages."""
    found = (getattr(module, "__path__", None) for module in list(sys.modules.values()))
    return [search_paths for search_paths in found if isinstance(search_paths, list)]


def _drop_privileges(number: int, *, changes: bool) -> bool | None:
    """Drops all privileges. True: an exclusive user; False: a shared unprivileged user; None: still privileged.

    `changes`: whether the user changes, to one with this `number`.
    """
    is_exclusive = changes and _change_user(number)
    has_no_capabilities = _keep_capabilities(0)  # a new user namespace grants all of them
    hide()
    has_no_new_privileges = _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    if not has_no_capabilities or not has_no_new_privileges or _has_root():
        return None
    return is_exclusive


def _drop_most_privileges(number: int, *, changes: bool) -> bool:
    """Drops the privileges that `enter` does not need; whether it worked."""
    _libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0)
    if changes:
        _change_user(number)
    has_few_capabilities = _keep_capabilities(_ISOLATE)
    hide()
    has_no_new_privileges = _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    return has_few_capabilities and has_no_new_privileges and not _has_root()


def _has_root() -> bool:
    return 0 in (*os.getresuid(), *os.getresgid(), *os.getgroups())


def _change_user(number: int) -> bool:
    """Changes to a user id that no other process has, else to nobody; whether it is exclusive."""
    with suppress(OSError):
        os.setgroups([])
    for uid in (_FIRST_UID + number % 0x00400000, _NOBODY):
        with suppress(OSError):
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            return uid != _NOBODY
    return False


def _keep_capabilities(mask: int) -> bool:
    """Drops all capabilities but those of `mask` that the process has; whether it worked."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    sets = ctypes.create_string_buffer(24)  # twice: effective, permitted, inheritable; the second half for bits 32 up
    if _libc.capget(header, sets) != 0:
        return False
    kept = struct.unpack("=6I", sets.raw)[1] & mask
    return bool(_libc.capset(header, struct.pack("=6I", kept, kept, 0, 0, 0, 0)) == 0)


def _limit(plan: dict[str, Any], *, is_exclusive: bool) -> bool:
    """Sets all limits but that of time. That of processes is only a backstop if they are counted per shared user."""
    processes = plan["processes"] if is_exclusive else max(plan["processes"], 2048)
    return _set_limits({**_process_limits(plan), resource.RLIMIT_NPROC: processes})


def _process_limits(plan: dict[str, Any]) -> dict[int, int]:
    """The limits of a zygote and of every child."""
    limits = {
        resource.RLIMIT_AS: plan["memory"],
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: plan["files"],
        resource.RLIMIT_MEMLOCK: 0,
    }
    if hasattr(resource, "RLIMIT_MSGQUEUE"):
        limits[resource.RLIMIT_MSGQUEUE] = 0
    return limits


def _set_limits(limits: dict[int, int]) -> bool:
    """Sets hard and soft limits; whether all were set."""
    try:
        for kind, value in limits.items():
            hard = resource.getrlimit(kind)[1]
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (most, most))
    except (OSError, ValueError):
        return False
    return True


# Landlock access rights (linux/landlock.h): those for reading, and those that each ABI version can restrict.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_RESTRICTABLE = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}
_SYSTEM_PATHS = ("/usr", "/lib", "/lib64", "/bin")
_DEVICE_PATHS = ("/dev/null", "/dev/zero", "/dev/urandom", "/etc/ld.so.cache", "/etc/localtime")


def _landlock_rules(plan: dict[str, Any], writable: tuple[str, ...] = ()) -> int:
    """A Landlock ruleset that allows to read code and system libraries only; -1 if the kernel has no Landlock.

    `writable`: directories whose files may be written.
    """
    version = _libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    if version < 1:
        return -1
    restricted = _RESTRICTABLE.get(version, _RESTRICTABLE[5])
    network = 3 if version >= 4 else 0  # TCP bind and connect
    scoped = 3 if version >= 6 else 0  # abstract sockets and signals to processes outside
    attributes = struct.pack("=QQQ", restricted, network, scoped)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset: int = _libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if ruleset < 0:
        return -1
    reading = _READ_FILE | _READ_DIR
    execution = _EXECUTE if plan["forks"] else 0
    for path in plan["readable"]:
        _allow(ruleset, path, reading)
    for path in _SYSTEM_PATHS:
        _allow(ruleset, path, reading | execution)
    for path in writable:
        _allow(ruleset, path, _WRITE_FILE)
    for path in _DEVICE_PATHS:
        _allow(ruleset, path, _READ_FILE | (_WRITE_FILE if path == "/dev/null" else 0))
    return ruleset


def _allow(ruleset: int, path: str, rights: int) -> None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", rights, descriptor)
        _libc.syscall(_LANDLOCK_ADD, ruleset, ctypes.c_int(1), rule, ctypes.c_uint(0))
        os.close(descriptor)


def _restrict_files(ruleset: int) -> bool:
    if ruleset < 0:
        return False
    done: int = _libc.syscall(_LANDLOCK_RESTRICT, ruleset, ctypes.c_uint(0))
    os.close(ruleset)
    return done == 0


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _load_filter(instructions: bytes) -> bool:
    """Loads the seccomp filter; each BPF instruction has eight bytes."""
    if not instructions:
        return False
    program = _Program(len(instructions) // 8, instructions)
    return bool(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)
