"""The sandbox child: isolates itself, reads one request, calls one parser, sends the reply and exits.

`sandbox.parent` starts it as a script: `child.py REQUEST REPLY`, with two inherited descriptors; or `sandbox.zygote`
forks it, maybe before there is a request. The request is a trusted head, with the seconds of the call and for a script
the isolation plan, followed by an untrusted message. The child is isolated before it reads the message. Each child
handles one document.
"""

import json
import mmap
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from select import select
from typing import Any, NoReturn

Answer = tuple[dict[str, Any], dict[str, bytes]]
_HEAD_SIZE = 4  # bytes of the length of the head of a request


def main(request: int, reply: int) -> NoReturn:
    """Handles one request in an interpreter of its own, and ends the process."""
    plan = json.loads(os.pread(request, int.from_bytes(os.pread(request, _HEAD_SIZE, 0), "big"), _HEAD_SIZE))
    sys.path.insert(0, plan["paths"][0])
    import_packages(plan["answers"])
    _handle(plan, request, reply, _isolated(plan, [request, reply]))


def main_of_fork(
    plan: dict[str, Any], rehearse: Callable[[], object] | None, request: int, asked: int, reply: int
) -> NoReturn:
    """Handles one request in a fork of a zygote, and ends the process.

    It isolates itself at once, and waits for a byte from the pipe `asked`: then the memory file `request` is filled and
    sealed. Without a byte nobody will ask. `plan`: as for `isolation.enter`, with `answers` and `strict`. `rehearse` is
    called while it would wait idly: a third of the time of a small document went into the copies of the pages of memory
    that a fork writes to for the first time.
    """
    missing = _isolated(plan, [request, asked, reply])
    if rehearse is not None and not select([asked], [], [], 0)[0]:
        rehearse()
    if not os.read(asked, 1):
        os._exit(0)
    os.close(asked)
    _handle(plan, request, reply, missing)


def _isolated(plan: dict[str, Any], keep: list[int]) -> list[str]:
    from pipeline.sandbox.isolation import enter

    for descriptor in keep:
        os.set_inheritable(descriptor, False)
    return enter({**plan, "keep": keep})


def _handle(plan: dict[str, Any], request: int, reply: int, missing: list[str]) -> NoReturn:
    """Writes the answer: `{"ok": …}`, `{"failed": code, "reason": …}` or `{"broken": exception type}`."""
    from pipeline.sandbox.isolation import REQUIRED, limit_time

    with mmap.mmap(request, 0, prot=mmap.PROT_READ) as memory:
        head = memory.read(int.from_bytes(memory.read(_HEAD_SIZE), "big"))
        if not limit_time(json.loads(head)["seconds"]):
            missing.append("limits")
        meta: dict[str, Any]
        blobs: dict[str, bytes]
        if plan["strict"] and set(missing) & set(REQUIRED):
            meta, blobs = {"broken": "SandboxUnavailable"}, {}
        else:
            meta, blobs = _answer(plan["answers"], memory.read)
        _send(reply, {**meta, "missing": missing}, blobs)
    os._exit(0)  # skip the cleanup of the parsers: the kernel frees everything at once


def import_packages(*modules: str) -> None:
    """Imports the packages of this service and of `modules` while their directory may still be listed."""
    for package in ("pipeline", "schemas", *(module.partition(".")[0] for module in modules)):
        import_module(package)


def _answer(answers: str, read: Callable[[int], bytes]) -> Answer:
    from pipeline.sandbox.message import unpack
    from schemas.errors import StageFailed

    try:
        meta, blobs = unpack(read, sys.maxsize)
        result, results = _function(answers)(meta["verb"], meta["meta"], blobs)
        return {"ok": result}, results
    except StageFailed as failure:
        return {"failed": failure.code, "reason": failure.reason}, {}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the boundary of the sandbox child: only the name of the type leaves it
        return {"broken": type(error).__name__}, {}


def _function(answers: str) -> Callable[[str, dict[str, Any], Mapping[str, bytes]], Answer]:
    """The function `module:name`: `answer` of this file, or a test's own."""
    module, _, name = answers.partition(":")
    if module == "pipeline.sandbox.child":
        return answer
    function: Callable[[str, dict[str, Any], Mapping[str, bytes]], Answer] = getattr(import_module(module), name)
    return function


def _send(reply: int, meta: dict[str, Any], blobs: dict[str, bytes]) -> None:
    from pipeline.sandbox.message import pack

    for piece in pack(meta, blobs):
        view = memoryview(piece)
        while view:
            view = view[os.write(reply, view) :]


def answer(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    """The result of a verb; only the parser that it needs is imported."""
    return _VERBS[verb](meta, blobs)


def _inspect(meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    return {"pages": handler_of(meta["format"]).inspect(blobs["data"])}, {}


def _extract(meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    from pipeline.codec import encode

    extraction, pixels = handler_of(meta["format"]).extract(blobs["data"])
    return encode(extraction), pixels


def _redact(meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    from pipeline.codec import load, load_readings
    from pipeline.documents.document import Findings

    findings, readings = load(Findings, blobs["findings"]), load_readings(blobs)
    return {}, {"data": handler_of(meta["format"]).redact(blobs["data"], findings, readings)}


def _read_raster(meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    from pipeline.codec import decode, encode
    from pipeline.documents.document import Raster
    from pipeline.ocr import recognition

    return encode(recognition.read(decode(Raster, meta["raster"]), blobs["pixels"], meta["threads"])), {}


def _read_raster_again(meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    from pipeline.codec import decode, encode
    from pipeline.documents.document import Raster
    from pipeline.rereading import read_again

    return encode(read_again(decode(Raster, meta["raster"]), blobs["pixels"], meta["threads"])), {}


def _ocr_engines(meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    from pipeline.documents.raster.codes import reader
    from pipeline.networks import pretrained
    from pipeline.ocr.engines import tesseract
    from pipeline.verification import number_recognizer

    return {"engines": [tesseract.engine(), pretrained.READER, number_recognizer.READER, reader.READER]}, {}


def _second_reading(meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    from pipeline.codec import encode

    second, pixels = reader_of(meta["format"]).read(blobs["data"])
    if second.rasters:
        from pipeline.verification.codes import reader as codes

        second = replace(second, readers=(*second.readers, *codes.readers()))
    return encode(second), pixels


def _preview(meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    from pipeline.documents import preview

    format_, first, count = meta["format"], meta["first"], meta["count"]
    if format_ in ("csv", "docx", "pptx", "xlsx"):
        units = handler_of(format_).extract(blobs["data"])[0].units
        pages, lines = preview.lines(units, first, count, meta["lines"], is_table=format_ in ("csv", "xlsx"))
        return {"pages": pages, "lines": lines}, {}
    pages, pictures = preview.pictures(format_, blobs["data"], first, count)
    return {"pages": pages, "lines": []}, {str(number): picture for number, picture in enumerate(pictures)}


def _probe(meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    from pipeline.sandbox.isolation import leaks

    return {"leaks": leaks()}, {}


def handler_of(format_: str) -> Any:
    """The module that extracts and redacts documents of a format; only its parser is imported."""
    match format_:
        case "csv":
            from pipeline.documents.csv import handler as csv

            return csv
        case "docx":
            from pipeline.documents.docx import handler as docx

            return docx
        case "pdf":
            from pipeline.documents.pdf import handler as pdf

            return pdf
        case "pptx":
            from pipeline.documents.pptx import handler as pptx

            return pptx
        case "xlsx":
            from pipeline.documents.xlsx import handler as xlsx

            return xlsx
        case "jpeg" | "png" | "tiff":
            from pipeline.documents.image import handler as image

            return image
    raise KeyError(format_)


def reader_of(format_: str) -> Any:
    """The module for the second reading of redacted documents of a format."""
    match format_:
        case "csv":
            from pipeline.verification import csv

            return csv
        case "docx":
            from pipeline.verification.ooxml import docx

            return docx
        case "pdf":
            from pipeline.verification.pdf import reader as pdf

            return pdf
        case "pptx":
            from pipeline.verification.ooxml import pptx

            return pptx
        case "xlsx":
            from pipeline.verification.ooxml import xlsx

            return xlsx
        case "jpeg" | "png" | "tiff":
            from pipeline.verification.image import reader as image

            return image
    raise KeyError(format_)


_VERBS: dict[str, Callable[[dict[str, Any], Mapping[str, bytes]], Answer]] = {
    "probe": _probe,
    "inspect": _inspect,
    "extract": _extract,
    "read_raster": _read_raster,
    "read_raster_again": _read_raster_again,
    "ocr_engines": _ocr_engines,
    "redact": _redact,
    "second_reading": _second_reading,
    "preview": _preview,
}

if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
