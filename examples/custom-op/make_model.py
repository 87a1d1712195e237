#!/usr/bin/env python3
# ===- make_model.py - A model with operators of one's own -----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Writes a model that smooths signals of any number and length, and finds the
# peaks of the first.
# ===------------------------------------------------------------------------===//
"""Write the model of the example: make_model.py signals.onnx [window]."""

import sys

import onnx
from onnx import TensorProto, helper


def main():
    window = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    nodes = [
        helper.make_node("Smooth", ["x"], ["smooth"], "smoother", domain="signal.example", window=window),
        helper.make_node("Gather", ["smooth", "zero"], ["first"], "first_row"),
        helper.make_node("Peaks", ["first"], ["peaks"], "finder", domain="signal.example"),
    ]
    graph = helper.make_graph(
        nodes,
        "signal",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["signals", "samples"])],
        [
            helper.make_tensor_value_info("smooth", TensorProto.FLOAT, ["signals", "samples"]),
            helper.make_tensor_value_info("peaks", TensorProto.INT64, ["peaks"]),
        ],
        [helper.make_tensor("zero", TensorProto.INT64, [], [0])],
    )
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("signal.example", 1)]
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=10), sys.argv[1])


if __name__ == "__main__":
    main()
