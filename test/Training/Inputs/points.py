# ===- points.py - Where gradients are taken --------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Gradients at points of their own, gradients of gradients, and what has none."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, parser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact
from Harness.isolation import StageError

BASE = sys.argv[1]
OPSETS = [helper.make_opsetid("", 22), helper.make_opsetid("ai.onnx.preview.training", 1)]
random = np.random.default_rng(3)
a, b = random.standard_normal((2, 2, 3))
positive = np.abs(random.standard_normal((2, 3))) + 0.5


def compiled(nodes, inputs, outputs):
    infos = [helper.make_tensor_value_info(n, TensorProto.DOUBLE, v.shape) for n, v in inputs.items()]
    results = [helper.make_tensor_value_info(n, TensorProto.DOUBLE, None) for n in outputs]
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", infos, results), opset_imports=OPSETS), f"{BASE}.onnx")
    artefact.compile_model(f"{BASE}.onnx", f"{BASE}.so")
    return artefact.load_session(f"{BASE}.so")


def nodes_of(text):
    return list(parser.parse_graph(f"g (double a) => (double y) {{ {text} }}").node)


def gradient(points, result, xs, y, **more):
    return helper.make_node("Gradient", points, [result], domain="ai.onnx.preview.training", xs=xs, y=y, **more)


# x * x * z at a point q, z being a factor that stays as it is.
nodes = [*nodes_of("t = Mul(x, x) y = Mul(t, z)"), gradient(["q", "z"], "d", ["x"], "y", zs=["z"])]
inputs = {"x": a, "z": b, "q": positive}
value, slope = compiled(nodes, inputs, ["y", "d"]).run(list(inputs.values()))
np.testing.assert_allclose(value, a * a * b)
np.testing.assert_allclose(slope, 2 * positive * b)
print("points of their own agree")

nodes = [*nodes_of("s = Sin(x) y = Mul(s, x)"), gradient(["x"], "d", ["x"], "y"), gradient(["x"], "dd", ["x"], "d")]
first, second = compiled(nodes, {"x": a}, ["d", "dd"]).run([a])
np.testing.assert_allclose(first, a * np.cos(a) + np.sin(a))
np.testing.assert_allclose(second, 2 * np.cos(a) - a * np.sin(a))
print("a gradient of a gradient agrees")

try:
    compiled([helper.make_node("Unique", ["x"], ["y"], name="odd"), gradient(["x"], "d", ["x"], "y")], {"x": a}, ["d"])
except StageError as error:
    print(f"an operator without a rule is refused: {error}")
