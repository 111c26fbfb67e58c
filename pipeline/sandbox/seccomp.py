"""The seccomp filters of the child and the zygote: the system calls that they may not make, compiled once per process.

The parent compiles the filter with libseccomp and the child loads it as BPF, so the child needs no library and starts
fast. Programs that the child starts (Tesseract) inherit the filter and cannot remove it.
"""

import errno
import os
from collections.abc import Sequence
from functools import cache

# Communication with other machines and processes; io_uring could open sockets past the filter.
_NETWORK = (
    "socket socketpair connect bind listen accept accept4 sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg "
    "getsockname getpeername setsockopt getsockopt shutdown io_uring_setup io_uring_enter io_uring_register"
)
# Inspection and control of other processes of the same user.
_PROCESS_CONTROL = (
    "ptrace process_vm_readv process_vm_writev process_madvise pidfd_open pidfd_getfd pidfd_send_signal kcmp "
    "rt_sigqueueinfo rt_tgsigqueueinfo sched_setaffinity sched_setscheduler sched_setattr setpriority ioprio_set "
    "process_mrelease migrate_pages move_pages"
)
# A process that leaves the process group escapes the parent's kill; namespaces and mounts change the isolation.
_NAMESPACES_AND_MOUNTS = (
    "setsid setpgid unshare setns mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick "
    "mount_setattr open_by_handle_at name_to_handle_at"
)
# Memory and files that outlive the process or that its limits do not count.
_SHARED_MEMORY = (
    "shmget shmat shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink "
    "memfd_secret mlock mlock2 mlockall remap_file_pages"
)
# Administration of the kernel.
_KERNEL = (
    "bpf perf_event_open userfaultfd keyctl add_key request_key init_module finit_module delete_module kexec_load "
    "kexec_file_load reboot swapon swapoff acct quotactl quotactl_fd syslog settimeofday clock_settime clock_adjtime "
    "adjtimex sethostname setdomainname iopl ioperm modify_ldt personality vhangup nfsservctl lookup_dcookie "
    "fanotify_init inotify_init inotify_init1 mknod mknodat seccomp landlock_create_ruleset"
)
_DENIED = " ".join((_NETWORK, _PROCESS_CONTROL, _NAMESPACES_AND_MOUNTS, _SHARED_MEMORY, _KERNEL)).split()
# What a zygote does for its children: it receives requests, watches and groups processes, and a forked child, before it
# loads its own filter, makes namespaces and Landlock rules.
_ZYGOTE = {"recvmsg", "sendmsg", "sendto", "pidfd_open", "setpgid", "unshare", "landlock_create_ruleset"}
_PROCESSES = ["fork", "vfork", "execve", "execveat", "kill"]

_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)


class FilterUnavailable(Exception):
    """libseccomp is missing, or cannot compile the filter for this architecture."""


@cache
def program(*, forks: bool) -> bytes:
    """The BPF program of a child; a denied call fails with EPERM. `forks`: whether it may start programs, for OCR only.

    FilterUnavailable if it cannot be compiled.
    """
    return _compiled(_DENIED if forks else _DENIED + _PROCESSES, forks=forks)


@cache
def zygote_program() -> bytes:
    """The BPF program of a zygote, which its children inherit and add their own to. FilterUnavailable as above."""
    return _compiled([name for name in _DENIED if name not in _ZYGOTE], forks=True)


def _compiled(denied: Sequence[str], *, forks: bool) -> bytes:
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError):
        raise FilterUnavailable("libseccomp2 is not installed") from None
    try:
        return _exported(pyseccomp, denied, forks)
    except (OSError, ValueError):
        raise FilterUnavailable("libseccomp cannot compile the filter") from None


def _exported(pyseccomp, names: Sequence[str], forks: bool) -> bytes:  # type: ignore[no-untyped-def]
    denied = pyseccomp.ERRNO(errno.EPERM)
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in names:
        if pyseccomp.resolve_syscall(pyseccomp.system_arch(), name) >= 0:  # the call exists on this architecture
            rules.add_rule(denied, name)
    # A filter cannot read the flags of clone3, which are in memory; on ENOSYS the C library falls back to clone.
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    for flag in _CLONE_NAMESPACES:
        rules.add_rule(denied, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    if not forks:
        rules.add_rule(denied, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _CLONE_THREAD, 0))
    descriptor = os.memfd_create("filter")
    with os.fdopen(descriptor, "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
