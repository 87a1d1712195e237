# ===- many_kernels.py - A model of many kernels -----------------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes a model whose kernels are compiled in several batches."""

import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

rng = np.random.default_rng(1)
nodes, weights, channels = [], [], 3
for i in range(8):
    after = 4 + 3 * i
    weights.append(numpy_helper.from_array(rng.standard_normal((after, channels, 3, 3), np.float32), f"w{i}"))
    nodes.append(helper.make_node("Conv", [f"x{i}", f"w{i}"], [f"c{i}"], pads=[1, 1, 1, 1]))
    nodes.append(helper.make_node("Softmax", [f"c{i}"], [f"x{i + 1}"], axis=1 + i % 3))
    channels = after
x = helper.make_tensor_value_info("x0", TensorProto.FLOAT, ["n", 3, 9, 9])
y = helper.make_tensor_value_info("x8", TensorProto.FLOAT, ["n", channels, 9, 9])
save(helper.make_model(helper.make_graph(nodes, "g", [x], [y], weights)), sys.argv[1])
