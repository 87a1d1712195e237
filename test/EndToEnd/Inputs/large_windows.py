# ===- large_windows.py - Windows larger than the padded input --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compares results of windows larger than their padded input with onnx's reference, of sizes that the compiler knows and of others."""

import sys

import numpy as np
import onnx_compile
from onnx import parser
from onnx.reference import ReferenceEvaluator

EMPTY = [
    "MaxPool <kernel_shape = [5], strides = [2]> (x)",
    "MaxPool <kernel_shape = [5], strides = [3]> (x)",
    "MaxPool <kernel_shape = [3], dilations = [2], strides = [3]> (x)",
    "MaxPool <kernel_shape = [5], strides = [3], auto_pad = \"VALID\"> (x)",
    "MaxPool <kernel_shape = [5], strides = [2], ceil_mode = 1> (x)",
    "AveragePool <kernel_shape = [5], strides = [3]> (x)",
    "AveragePool <kernel_shape = [5], strides = [2], ceil_mode = 1> (x)",
    "LpPool <kernel_shape = [5], strides = [3]> (x)",
    "LpPool <kernel_shape = [5], strides = [2], ceil_mode = 1> (x)",
    "Conv <strides = [3]> (x, w)",
    "Conv <kernel_shape = [5], strides = [2]> (x, w)",
    "Conv <strides = [7], dilations = [2], pads = [0, 1]> (x, w)",
]  # fmt: skip
WRONG = ["MaxPool <kernel_shape = [5]> (x)", "Conv(x, w)", "Conv <strides = [4], dilations = [2], pads = [0, 1]> (x, w)"]
FEEDS = {"x": np.ones((1, 1, 3), np.float32), "w": np.ones((1, 1, 5), np.float32)}


def model_of(operator, size):
    return parser.parse_model(f'<ir_version: 10, opset_import: ["" : 22]> g (float[1, 1, {size}] x, float[1, 1, 5] w) => (float[a, b, c] y) {{ y = {operator} }}')


def run(model):
    return onnx_compile.ExecutionSession(onnx_compile.compile(model, f"{sys.argv[1]}.so")).run(FEEDS)[0]


def main():
    for operator in EMPTY:
        for size in ("3", "h"):
            model = model_of(operator, size)
            assert ReferenceEvaluator(model).run(None, FEEDS)[0].shape == (1, 1, 0), operator
            assert run(model).shape == (1, 1, 0), (operator, size)
    print(f"{len(EMPTY)} operators give [1, 1, 0] for known and dynamic sizes")
    for operator in WRONG:
        for name, size in (("known", "3"), ("dynamic", "h")):
            try:
                print(f"{operator}, {name}: a result of shape {run(model_of(operator, size)).shape}")
            except (onnx_compile.CompileError, ValueError) as error:
                print(f"{operator}, {name}: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main()
