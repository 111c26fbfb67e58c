"""The system calls that a caged parser may not make, compiled once per process into a seccomp program.

The filter is compiled here, in the parent, by libseccomp, and loaded by the child as plain BPF, so that the child needs
no library and starts fast. Everything it starts (Tesseract) inherits it and cannot take it off.
"""

import errno
import os
from functools import cache

# Any way to talk to another machine or process, io_uring included (it would open sockets past the filter).
_NETWORK = (
    "socket socketpair connect bind listen accept accept4 sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg "
    "getsockname getpeername setsockopt getsockopt shutdown io_uring_setup io_uring_enter io_uring_register"
)
# Looking into or driving other processes of the same user.
_OTHERS = (
    "ptrace process_vm_readv process_vm_writev process_madvise pidfd_open pidfd_getfd pidfd_send_signal kcmp "
    "rt_sigqueueinfo rt_tgsigqueueinfo sched_setaffinity sched_setscheduler sched_setattr setpriority ioprio_set "
    "process_mrelease migrate_pages move_pages"
)
# Leaving the process group would escape the parent's kill; names spaces and mounts would rebuild the world.
_ESCAPE = (
    "setsid setpgid unshare setns mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick "
    "mount_setattr open_by_handle_at name_to_handle_at"
)
# Memory and files that outlive the process or that its limits do not count.
_HOARD = (
    "shmget shmat shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink "
    "memfd_secret mlock mlock2 mlockall remap_file_pages"
)
# The kernel's own levers.
_KERNEL = (
    "bpf perf_event_open userfaultfd keyctl add_key request_key init_module finit_module delete_module kexec_load "
    "kexec_file_load reboot swapon swapoff acct quotactl quotactl_fd syslog settimeofday clock_settime clock_adjtime "
    "adjtimex sethostname setdomainname iopl ioperm modify_ldt personality vhangup nfsservctl lookup_dcookie "
    "fanotify_init inotify_init inotify_init1 mknod mknodat seccomp landlock_create_ruleset"
)
_DENIED = " ".join((_NETWORK, _OTHERS, _ESCAPE, _HOARD, _KERNEL)).split()
_PROCESSES = ["fork", "vfork", "execve", "execveat", "kill"]

_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)


class NoFilter(Exception):
    """libseccomp is missing, or cannot compile for this machine."""


@cache
def program(*, forks: bool) -> bytes:
    """The BPF program: denied calls fail with EPERM. `forks`: whether other programs may be started (OCR alone).

    Raises NoFilter.
    """
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError):
        raise NoFilter("libseccomp2 is not installed") from None
    try:
        return _compiled(pyseccomp, forks)
    except (OSError, ValueError):
        raise NoFilter("libseccomp cannot compile the filter") from None


def _compiled(pyseccomp, forks: bool) -> bytes:  # type: ignore[no-untyped-def]
    denied = pyseccomp.ERRNO(errno.EPERM)
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in _DENIED if forks else _DENIED + _PROCESSES:
        if pyseccomp.resolve_syscall(pyseccomp.system_arch(), name) >= 0:  # this machine has it
            rules.add_rule(denied, name)
    # Its flags lie in memory where no filter can see them; on ENOSYS the C library falls back to clone.
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
