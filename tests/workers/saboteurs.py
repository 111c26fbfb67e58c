"""Handlers that go wrong, each in its own way; every one runs inside the real sandbox child."""

import os
import signal
import time
from collections.abc import Mapping
from typing import Any

from pipeline.sandbox import child

Answer = tuple[dict[str, Any], dict[str, bytes]]


def forgets(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    """Redacts nothing at all."""
    if verb == "redact":
        return {}, {"data": bytes(blobs["data"])}
    return child.answer(verb, meta, blobs)


def crashes(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    """Dies while redacting."""
    if verb == "redact":
        os.kill(os.getpid(), signal.SIGSEGV)
    return child.answer(verb, meta, blobs)


def hangs(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    """Never finishes extracting."""
    while verb == "extract":
        time.sleep(60)
    return child.answer(verb, meta, blobs)


def lies(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    """Answers with an extraction of the wrong shape."""
    if verb == "extract":
        return {"units": [["a", 7, None, "yes", None]], "rasters": [], "pages": -1}, {}
    return child.answer(verb, meta, blobs)


def reads_nothing(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    """Answers nonsense when it is to read a picture."""
    return ({"words": "none"}, {}) if verb == "read_raster" else child.answer(verb, meta, blobs)


def has_many_pages(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    """Says that the document has 501 pages."""
    if verb == "inspect":
        return {"pages": 501}, {}
    return child.answer(verb, meta, blobs)


def dawdles(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    """Takes its time to extract."""
    if verb == "extract":
        time.sleep(2.5)
    return child.answer(verb, meta, blobs)
