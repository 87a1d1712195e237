# ===- PyRuntime.py - The established name of the Python binding ------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""from PyRuntime import ExecutionSession works as with other compilers."""

from onnx_compile import ExecutionSession

OMExecutionSession = ExecutionSession

__all__ = ["ExecutionSession", "OMExecutionSession"]
