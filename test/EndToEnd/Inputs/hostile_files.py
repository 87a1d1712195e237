# ===- hostile_files.py - Files that once did harm ---------------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes files that damage made, each into the folder of the first argument."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

FOLDER = pathlib.Path(sys.argv[1])
FOLDER.mkdir(parents=True, exist_ok=True)


def info(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def save(name, nodes, inputs, outputs, **bytes_of):
    """Saves the model, words in it replaced by bytes that are as many."""
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=n) for n in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    data = model.SerializeToString()
    for word, replacement in bytes_of.items():
        data = data.replace(word.encode(), replacement)
    (FOLDER / f"{name}.onnx").write_bytes(data)


def branch(name, kind):
    nodes = [helper.make_node("RandomNormalLike", ["x"], [name], f"draw_{name}", dtype=kind)]
    return helper.make_graph(nodes, name, [], [onnx.ValueInfoProto(name=name)])


x, which = info("x", TensorProto.FLOAT, [2, 3]), info("which", TensorProto.BOOL, [])
choice = helper.make_node("If", ["which"], ["y"], "choice", then_branch=branch("a", 0), else_branch=branch("b", 1))
save("untyped", [choice], [x, which], ["y"])
save("zero-in-name", [helper.make_node("KIND", ["x"], ["y"], "NAME")], [x], ["y"], KIND=b"Ab\0s", NAME=b"n\0de")
save("no-text", [helper.make_node("Abs", ["NAME"], ["y"])], [info("NAME", TensorProto.FLOAT, [2, 3])], ["y"], NAME=b"\xff\xfe\xfd\xfc")
pads = info("pads", TensorProto.INT64, [4])
save("pad", [helper.make_node("Pad", ["x", "pads"], ["y"], "cut")], [x, pads], ["y"])
np.save(FOLDER / "x.npy", np.ones((2, 3), np.float32))
np.save(FOLDER / "pads.npy", np.array([-31, -15, 2**63 - 2, -14]))
np.save(FOLDER / "few.npy", np.array([0, -2, 1, -1]))

tensor = TensorProto(data_type=TensorProto.FLOAT, dims=[2**36, 3], raw_data=b"abcdef")
(FOLDER / "huge.pb").write_bytes(tensor.SerializeToString())
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (68719476736, 3), }\n"
(FOLDER / "huge.npy").write_bytes(b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header)
