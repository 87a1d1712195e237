# ===- others.py - Where models of exporters other than torch's go ----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Names the files of an exported model: NAME.onnx, and NAME.npz with inputs in several sizes."""

import os
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("ONNXC_BUILD", ROOT / "build")) / "exports-others"


def target(name, suffix):
    FOLDER.mkdir(parents=True, exist_ok=True)
    return FOLDER / f"{name}.{suffix}"


def save_inputs(name, sizes):
    """Writes a list of {input: array}, one for each size."""
    np.savez(target(name, "npz"), **{f"{i}/{key}": value for i, size in enumerate(sizes) for key, value in size.items()})
