# ===- quantized-product.py - A product of bytes -----------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Writes a model of one MatMulInteger to FILE."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

weights = np.random.default_rng(0).integers(-9, 9, (256, 256), dtype=np.int8)
graph = helper.make_graph(
    [helper.make_node("MatMulInteger", ["x", "w"], ["y"], name="product")],
    "quantized",
    [helper.make_tensor_value_info("x", TensorProto.UINT8, [256, 256])],
    [helper.make_tensor_value_info("y", TensorProto.INT32, [256, 256])],
    [numpy_helper.from_array(weights, "w")],
)
onnx.save(helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)]), sys.argv[1])
