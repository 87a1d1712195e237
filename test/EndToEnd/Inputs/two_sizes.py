# ===- two_sizes.py - Runs of several sizes in one process -----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""A model of unknown sizes, run with several of them in one process.

Usage: two_sizes.py MODEL.onnx         writes the model
       two_sizes.py MODEL.onnx SO      runs the artefact
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

WEIGHT = np.arange(32, dtype=np.float32).reshape(4, 8) / 7 - 2


def make_model():
    """Softmax, products and a transposition: values that must not overlap."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("Softmax", ["h"], ["p"], axis=1),
        helper.make_node("Transpose", ["h"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["p", "t"], ["q"]),
        helper.make_node("Softmax", ["q"], ["r"], axis=0),
        helper.make_node("MatMul", ["r", "h"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "two_sizes",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 8])],
        [onnx.numpy_helper.from_array(WEIGHT, "w")],
    )
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=9)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def expected(x):
    h = x @ WEIGHT
    r = softmax(softmax(h, 1) @ h.T, 0)
    return r @ h


def main():
    if len(sys.argv) == 2:
        onnx.save(make_model(), sys.argv[1])
        return
    from onnx_compile import ExecutionSession

    session = ExecutionSession(sys.argv[2])
    random = np.random.default_rng(1)
    for batch in [3, 200, 1, 65, 200]:
        x = random.standard_normal((batch, 4), dtype=np.float32)
        (y,) = session.run([x])
        np.testing.assert_allclose(y, expected(x), rtol=1e-4, atol=1e-5)
        print("batch", batch, "agrees")
    (y,) = session.run([np.zeros((0, 4), np.float32)])
    print("batch 0 gives", y.shape)


main()
