# ===- increment.py - The model y = x + 1 --------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""increment.py FILE: writes the model y = x + 1."""

import sys

import onnx
from onnx import parser

onnx.save(
    parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    increment (float[3] x) => (float[3] y) <float one = {1}> { y = Add(x, one) }"""),
    sys.argv[1],
)
