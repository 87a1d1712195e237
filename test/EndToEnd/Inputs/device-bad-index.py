# ===- device-bad-index.py - Indices out of range on both sides -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles models with indices out of range into the folder argv[1], for the processor and for the simulated device,
whose driver argv[2] is, and prints the messages of their runs, which have to be equal."""

import ctypes
import pathlib
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import TensorProto, helper

FOLDER = pathlib.Path(sys.argv[1])
FOLDER.mkdir(parents=True, exist_ok=True)
ctypes.CDLL(sys.argv[2])

ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)
UPDATES = np.ones((2, 3), np.float32)


def indices(*values):
    return np.array(values, np.int64)


def message(session, inputs):
    try:
        session.run(inputs)
    except ValueError as error:
        return str(error)
    return "none"


def check(name, nodes, inputs, sizes=None):
    """Of two runs each: the second one on a device is a graph."""
    infos = [
        helper.make_tensor_value_info(
            f"i{i}", TensorProto.INT64 if v.dtype == np.int64 else TensorProto.FLOAT, sizes[i] if sizes else v.shape
        )
        for i, v in enumerate(inputs)
    ]
    outputs = [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, name, infos, outputs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), FOLDER / "m.onnx")
    messages = []
    for device in ("cpu", "cuda:simulator"):
        library = FOLDER / f"{name}-{device.partition(':')[0]}.so"
        onnx_compile.compile(FOLDER / "m.onnx", library, device=device)
        session = onnx_compile.ExecutionSession(str(library))
        messages.append([message(session, inputs) for _ in range(2)])
    assert messages[0] == messages[1], messages
    print(f"{name}: {messages[0][1]}")


def node(operator, inputs, name, output="y", **attributes):
    return helper.make_node(operator, inputs, [output], name=name, **attributes)


check("gather", [node("Gather", ["i0", "i1"], "pick")], [ROWS, indices(0, 4)])
check("gather front", [node("Gather", ["i0", "i1"], "pick")], [ROWS, indices(-5, 0)])
check("gather dynamic", [node("Gather", ["i0", "i1"], "pick")], [ROWS, indices(1, 9)], [("n", 3), ("k",)])
check("elements", [node("GatherElements", ["i0", "i1"], "each")], [ROWS, indices([0, 1, 7])])
check("tuples", [node("GatherND", ["i0", "i1"], "tuples")], [ROWS, indices([0, 1], [1, 3])])
check("scatter", [node("ScatterND", ["i0", "i1", "i2"], "put")], [ROWS, indices([0], [-5]), UPDATES])
check("scatter dynamic", [node("ScatterND", ["i0", "i1", "i2"], "put")], [ROWS, indices([4], [0]), UPDATES],
      [("n", 3), ("k", 1), ("k", 3)])
# Of several the smallest is told, as numbers without a sign, whatever the order of threads.
check("several", [node("Gather", ["i0", "i1"], "pick")], [ROWS, indices(0, -9, *range(2000, 6, -1), -7)])
check("several front", [node("Gather", ["i0", "i1"], "pick")], [ROWS, indices(0, -7, -9, -8)])
check("columns", [node("Gather", ["i0", "i1"], "pick", axis=1)], [ROWS, indices(2, -4)], [("n", "m"), ("k",)])
check("columns each", [node("GatherElements", ["i0", "i1"], "each", axis=1)], [ROWS, indices([0], [3])], [("n", 3), ("k", 1)])
check("tuples dynamic", [node("GatherND", ["i0", "i1"], "tuples")], [ROWS, indices([3, -4], [-4, 2])], [("n", "m"), ("k", 2)])
check("scatter columns", [node("ScatterElements", ["i0", "i1", "i2"], "put", axis=1)],
      [ROWS, indices([0, 3, 1], [5, 0, 1]), UPDATES])
check("sum columns", [node("ScatterElements", ["i0", "i1", "i2"], "put", axis=1, reduction="add")],
      [ROWS, indices([0, 3, 1], [-4, 0, 1]), UPDATES], [("n", 3), ("k", 3), ("k", 3)])
check("lengths", [node("ReverseSequence", ["i0", "i1"], "turn", time_axis=0, batch_axis=1)], [ROWS, indices(4, -1, 5)])
check("unpool", [node("MaxUnpool", ["i0", "i1"], "large", kernel_shape=[2], strides=[2])],
      [np.ones((1, 1, 2), np.float32), indices([[0, 4]]).reshape(1, 1, 2)])
check("no rows", [node("Gather", ["i0", "i1"], "pick")], [ROWS[:0], indices(0)], [("n", 3), ("k",)])
check("inside", [node("Gather", ["i0", "i1"], "pick")], [ROWS, indices(0, -4)])
# In two branches that no dependency orders the message is that of the first one.
BRANCHES = [node("Gather", ["i0", "i1"], "first", "a"), node("Gather", ["i0", "i2"], "second", "b"),
            node("Concat", ["a", "b"], "join", axis=0)]
check("first branch", BRANCHES, [ROWS, indices(5), indices(6)])
check("second branch", BRANCHES, [ROWS, indices(3), indices(6)])
