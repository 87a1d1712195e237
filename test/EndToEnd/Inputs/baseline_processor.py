# ===- baseline_processor.py - Rounding without an instruction -----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Rounds to even for a processor without an instruction for it, in all types.

Usage: baseline_processor.py ARTEFACT.so
"""

import sys

import numpy as np
import onnx_compile
from onnx import parser

MODEL = """<ir_version: 10, opset_import: ["" : 21]> graph ({type}[n] x) => ({type}[n] y) {{ y = Round (x) }}"""
HALVES = np.arange(-9, 9) / 2
NUMBERS = [0.0, -0.0, 0.49999997, -0.2, 8388607.5, 8388609, 4503599627370495.5, 1e300, np.inf, -np.inf, np.nan]


def main():
    for name, type in ("float", np.float32), ("double", np.float64), ("float16", np.float16):
        model = parser.parse_model(MODEL.format(type=name))
        path = onnx_compile.compile(model, output=sys.argv[1], cpu="generic")
        with np.errstate(over="ignore"):
            x = np.concatenate([HALVES, NUMBERS]).astype(type)
        (y,) = onnx_compile.ExecutionSession(path).run(x)
        expected = np.rint(x)
        same = np.array_equal(y, expected, equal_nan=True) and np.array_equal(np.signbit(y), np.signbit(expected))
        print(name, "agrees" if same else f"differs: {y} for {x}")


if __name__ == "__main__":
    main()
