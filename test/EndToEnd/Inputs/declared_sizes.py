# ===- declared_sizes.py - Files that are wrong about sizes ----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles models that declare sizes which their data do not have, and prints those that come out."""

import sys

import numpy as np
import onnx_compile
from onnx import parser


def shape_of(text, *inputs):
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {text}')
    session = onnx_compile.ExecutionSession(onnx_compile.compile(model, f"{sys.argv[1]}.so"))
    return list(session.run(list(inputs))[0].shape)


concat = "g (float[n, 1] x) => (float[100, 1] y) { y = Concat<axis = 0>(x, x) }"
print(shape_of(concat, np.zeros((1, 1), np.float32)), shape_of(concat, np.zeros((3, 1), np.float32)), end=" ")
# Sizes by a shape that is not a constant.
reshape = "g (float[n] x, int64[k] s) => (float[100, 1] y) { y = Reshape(x, s) }"
print(shape_of(reshape, np.zeros(15, np.float32), np.array([3, 5])))
