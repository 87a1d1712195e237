# ===- unknown-ranks.py - Tensors of unknown rank ---------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles models without shapes into the folder argv[1] and compares them with numpy at several ranks."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact
from Harness.native import NativeSession

FOLDER = pathlib.Path(sys.argv[1])
FOLDER.mkdir(parents=True, exist_ok=True)


def tensor(name, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, None)


def sessions(name, nodes, inputs, outputs, opset=21):
    graph = helper.make_graph(nodes, name, inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    onnx.save(model, FOLDER / f"{name}.onnx")
    library = artefact.compile_model(FOLDER / f"{name}.onnx", FOLDER / f"{name}.so", O=1)
    return [artefact.load_session(library), NativeSession(library)]


def compare(runners, inputs, expected):
    for runner in runners:
        (got,) = runner.run(inputs)
        assert got.shape == expected.shape, f"{got.shape} instead of {expected.shape}"
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def numbers(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def check_softmax():
    nodes = [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Softmax", ["a"], ["y"])]
    runners = sessions("softmax", nodes, [tensor("x")], [tensor("y")])
    for rank in range(1, 6):
        x = numbers(*range(2, 2 + rank))
        compare(runners, [x], softmax(np.maximum(x, 0)))
    print("softmax: ranks 1 to 5 agree")
    try:
        runners[0].run([numbers()])
    except Exception as error:
        print("softmax:", error)


def check_add():
    runners = sessions("add", [helper.make_node("Add", ["x", "y"], ["z"])], [tensor("x"), tensor("y")], [tensor("z")])
    pairs = [((), ()), ((3,), ()), ((2, 3), (3,)), ((2, 1), (4, 1, 3)), ((0, 3), (1,)), ((2,) * 6, (2,) * 4)]
    for a, b in pairs:
        x, y = numbers(*a), numbers(*b)
        compare(runners, [x, y], x + y)
    print(f"add: {len(pairs)} pairs of ranks agree")


def check_branches():
    def graph(name, node):
        return helper.make_graph([node], name, [], [tensor(name)])

    first = graph("first", helper.make_node("Squeeze", ["x", "axes"], ["first"]))
    second = graph("second", helper.make_node("Identity", ["x"], ["second"]))
    axes = helper.make_node("Constant", [], ["axes"], value_ints=[0])
    nodes = [axes, helper.make_node("If", ["c"], ["t"], then_branch=first, else_branch=second)]
    nodes += [helper.make_node("ReduceMax", ["t", "last"], ["y"], keepdims=0)]
    nodes.insert(0, helper.make_node("Constant", [], ["last"], value_ints=[-1]))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, "n", "m"])
    c = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    runners = sessions("branches", nodes, [x, c], [tensor("y")])
    data = numbers(1, 4, 3)
    compare(runners, [data, np.array(True)], data[0].max(axis=-1))
    compare(runners, [data, np.array(False)], data.max(axis=-1))
    print("branches: ranks 2 and 3 agree")


def check_loop():
    """Each iteration sums over the last axis and puts one more in front, twice."""
    body = [
        helper.make_node("ReduceSum", ["v", "last"], ["s"], keepdims=1),
        helper.make_node("Unsqueeze", ["s", "front"], ["v_out"]),
        helper.make_node("Identity", ["go"], ["go_out"]),
    ]
    count = helper.make_tensor_value_info("i", TensorProto.INT64, [])
    go = helper.make_tensor_value_info("go", TensorProto.BOOL, [])
    go_out = helper.make_tensor_value_info("go_out", TensorProto.BOOL, [])
    graph = helper.make_graph(body, "body", [count, go, tensor("v")], [go_out, tensor("v_out")])
    nodes = [
        helper.make_node("Constant", [], ["last"], value_ints=[-1]),
        helper.make_node("Constant", [], ["front"], value_ints=[0]),
        helper.make_node("Loop", ["n", "", "x"], ["y"], body=graph),
    ]
    n = helper.make_tensor_value_info("n", TensorProto.INT64, [])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a"])
    runners = sessions("loop", nodes, [n, x], [tensor("y")])
    data = numbers(5)
    for iterations in range(4):
        shape = (1,) * (iterations + 1)
        compare(runners, [np.array(iterations), data], data.sum(keepdims=True).reshape(shape) if iterations else data)
    print("loop: ranks 1 to 4 agree")


def check_sequence():
    nodes = [
        helper.make_node("SequenceAt", ["s", "i"], ["t"]),
        helper.make_node("CumSum", ["t", "axis"], ["y"]),
    ]
    nodes.insert(0, helper.make_node("Constant", [], ["axis"], value_int=-1))
    s = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
    i = helper.make_tensor_value_info("i", TensorProto.INT64, [])
    runners = sessions("sequence", nodes, [s, i], [tensor("y")])
    items = [numbers(3), numbers(2, 3)]
    for position, item in enumerate(items):
        compare(runners, [items, np.array(position)], item.cumsum(axis=-1))
    print("sequence: ranks 1 and 2 agree")


def scalar(name, kind):
    return helper.make_tensor_value_info(name, kind, [])


def check_rows():
    """The rows of a Loop are the elements of a sequence."""
    body = [helper.make_node("SequenceAt", ["s", "i"], ["row"]), helper.make_node("Identity", ["go"], ["go_out"])]
    ends = [scalar("i", TensorProto.INT64), scalar("go", TensorProto.BOOL)], [scalar("go_out", TensorProto.BOOL), tensor("row")]
    nodes = [helper.make_node("Loop", ["n", ""], ["rows"], body=helper.make_graph(body, "body", *ends))]
    s = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
    runners = sessions("rows", nodes, [s, scalar("n", TensorProto.INT64)], [tensor("rows")])
    for shape in [(), (3,), (2, 3), (2, 0, 3)]:
        items = [numbers(*shape) + k for k in range(3)]
        compare(runners, [items, np.array(3)], np.stack(items))
    compare(runners, [[numbers(2)], np.array(0)], np.zeros(0, np.float32))
    print("rows: ranks 0 to 3 agree")
    try:
        runners[0].run([[numbers(2), numbers(2, 1)], np.array(2)])
    except Exception as error:
        print("rows:", error)


def check_scanned():
    """The rows of a Scan, the last one first, along the axis that is given."""
    body = helper.make_graph([helper.make_node("Add", ["a", "b"], ["row"])], "body", [scalar("a", TensorProto.FLOAT)], [tensor("row")])
    nodes = [helper.make_node("Scan", ["x"], ["y"], body=body, num_scan_inputs=1, scan_output_axes=[-1], scan_output_directions=[1])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])
    runners = sessions("scanned", nodes, [x, tensor("b")], [tensor("y")])
    for shape in [(), (3,), (2, 3)]:
        data, b = numbers(4), numbers(*shape)
        compare(runners, [data, b], np.stack([v + b for v in data[::-1]], axis=-1))
    print("scanned: ranks 0 to 2 agree")


def check_old_broadcasting():
    """Until opset 6 an attribute said where the second input begins, and a slope was a vector."""
    inputs = [tensor("x"), tensor("y")]
    for axis in (1, -2):
        nodes = [helper.make_node("Add", ["x", "y"], ["z"], broadcast=1, axis=axis)]
        runners = sessions(f"along{axis}", nodes, inputs, [tensor("z")], opset=6)
        for a, b in [((2, 3, 4), (3,)), ((2, 3, 4), (3, 4)), ((2, 3, 4), ())]:
            x, y = numbers(*a), numbers(*b)
            compare(runners, [x, y], x + y.reshape(b + (1,) * (2 - len(b))))
    runners = sessions("slope", [helper.make_node("PRelu", ["x", "y"], ["z"])], inputs, [tensor("z")], opset=6)
    for a, b in [((2, 3, 4), (3,)), ((2, 3), (3,)), ((2, 3, 4), (3, 1)), ((2, 3, 4, 2), (1,))]:
        x, y = numbers(*a), numbers(*b)
        slope = y.reshape(b + (1,) * (len(a) - 2)) if len(b) == 1 else y
        compare(runners, [x, y], np.where(x < 0, x * slope, x))
    print("old broadcasting: 3 places and 4 slopes agree")


check_softmax()
check_add()
check_old_broadcasting()
check_branches()
check_loop()
check_sequence()
check_rows()
check_scanned()
