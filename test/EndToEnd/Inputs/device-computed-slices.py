# ===- device-computed-slices.py - Products of weights of few bits ---------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Multiplies by weights of few bits on simulated devices, beside the processor: device-computed-slices.py SIMULATOR."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import simulated

SIMULATOR = sys.argv[1]
RNG = np.random.default_rng(5)
F16, F32 = TensorProto.FLOAT16, TensorProto.FLOAT


def save(name, element, rows, n, k, block=32):
    """Weights of 4 bits, with a scale for each block of terms."""
    to = helper.tensor_dtype_to_np_dtype(element)
    bits = RNG.integers(0, 256, k * n // 2, dtype=np.uint8).tobytes()
    scales = RNG.choice([0.25, 0.5, 1, 2], (k // block, n)).astype(to)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["d"], axis=0, block_size=block),
        helper.make_node("MatMul", ["x", "d"], ["y"], name="y"),
    ]
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("x", element, [rows, k])],
        [helper.make_tensor_value_info("y", element, [rows, n])],
        [helper.make_tensor("w", TensorProto.INT4, [k, n], bits, raw=True), numpy_helper.from_array(scales, "s")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), f"{name}.onnx")


for name, element, rows, n, k, options in (
    ("whole", F16, 128, 256, 256, ()),
    ("padded", F16, 100, 264, 320, ()),
    ("dynamic", F16, "rows", 256, 256, ("--dim=rows=72",)),
    ("full", F32, 128, 256, 128, ()),
):
    save(name, element, rows, n, k)
    outputs = simulated.expectations(SIMULATOR, name, *options)
    for device in ("sm_80", "sm_90a"):
        compiler = ["onnx-compile", "-q", f"{name}.onnx", "-o", "device.so", f"--device=cuda:simulator:{device}"]
        report = json.loads(subprocess.run([*compiler, "--report=json"], check=True, capture_output=True, text=True).stdout)
        process = simulated.run(SIMULATOR, "./device.so", *outputs, *options, "--atol=1e-2", "--rtol=2e-3")
        result = "right" if process.returncode == 0 else f"{process.stderr}{process.stdout}"
        print(f"{name} {device}: {len(report['device']['kernels'])} kernel, {result}")
