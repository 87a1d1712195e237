# ===- amplifying_models.py - Few bytes that ask for much --------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes models of a few hundred bytes that ask for any amount of time or memory."""

import pathlib
import sys

import onnx
from onnx import TensorProto, helper

FOLDER = pathlib.Path(sys.argv[1])
FOLDER.mkdir(parents=True, exist_ok=True)
OPSETS = [helper.make_opsetid("", 21), helper.make_opsetid("f", 1)]


def info(name, kind, *shape):
    return helper.make_tensor_value_info(name, kind, shape)


def save(name, nodes, inputs, outputs=("y",), functions=(), **parts):
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=n) for n in outputs], **parts)
    model = helper.make_model(graph, opset_imports=OPSETS, ir_version=10, functions=list(functions))
    (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString())


def node(op, inputs, **attributes):
    return helper.make_node(op, inputs, ["y"], "node", **attributes)


x = info("x", TensorProto.FLOAT, 2)
for op, length in (("Unsqueeze", 2**32), ("Expand", 1000), ("Reshape", 1000), ("Tile", 65)):
    save(op, [node(op, ["x", "list"])], [x, info("list", TensorProto.INT64, length)])
save("ConstantOfShape", [node("ConstantOfShape", ["list"])], [info("list", TensorProto.INT64, 1000)])
starts, ends = (info(name, TensorProto.INT64, 2**31) for name in ("starts", "ends"))
save("Slice", [node("Slice", ["x", "starts", "ends"])], [x, starts, ends])
save("Split", [node("Split", ["x"], num_outputs=2**30)], [x])

# A rank doubles with each node.
deep = info("x0", TensorProto.INT64, *[1] * 30)
gathers = [helper.make_node("Gather", [f"x{i}", f"x{i}"], [f"x{i + 1}"], f"gather{i}") for i in range(20)]
save("Gather", gathers, [deep], ["x20"])

# So does a text.
concats = [helper.make_node("StringConcat", [f"s{i}"] * 2, [f"s{i + 1}"]) for i in range(30)]
text = helper.make_tensor("s0", TensorProto.STRING, [1], [b"x"])
length = [helper.make_node("Shape", ["s30"], ["y"])]
save("StringConcat", concats + length, [], ["s30"], initializer=[text])


def sparse(name):
    values = helper.make_tensor(name, TensorProto.FLOAT, [1], [1.0])
    indices = helper.make_tensor(f"{name}i", TensorProto.INT64, [1], [0])
    return helper.make_sparse_tensor(values, indices, [2**26])


names = [f"c{i}" for i in range(20)]
save("sparse", [helper.make_node("Sum", names, ["y"])], [], sparse_initializer=[sparse(name) for name in names])


def doubling(level):
    """Calls the function of the level before twice."""
    inner = ("Neg", "") if level == 0 else (f"f{level - 1}", "f")
    nodes = [helper.make_node(inner[0], [a], [b], domain=inner[1]) for a, b in (("a", "b"), ("b", "c"))]
    return helper.make_function("f", f"f{level}", ["a"], ["c"], nodes, OPSETS)


save("functions", [helper.make_node("f16", ["x"], ["y"], "call", domain="f")], [x], functions=[doubling(i) for i in range(17)])

# Plain models for the limits themselves.
save("two", [helper.make_node("Neg", ["x"], ["z"], "first"), helper.make_node("Abs", ["z"], ["y"], "second")], [x])
