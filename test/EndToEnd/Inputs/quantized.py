# ===- quantized.py - Quantised products in all forms ----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compares random quantised models with the reference implementation, bit by bit."""

import itertools
import pathlib
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact

BASE = sys.argv[1]
random = np.random.default_rng(11)
KINDS = [np.uint8, np.int8]


def values(kind, *shape):
    limits = np.iinfo(kind)
    return random.integers(limits.min, limits.max + 1, shape).astype(kind)


def small(kind, *shape):
    """Bytes near the middle, so that sums stay small enough for floats."""
    middle = 128 if kind == np.uint8 else 0
    return (random.integers(-9, 10, shape) + middle).astype(kind)


def scales(*shape):
    return (2.0 ** random.integers(-4, 1, shape)).astype(np.float32)


def check(name, nodes, inputs, constants, dynamic=False, opset=21):
    """Builds a model with result y; one that the reference cannot run counts as an error."""
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), [None] * v.ndim if dynamic else v.shape)
        for n, v in inputs.items()
    ]
    initializers = [numpy_helper.from_array(v, n) for n, v in constants.items() if v is not None]
    result = helper.make_tensor_value_info("y", onnx.TensorProto.UNDEFINED, None)
    graph = helper.make_graph(nodes, name, infos, [result], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    inferred = onnx.shape_inference.infer_shapes(model)
    expected = ReferenceEvaluator(inferred).run(None, inputs)[0]
    kind = helper.np_dtype_to_tensor_dtype(expected.dtype)
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", kind, [None] * expected.ndim))
    onnx.save(model, f"{BASE}.onnx")
    check.count = getattr(check, "count", 0) + 1
    artefact.compile_model(f"{BASE}.onnx", f"{BASE}.{check.count}.so")
    actual = artefact.load_session(f"{BASE}.{check.count}.so").run(list(inputs.values()))[0]
    pathlib.Path(f"{BASE}.{check.count}.so").unlink()
    assert actual.dtype == expected.dtype and actual.shape == expected.shape, f"{name}: {actual.dtype} {actual.shape}"
    worst = np.abs(actual.astype(np.int64) - expected).max()
    assert worst == 0, f"{name}: differs by {worst} in {np.count_nonzero(actual != expected)} of {actual.size}"


def node(kind, inputs, outputs, **attributes):
    return helper.make_node(kind, inputs.split(" "), outputs.split(" "), **attributes)


def report(name, count):
    print(f"{name}: {count} models agree", flush=True)


def dequantized(product, relu, bias):
    """dequantise, product, quantise; the weights' scales lie along the given axis."""
    nodes = [
        node("DequantizeLinear", "x xs xz", "a"),
        node("DequantizeLinear", "w ws wz" if bias != "plain" else "w ws", "b", axis=product.pop("axis")),
        node(product.pop("op"), "a b c" if bias == "product" else "a b", "p", **product),
    ]
    last = "p"
    if bias == "after":
        nodes.append(node("Add", "p c", "q"))
        last = "q"
    if relu:
        nodes.append(node("Relu", last, "r"))
        last = "r"
    return [*nodes, node("QuantizeLinear", f"{last} ys yz", "y")]


def matmuls():
    """Depths that leave tails of groups, both kinds of both operands."""
    count = 0
    for depth, (left, right), relu in itertools.product([1, 3, 4, 6, 17, 64], itertools.product(KINDS, KINDS), [False, True]):
        columns, per_column = int(random.integers(1, 70)), bool(random.integers(2))
        nodes = dequantized({"op": "MatMul", "axis": 1}, relu, "after")
        weights = small(right, columns)[0] if not per_column else small(right, columns)
        constants = {
            "w": values(right, depth, columns),
            "ws": scales(columns) if per_column else scales(),
            "wz": np.array(weights) if random.integers(2) else np.zeros_like(weights),
            "xs": scales(),
            "xz": values(left),
            "ys": np.float32(2.0),
            "yz": np.array(0, np.uint8) if relu else values(left),
            "c": random.integers(-50, 50, columns).astype(np.float32),
        }
        x = values(left, *([2] if depth == 6 else []), int(random.integers(1, 30)), depth)
        check(f"matmul {depth} {left} {right}", nodes, {"x": x}, constants, dynamic=depth in (4, 17))
        count += 1
    # One row times a large matrix, with a tail of each kind.
    for depth in (300, 131):
        inputs, weights = {"x": values(np.uint8, 1, depth)}, values(np.int8, depth, 201)
        check(f"row {depth}", [node("MatMulInteger", "x w", "y")], inputs, {"w": weights})
        count += 1
    report("matmul", count)


def convs():
    """Channels that are not a multiple of a group, borders, strides, groups."""
    count = 0
    forms = [(3, 1, 1), (8, 1, 1), (16, 1, 1), (12, 12, 1), (6, 2, 1), (5, 1, 2)]
    for (channels, group, stride), (left, right) in itertools.product(forms, itertools.product(KINDS, KINDS)):
        results = channels * 2 if group not in (1, channels) else channels if group == channels else 9
        window, pad = int(random.integers(1, 4)), int(random.integers(2))
        attributes = {"kernel_shape": [window] * 2, "group": group, "strides": [stride] * 2, "pads": [pad] * 4}
        nodes = dequantized({"op": "Conv", "axis": 0, **attributes}, bool(random.integers(2)), "product")
        zero = small(right) if random.integers(2) else np.array(128 if right == np.uint8 else 0, right)
        constants = {
            "w": small(right, results, channels // group, window, window),
            "ws": scales(results),
            "wz": np.full(results, zero, right),
            "xs": scales(),
            "xz": values(left),
            "ys": np.float32(1.0),
            "yz": values(left),
            "c": random.integers(-50, 50, results).astype(np.float32),
        }
        x = values(left, 1, channels, 9, int(random.integers(9, 20)))
        check(f"conv {channels} {group} {left} {right}", nodes, {"x": x}, constants, dynamic=channels == 8)
        count += 1
    report("conv", count)


def qlinears():
    count = 0
    for left, right in itertools.product(KINDS, KINDS):
        # The reference rounds after it has added the zero point: the same if that is even.
        parameters = {"xs": scales(), "xz": values(left), "ws": scales(), "wz": small(right), "ys": np.float32(4)}
        parameters["yz"] = np.array(values(left) // 2 * 2, left)
        inputs = "x xs xz w ws wz ys yz"
        check("QLinearMatMul", [node("QLinearMatMul", inputs, "y")], {"x": values(left, 5, 13)},
              {"w": small(right, 13, 33), **parameters})  # fmt: skip
        kinds = {"w": small(right, 7, 6, 3, 3), "b": random.integers(-900, 900, 7).astype(np.int32), **parameters}
        check("QLinearConv", [node("QLinearConv", inputs + " b", "y", pads=[1, 0, 1, 2])], {"x": values(left, 1, 6, 8, 9)}, kinds)
        count += 2
    report("qlinear", count)


def integers():
    """Zero points of both sides and operands, none of which are constants."""
    count = 0
    for left, right in itertools.product(KINDS, KINDS):
        zeros = {"xz": values(left), "wz": values(right)}
        x, w = values(left, 9, 21), values(right, 21, 18)
        products = [node("MatMulInteger", "x w xz wz", "y")]
        check("MatMulInteger", products, {"x": x, **zeros}, {"w": w})
        check("MatMulInteger", products, {"x": x, "w": w, **zeros}, {})
        check("MatMulInteger", products, {"x": x, "w": w, **zeros}, {}, dynamic=True)
        count += 3
        if left == np.uint8:  # what the reference takes
            products = [node("ConvInteger", "x w xz wz", "y", pads=[1, 1, 0, 2])]
            check("ConvInteger", products, {"x": values(left, 1, 5, 7, 8), **zeros}, {"w": values(right, 4, 5, 3, 2)})
            count += 1
    report("integer", count)


def movements():
    """Bytes that swap, and the largest of them, with another scale after."""
    forms = [
        [node("Transpose", "a", "p", perm=[0, 2, 3, 1])],
        [node("Reshape", "a shape", "p")],
        [node("MaxPool", "a", "p", kernel_shape=[2, 2], strides=[1, 2])],
        [node("Concat", "a a", "p", axis=1)],
        [node("Slice", "a starts ends", "p")],
        [node("GlobalAveragePool", "a", "p")],
        [node("Add", "a a", "s"), node("Relu", "s", "p")],
    ]
    for form, kind in itertools.product(forms, KINDS):
        nodes = [node("DequantizeLinear", "x xs xz", "a"), *form, node("QuantizeLinear", "p ys yz", "y")]
        constants = {
            "xs": np.float32(0.5), "xz": values(kind), "ys": np.float32(0.25), "yz": values(kind),
            "shape": np.array([2, -1]), "starts": np.array([0, 1]), "ends": np.array([1, 3]),
        }  # fmt: skip
        used = {name for n in nodes for name in n.input}
        check(form[0].op_type, nodes, {"x": values(kind, 1, 4, 4, 8)}, {n: v for n, v in constants.items() if n in used})
    report("movement", len(forms) * len(KINDS))


matmuls()
convs()
qlinears()
integers()
movements()
