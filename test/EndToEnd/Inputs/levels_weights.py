# ===- levels_weights.py - A table that is stored as it is -------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes a model that looks up rows of a table of 4 MiB, and an input of it, row.npy, to the current folder."""

import sys

import numpy as np
import onnx
from onnx import numpy_helper, parser

model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (int64[2] rows) => (float[2, 1024] y) { found = Gather (table, rows) y = Exp (found) }""")
table = np.random.default_rng(0).standard_normal((1024, 1024), np.float32)
model.graph.initializer.append(numpy_helper.from_array(table, "table"))
onnx.save(model, sys.argv[1])
np.save("row.npy", np.array([3, 1000]))
