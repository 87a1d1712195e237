# ===- bad_index.py - A model with two Gathers -----------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""A model with two Gathers: bad_index.py MODEL.onnx"""

import sys

import onnx
from onnx import TensorProto, helper

nodes = [
    helper.make_node("Gather", ["x", "columns"], ["g"], name="pick_columns", axis=1),
    helper.make_node("Relu", ["g"], ["r"]),
    helper.make_node("Gather", ["r", "rows"], ["y"], name="pick_rows", axis=0),
]
inputs = [
    helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 5]),
    helper.make_tensor_value_info("columns", TensorProto.INT64, ["k"]),
    helper.make_tensor_value_info("rows", TensorProto.INT64, [2]),
]
outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, "k"])]
graph = helper.make_graph(nodes, "bad_index", inputs, outputs)
opset = helper.make_opsetid("", 17)
onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=9), sys.argv[1])
