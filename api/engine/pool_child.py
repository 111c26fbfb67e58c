"""The child process of `api.engine.pool`: reads a question, answers it and reads the next, until its parent ends.

Started as a script: `pool_child.py QUESTIONS ANSWERS LIFELINE MEMORY NICENESS NAMES`. These are three inherited
file descriptors, the limit of its address space in bytes, the niceness that is added to that of its parent, and what
finds names (see Detector).
"""

import os
import resource
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

_MAX_RESIDENT_BYTES = 1024**3  # a process beyond it is replaced: Python returns little memory to the system
_FIRST_TO_DIE = 500  # oom_score_adj, of 1000: when memory is short, the kernel kills this process first
_MODULES = ("api.engine.serialization", "api.llm.prompt", "api.engine.text_work")


def main(questions: int, answers: int, lifeline: int, memory: int, niceness: int, names: str) -> None:
    """Answers questions until the parent ends."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(niceness)
    Path("/proc/self/oom_score_adj").write_text(str(_FIRST_TO_DIE))
    threading.Thread(target=_exit_with_parent, args=(lifeline,), daemon=True).start()

    from pipeline.detect.detector import Detector
    from pipeline.sandbox import message
    from pipeline.sandbox.isolation import hide

    hide()  # no other process of the user may read its memory: it holds texts and keys
    for name in _MODULES:
        import_module(name)
    detector = Detector(names=names)
    with os.fdopen(questions, "rb") as reader, os.fdopen(answers, "wb") as writer:
        while True:
            question, blobs = message.unpack(lambda size: _exact(reader.read(size), size), sys.maxsize)
            meta, results = _answer(detector, question, blobs)
            grown = resident_bytes() > _MAX_RESIDENT_BYTES
            writer.writelines(message.pack({**meta, "grown": grown}, results))
            writer.flush()
            del question, blobs, meta, results


def resident_bytes() -> int:
    """The memory that this process holds now. Its `ru_maxrss` would begin with that of its parent (getrusage(2))."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _answer(detector: Any, meta: dict[str, Any], blobs: dict[str, bytes]) -> tuple[dict[str, Any], dict[str, bytes]]:
    from api.engine import serialization
    from api.engine.text_work import run_work
    from schemas.errors import AttachmentNotSupported, InvalidBody, Unprocessable

    try:
        if meta["verb"] == "parse":
            return _parse(meta["model"], blobs["raw"])
        if meta["verb"] in {"words", "prompt"}:
            return _prompt(detector, meta, blobs)
        text, options = serialization.unpack_question(meta["question"], blobs)
        detection = detector.detect(text, options)
        if meta["verb"] == "detect":
            found, columns = serialization.pack_detection(detection)
            return {"ok": found}, columns
        done = run_work(serialization.unpack_work(meta["work"]), detection)
        return {"ok": {"found": dict(done.found)}}, {"answer": done.answer}
    except Unprocessable as refusal:  # its words are all ours
        return {"refused": refusal.errors}, {}
    except (AttachmentNotSupported, InvalidBody) as refusal:  # likewise
        return {"declined": type(refusal).__name__, "detail": refusal.detail}, {}
    except MemoryError:
        os._exit(1)  # the interpreter is not reliable after that
    except Exception as error:  # noqa: BLE001 - outermost handler: only the type's name leaves the process
        return {"failed": type(error).__name__}, {}


def _prompt(detector: Any, meta: dict[str, Any], blobs: dict[str, bytes]) -> tuple[dict[str, Any], dict[str, bytes]]:
    from api.engine import serialization
    from api.llm import prompt

    raw, asked = serialization.unpack_prompt_request(meta["asked"], blobs)
    if meta["verb"] == "words":
        return {"ok": {"words": prompt.words(raw, asked)}}, {}
    found, parts = serialization.pack_prompt(prompt.masked(raw, asked, detector))
    return {"ok": found}, parts


def _parse(model_name: str, raw: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    from pydantic import ValidationError

    from api.http.bodies import validate
    from api.http.validation_errors import public_validation_errors
    from schemas import text

    model = {model.__name__: model for model in (text.MaskRequest, text.RedactRequest)}[model_name]
    try:
        body, warning = validate(raw, model)
    except ValidationError as error:
        return {"ok": {"errors": public_validation_errors(error, ["body"], model)}}, {}
    fields = body.model_dump(mode="json", exclude={"text"})
    return {"ok": {"errors": None, "fields": fields, "warning": warning}}, {"text": body.text.encode()}


def _exact(read: bytes, size: int) -> bytes:
    if len(read) < size:
        os._exit(0)  # the parent has closed its end
    return read


def _exit_with_parent(lifeline: int) -> None:
    """Exits when the parent ends, however it ends: nothing is written to the lifeline, so reading ends only then."""
    os.read(lifeline, 1)
    os._exit(0)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    asks, replies, line, most, nice = map(int, sys.argv[1:6])
    main(asks, replies, line, most, nice, sys.argv[6])
