# ===- device-angles.py - Functions of large angles on a device ------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Sin, Cos and Tan of f32 of all sizes on the simulated device: device-angles.py SIMULATOR FOLDER."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

SIMULATOR, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
FUNCTIONS = {"Sin": np.sin, "Cos": np.cos, "Tan": np.tan}
SPECIAL = [0.0, -0.0, 131071, 131072, -131072, 16777216, 1e22, 3.4028235e38, -3.4028235e38, np.inf, -np.inf, np.nan]


def arguments():
    """Both signs and all exponents, a number that no vector divides."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 0x7F800000, 3000, dtype=np.uint32).view(np.float32)
    large = rng.integers(0x48000000, 0x7F800000, 3000, dtype=np.uint32).view(np.float32)
    return np.concatenate([np.float32(SPECIAL), numbers, -numbers, large, -large, [np.float32(1)]])


def save_model(path, shape):
    nodes = [helper.make_node(op, ["x"], [op]) for op in FUNCTIONS]
    inputs, *outputs = (helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in ("x", *FUNCTIONS))
    graph = helper.make_graph(nodes, "angles", [inputs], outputs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


FOLDER.mkdir(parents=True, exist_ok=True)
x = arguments()
np.save(FOLDER / "x.npy", x)
save_model(FOLDER / "angles.onnx", x.shape)
library = FOLDER / "angles.so"
subprocess.run(["onnx-compile", "-q", FOLDER / "angles.onnx", "--device=cuda:simulator", "-o", library], check=True)
subprocess.run(
    ["onnx-run", library, "--quiet", f"--input=x=@{FOLDER}/x.npy", f"--save={FOLDER}"],
    env={**os.environ, "LD_LIBRARY_PATH": SIMULATOR},
    check=True,
)
for op, function in FUNCTIONS.items():
    got = np.load(FOLDER / f"{op}.npy").astype(np.float64)
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.float64))
    unit = np.spacing(np.maximum(np.abs(exact), np.finfo(np.float32).tiny).astype(np.float32))
    wrong = ~(np.abs(got - exact) <= 4 * unit) & ~(np.isnan(got) & np.isnan(exact))
    worst = f"; {op} of {x[wrong][0]} is {got[wrong][0]}" if wrong.any() else ""
    print(f"{op}: {wrong.sum()} of {len(x)} are wrong{worst}")
