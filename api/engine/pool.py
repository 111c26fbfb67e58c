"""Large texts, in processes of their own: a Python process scans one text at a time, and the others shall not wait.

Each process is a fresh interpreter that loads the detector once and answers one question after another; it is started
when there is work for it, or before by `warm`. One that dies, hangs or has grown is replaced; the call that it had
fails and is refunded.
"""

import logging
import os
import select
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Final, TypeVar

from anyio import CapacityLimiter

from api.engine import wire
from api.engine import wire as prompt_wire
from api.engine.text_work import Done, Work
from api.http.bodies import Parsed
from api.http.errors import Invalid
from api.llm.model import Asked, MaskedPrompt
from pipeline.sandbox import message
from schemas.entities import EntityType
from schemas.errors import AttachmentNotSupported, InvalidBody, MaskerUnavailable
from schemas.spans import Detection, DetectOptions
from schemas.text import TextRequest

Body = TypeVar("Body", bound=TextRequest)
log = logging.getLogger("masker.api")

_SCRIPT: Final = Path(__file__).with_name("pool_child.py")
_START_SECONDS = 60.0  # to load the detector on a busy machine
_SECONDS_PER_BYTE = 20e-6  # twenty times what a text takes here
_REPLY_PER_BYTE, _LEAST_REPLY = 64, 64 * 1024**2  # a text of nothing but entities, each with its span in the answer
_RETRY_SECONDS = 1
_DECLINED = {kind.__name__: kind for kind in (AttachmentNotSupported, InvalidBody)}
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


class BrokeOff(Exception):
    """A process ended, hung or answered nonsense in the middle of a text."""


class WorkFailed(Exception):
    """The work raised what nobody expected; the message is the type's name alone."""


class LargeTexts:
    """At most `processes` at once, each with `memory` bytes of address space, `niceness` below us. For many threads."""

    def __init__(self, processes: int, memory: int, niceness: int = 0) -> None:
        self.processes, self._niceness = processes, niceness
        self.waiters = CapacityLimiter(processes)  # the threads that wait for the processes
        self._memory = memory
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._closed = False

    def warm(self) -> None:
        """Starts a process, where there is none, that loads while nobody waits for it."""
        with self._lock:
            if not self._all and not self._closed:
                self._idle.append(self._started())

    def parse(self, raw: bytes, model: type[Body]) -> Parsed[Body]:
        """A body's JSON as `model`. Invalid (422), MaskerUnavailable when its process breaks off."""
        meta, answers = self._ask({"verb": "parse", "model": model.__name__}, {"raw": raw})
        if meta["errors"] is not None:
            raise Invalid(meta["errors"])
        body = model.model_validate({**meta["fields"], "text": answers["text"].decode()})
        return Parsed(body, meta["warning"])

    def run(self, text: str, options: DetectOptions, work: Work) -> Done:
        """`work` on the detection of a text. MaskerUnavailable when its process breaks off; WorkFailed; Invalid."""
        question, blobs = wire.pack_question(text, options)
        meta, answers = self._ask({"verb": "work", "question": question, "work": wire.pack_work(work)}, blobs)
        return Done(Counter({EntityType(name): count for name, count in meta["found"].items()}), answers["answer"])

    def detect(self, text: str, options: DetectOptions) -> Detection:
        """The detection of a text. Errors as for `run`."""
        question, blobs = wire.pack_question(text, options)
        meta, answers = self._ask({"verb": "detect", "question": question}, blobs)
        return wire.unpack_detection(text, meta, answers)

    def words(self, raw: bytes, asked: Asked) -> int:
        """The words of a proxied body. InvalidBody, AttachmentNotSupported; otherwise errors as for `run`."""
        meta, blobs = prompt_wire.pack_asked(raw, asked)
        return int(self._ask({"verb": "words", "asked": meta}, blobs)[0]["words"])

    def prompt(self, raw: bytes, asked: Asked) -> MaskedPrompt:
        """A proxied body, masked. Errors as for `words`."""
        meta, blobs = prompt_wire.pack_asked(raw, asked)
        return prompt_wire.unpack_prompt(*self._ask({"verb": "prompt", "asked": meta}, blobs))

    @property
    def at_work(self) -> int:
        """How many processes have a text."""
        with self._lock:
            return len(self._all) - len(self._idle)

    @property
    def pids(self) -> list[int]:
        """The processes that run now."""
        with self._lock:
            return [process.pid for process in self._all]

    def close(self) -> None:
        """Ends every process, and starts none anymore."""
        with self._lock:
            self._closed = True
            ending, self._all, self._idle = self._all, set(), []
        for process in ending:
            process.end()

    def _ask(self, meta: wire.Meta, blobs: wire.Blobs) -> tuple[wire.Meta, wire.Blobs]:
        process = self._take()
        try:
            answer, answers = process.ask(meta, blobs)
        except BrokeOff as failure:
            if not self._closed:
                log.error("the process that scans large texts broke off (%s)", failure)
            self._drop(process)
            raise MaskerUnavailable(retry_after=_RETRY_SECONDS) from None
        except BaseException:
            self._drop(process)
            raise
        if answer["grown"]:
            self._drop(process)
        else:
            self._give_back(process)
        if "refused" in answer:
            raise Invalid(answer["refused"])
        if "declined" in answer:
            raise _DECLINED[answer["declined"]](answer["detail"])
        if "ok" not in answer:
            raise WorkFailed(answer["failed"])
        return answer["ok"], answers

    def _take(self) -> "_Process":
        with self._lock:
            if self._closed:
                raise MaskerUnavailable(retry_after=_RETRY_SECONDS)
            while self._idle:
                process = self._idle.pop()
                if process.is_alive():
                    return process
                self._all.discard(process)
                process.end()
            return self._started()

    def _started(self) -> "_Process":
        process = _Process(self._memory, self._niceness)
        self._all.add(process)
        return process

    def _give_back(self, process: "_Process") -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(process)

    def _drop(self, process: "_Process") -> None:
        with self._lock:
            self._all.discard(process)
        process.end()


class _Process:
    """One interpreter with a detector. It ends when the last end of its lifeline closes: whatever becomes of us."""

    def __init__(self, memory: int, niceness: int) -> None:
        asks, self._asking = os.pipe2(os.O_CLOEXEC)
        self._answering, answers = os.pipe2(os.O_CLOEXEC)
        line, self._lifeline = os.pipe2(os.O_CLOEXEC)
        theirs = (asks, answers, line)
        try:
            self._popen = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", str(_SCRIPT), *map(str, (*theirs, memory, niceness))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # a message may quote the text
                env=_ENVIRONMENT,
                pass_fds=theirs,
                start_new_session=True,  # an interrupt at the terminal is ours to pass on
            )
        except BaseException:
            for descriptor in (self._asking, self._answering, self._lifeline):
                os.close(descriptor)
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        os.set_blocking(self._asking, False)
        self._ended = threading.Lock()
        self._is_new = True

    def ask(self, meta: wire.Meta, blobs: wire.Blobs) -> tuple[wire.Meta, wire.Blobs]:
        """Its answer. BrokeOff when there is none in reasonable time."""
        size = sum(map(len, blobs.values()))
        seconds = _START_SECONDS + size * _SECONDS_PER_BYTE
        deadline = time.monotonic() + seconds
        try:
            for piece in message.pack(meta, blobs):
                self._write(memoryview(piece), deadline)
            return message.unpack(lambda wanted: self._read(wanted, deadline), _LEAST_REPLY + _REPLY_PER_BYTE * size)
        except (OSError, ValueError) as error:  # Malformed is a ValueError
            raise BrokeOff(type(error).__name__) from None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._popen.pid

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    def end(self) -> None:
        """Kills it. From any thread; more than once."""
        self._popen.kill()
        if self._ended.acquire(blocking=False):
            self._popen.wait()
            for descriptor in (self._asking, self._answering, self._lifeline):
                os.close(descriptor)

    def _write(self, piece: memoryview, deadline: float) -> None:
        while piece:
            _await(self._asking, select.POLLOUT, deadline)
            piece = piece[os.write(self._asking, piece) :]

    def _read(self, wanted: int, deadline: float) -> bytes:
        read = bytearray()
        while len(read) < wanted:
            _await(self._answering, select.POLLIN, deadline)
            piece = os.read(self._answering, min(wanted - len(read), 1024**2))
            if not piece:
                raise BrokeOff("died")
            read += piece
        return bytes(read)


def _await(descriptor: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise BrokeOff("timeout")
