"""A pool of processes that scan large texts, so that one text does not block the interpreter for all other calls.

Each process is a fresh interpreter that loads the detector once and answers one question after another. It is started
when there is work for it, or earlier by `warm`. A process that dies, hangs or uses too much memory is replaced; the
call that it was working on fails and is refunded.
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

from api.engine import serialization
from api.engine.text_work import Work, WorkResult
from api.http.bodies import Parsed
from api.http.errors import Invalid
from api.llm.model import MaskedPrompt, MaskingOptions
from pipeline.detect.detector import RULES
from pipeline.sandbox import message
from schemas.entities import EntityType
from schemas.errors import AttachmentNotSupported, InvalidBody, MaskerUnavailable
from schemas.spans import Detection, DetectOptions
from schemas.text import TextRequest

Body = TypeVar("Body", bound=TextRequest)
log = logging.getLogger("masker.api")

_CHILD_SCRIPT: Final = Path(__file__).with_name("pool_child.py")
_START_SECONDS = 60.0  # enough to load the detector on a busy machine
_SECONDS_PER_BYTE = 20e-6  # twenty times the usual time
_SECONDS_PER_BYTE_TAGGED = 600e-6  # ten times the usual time with a tagger
_REPLY_BYTES_PER_BYTE, _MIN_REPLY_BYTES = (
    64,
    64 * 1024**2,
)  # the worst case is a text of entities alone, each with its span in the answer
_RETRY_SECONDS = 1
_PROXY_ERRORS = {kind.__name__: kind for kind in (AttachmentNotSupported, InvalidBody)}
_CHILD_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


class ProcessFailed(Exception):
    """A process ended, hung or answered something malformed while it worked on a text."""


class WorkFailed(Exception):
    """The work raised an unexpected exception. The message is only the name of its type."""


class ProcessPool:
    """At most `processes` child processes, each with `memory` bytes of address space. Safe from many threads.

    `niceness` is added to that of this process (0 to 19). `names` is what finds names in the processes (see Detector).
    """

    def __init__(self, processes: int, memory: int, niceness: int = 0, names: str = RULES) -> None:
        self.processes, self._niceness, self._names = processes, niceness, names
        self.threads = CapacityLimiter(processes)  # for the threads that wait for the processes
        self._memory = memory
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._closed = False

    def warm(self) -> None:
        """Starts a first process, so that it loads the detector before there is work."""
        with self._lock:
            if not self._all and not self._closed:
                self._idle.append(self._start())

    def parse(self, raw: bytes, model: type[Body]) -> Parsed[Body]:
        """A body's JSON as `model`. Invalid (422), MaskerUnavailable when the process fails."""
        meta, answers = self._ask({"verb": "parse", "model": model.__name__}, {"raw": raw})
        if meta["errors"] is not None:
            raise Invalid(meta["errors"])
        body = model.model_validate({**meta["fields"], "text": answers["text"].decode()})
        return Parsed(body, meta["warning"])

    def run(self, text: str, options: DetectOptions, work: Work) -> WorkResult:
        """Runs `work` on the detection of a text. MaskerUnavailable when the process fails; WorkFailed; Invalid."""
        question, blobs = serialization.pack_question(text, options)
        meta, answers = self._ask({"verb": "work", "question": question, "work": serialization.pack_work(work)}, blobs)
        return WorkResult(
            Counter({EntityType(name): count for name, count in meta["found"].items()}), answers["answer"]
        )

    def detect(self, text: str, options: DetectOptions) -> Detection:
        """The detection of a text. Errors as for `run`."""
        question, blobs = serialization.pack_question(text, options)
        meta, answers = self._ask({"verb": "detect", "question": question}, blobs)
        return serialization.unpack_detection(text, meta, answers)

    def count_prompt_words(self, raw: bytes, asked: MaskingOptions) -> int:
        """The number of words in a proxied body. InvalidBody, AttachmentNotSupported; otherwise errors as for `run`."""
        meta, blobs = serialization.pack_prompt_request(raw, asked)
        return int(self._ask({"verb": "words", "asked": meta}, blobs)[0]["words"])

    def mask_prompt(self, raw: bytes, asked: MaskingOptions) -> MaskedPrompt:
        """A proxied body, masked. Errors as for `count_prompt_words`."""
        meta, blobs = serialization.pack_prompt_request(raw, asked)
        return serialization.unpack_prompt(*self._ask({"verb": "prompt", "asked": meta}, blobs))

    @property
    def at_work(self) -> int:
        """How many processes work on a text now."""
        with self._lock:
            return len(self._all) - len(self._idle)

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that run now."""
        with self._lock:
            return [process.pid for process in self._all]

    def close(self) -> None:
        """Ends every process. No more are started."""
        with self._lock:
            self._closed = True
            ending, self._all, self._idle = self._all, set(), []
        for process in ending:
            process.end()

    def _ask(
        self, meta: serialization.Meta, blobs: serialization.Blobs
    ) -> tuple[serialization.Meta, serialization.Blobs]:
        process = self._take()
        try:
            answer, answers = process.ask(meta, blobs)
        except ProcessFailed as failure:
            if not self._closed:
                log.error("the process that scans large texts broke off", extra={"reason": str(failure)})
            self._discard(process)
            raise MaskerUnavailable(retry_after=_RETRY_SECONDS) from None
        except BaseException:
            self._discard(process)
            raise
        if answer["grown"]:
            self._discard(process)
        else:
            self._return(process)
        if "refused" in answer:
            raise Invalid(answer["refused"])
        if "declined" in answer:
            raise _PROXY_ERRORS[answer["declined"]](answer["detail"])
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
            return self._start()

    def _start(self) -> "_Process":
        process = _Process(self._memory, self._niceness, self._names)
        self._all.add(process)
        return process

    def _return(self, process: "_Process") -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(process)

    def _discard(self, process: "_Process") -> None:
        with self._lock:
            self._all.discard(process)
        process.end()


class _Process:
    """One child interpreter with a detector.

    It ends when the write end of its lifeline pipe closes, so it never outlives this process, however that ends.
    """

    def __init__(self, memory: int, niceness: int, names: str) -> None:
        asks, self._asking = os.pipe2(os.O_CLOEXEC)
        self._answering, answers = os.pipe2(os.O_CLOEXEC)
        line, self._lifeline = os.pipe2(os.O_CLOEXEC)
        child_ends = (asks, answers, line)
        try:
            self._popen = subprocess.Popen(
                [
                    sys.executable,
                    "-I",
                    "-X",
                    "utf8",
                    str(_CHILD_SCRIPT),
                    *map(str, (*child_ends, memory, niceness, names)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # an error message can quote the text
                env=_CHILD_ENVIRONMENT,
                pass_fds=child_ends,
                start_new_session=True,  # an interrupt at the terminal must not reach the child directly
            )
        except BaseException:
            for descriptor in (self._asking, self._answering, self._lifeline):
                os.close(descriptor)
            raise
        finally:
            for descriptor in child_ends:
                os.close(descriptor)
        os.set_blocking(self._asking, False)
        self._ended = threading.Lock()
        self._seconds_per_byte = _SECONDS_PER_BYTE if names == RULES else _SECONDS_PER_BYTE_TAGGED

    def ask(
        self, meta: serialization.Meta, blobs: serialization.Blobs
    ) -> tuple[serialization.Meta, serialization.Blobs]:
        """The answer to a question. ProcessFailed when there is none in reasonable time."""
        size = sum(map(len, blobs.values()))
        seconds = _START_SECONDS + size * self._seconds_per_byte
        deadline = time.monotonic() + seconds
        try:
            for piece in message.pack(meta, blobs):
                self._write(memoryview(piece), deadline)
            return message.unpack(
                lambda wanted: self._read(wanted, deadline), _MIN_REPLY_BYTES + _REPLY_BYTES_PER_BYTE * size
            )
        except (OSError, ValueError) as error:  # Malformed is a ValueError
            raise ProcessFailed(type(error).__name__) from None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._popen.pid

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    def end(self) -> None:
        """Kills the process. May be called from any thread, and more than once."""
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
                raise ProcessFailed("died")
            read += piece
        return bytes(read)


def _await(descriptor: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise ProcessFailed("timeout")
