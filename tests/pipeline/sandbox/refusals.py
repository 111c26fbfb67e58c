"""A machine whose kernel refuses measures of the sandbox: an outer filter denies the system calls that they need."""

import errno
import resource

_NEW_PID = 0x20000000  # among the flags that every child asks for
_FILTER_BY_PRCTL = 22
_LIMITS = ("AS", "FSIZE", "CORE", "NOFILE", "MEMLOCK", "MSGQUEUE", "NPROC", "CPU")

MEASURES = ("namespaces", "landlock", "ordinary user", "limits", "seccomp")


def refuse(measures: list[str]) -> None:
    """Takes the measures away from this process and from all that it starts."""
    import pyseccomp

    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    denied = pyseccomp.ERRNO(errno.EPERM)
    if "namespaces" in measures:
        # Not with other flags: what an attack asks for is the business of the inner filter.
        rules.add_rule(denied, "unshare", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _NEW_PID, _NEW_PID))
    if "landlock" in measures:
        rules.add_rule(denied, "landlock_create_ruleset")
    if "ordinary user" in measures:
        for name in ("setresuid", "setresgid", "setgroups", "capset"):
            rules.add_rule(denied, name)
    if "limits" in measures:
        for kind in _LIMITS:
            number = getattr(resource, f"RLIMIT_{kind}")
            chosen = pyseccomp.Arg(1, pyseccomp.EQ, number), pyseccomp.Arg(2, pyseccomp.NE, 0)
            rules.add_rule(denied, "prlimit64", *chosen)
    if "seccomp" in measures:
        rules.add_rule(denied, "prctl", pyseccomp.Arg(0, pyseccomp.EQ, _FILTER_BY_PRCTL))
    rules.load()
