# ===- device-exchanged-stores.py - Stores of 16 bytes after an exchange ----===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs products with results of 16 bits on simulated devices, beside numpy: device-exchanged-stores.py PREFIX.

Of each: the bytes of the widest store of a thread to device memory, and whether the numbers are right.
"""

import pathlib
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import onnx_compile
from onnx import TensorProto, helper

F16, BF16 = TensorProto.FLOAT16, TensorProto.BFLOAT16
NUMPY = {F16: np.float16, BF16: ml_dtypes.bfloat16}
# Of the largest result.
BOUNDS = {F16: 2e-3, BF16: 1.6e-2}
# Rows, columns and terms, and what comes before them.
CASES = {
    "f16": (F16, [], 512, 1024, 64),
    "bf16": (BF16, [], 512, 512, 64),
    "padded_rows": (F16, [], 500, 1024, 64),
    "batch": (F16, [3], 128, 128, 64),
    "odd_columns": (F16, [], 128, 197, 64),
    "column": (F16, [], 256, 1, 64),
}


def product(element, batch, rows, columns, terms):
    """Relu(x w + b)."""
    inputs = {"x": [*batch, rows, terms], "w": [*batch, terms, columns], "b": [columns]}
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["p"]),
            helper.make_node("Add", ["p", "b"], ["s"]),
            helper.make_node("Relu", ["s"], ["y"]),
        ],
        "g",
        [helper.make_tensor_value_info(name, element, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info("y", element, [*batch, rows, columns])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10), inputs


def widest_store(path, device):
    """Bytes of the longest vector that a thread stores to device memory."""
    subprocess.run(["onnx-compile", "-q", f"{path}.onnx", f"--device=cuda:{device}", "--emit=ptx", "-o", f"{path}.ptx"], check=True)
    stores = re.findall(r"\bst\.global(?:\.v(\d))?\.[a-z](\d+)", pathlib.Path(f"{path}.ptx").read_text())
    return max(int(count or 1) * int(bits) // 8 for count, bits in stores)


def is_right(path, device, inputs, element):
    random = np.random.default_rng(0)
    values = [(random.standard_normal(shape) / 8).astype(NUMPY[element]) for shape in inputs.values()]
    command = ["onnx-compile", "-q", f"{path}.onnx", f"--device=cuda:simulator:{device}", "-o", f"{path}.so"]
    subprocess.run(command, check=True)
    x, w, b = (value.astype(np.float64) for value in values)
    expected = np.maximum(x @ w + b, 0)
    result = onnx_compile.ExecutionSession(f"{path}.so").run(values)[0].astype(np.float64)
    return result.shape == expected.shape and np.abs(result - expected).max() <= BOUNDS[element] * np.abs(expected).max()


for name, (element, *sizes) in CASES.items():
    path = f"{sys.argv[1]}-{name}"
    model, inputs = product(element, *sizes)
    onnx.save(model, f"{path}.onnx")
    found = [
        f"{widest_store(path, device)} bytes on {device}, {'right' if is_right(path, device, inputs, element) else 'wrong'}"
        for device in ("sm_80", "sm_90a")
    ]
    print(f"{name}: {'; '.join(found)}", flush=True)
