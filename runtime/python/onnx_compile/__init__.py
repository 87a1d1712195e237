# ===- __init__.py - Compile ONNX models and run them -----------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   import onnx_compile
#   path = onnx_compile.compile("model.onnx")
#   session = onnx_compile.ExecutionSession(path)
#   y, = session.run(x)
# ===------------------------------------------------------------------------===#
"""Compile ONNX models to native code and run them on NumPy arrays."""

from onnx_compile._compile import CompileError, Report, compile, get_include
from onnx_compile._dlpack import to_dlpack
from onnx_compile._execution_session import ExecutionSession
from onnx_compile._signature import ValueInfo
from onnx_compile._torch import torch_backend

__version__ = "0.1.0"

__all__ = [
    "CompileError",
    "ExecutionSession",
    "Report",
    "ValueInfo",
    "__version__",
    "compile",
    "get_include",
    "to_dlpack",
    "torch_backend",
]
