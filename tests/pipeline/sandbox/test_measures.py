"""Which measures of the sandbox stop which attack: every attack runs with measures taken away.

The table names for each attack the measures that stop it, each alone or several together. It must succeed where all of
these are away, so that the attacks are known to be real, and fail where one of them is there.
"""

import ctypes
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline.sandbox.attacks import ATTACKS
from tests.pipeline.sandbox.refusals import MEASURES

ROOT = Path(__file__).parents[3]
KINDS = ("cold", "forked", "forked for programs")
_LANDLOCK_CREATE = 444
_SYS_RESOURCE = 1 << 24

# Measures that stop an attack; `a + b`: only together. `landlock 4` and `landlock 6`: from these versions of Landlock
# on. `parent`: what the sandbox does outside of the child, which no kernel can refuse. `machine`: this root has no
# CAP_SYS_RESOURCE, as in most containers. `for documents`: in children that may start no programs.
STOPPED_BY: dict[str, tuple[str, ...]] = {
    "read_open_file": ("landlock",),
    "read_private_file": ("landlock", "ordinary user"),
    "list_directory": ("landlock",),
    "write_open_file": ("landlock", "limits"),
    "create_file": ("landlock",),
    "fill_memory_file": ("limits",),
    "read_own_environment": ("parent",),
    "read_environment_of_the_service": ("landlock", "ordinary user"),
    "read_command_line_of_the_service": ("landlock",),
    "list_descriptors_of_the_service": ("landlock", "ordinary user"),
    "open_memory_of_the_service": ("landlock", "ordinary user"),
    "be_killed_last": ("landlock", "ordinary user", "machine"),
    "make_socket": ("seccomp",),
    "make_ring": ("seccomp", "limits + ordinary user"),
    "connect_by_tcp": ("seccomp", "namespaces", "landlock 4"),
    "send_by_udp": ("seccomp", "namespaces"),
    "connect_by_abstract_name": ("seccomp", "namespaces", "landlock 6"),
    "connect_by_path": ("seccomp",),
    "start_process": ("seccomp for documents",),
    "start_program": ("seccomp for documents", "landlock for documents"),
    "start_many_processes": ("seccomp for documents", "limits + ordinary user"),
    "outlive_the_call": ("seccomp", "namespaces"),
    "leave_shared_memory": ("seccomp", "namespaces"),
    "take_memory": ("limits",),
    "lock_memory": ("seccomp", "limits + ordinary user"),
    "raise_limit": ("ordinary user", "machine"),
    "outlast_its_time": ("parent",),
    "take_processor_time": ("limits",),
    "go_first": ("seccomp", "ordinary user"),
    "run_in_real_time": ("seccomp", "ordinary user"),
    "choose_processor": ("seccomp",),
    "signal_by_kill": ("seccomp for documents", "ordinary user", "namespaces", "landlock 6"),
    "signal_by_thread": ("ordinary user", "namespaces", "landlock 6"),
    "signal_by_descriptor": ("seccomp", "ordinary user", "namespaces", "landlock 6"),
    "trace": ("seccomp", "ordinary user", "namespaces", "landlock"),
    "read_memory": ("seccomp", "ordinary user", "namespaces", "landlock"),
    "be_root": ("ordinary user",),
    "make_user_namespace": ("seccomp",),
    "change_root": ("seccomp", "ordinary user"),
}
_ALL = frozenset(MEASURES)
# None; each one alone; all but one; all.
REFUSED = [frozenset(), *(frozenset({each}) for each in MEASURES), *(_ALL - {each} for each in MEASURES), _ALL]


def in_force(kind: str, refused: frozenset[str]) -> set[str]:
    """What stops attacks in such a child."""
    there = {"parent", *MEASURES} - refused
    if (
        not int(re.findall(r"^CapEff:\s*(\w+)", Path("/proc/self/status").read_text(), re.MULTILINE)[0], 16)
        & _SYS_RESOURCE
    ):
        there.add("machine")
    if kind != "forked for programs":
        there |= {f"{measure} for documents" for measure in there}
    if "landlock" in there:
        version = ctypes.CDLL(None).syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)
        there |= {f"landlock {introduced}" for introduced in (4, 6) if version >= introduced}
    return there


def attacked(kind: str, refused: frozenset[str]) -> tuple[set[str], dict[str, tuple[bool, str]]]:
    """What the sandbox misses, and how each attack ended."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.pipeline.sandbox.attacked", kind, ",".join(refused)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": os.defpath},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    said = json.loads(done.stdout)
    return set(said["missing"]), said["outcomes"]


def test_every_attack_is_in_the_table():
    assert STOPPED_BY.keys() == ATTACKS.keys()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has an ordinary user to lose")
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: "without " + (", ".join(sorted(refused)) or "none"))
def test_an_attack_succeeds_only_without_all_measures_that_stop_it(kind: str, refused: frozenset[str]):
    missing, outcomes = attacked(kind, refused)
    assert missing == refused
    there = in_force(kind, refused)
    for attack, (succeeded, why) in outcomes.items():
        stopping = [measures for measures in STOPPED_BY[attack] if set(measures.split(" + ")) <= there]
        assert succeeded is not bool(stopping), f"{attack}: {why or 'succeeded'}; there is {stopping}"
