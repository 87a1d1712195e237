# ===- __init__.py - The rows of all families -------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Importing this fills table.ROWS."""

from rows import classical, containers, elementwise, microsoft, movement, products, recurrent, reductions, windows  # noqa: F401
