# ===- sliced_sums.py - Products of long sums ------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""sliced_sums.py BASE: compares products with constants of long sums with numpy's, in doubles.

Panels of so many steps are divided into slices, and the sums are continued in memory.
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact

BASE = sys.argv[1]
random = np.random.default_rng(11)


def compiled(name, nodes, shape, constants, is_divided=True):
    """A session of the nodes from x to y, whose recipe has to divide the sums unless there are none."""
    info = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)
    result = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    initializers = [numpy_helper.from_array(v, n) for n, v in constants.items()]
    graph = helper.make_graph(nodes, name, [info], [result], initializers)
    model, recipes = f"{BASE}.{name}.onnx", pathlib.Path(f"{BASE}.{name}.recipes")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), model)
    command = ["onnx-compile", "-q", "--cpu=x86-64-v3", model, f"--emit-recipes={recipes}", "-o", f"{BASE}.{name}.so"]
    subprocess.run(command, check=True)
    assert not is_divided or "hoist" in recipes.read_text(), f"{name}: the sums are not divided"
    return artefact.load_session(f"{BASE}.{name}.so")


def compare(name, session, x, expected):
    actual = session.run([x])[0]
    assert actual.shape == expected.shape, f"{name} {x.shape}: {actual.shape}"
    worst = np.abs(actual - expected).max(initial=0)
    limit = 1e-5 * np.abs(expected).max(initial=1)
    assert worst <= limit, f"{name} {x.shape}: differs by {worst}, more than {limit}"


def numbers(*shape):
    return random.standard_normal(shape).astype(np.float32)


def matrix(name, depth, columns, rows):
    """Rows of a known number and of any, with a bias and an activation after the sums."""
    w, b = numbers(depth, columns), numbers(columns)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["p"]),
        helper.make_node("Add", ["p", "b"], ["s"]),
        helper.make_node("Relu", ["s"], ["y"]),
    ]
    for shape in ([rows[-1], depth], ["rows", depth]):
        session = compiled(f"{name}{len(str(shape[0]))}", nodes, shape, {"w": w, "b": b})
        for count in rows if shape[0] == "rows" else rows[-1:]:
            x = numbers(count, depth)
            compare(name, session, x, np.maximum(x.astype(float) @ w.astype(float) + b, 0))


def convolution(name, channels, filters, window, size, shape):
    """Channels last, so that the filters are the columns."""
    w, b = numbers(filters, channels, *window), numbers(filters)
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], perm=[0, 3, 1, 2]),
        helper.make_node("Conv", ["t", "w", "b"], ["c"]),
        helper.make_node("Transpose", ["c"], ["y"], perm=[0, 2, 3, 1]),
    ]
    session = compiled(name, nodes, shape, {"w": w, "b": b})
    x = numbers(1, *size, channels)
    views = np.lib.stride_tricks.sliding_window_view(x[0].astype(float), window, axis=(0, 1))
    expected = np.einsum("hwcij,ocij->hwo", views, w.astype(float), optimize=True)[None] + b
    compare(name, session, x, expected)


def empty():
    """Products without columns or rows."""
    for name, rows, columns in [("columns", 128, 0), ("rows", 0, 64)]:
        nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
        session = compiled(f"no_{name}", nodes, [rows, 8192], {"w": numbers(8192, columns)}, is_divided=False)
        compare(name, session, numbers(rows, 8192), np.zeros((rows, columns)))


def main():
    matrix("whole", 4096, 64, [0, 1, 7, 128])
    matrix("rest", 4999, 45, [0, 1, 2, 6, 131, 300])
    convolution("known", 64, 24, (9, 12), (20, 17), [1, 20, 17, 64])
    convolution("any", 64, 24, (9, 12), (27, 16), [1, "h", "w", 64])
    empty()
    print("agrees")


if __name__ == "__main__":
    main()
