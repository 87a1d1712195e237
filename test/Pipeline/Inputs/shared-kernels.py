# ===- shared-kernels.py - A model with two equal products ------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes a model whose two products have one kernel, and an operator that has a body."""

import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

rng = np.random.default_rng(0)
weights = [numpy_helper.from_array(rng.random((32, 32), np.float32), f"w{i}") for i in range(2)]
nodes = [
    helper.make_node("MatMul", ["x", "w0"], ["a"], "first"),
    helper.make_node("CumSum", ["a", "axis"], ["b"], "sums"),
    helper.make_node("MatMul", ["b", "w1"], ["c"], "second"),
    helper.make_node("CumSum", ["c", "axis"], ["d"], "more"),
    helper.make_node("MeanVarianceNormalization", ["d"], ["y"], "last", axes=[1]),
]
weights.append(numpy_helper.from_array(np.array(0, np.int64), "axis"))
shape = [32, 32]
graph = helper.make_graph(
    nodes,
    "shared",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
    weights,
)
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), sys.argv[1])
