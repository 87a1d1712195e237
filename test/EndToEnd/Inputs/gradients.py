# ===- gradients.py - Gradients against differences ------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compares the operator Gradient with differences of what it differentiates."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, parser
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact
from Harness.isolation import StageError

BASE = sys.argv[1]
OPSETS = [helper.make_opsetid("", 22), helper.make_opsetid("ai.onnx.preview.training", 1)]
random = np.random.default_rng(3)


def model_of(nodes, inputs, outputs, dynamic=False):
    """A graph of double inputs; other arrays keep their types and are no variables."""

    def info(name, value):
        kind = helper.np_dtype_to_tensor_dtype(value.dtype)
        return helper.make_tensor_value_info(name, kind, [None] * value.ndim if dynamic else value.shape)

    infos = [info(n, v) for n, v in inputs.items()]
    results = [helper.make_tensor_value_info(n, TensorProto.DOUBLE, None) for n in outputs]
    graph = helper.make_graph(nodes, "g", infos, results)
    return helper.make_model(graph, opset_imports=OPSETS)


def compiled(*graph):
    onnx.save(model_of(*graph), f"{BASE}.onnx")
    compiled.count = getattr(compiled, "count", 0) + 1
    artefact.compile_model(f"{BASE}.onnx", f"{BASE}.{compiled.count}.so")
    return artefact.load_session(f"{BASE}.{compiled.count}.so")


def nodes_of(text):
    return list(parser.parse_graph(f"g (double a) => (double y) {{ {text} }}").node)


def differences(run, inputs, name):
    """The slope of sum(weights * y) along each element of an input."""
    slopes = np.zeros_like(inputs[name])
    for index in np.ndindex(slopes.shape):
        sides = []
        for step in (1e-5, -1e-5):
            moved = {n: v.copy() for n, v in inputs.items()}
            moved[name][index] += step
            sides.append(run(moved))
        slopes[index] = (sides[0] - sides[1]) / 2e-5
    return slopes


def check(text, inputs, dynamic=False):
    """y of `text` is weighted and summed up to one number, which is differentiated by all double inputs."""
    plain = ReferenceEvaluator(model_of(nodes_of(text), inputs, ["y"]))
    weights = random.standard_normal(plain.run(None, inputs)[0].shape)
    inputs = {**inputs, "weights": weights}
    names = [n for n, v in inputs.items() if v.dtype == np.float64 and n != "weights"]
    nodes = nodes_of(text + "weighted = Mul(y, weights) loss = ReduceSum<keepdims = 0>(weighted)")
    gradient = helper.make_node("Gradient", names, ["d" + n for n in names], domain="ai.onnx.preview.training",
                                xs=names, y="loss")  # fmt: skip
    session = compiled([*nodes, gradient], inputs, ["loss", *("d" + n for n in names)], dynamic)
    values = session.run(list(inputs.values()))
    for name, got in zip(names, values[1:]):
        assert got.shape == inputs[name].shape, (text, name, got.shape)
        wanted = differences(lambda moved: session.run(list(moved.values()))[0], inputs, name)
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6, err_msg=f"{text}: by {name}")


def normal(*shape):
    return random.standard_normal(shape)


a, b, row = normal(2, 3), normal(2, 3), normal(3)
positive = np.abs(normal(2, 3)) + 0.5
ELEMENTWISE = [
    *((f"y = {f}(a)", {"a": positive}) for f in ("Log", "Sqrt", "Reciprocal")),
    *((f"y = {f}(a)", {"a": a}) for f in ("Abs", "Cos", "Exp", "Identity", "LeakyRelu", "Neg", "Relu", "Sigmoid", "Sin",
                                          "Softplus", "Tanh")),
    *((f"y = {f}(a, b)", {"a": a, "b": b}) for f in ("Add", "Sub", "Mul", "Sum")),
    *((f"y = {f}(a, b)", {"a": a, "b": row}) for f in ("Add", "Sub", "Mul")),
    ("y = Div(a, b)", {"a": a, "b": positive}),
    ("y = Div(a, b)", {"a": row, "b": positive}),
    ("y = Pow(a, b)", {"a": positive, "b": b}),
    ("y = Mul(a, a)", {"a": a}),
    ("c = Less(a, b) y = Where(c, a, b)", {"a": a, "b": row}),
    ("y = Softmax<axis = 0>(a)", {"a": a}),
    ("y = LogSoftmax(a)", {"a": a}),
    ("y = ReduceMean(a)", {"a": a}),
    ("y = ReduceSum<keepdims = 0>(a)", {"a": a}),
    ("n = Constant<value_ints = [-1]>() y = ReduceMean<keepdims = 0>(a, n)", {"a": a}),
    ("n = Constant<value_ints = [0, 2]>() y = ReduceSum<keepdims = 0>(a, n)", {"a": normal(2, 3, 2)}),
    ("n = Constant<value_ints = [3, 2]>() y = Reshape(a, n)", {"a": a}),
    ("y = Flatten(a)", {"a": normal(2, 3, 2)}),
    ("n = Constant<value_ints = [0]>() t = Unsqueeze(a, n) u = Exp(t) y = Squeeze(u, n)", {"a": a}),
    ("y = Transpose<perm = [2, 0, 1]>(a)", {"a": normal(2, 3, 4)}),
    ("y = Transpose(a)", {"a": a}),
]  # fmt: skip
LAYERS = [
    ("y = MatMul(a, b)", {"a": a, "b": normal(3, 4)}),
    ("y = MatMul(a, b)", {"a": normal(2, 1, 3, 4), "b": normal(5, 4, 2)}),
    *(
        (f"y = Gemm<alpha = 0.5, beta = 2.0, transA = {p}, transB = {q}>(a, b, c)",
         {"a": normal(3, 2) if p else a, "b": normal(4, 3) if q else normal(3, 4), "c": normal(4)})
        for p in (0, 1) for q in (0, 1)
    ),
    ("y = Conv(a, b, c)", {"a": normal(2, 2, 5, 4), "b": normal(3, 2, 3, 2), "c": normal(3)}),
    ("y = Conv<strides = [2, 3], dilations = [2, 1], pads = [1, 0, 2, 1]>(a, b)",
     {"a": normal(1, 2, 8, 9), "b": normal(2, 2, 3, 2)}),
    ("y = Conv<strides = [2]>(a, b)", {"a": normal(2, 1, 6), "b": normal(2, 1, 3)}),
    ("y = MaxPool<kernel_shape = [2, 2], strides = [1, 1]>(a)", {"a": normal(1, 2, 3, 4)}),
    ("y = GlobalAveragePool(a)", {"a": normal(2, 3, 2, 2)}),
    ("y = SoftmaxCrossEntropyLoss(a, n)", {"a": normal(3, 4), "n": np.array([1, 3, 0])}),
    ("y = SoftmaxCrossEntropyLoss<reduction = \"sum\">(a, n)", {"a": normal(3, 4), "n": np.array([1, 3, 0])}),
    ("h = Conv<pads = [1, 1, 1, 1]>(x, w) r = Relu(h) p = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(r) "
     "f = Flatten(p) y = Gemm(f, v, c)",
     {"x": normal(2, 1, 4, 4), "w": normal(2, 1, 3, 3), "v": normal(8, 3), "c": normal(3)}),
]  # fmt: skip

for text, inputs in ELEMENTWISE:
    check(text, inputs)
print(f"elementwise: {len(ELEMENTWISE)} functions agree")
for text, inputs in LAYERS:
    check(text, inputs)
print(f"layers: {len(LAYERS)} functions agree")
# Where rules sum up what was broadcast or reduced; those of Conv and losses ask for known sizes.
DYNAMIC = [(t, i) for t, i in ELEMENTWISE if len(i) > 1 or "Reduce" in t or "Softmax" in t] + LAYERS[:1] + LAYERS[2:6]
for text, inputs in DYNAMIC:
    check(text, inputs, dynamic=True)
print(f"unknown sizes: {len(DYNAMIC)} functions agree")


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
    compiled([helper.make_node("Erf", ["x"], ["y"], name="odd"), gradient(["x"], "d", ["x"], "y")], {"x": a}, ["d"])
except StageError as error:
    print(f"an operator without a rule is refused: {error}")
