# ===- __init__.py - Compile ONNX models and run them -----------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   import onnx_compile
#   path = onnx_compile.compile("model.onnx")
#   session = onnx_compile.ExecutionSession(path)
#   y, = session.run(x)
# ===------------------------------------------------------------------------===#
"""Compile ONNX models to native code and run them on NumPy arrays."""

from onnx_compile._bench import Benchmark, bench
from onnx_compile._cache import add_to_cache
from onnx_compile._check import Finding, Findings, check, cut_node
from onnx_compile._compile import CompileError, CompileWarning, Report, compile, get_include, report
from onnx_compile._dlpack import to_dlpack
from onnx_compile._execution_session import ExecutionSession
from onnx_compile._explain import Explanation, explain
from onnx_compile._inference_session import (
    ExecutionMode,
    GraphOptimizationLevel,
    InferenceSession,
    ModelMetadata,
    NodeArg,
    RunOptions,
    SessionOptions,
    get_all_providers,
    get_available_providers,
    get_device,
    set_default_logger_severity,
)
from onnx_compile._io_binding import IOBinding, OrtValue
from onnx_compile._programs import Measurement
from onnx_compile._signature import ValueInfo
from onnx_compile._torch import torch_backend
from onnx_compile._verify import Verification, verify

__version__ = "0.1.0"

__all__ = [
    "Benchmark",
    "CompileError",
    "CompileWarning",
    "ExecutionMode",
    "ExecutionSession",
    "Explanation",
    "Finding",
    "Findings",
    "GraphOptimizationLevel",
    "IOBinding",
    "InferenceSession",
    "Measurement",
    "ModelMetadata",
    "NodeArg",
    "OrtValue",
    "Report",
    "RunOptions",
    "SessionOptions",
    "ValueInfo",
    "Verification",
    "__version__",
    "add_to_cache",
    "bench",
    "check",
    "compile",
    "cut_node",
    "explain",
    "get_all_providers",
    "get_available_providers",
    "get_device",
    "get_include",
    "report",
    "set_default_logger_severity",
    "to_dlpack",
    "torch_backend",
    "verify",
]
