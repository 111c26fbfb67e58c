"""What an exploit tries from inside a sandbox child; each attack returns only if it succeeded, else it raises.

`AIMS` of the service that it attacks: see `attacked`. Nothing here harms the machine where an attack succeeds.
"""

import ctypes
import mmap
import os
import platform
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

MEMORY = 512 * 1024**2  # bytes of address space that the child may have
PROCESSES = 64  # that the child may have
_PROC = Path("/proc")
_IO_URING_SETUP, _PIDFD_SEND_SIGNAL, _PIDFD_OPEN = 425, 424, 434  # the same numbers on all architectures
_NEW_USER, _SEIZE, _SET_NAME = 0x10000000, 0x4206, 15
_TGKILL, _READ_MEMORY = {"x86_64": (234, 310), "aarch64": (131, 270)}.get(platform.machine(), (-1, -1))

_libc = ctypes.CDLL(None, use_errno=True)
Aims = Mapping[str, Any]


def answer(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> tuple[dict[str, Any], dict[str, bytes]]:
    if verb == "probe":  # the sandbox tests its isolation when it is built
        return {"leaks": []}, {}
    try:
        ATTACKS[meta["attack"]](meta)
    except Exception as error:
        return {"succeeded": False, "why": f"{type(error).__name__}: {error}"}, {}
    return {"succeeded": True, "why": ""}, {}


def preload() -> None:
    """A zygote needs something to load."""


def must(number: int) -> int:
    """The result of a system call; OSError if it failed."""
    if number < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return number


def read_open_file(aims: Aims) -> None:
    Path(aims["open file"]).read_bytes()


def read_private_file(aims: Aims) -> None:
    Path(aims["private file"]).read_bytes()


def list_directory(aims: Aims) -> None:
    list(Path(aims["directory"]).iterdir())


def write_open_file(aims: Aims) -> None:
    descriptor = os.open(aims["open file"], os.O_WRONLY | os.O_APPEND)
    os.write(descriptor, b"x")


def create_file(aims: Aims) -> None:
    os.close(os.open(f"{aims['directory']}/{os.urandom(4).hex()}", os.O_WRONLY | os.O_CREAT))


def fill_memory_file(aims: Aims) -> None:
    os.write(os.memfd_create("hoard"), b"x" * 100)


def read_own_environment(aims: Aims) -> None:
    """The secret of the service, which the child would have inherited."""
    if aims["secret"] not in str(os.environ):
        raise LookupError


def read_environment_of_the_service(aims: Aims) -> None:
    (_PROC / str(aims["service"]) / "environ").read_bytes()


def read_command_line_of_the_service(aims: Aims) -> None:
    (_PROC / str(aims["service"]) / "cmdline").read_bytes()


def list_descriptors_of_the_service(aims: Aims) -> None:
    list((_PROC / str(aims["service"]) / "fd").iterdir())


def open_memory_of_the_service(aims: Aims) -> None:
    os.open(_PROC / str(aims["service"]) / "mem", os.O_RDWR)


def be_killed_last(aims: Aims) -> None:
    descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(descriptor, b"-1000")


def make_socket(aims: Aims) -> None:
    socket.socket(socket.AF_UNIX)


def make_ring(aims: Aims) -> None:
    """Opens sockets and files past the filter of system calls."""
    must(_libc.syscall(_IO_URING_SETUP, 8, ctypes.create_string_buffer(120)))


def connect_by_tcp(aims: Aims) -> None:
    socket.create_connection(("127.0.0.1", aims["tcp"]), 1)


def send_by_udp(aims: Aims) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", aims["udp"]))


def connect_by_abstract_name(aims: Aims) -> None:
    socket.socket(socket.AF_UNIX).connect("\0" + aims["abstract"])


def connect_by_path(aims: Aims) -> None:
    socket.socket(socket.AF_UNIX).connect(aims["path"])


def start_process(aims: Aims) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def start_program(aims: Aims) -> None:
    subprocess.run(["/usr/bin/true"], check=True)


def start_many_processes(aims: Aims) -> None:
    for _ in range(2 * PROCESSES):
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)


def outlive_the_call(aims: Aims) -> None:
    """Leaves the session that is killed with the call."""
    if os.fork() == 0:
        os.setsid()
        _libc.prctl(_SET_NAME, aims["survivor"].encode(), 0, 0, 0)
        time.sleep(20)
        os._exit(0)
    time.sleep(0.2)


def leave_shared_memory(aims: Aims) -> None:
    must(_libc.shmget(aims["shared memory"], 4096, 0o1666))


def take_memory(aims: Aims) -> None:
    mmap.mmap(-1, 2 * MEMORY)


def lock_memory(aims: Aims) -> None:
    page = mmap.mmap(-1, 4096)
    must(_libc.mlock(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page))), ctypes.c_size_t(4096)))


def raise_limit(aims: Aims) -> None:
    resource.setrlimit(resource.RLIMIT_RTPRIO, (1, 1))


def outlast_its_time(aims: Aims) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        pass


def take_processor_time(aims: Aims) -> None:
    if resource.getrlimit(resource.RLIMIT_CPU)[0] != resource.RLIM_INFINITY:
        raise TimeoutError


def go_first(aims: Aims) -> None:
    os.setpriority(os.PRIO_PROCESS, 0, -5)


def run_in_real_time(aims: Aims) -> None:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def choose_processor(aims: Aims) -> None:
    os.sched_setaffinity(0, os.sched_getaffinity(0))


def signal_by_kill(aims: Aims) -> None:
    os.kill(aims["victim"], 0)


def signal_by_thread(aims: Aims) -> None:
    must(_libc.syscall(_TGKILL, aims["victim"], aims["victim"], 0))


def signal_by_descriptor(aims: Aims) -> None:
    descriptor = must(_libc.syscall(_PIDFD_OPEN, aims["victim"], 0))
    must(_libc.syscall(_PIDFD_SEND_SIGNAL, descriptor, 0, None, 0))


def trace(aims: Aims) -> None:
    must(_libc.ptrace(_SEIZE, aims["victim"], None, None))


def read_memory(aims: Aims) -> None:
    class Span(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    buffer = ctypes.create_string_buffer(8)
    here, there = Span(ctypes.addressof(buffer), 8), Span(aims["address"], 8)
    must(_libc.syscall(_READ_MEMORY, aims["victim"], ctypes.byref(here), 1, ctypes.byref(there), 1, 0))


def be_root(aims: Aims) -> None:
    with suppress(OSError):
        os.setresuid(0, 0, 0)
    if 0 not in os.getresuid():
        raise PermissionError


def make_user_namespace(aims: Aims) -> None:
    must(_libc.unshare(_NEW_USER))


def change_root(aims: Aims) -> None:
    os.chroot("/")


ATTACKS: dict[str, Callable[[Aims], None]] = {
    function.__name__: function
    for function in (
        read_open_file, read_private_file, list_directory, write_open_file, create_file, fill_memory_file,
        read_own_environment, read_environment_of_the_service, read_command_line_of_the_service,
        list_descriptors_of_the_service, open_memory_of_the_service, be_killed_last, make_socket, make_ring,
        connect_by_tcp, send_by_udp, connect_by_abstract_name, connect_by_path, start_process, start_program,
        start_many_processes, outlive_the_call, leave_shared_memory, take_memory, lock_memory, raise_limit,
        outlast_its_time, take_processor_time, go_first, run_in_real_time, choose_processor, signal_by_kill,
        signal_by_thread, signal_by_descriptor, trace, read_memory, be_root, make_user_namespace, change_root,
    )
}  # fmt: skip
