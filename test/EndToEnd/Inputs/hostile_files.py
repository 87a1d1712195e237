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

# Lists that are a scalar, or have another length than the axes that an attribute names.
one, two = info("list", TensorProto.INT64, []), info("list", TensorProto.INT64, [2])
save("scalar-axes", [helper.make_node("Pad", ["x", "few", "", "list"], ["y"])], [x, info("few", TensorProto.INT64, [2]), one], ["y"])
save("scalar-split", [helper.make_node("Split", ["x", "list"], ["y"], axis=1)], [x, one], ["y"])
save("two-sizes", [helper.make_node("CenterCropPad", ["x", "list"], ["y"], "crop", axes=[1])], [x, two], ["y"])
for name, value in {"one": 1, "three": 3, "two": [1, 2]}.items():
    np.save(FOLDER / f"{name}.npy", np.array(value))

rows = [info("r", TensorProto.FLOAT, [0, "batch", "depth"]), info("w", TensorProto.FLOAT, ["d", "n", "k"]), info("h", TensorProto.FLOAT, ["e", "o", "l"])]
save("no-steps", [helper.make_node("RNN", ["r", "w", "h"], ["y"], hidden_size=3)], rows, ["y"])
scale = info("scale", TensorProto.FLOAT, [3])
save("no-stash", [helper.make_node("LayerNormalization", ["x", "scale"], ["y", "mean"], "norm", stash_type=0)], [x, scale], ["y", "mean"])
for name, shape in {"r": [0, 2, 4], "w": [1, 3, 4], "h": [1, 3, 3]}.items():
    np.save(FOLDER / f"{name}.npy", np.ones(shape, np.float32))
