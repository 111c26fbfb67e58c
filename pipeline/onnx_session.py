"""Networks in ONNX files, run in the calling thread by a runtime that reports nothing to anybody.

ONNX Runtime's builds for Linux (1.32, for one) keep a report of their use in the home directory and look for a server
of its maker to send it to, unless this variable is set when the runtime is imported. No other module imports it.
"""

import os
from typing import Any, TypeAlias

os.putenv("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime  # it reads the variable

_ERRORS_ONLY = 3  # of its log levels
_GIVE_BACK = "memory.enable_memory_arena_shrinkage"  # an entry of the configuration of a run: when it ends


Session: TypeAlias = onnxruntime.InferenceSession


def session(content: bytes, *, in_arena: bool = False) -> Session:
    """A session of one thread for the content of an ONNX file; `in_arena` for large inputs, whose runs need it."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    options.enable_cpu_mem_arena = in_arena  # it would keep the memory of the largest run for ever
    network = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    network.disable_fallback()  # for which it would keep the content of the file
    network._model_bytes = None
    return network


def run(network: Session, given: Any) -> Any:
    """The first output of a network for its only input; both are arrays."""
    return network.run(None, {network.get_inputs()[0].name: given})[0]


def run_in_arena(network: Session, given: Any) -> Any:
    """The same for a large input: the tensors share memory, all of which goes back to the system.

    Each tensor by itself would be new memory, which the system fills with zeros: a third of the time of a run.
    """
    options = onnxruntime.RunOptions()
    options.add_run_config_entry(_GIVE_BACK, "cpu:0")
    return network.run(None, {network.get_inputs()[0].name: given}, options)[0]
