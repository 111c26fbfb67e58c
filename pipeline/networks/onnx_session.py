"""Networks in ONNX files, run in the calling thread by a runtime that reports nothing to anybody.

ONNX Runtime's builds for Linux (1.32, for one) keep a report of their use in the home directory and look for a server
of its maker to send it to, unless this variable is set when the runtime is imported. No other module imports it.
"""

import ctypes
import os
from typing import Any, TypeAlias

os.putenv("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime  # it reads the variable

_ERRORS_ONLY = 3  # of its log levels
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # parameters of mallopt (glibc, malloc.h)
_KEPT = 64 * 1024**2  # bytes of free heap that are kept
_LARGE, _SMALL = 32 * 1024**2, 8 * 1024**2  # bytes of blocks that lie outside the heap: usually, and in frugal runs


Session: TypeAlias = onnxruntime.InferenceSession


def session(content: bytes) -> Session:
    """A session of one thread for the content of an ONNX file."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    options.enable_cpu_mem_arena = False  # the arena would keep the memory of the largest run for ever
    network = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    network.disable_fallback()  # for which it would keep the content of the file
    network._model_bytes = None
    return network


def run(network: Session, given: Any) -> Any:
    """The first output of a network for its only input; both are arrays."""
    return network.run(None, {network.get_inputs()[0].name: given})[0]


def run_frugally(network: Session, given: Any) -> Any:
    """The same in less memory and a little more time, for large inputs; not for several threads at the same time.

    Freed tensors go back to the system. Else the heap keeps them in pieces: 570 MB instead of 350 for the lines of a
    page.
    """
    _lay_outside_the_heap(_SMALL)
    try:
        return run(network, given)
    finally:
        _lay_outside_the_heap(_LARGE)


def _lay_outside_the_heap(size: int) -> None:
    """Blocks of so many bytes and more; does nothing where the C library is not glibc."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _KEPT)
        mallopt(_MMAP_THRESHOLD, size)
