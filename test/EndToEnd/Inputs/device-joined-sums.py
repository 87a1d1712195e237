# ===- device-joined-sums.py - Products with a factor in common ------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs gates of networks on simulated devices, beside the processor: device-joined-sums.py SIMULATOR.

Of each: the number of kernels, the instruction of the sums and how many an op has, and whether the numbers are right.
"""

import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import simulated

SIMULATOR = sys.argv[1]
RNG = np.random.default_rng(5)
F16, BF16, F32 = TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.FLOAT


def save(name, element, rows, n, k, is_constant=True, weights_first=False):
    """silu(x v) * (x w), or the same of v x and w x."""
    to = helper.tensor_dtype_to_np_dtype(element)
    factors = {"v": [n, k] if weights_first else [k, n]}
    factors["w"] = factors["v"]
    x = {"x": [k, rows] if weights_first else [rows, k]}
    order = (lambda w: [w, "x"]) if weights_first else (lambda w: ["x", w])
    nodes = [
        helper.make_node("MatMul", order("v"), ["g"]),
        helper.make_node("MatMul", order("w"), ["u"]),
        helper.make_node("Sigmoid", ["g"], ["s"]),
        helper.make_node("Mul", ["g", "s"], ["a"]),
        helper.make_node("Mul", ["a", "u"], ["y"]),
    ]
    constants = {key: (RNG.integers(-8, 8, shape) / 16).astype(to) for key, shape in factors.items() if is_constant}
    graph = helper.make_graph(
        nodes,
        name,
        [
            helper.make_tensor_value_info(key, element, shape)
            for key, shape in {**x, **factors}.items()
            if key not in constants
        ],
        [helper.make_tensor_value_info("y", element, [n, rows] if weights_first else [rows, n])],
        [numpy_helper.from_array(values, key) for key, values in constants.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), f"{name}.onnx")


def sums_of(compiler):
    """The instruction of the sums, and how many sums an op has."""
    subprocess.run([*compiler, "--emit=krnl", "-o", "device.mlir"], check=True)
    text = pathlib.Path("device.mlir").read_text()
    kinds = [kind for kind in ("wgmma", "mma") if re.search(rf"\b{kind}\(", text)] or ["fma"]
    parts = ", in parts" if "cluster, as=" in text else ""
    sums = re.search(r"%\w+:(\d) = krnl.compute", text)
    return f"{kinds[0]}{parts}, {sums[1] if sums else 1} of an op"


for name, element, rows, n, k, options, more in (
    ("f16", F16, 128, 256, 64, (), {}),
    ("ragged", F16, 200, 328, 88, (), {}),
    ("warpgroups", F16, 512, 1024, 256, (), {}),
    ("clusters", BF16, 768, 1408, 256, (), {}),
    ("few_rows", F16, 16, 64, 1024, (), {}),
    ("dynamic", F16, "rows", 256, 256, ("--dim=rows=72",), {}),
    ("inputs", F16, 64, 64, 128, (), {"is_constant": False}),
    ("weights_first", F16, 64, 128, 128, (), {"weights_first": True}),
    ("f32", F32, 64, 128, 96, (), {}),
):
    save(name, element, rows, n, k, **more)
    outputs = simulated.expectations(SIMULATOR, name, *options)
    tolerance = {F16: "4e-3", BF16: "3e-2", F32: "1e-5"}[element]
    for device in ("sm_80", "sm_90a"):
        compiler = ["onnx-compile", "-q", f"{name}.onnx", f"--device=cuda:simulator:{device}"]
        kind = sums_of(compiler)
        report = json.loads(
            subprocess.run(
                [*compiler, "-o", "device.so", "--report=json"], check=True, capture_output=True, text=True
            ).stdout
        )
        process = simulated.run(SIMULATOR, "./device.so", *outputs, *options, f"--atol={tolerance}", f"--rtol={tolerance}")
        result = "right" if process.returncode == 0 else f"{process.stderr}{process.stdout}"
        print(f"{name} {device}: {len(report['device']['kernels'])} kernel by {kind}; {result}", flush=True)
