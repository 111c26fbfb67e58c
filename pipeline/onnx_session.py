"""Networks in ONNX files, run in the calling thread by a runtime that reports nothing to anybody.

ONNX Runtime's builds for Linux (1.32, for one) keep a report of their use in the home directory and look for a server
of its maker to send it to, unless this variable is set when the runtime is imported. No other module imports it.
"""

import os
from typing import Any, TypeAlias

os.putenv("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime  # it reads the variable

_ERRORS_ONLY = 3  # of its log levels


Session: TypeAlias = onnxruntime.InferenceSession


def session(content: bytes) -> Session:
    """A session of one thread for the content of an ONNX file."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    options.enable_cpu_mem_arena = False  # the arena would keep the memory of the largest run for ever
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def run(network: Session, given: Any) -> Any:
    """The first output of a network for its only input; both are arrays."""
    return network.run(None, {network.get_inputs()[0].name: given})[0]
