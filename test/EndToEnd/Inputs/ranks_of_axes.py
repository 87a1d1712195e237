# ===- ranks_of_axes.py - Operators along axes of unknown ranks -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles operators along axes, two of whose inputs have no shape, into the folder argv[1], and compares them with
the reference implementation at several ranks."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact

FOLDER = pathlib.Path(sys.argv[1])
FOLDER.mkdir(parents=True, exist_ok=True)
SHAPES = [(3,), (2, 3), (2, 1, 3), (2, 4, 1, 3), (1, 2, 4, 0, 3)]

# Name, operator, attributes, lists that are its further operands, number of results.
CASES = [
    ("softmax", "Softmax", {"axis": -1}, [], 1),
    ("log_softmax", "LogSoftmax", {"axis": 1}, [], 1),
    ("hardmax", "Hardmax", {"axis": -2}, [], 1),
    ("cumsum", "CumSum", {}, [0], 1),
    ("sum", "ReduceSum", {"keepdims": 0}, [[-1]], 1),
    ("sum_pair", "ReduceSum", {"keepdims": 0}, [[-1, -2]], 1),
    ("mean", "ReduceMean", {"keepdims": 1}, [[1, 2]], 1),
    ("norm", "ReduceL2", {"keepdims": 1}, [[0]], 1),
    ("argmax", "ArgMax", {"axis": -1, "keepdims": 0}, [], 1),
    ("argmin", "ArgMin", {"axis": 1, "keepdims": 1}, [], 1),
    ("split", "Split", {"axis": -1, "num_outputs": 2}, [], 2),
    ("topk", "TopK", {"axis": -1}, [[2]], 2),
    ("slice", "Slice", {}, [[1], [3], [-1]], 1),
    ("slice_back", "Slice", {}, [[-1], [-9], [0], [-1]], 1),
    ("gather", "Gather", {"axis": -1}, [[[2, 0], [1, -1]]], 1),
    ("gather_first", "Gather", {"axis": 0}, [[0, -1]], 1),
    ("gather_one", "Gather", {"axis": -2}, [0], 1),
    ("unsqueeze", "Unsqueeze", {}, [[0, 2]], 1),
    ("unsqueeze_end", "Unsqueeze", {}, [[-1, -3]], 1),
    ("squeeze", "Squeeze", {}, [[-2]], 1),
    ("flatten", "Flatten", {"axis": 1}, [], 1),
    ("flatten_all", "Flatten", {"axis": 0}, [], 1),
    ("expand", "Expand", {}, [[2, 1, 4, 1, 3]], 1),
    ("layer_norm", "LayerNormalization", {"axis": -1}, [np.arange(1, 4, dtype=np.float32)], 1),
]


def tensor(name, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, None)


def model_of(name, operator, attributes, lists, results):
    """The operator on a sum that no shape is known of."""
    constants = [onnx.numpy_helper.from_array(np.array(v), f"c{i}") for i, v in enumerate(lists)]
    outputs = [f"y{i}" for i in range(results)]
    nodes = [
        helper.make_node("Add", ["a", "b"], ["x"]),
        helper.make_node(operator, ["x", *(c.name for c in constants)], outputs, **attributes),
    ]
    indices = TensorProto.INT64
    infos = [tensor(o, indices if operator.startswith("Arg") or o == "y1" and operator == "TopK" else TensorProto.FLOAT) for o in outputs]
    graph = helper.make_graph(nodes, name, [tensor("a"), tensor("b")], infos, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def joined_model():
    nodes = [
        helper.make_node("Relu", ["a"], ["r"]),
        helper.make_node("Concat", ["r", "b"], ["j"], axis=-1),
        helper.make_node("Gather", ["j", "i"], ["y0"], axis=-1),
    ]
    inputs = [tensor("a"), tensor("b"), tensor("i", TensorProto.INT64)]
    graph = helper.make_graph(nodes, "joined", inputs, [tensor("y0")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def compile_model(name, model):
    onnx.save(model, FOLDER / f"{name}.onnx")
    return artefact.load_session(artefact.compile_model(FOLDER / f"{name}.onnx", FOLDER / f"{name}.so", O=1))


def numbers(shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def compare(name, model, session, inputs):
    """True if both take these inputs and agree; a run that only one of them takes is a failure."""
    try:
        with np.errstate(all="ignore"):
            expected = ReferenceEvaluator(model).run(None, dict(zip("abi", inputs)))
    except Exception:
        expected = None
    try:
        got = session.run(inputs)
    except Exception:
        assert expected is None, f"{name}: {inputs[0].shape} is refused"
        return False
    assert expected is not None, f"{name}: {inputs[0].shape} is taken"
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.shape == theirs.shape, f"{name}: {ours.shape} instead of {theirs.shape} for {inputs[0].shape}"
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5, err_msg=name)
    return True


for name, *parts in CASES:
    model = model_of(name, *parts)
    session = compile_model(name, model)
    taken = [len(s) for s in SHAPES if compare(name, model, session, [numbers(s), numbers(s[-1:])])]
    print(f"{name}: ranks {taken} agree")

model = joined_model()
session = compile_model("joined", model)
taken = [
    len(s)
    for s in SHAPES
    for i in (np.array(4), np.array([[0, -1, 5]]))
    if compare("joined", model, session, [numbers(s), numbers(s), i])
]
print(f"joined: ranks {taken} agree")


def check_listed(name, operator, **attributes):
    """An operator along axes that are an input of any length, after a sum of two inputs without a shape."""
    nodes = [
        helper.make_node("Add", ["a", "b"], ["x"]),
        helper.make_node(operator, ["x", "i"], ["y0"], **attributes),
    ]
    inputs = [tensor("a"), tensor("b"), tensor("i", TensorProto.INT64)]
    graph = helper.make_graph(nodes, name, inputs, [tensor("y0")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = compile_model(name, model)
    lists = [[], [0], [-1], [-2], [0, -1], [1, 0], [-3, 1], [2]]
    taken = [
        f"{len(s)}{axes}"
        for s in SHAPES[:4]
        for axes in lists
        if (operator == "Unsqueeze" or len({a % len(s) for a in axes}) == len(axes))
        and compare(name, model, session, [numbers(s), numbers(s[-1:]), np.array(axes, np.int64)])
    ]
    print(f"{name}: {len(taken)} lists of axes agree")


for keepdims in (0, 1):
    for operator, noop in [("ReduceSum", 0), ("ReduceMean", 1), ("ReduceMax", 0)]:
        check_listed(f"{operator}_{keepdims}_{noop}", operator, keepdims=keepdims, noop_with_empty_axes=noop)
check_listed("squeeze_listed", "Squeeze")
check_listed("unsqueeze_listed", "Unsqueeze")
