"""A parser that a document controls completely: it replies what the bytes of the document say.

The bytes are the JSON of the reply, then one line per blob; or the name of a failure.
"""

import json
import os
import time
from collections.abc import Mapping
from typing import Any

from schemas.errors import StageFailed


def answer(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> tuple[Any, dict[str, bytes]]:
    if verb == "probe":
        return {"leaks": []}, {}
    data = blobs["data"] if "data" in blobs else blobs["pixels"]
    if data == b"hang":
        time.sleep(1000)
    if data == b"crash":
        os._exit(1)
    if data == b"refuse":
        raise StageFailed("unsupported_format")
    said, _, names = data.partition(b"\n")
    return json.loads(said), {name.decode(): b"x" for name in names.split(b"\n") if name}
