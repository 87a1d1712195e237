# ===- peers.py - Models and inputs for comparisons with peers --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The engines themselves, and timing in turns, are those of the Python package
# of the build, which is found once this is imported.
# ===------------------------------------------------------------------------===//
"""Compiles models and draws inputs for comparisons with peers."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ONNXC_BUILD", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))


def peak_mb(pid):
    """The most memory the process has held so far; getrusage would count this process as well, across the fork."""
    with contextlib.suppress(OSError, StopIteration), open(f"/proc/{pid}/status") as status:
        return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024
    return 0.0


def compile_model(model, library, level=3):
    """Compiles in a process of its own, so that its peak memory can be told.

    Returns (seconds, peak MiB); raises RuntimeError with the compiler's first error.
    """
    command = [BUILD / "bin" / "onnx-compile", model, "-o", library, f"-O{level}"]
    started, peak = time.monotonic(), 0.0
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        while process.poll() is None:
            peak = max(peak, peak_mb(process.pid))
            time.sleep(0.005)
        seconds = time.monotonic() - started
        errors.seek(0)
        lines = errors.read().splitlines()
    if process.returncode:
        found = [line for line in lines if "error" in line] or lines or [f"exit status {process.returncode}"]
        raise RuntimeError(found[0][:300])
    return seconds, peak


def random_inputs(model, seed=1):
    """Seeded inputs by the model's signature: masks are ones, identifiers small, images normal; dynamic sizes are 1."""
    import onnx

    rng, inputs = np.random.default_rng(seed), {}
    stored = {t.name for t in model.graph.initializer}
    for info in model.graph.input:
        if info.name in stored:
            continue
        tensor = info.type.tensor_type
        shape = [d.dim_value or 1 for d in tensor.shape.dim]
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
        if "mask" in info.name:
            inputs[info.name] = np.ones(shape, dtype)
        elif dtype.kind in "iu":
            inputs[info.name] = rng.integers(0, 1000, shape).astype(dtype)
        else:
            inputs[info.name] = rng.standard_normal(shape).astype(dtype)
    return inputs
