# ===- resize_11.py - A Resize of operator set 11 --------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes a Resize with the coordinate mode that later operator sets dropped."""

import sys

import numpy
from onnx import TensorProto, helper, numpy_helper, save

node = helper.make_node(
    "Resize", ["x", "roi", "scales"], ["y"], name="grow", mode="nearest",
    coordinate_transformation_mode="tf_half_pixel_for_nn")  # fmt: skip
graph = helper.make_graph(
    [node], "resize",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 2, 2])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 4, 4])],
    [numpy_helper.from_array(numpy.array([], numpy.float32), "roi"),
     numpy_helper.from_array(numpy.array([1, 1, 2, 2], numpy.float32), "scales")])  # fmt: skip
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8), sys.argv[1])
