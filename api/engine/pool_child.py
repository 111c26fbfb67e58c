"""The process that scans large texts: reads a question, answers it, reads the next, until its parent is gone.

Started as a script by `api.engine.pool`: `pool_child.py QUESTIONS ANSWERS LIFELINE MEMORY NICENESS`: three
inherited descriptors, a bound on its address space in bytes, and how far it stands back behind whoever started it.
"""

import os
import resource
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

_GROWN_BYTES = 1024**3  # resident: Python gives little of it back, a new process all
_FIRST_TO_DIE = 500  # of 1000: when memory is short, the kernel shall take this one
_ANSWERING = ("api.engine.wire", "api.engine.wire", "api.llm.prompt", "api.engine.text_work")


def main(questions: int, answers: int, lifeline: int, memory: int, niceness: int) -> None:
    """Answers until the parent is gone."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(niceness)
    Path("/proc/self/oom_score_adj").write_text(str(_FIRST_TO_DIE))
    threading.Thread(target=_leave_with_parent, args=(lifeline,), daemon=True).start()

    from pipeline.detect.detector import Detector
    from pipeline.sandbox import message
    from pipeline.sandbox.isolation import hide

    hide()  # it holds texts and keys
    for name in _ANSWERING:
        import_module(name)
    detector = Detector()
    with os.fdopen(questions, "rb") as reader, os.fdopen(answers, "wb") as writer:
        while True:
            question, blobs = message.unpack(lambda size: _exactly(reader.read(size), size), sys.maxsize)
            meta, results = _answer(detector, question, blobs)
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > _GROWN_BYTES
            writer.writelines(message.pack({**meta, "grown": grown}, results))
            writer.flush()
            del question, blobs, meta, results


def _answer(detector: Any, meta: dict[str, Any], blobs: dict[str, bytes]) -> tuple[dict[str, Any], dict[str, bytes]]:
    from api.engine import wire
    from api.engine.text_work import do
    from schemas.errors import AttachmentNotSupported, InvalidBody, Unprocessable

    try:
        if meta["verb"] == "parse":
            return _parse(meta["model"], blobs["raw"])
        if meta["verb"] in {"words", "prompt"}:
            return _prompt(detector, meta, blobs)
        text, options = wire.unpack_question(meta["question"], blobs)
        detection = detector.detect(text, options)
        if meta["verb"] == "detect":
            found, columns = wire.pack_detection(detection)
            return {"ok": found}, columns
        done = do(wire.unpack_work(meta["work"]), detection)
        return {"ok": {"found": dict(done.found)}}, {"answer": done.answer}
    except Unprocessable as refusal:  # in words of ours alone
        return {"refused": refusal.errors}, {}
    except (AttachmentNotSupported, InvalidBody) as refusal:  # likewise
        return {"declined": type(refusal).__name__, "detail": refusal.detail}, {}
    except MemoryError:
        os._exit(1)  # more than it may have: it cannot be relied upon now
    except Exception as error:  # noqa: BLE001 - the process's border: only the type's name leaves
        return {"failed": type(error).__name__}, {}


def _prompt(detector: Any, meta: dict[str, Any], blobs: dict[str, bytes]) -> tuple[dict[str, Any], dict[str, bytes]]:
    from api.engine import wire as prompt_wire
    from api.llm import prompt

    raw, asked = prompt_wire.unpack_asked(meta["asked"], blobs)
    if meta["verb"] == "words":
        return {"ok": {"words": prompt.words(raw, asked)}}, {}
    found, parts = prompt_wire.pack_prompt(prompt.masked(raw, asked, detector))
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


def _exactly(read: bytes, size: int) -> bytes:
    if len(read) < size:
        os._exit(0)  # the parent has closed its end
    return read


def _leave_with_parent(lifeline: int) -> None:
    """Nothing is ever written to it: reading ends when the parent does, however it ended."""
    os.read(lifeline, 1)
    os._exit(0)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    main(*(int(argument) for argument in sys.argv[1:]))
