# ===- empty.py - Tensors without elements ---------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles models whose tensors have sizes of 0 and prints what shapes come out."""

import sys

import numpy as np
import onnx
import onnx_compile
from onnx import helper, numpy_helper


def shape_of(nodes, shape, constants, sizes):
    """The shape of y, x being of that shape; `sizes` are the declared ones."""
    infos = [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, sizes)]
    ends = [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)]
    stored = [numpy_helper.from_array(np.array(v, np.int64), n) for n, v in constants.items()]
    model = helper.make_model(helper.make_graph(nodes, "g", infos, ends, stored), opset_imports=[helper.make_opsetid("", 21)])
    session = onnx_compile.ExecutionSession(onnx_compile.compile(model, f"{sys.argv[1]}.so"))
    return list(session.run([np.zeros(shape, np.float32)])[0].shape)


node = helper.make_node
# Backwards from beyond the end of nothing.
back = [node("Slice", ["x", "one", "two", "one", "step"], ["y"])]
constants = {"one": [1], "two": [2], "step": [-3]}
print("slice", shape_of(back, (2, 0), constants, [2, 0]), shape_of(back, (2, 0), constants, ["n", "m"]))
# An output that is a reshaped result.
chain = [node("Relu", ["x"], ["a"]), node("Unsqueeze", ["a", "axis"], ["y"])]
print("unsqueeze", shape_of(chain, (1, 0, 5), {"axis": [0]}, [1, 0, 5]), shape_of(chain, (1, 0, 5), {"axis": [0]}, [1, "n", 5]))
# No time is spent on rows that have nothing in them, nor is a sum of them anything.
rows, sizes = (2**40, 0), ["n", "m"]
every = [node("Softmax", ["x"], ["y"]), node("Transpose", ["x"], ["y"]), node("ReduceMax", ["x", "axes"], ["y"])]
every += [node("Concat", ["x", "x"], ["y"], axis=1), node("Hardmax", ["x"], ["y"], axis=0), node("Unique", ["x"], ["y"], axis=1)]
print("rows", *(shape_of([n], rows, {"axes": [0, 1]} if "axes" in n.input else {}, sizes) for n in every))
