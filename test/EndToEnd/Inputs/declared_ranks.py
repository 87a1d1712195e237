# ===- declared_ranks.py - Ranks that only a file declares ------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles models whose value_info is wrong about a rank; writes them beside the path given."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact, isolation

BASE = sys.argv[1]
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def ints(*values):
    return np.array(values, np.int64)


# Operator, attributes, the number that decides about the rank, the result.
CASES = [
    ("Reshape", {}, ints(4, 6), X.reshape(4, 6)),
    ("Expand", {}, ints(2, 2, 3, 4), np.broadcast_to(X, (2, 2, 3, 4))),
    ("Unsqueeze", {}, ints(0), X[None]),
    ("ReduceSum", {"keepdims": 0}, ints(0), X.sum(axis=0)),
    ("GatherND", {}, ints(0, 1)[None], X[0, 1][None]),
    ("ConstantOfShape", {}, ints(2, 3, 4), np.zeros((2, 3, 4), np.float32)),
]


def run(operator, attributes, number, rank):
    """What a model gives whose only node is declared to have a result of this rank."""

    def info(name, kind, rank):
        return helper.make_tensor_value_info(name, kind, [f"{name}{i}" for i in range(rank)])

    inputs = [info("x", TensorProto.FLOAT, 3), info("n", TensorProto.INT64, number.ndim)]
    names, values = ["x", "n"], [X, number]
    if operator == "ConstantOfShape":
        inputs, names, values = inputs[1:], names[1:], values[1:]
    nodes = [helper.make_node(operator, names, ["t"], **attributes), helper.make_node("Neg", ["t"], ["y"])]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "g", inputs, [output], value_info=[info("t", TensorProto.FLOAT, rank)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), f"{BASE}.onnx")
    library = artefact.compile_model(f"{BASE}.onnx", f"{BASE}.{operator}{rank}.so", O=0)
    return -artefact.load_session(library).run(values)[0]


right = wrong = 0
for operator, attributes, number, expected in CASES:
    for rank in range(6):
        try:
            got = run(operator, attributes, number, rank)
        except (artefact.RunError, isolation.StageError, ValueError) as error:
            assert rank != expected.ndim, error
            wrong += 1
            continue
        np.testing.assert_array_equal(got, expected)
        if rank == expected.ndim:
            right += 1
        else:
            wrong += 1
print(f"{wrong} wrong ranks: none was believed")
print(f"{right} right ranks hold")
