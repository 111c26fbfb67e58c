"""Networks in ONNX files, run in the calling thread by a runtime that reports nothing to anybody.

ONNX Runtime's builds for Linux (1.32, for one) report their use to its maker over the network and keep what they report
in the home directory, unless this variable is set when the runtime is imported: import it through this module only.
"""

import os

os.putenv("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime  # it reads the variable

_ERRORS_ONLY = 3  # of its log levels


def session(content: bytes, *, has_arena: bool = True, has_pattern: bool = True) -> onnxruntime.InferenceSession:
    """A session of one thread for the content of an ONNX file.

    `has_arena`: keeps the memory of its largest run. `has_pattern`: plans memory by the shape of its input.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    options.enable_cpu_mem_arena = has_arena
    options.enable_mem_pattern = has_pattern
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
