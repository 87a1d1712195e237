# ===- __init__.py - What the numeric tests share --------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# values.py reads ONNX test data, artefact.py compiles and runs a model,
# isolation.py runs jobs in forked children, expectations.py keeps the ratchet,
# simulated.py runs artefacts on the simulated device.
# ===------------------------------------------------------------------------===//
"""What the numeric tests share."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ONNXC_BUILD", ROOT / "build"))


def is_sanitized():
    """True if the tools of BUILD are instrumented: those reserve terabytes of address space."""
    cache = BUILD / "CMakeCache.txt"
    return cache.exists() and "ONNXC_SANITIZE:BOOL=ON" in cache.read_text()
