# ===- pool_windows.py - Pools of large windows -----------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compares pools whose windows are taken one dimension after the other with numpy, of sizes that the compiler knows and of others."""

import itertools
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import helper

IMAGES = {"plane": [2, 3, 21, 18], "line of planes": [1, 2, 9, 11, 10]}
KINDS = {"float": (np.float32, onnx.TensorProto.FLOAT), "half": (np.float16, onnx.TensorProto.FLOAT16)}
# Operator, image, attributes.
CASES = [
    ("AveragePool", "plane", {"kernel_shape": [9, 7], "pads": [4, 3, 4, 3]}),
    ("AveragePool", "plane", {"kernel_shape": [9, 7], "pads": [4, 3, 2, 1], "count_include_pad": 1}),
    ("AveragePool", "plane", {"kernel_shape": [9, 9], "strides": [2, 2], "pads": [1, 2, 3, 4], "ceil_mode": 1}),
    ("AveragePool", "plane", {"kernel_shape": [9, 9], "strides": [2, 2], "pads": [1, 2, 3, 4], "ceil_mode": 1, "count_include_pad": 1}),
    ("AveragePool", "plane", {"kernel_shape": [5, 6], "dilations": [3, 2]}),
    ("AveragePool", "line of planes", {"kernel_shape": [4, 5, 3], "pads": [1, 2, 0, 1, 2, 1]}),
    ("LpPool", "plane", {"kernel_shape": [6, 7], "pads": [2, 3, 2, 3]}),
    ("LpPool", "plane", {"kernel_shape": [6, 7], "p": 1}),
    ("MaxPool", "plane", {"kernel_shape": [9, 9], "strides": [1, 2], "pads": [4, 4, 4, 4]}),
    ("MaxPool", "plane", {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ("MaxPool", "plane", {"kernel_shape": [3, 3], "pads": [2, 1, 0, 1], "dilations": [2, 1]}),
    ("AveragePool", "plane", {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1], "ceil_mode": 1}),
    ("MaxPool", "line of planes", {"kernel_shape": [3, 4, 5], "dilations": [2, 1, 2], "ceil_mode": 1}),
]  # fmt: skip


def positions(size, d, attributes):
    """For each window along a dimension the positions in the image, and how many positions of given borders beside them."""
    dims = len(attributes["kernel_shape"])
    kernel, pads = attributes["kernel_shape"][d], attributes.get("pads", [0] * 2 * dims)
    stride, step = attributes.get("strides", [1] * dims)[d], attributes.get("dilations", [1] * dims)[d]
    before, after = pads[d], pads[d + dims]
    room = size + before + after - (kernel - 1) * step - 1
    count = (-(-room // stride) if attributes.get("ceil_mode") else room // stride) + 1
    if (count - 1) * stride >= size + before:
        count -= 1
    for window in range(count):
        taken = [window * stride - before + k * step for k in range(kernel)]
        inside = [p for p in taken if 0 <= p < size]
        yield inside, sum(-before <= p < size + after for p in taken) - len(inside)


def expected(operator, x, attributes):
    windows = [list(positions(size, d, attributes)) for d, size in enumerate(x.shape[2:])]
    y = np.empty([*x.shape[:2], *map(len, windows)])
    for at in itertools.product(*(range(len(w)) for w in windows)):
        chosen = [w[i] for w, i in zip(windows, at)]
        part = x.astype(np.float64)[np.ix_(*(range(s) for s in x.shape[:2]), *(inside for inside, _ in chosen))]
        axes = tuple(range(2, x.ndim))
        if operator == "MaxPool":
            value = part.max(axis=axes)
        elif operator == "LpPool":
            value = np.linalg.norm(part.reshape(*x.shape[:2], -1), attributes.get("p", 2), axis=2)
        else:
            borders = attributes.get("count_include_pad", 0)
            value = part.sum(axis=axes) / np.prod([len(inside) + borders * beside for inside, beside in chosen])
        y[(slice(None), slice(None), *at)] = value
    return y


def main():
    for kind, is_open in itertools.product(KINDS, (False, True)):
        dtype, element = KINDS[kind]
        infos = [helper.make_tensor_value_info(name, element, [f"{name} {i}" for i in range(len(shape))] if is_open else shape)
                 for name, shape in IMAGES.items()]  # fmt: skip
        nodes = [helper.make_node(operator, [image], [f"y{i}"], **attributes) for i, (operator, image, attributes) in enumerate(CASES)]
        ends = [helper.make_tensor_value_info(f"y{i}", element, None) for i in range(len(CASES))]
        graph = helper.make_graph(nodes, "g", infos, ends)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)]), f"{sys.argv[1]}.onnx")
        session = onnx_compile.ExecutionSession(onnx_compile.compile(f"{sys.argv[1]}.onnx", f"{sys.argv[1]}.so"))
        random = np.random.default_rng(0)
        images = {name: random.standard_normal(shape).astype(dtype) for name, shape in IMAGES.items()}
        worst = 0
        for y, (operator, image, attributes) in zip(session.run(list(images.values())), CASES):
            wanted = expected(operator, images[image], attributes)
            assert y.shape == wanted.shape and y.dtype == dtype, (operator, attributes, y.shape)
            worst = max(worst, np.abs(y - wanted).max() / np.abs(wanted).max())
        # A few of the last digits: halves are added up as floats.
        assert worst < 4 * np.finfo(dtype).eps, worst
        print(f"{kind}, {'open' if is_open else 'known'}: {len(CASES)} agree")


main()
