# ===- simulated.py - Models on a simulated device -------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Runs compiled models on the simulated device, beside the processor."""

import os
import pathlib
import subprocess


def run(simulator, model, *options, **environment):
    """The finished onnx-run of an artefact, with the driver in the folder `simulator`."""
    return subprocess.run(
        ["onnx-run", model, "--seed=1", "--quiet", *options],
        env={**os.environ, "LD_LIBRARY_PATH": simulator, **environment},
        capture_output=True,
        text=True,
    )


def expectations(simulator, name, *options):
    """Options that compare with what NAME.onnx gives on the processor."""
    subprocess.run(["onnx-compile", "-q", f"{name}.onnx", "-o", "host.so"], check=True)
    folder = pathlib.Path(f"{name}-expected")
    run(simulator, "./host.so", f"--save={folder}", *options)
    return [f"--expect={path.stem}=@{path}" for path in folder.iterdir()]
