# ===- control_characters.py - Models with names for terminals --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""control_characters.py FOLDER: writes names.onnx, which compiles, and refused.onnx and long.onnx, which do not."""

import pathlib
import sys

import onnx
from onnx import TensorProto, helper

for file, op, name in (
    ("names.onnx", "Neg", "node\x1b]0;title\x07"),
    ("refused.onnx", "Rleu", "node\x1b]0;title\x07"),
    ("long.onnx", "Rleu", "a" + "ä" * 1_000_000),
):
    shape = ["ro\x1bws", 3]
    graph = helper.make_graph(
        [helper.make_node(op, ["in\x1bput"], ["out\x07put"], name)],
        "graph",
        [helper.make_tensor_value_info("in\x1bput", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("out\x07put", TensorProto.FLOAT, shape)],
    )
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21)])
    model.doc_string = "two\nli\x1bnes"
    onnx.save(model, pathlib.Path(sys.argv[1], file))
