"""What `strict`, `best-effort` and `off` do on machines that refuse measures of the sandbox."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pyseccomp
import pytest

from pipeline.sandbox.isolation import REQUIRED
from tests.conftest import every
from tests.pipeline.sandbox import refusals

ROOT = Path(__file__).parents[2]
BUILD = """
import logging, sys
logging.basicConfig(format="%(message)s")
from pipeline.sandbox.parent import SandboxUnavailable, Sandbox
try:
    sandbox = Sandbox(sys.argv[1])
except SandboxUnavailable as refusal:
    print("refused:", refusal)
else:
    print("built, missing:", *sandbox.missing)
    print(sandbox.call("probe", {}, {}, 20)[0])
"""
# The same, where the second child comes from a zygote.
BUILD_WARM = BUILD.replace("(sys.argv[1])", "(sys.argv[1], preload='pipeline.sandbox.isolation:hide')").replace(
    "20)[0]", "20, forks=True)[0]"
)
AGAIN = "Sandbox(sys.argv[1])"  # as detection has a sandbox of its own
SHOW_CHILDREN = """
import os, pathlib
for child in pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
    print(pathlib.Path(f"/proc/{child}/cmdline").read_text())
"""


def without(*measures: str) -> str:
    """Code that makes this machine one whose kernel refuses the measures."""
    return Path(refusals.__file__).read_text() + f"\nrefuse({list(measures)})\n"


NO_SECCOMP = without("seccomp")
NO_NAMESPACES = without("namespaces", "landlock")  # a container that may not make any, as most may not
NO_LANDLOCK = without("landlock")
NO_NAMESPACES_ALONE = without("namespaces")
NOTHING = without(*refusals.MEASURES)

SELFISH = """
import os
HOME = os.path.dirname(os.path.realpath(__file__))
def answer(verb, meta, blobs):
    return {"found": os.path.exists(os.path.join(HOME, "selfish.py"))}, {}
"""
WHO = """
import os
def answer(verb, meta, blobs):
    return {"users": os.getresuid()}, {}
"""


def run(
    mode: str,
    before: str = "",
    *,
    prefix: tuple[str, ...] = (),
    root: Path = ROOT,
    python: str = sys.executable,
    build: str = BUILD,
) -> tuple[str, str]:
    done = subprocess.run(
        [*prefix, python, "-c", before + build, mode],
        cwd=root,
        env={"PYTHONPATH": str(root), "PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return done.stdout, done.stderr


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has an ordinary user to lose")


@as_root
@pytest.mark.parametrize("measure", REQUIRED)
def test_strict_refuses_where_a_required_measure_is_missing_and_names_it(measure: str):
    said, logged = run("strict", without(measure))
    assert said.startswith("refused: MASKER_SANDBOX=strict")
    assert f"missing: {measure}\n" in said
    assert logged == ""


@as_root
@pytest.mark.parametrize("build", every(2, [BUILD, BUILD_WARM]))
@pytest.mark.parametrize("measure", refusals.MEASURES)
def test_best_effort_goes_on_without_a_measure_and_names_it_once(measure: str, build: str):
    said, logged = run("best-effort", without(measure), build=build + AGAIN)
    assert said.splitlines()[0] == f"built, missing: {measure}"
    assert logged == f"sandbox: this machine refuses parts of the parsers' isolation: {measure}\n"


@as_root
def test_best_effort_refuses_where_nothing_can_be_built_and_names_the_setting():
    said, logged = run("best-effort", NOTHING)
    assert said.startswith("refused:")
    assert "MASKER_SANDBOX=off" in said
    assert logged == ""


@as_root
@pytest.mark.parametrize("build", every(2, [BUILD, BUILD_WARM]))
def test_off_parses_in_a_child_without_any_measure_and_says_so_once(build: str):
    said, logged = run("off", NOTHING, build=build + AGAIN)
    first, second = said.splitlines()
    assert first == "built, missing: landlock limits namespaces ordinary user seccomp"
    assert second == "{'leaks': ['seccomp', 'ordinary user', 'limits']}"
    assert logged.count("\n") == 1
    assert "off by hand (MASKER_SANDBOX=off)" in logged


def test_off_says_so_where_every_measure_can_be_built_too():
    said, logged = run("off", build=BUILD + AGAIN)
    assert said.splitlines() == ["built, missing:", "{'leaks': []}"]
    assert logged.count("off by hand") == 1


@pytest.mark.parametrize("mode", ["strict", "best-effort"])
def test_namespaces_and_landlock_are_a_bonus(mode: str):
    said, logged = run(mode, NO_NAMESPACES)
    assert said.splitlines() == ["built, missing: landlock namespaces", "{'leaks': []}"]
    assert "namespaces" in logged


@pytest.mark.parametrize("before", ["", NO_SECCOMP, NO_NAMESPACES, NO_LANDLOCK])
def test_a_zygote_needs_no_more_than_its_children(before: str):
    said, logged = run("best-effort", before, build=BUILD_WARM)
    leaks = ["seccomp"] if before == NO_SECCOMP else []
    assert said.splitlines()[1] == str({"leaks": leaks})
    assert "no warm process" not in logged


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be left with too few rights to give root up")
def test_strict_refuses_where_root_cannot_be_given_up():
    said, _ = run("strict", prefix=("setpriv", "--bounding-set=-setuid,-setgid"))
    assert said.startswith("refused:")
    assert "ordinary user" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="already an ordinary user")
@pytest.mark.parametrize("build", every(2, [BUILD, BUILD_WARM]))
@pytest.mark.parametrize("before", ["", NO_NAMESPACES_ALONE, NO_LANDLOCK])
@pytest.mark.slow
def test_an_ordinary_user_builds_it_too(build: str, before: str):
    python = Path("/usr/bin/python3.11")
    if not python.exists():
        pytest.skip("no interpreter that everybody may run")
    prefix = ("setpriv", "--reuid=65533", "--regid=65533", "--clear-groups")
    with tempfile.TemporaryDirectory() as directory:  # everybody may pass there, unlike tmp_path
        said, logged = run(
            "strict", before, prefix=prefix, root=open_to_all(Path(directory)), python=str(python), build=build
        )
    assert said.splitlines()[-1] == "{'leaks': []}"
    assert "no warm process" not in logged


@pytest.mark.skipif(os.geteuid() != 0, reason="already an ordinary user")
@pytest.mark.parametrize("build", every(2, [BUILD, BUILD_WARM]))
def test_the_child_of_an_ordinary_user_keeps_its_user_in_a_namespace(build: str):
    python = Path("/usr/bin/python3.11")
    if not python.exists():
        pytest.skip("no interpreter that everybody may run")
    prefix = ("setpriv", "--reuid=65533", "--regid=65533", "--clear-groups")
    own = build.replace("Sandbox(sys.argv[1]", "Sandbox(sys.argv[1], answers='pipeline.who:answer'")
    with tempfile.TemporaryDirectory() as directory:
        root = open_to_all(Path(directory))
        (root / "pipeline" / "who.py").write_text(WHO)
        said, _ = run("strict", prefix=prefix, root=root, python=str(python), build=own)
    assert said.splitlines()[-1] == "{'users': [65533, 65533, 65533]}"


@pytest.mark.skipif(os.geteuid() != 0, reason="already an ordinary user")
@pytest.mark.parametrize(("before", "shared"), [("", True), (NO_LANDLOCK, False)])
@pytest.mark.slow
def test_children_of_one_user_share_a_zygote_only_where_landlock_keeps_them_apart(before: str, shared: bool):
    python = Path("/usr/bin/python3.11")
    if not python.exists():
        pytest.skip("no interpreter that everybody may run")
    prefix = ("setpriv", "--reuid=65533", "--regid=65533", "--clear-groups")
    build = BUILD_WARM + SHOW_CHILDREN
    with tempfile.TemporaryDirectory() as directory:
        said, _ = run(
            "best-effort", before, prefix=prefix, root=open_to_all(Path(directory)), python=str(python), build=build
        )
    assert ("zygote.py" in said) is shared


def open_to_all(tmp_path: Path) -> Path:
    """A copy of the code, and of the one library that its parent needs, which everybody may read."""
    copy_code(tmp_path)
    shutil.copy(pyseccomp.__file__, tmp_path)
    tmp_path.chmod(0o755)
    return tmp_path


def copy_code(tmp_path: Path) -> None:
    for package in ("pipeline", "schemas"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives its user up")
class TestPrivateCheckout:
    """Root's checkout lies where an ordinary user cannot pass: under /root, or in a temporary directory."""

    def test_its_child_imports_from_it_all_the_same(self, tmp_path: Path):
        copy_code(tmp_path)
        tmp_path.chmod(0o700)
        for build in (BUILD, BUILD_WARM):
            said, logged = run("strict", root=tmp_path, build=build)
            assert said.splitlines() == ["built, missing:", "{'leaks': []}"]
            assert logged == ""

    def test_a_library_that_looks_for_its_files_by_its_own_path_finds_them(self, tmp_path: Path):
        """As OpenCV does when it is imported."""
        copy_code(tmp_path)
        (tmp_path / "pipeline" / "selfish.py").write_text(SELFISH)
        tmp_path.chmod(0o700)
        for build in (BUILD, BUILD_WARM):
            own = build.replace("Sandbox(sys.argv[1]", "Sandbox(sys.argv[1], answers='pipeline.selfish:answer'")
            said, logged = run("best-effort", root=tmp_path, build=own)
            assert said.splitlines()[-1] == "{'found': True}"
            assert "no warm process" not in logged

    def test_code_that_root_alone_can_read_is_refused(self, tmp_path: Path):
        copy_code(tmp_path)
        (tmp_path / "pipeline").chmod(0o700)
        said, _ = run("strict", root=tmp_path)
        assert said.startswith("refused:")
        assert "read" in said
        said, logged = run("best-effort", root=tmp_path)
        assert said.splitlines()[0] == "built, missing: ordinary user"
        assert "ordinary user" in logged
        said, logged = run("best-effort", root=tmp_path, build=BUILD_WARM)
        assert said.splitlines()[-1] == "{'leaks': ['ordinary user']}"
        assert "no warm process" not in logged
