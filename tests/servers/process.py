"""One server process: started as an ordinary user in a private directory, awaited, stopped by its id."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

START_SECONDS = 60  # on a busy machine
STOP_SECONDS = 10
_DIRECTORY = "masker-server-"  # then the process that started the server


class ServerMissing(Exception):
    """A server's program is not installed; the message says which Debian package brings it."""


class ServerFailed(Exception):
    """A server did not start; the message ends with its own last words."""


def program(name: str, package: str, *places: str) -> str:
    """The path of an installed program. ServerMissing."""
    found = shutil.which(name, path=os.pathsep.join((*places, os.environ.get("PATH", ""), "/usr/sbin", "/sbin")))
    if found is None:
        raise ServerMissing(f"{name} is not installed: apt-get install {package}")
    return found


def ordinary_user(*candidates: str) -> str:
    """Who servers run as: ourselves, but the first existing candidate when we are root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in (*candidates, "nobody") if name in known)


def free_port() -> int:
    """A loopback port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Whether somebody accepts connections on the loopback port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def private_directory(user: str) -> Path:
    """A new temporary directory of `user`, closed to others. Those of killed programs are swept out first."""
    for left in Path(tempfile.gettempdir()).glob(f"{_DIRECTORY}*-*"):
        starter = left.name.removeprefix(_DIRECTORY).split("-")[0]
        if starter.isdecimal() and not Path("/proc", starter).exists():
            shutil.rmtree(left, ignore_errors=True)
    directory = Path(tempfile.mkdtemp(prefix=f"{_DIRECTORY}{os.getpid()}-"))
    shutil.chown(directory, user)
    return directory


def descendants(pid: int) -> list[int]:
    """A process and all below it, parents first. Those that end meanwhile are left out."""
    found = [pid]
    for each in found:
        with suppress(OSError):
            for task in Path(f"/proc/{each}/task").glob("*/children"):
                found += [int(child) for child in task.read_text().split()]
    return found


def as_user(user: str, command: Sequence[str], death_signal: str = "TERM") -> list[str]:
    """The command, run as `user`, sent `death_signal` when the thread that starts it ends without stopping it."""
    drop = ["--reuid", user, "--regid", str(pwd.getpwnam(user).pw_gid), "--clear-groups"] if os.geteuid() == 0 else []
    return [program("setpriv", "util-linux"), "--pdeathsig", death_signal, *drop, "--", *command]


def run_as(user: str, command: Sequence[str], directory: Path) -> None:
    """Runs a command to its end as `user`. ServerFailed when it fails."""
    done = subprocess.run(
        as_user(user, command), cwd=directory, env=_environment(directory), capture_output=True, check=False
    )
    if done.returncode != 0:
        raise ServerFailed(f"{command[0]} failed: {done.stderr.decode(errors='replace')[-2000:]}")


def _environment(directory: Path) -> dict[str, str]:
    # Ours must not lead them astray: PYTHONPATH, PGHOST and their like.
    return {"PATH": os.environ.get("PATH", ""), "HOME": str(directory), "LC_ALL": "C.UTF-8"}


class Process:
    """A running server. `stop_signal` asks it to end at once; its output is kept in `<directory>/<name>.log`."""

    def __init__(
        self, name: str, command: Sequence[str], *, user: str, directory: Path, stop_signal: int = signal.SIGTERM
    ) -> None:
        self._name, self._stop_signal = name, stop_signal
        self._log = directory / f"{name}.log"
        with self._log.open("wb") as log:
            self._popen = subprocess.Popen(
                as_user(user, command, signal.Signals(stop_signal).name.removeprefix("SIG")),
                cwd=directory,
                env=_environment(directory),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # an interrupt at the terminal is ours to pass on, in order
            )

    @property
    def pid(self) -> int:
        """The process id: setpriv becomes the server."""
        return self._popen.pid

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Returns when it is ready. ServerFailed when it ends before, or takes too long."""
        deadline = time.monotonic() + START_SECONDS
        try:
            while not ready():
                if self._popen.poll() is not None or time.monotonic() > deadline:
                    raise ServerFailed(f"{self._name} did not start: {self._last_words()}")
                time.sleep(0.02)
        except BaseException:
            self.stop()
            raise

    def kill(self) -> None:
        """Ends it and all that it started as a power failure would."""
        for pid in self.family():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._popen.wait()

    def family(self) -> list[int]:
        """The process ids of the server and of all processes below it."""
        return descendants(self.pid)

    def stop(self) -> None:
        """Ends it: asked first, then made to."""
        if self._popen.poll() is None:
            self._popen.send_signal(self._stop_signal)
            try:
                self._popen.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._popen.kill()
        self._popen.wait()

    def _last_words(self) -> str:
        return self._log.read_text(errors="replace")[-2000:]
