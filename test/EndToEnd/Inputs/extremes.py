# ===- extremes.py - Exponentials and logarithms of the largest numbers ------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# All nodes of an element type are one model. What is expected is computed here in
# f64, by formulas that do not overflow.
# ===------------------------------------------------------------------------===//
"""Compares what is made of exponentials and logarithms with f64, for large and infinite numbers.

extremes.py MODE    static, dynamic or unranked
"""

import math
import os
import pathlib
import sys
import tempfile

os.environ.setdefault("OM_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

import ml_dtypes
import numpy as np
from onnx import helper, numpy_helper, save

from Harness import artefact

INF, NAN = np.inf, np.nan
# Relative, and of a number near 0.
TOLERANCES = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-6}


def numbers(dtype):
    """Rows of four numbers each: scores far apart, far from 0 on either side, infinite ones and none."""
    highest = 0.9 * float(ml_dtypes.finfo(dtype).max)
    rows = [[1e4, -1e4, 0, 5], [1450, 1449, 1448, -INF], [-1450, -1451, -2000, -1e4], [highest, highest, 0, -highest],
            [-highest, -highest, -highest, -highest], [-INF, -INF, -INF, -INF], [INF, 0, 1, -1], [INF, INF, -INF, 0],
            [-INF, 0, 1, -1], [NAN, 1, 2, 3], [89, 88, -104, -89], [12, -17, 0.5, -0.5]]  # fmt: skip
    return np.array(rows).astype(dtype)


# --- What is expected -----------------------------------------------------------


def log_sum_exp(x, axes=None, keepdims=True):
    largest = x.max(axes, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0)
    sums = np.log(np.exp(x - shift).sum(axes, keepdims=True)) + shift
    return sums if keepdims else np.squeeze(sums, axes)


def log_softmax(x):
    return x - x.max(-1, keepdims=True) - log_sum_exp(x - x.max(-1, keepdims=True), -1)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def normal(x):
    return 0.5 * (1 + np.vectorize(math.erf)(x * math.sqrt(0.5)))


def elu(x, alpha):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


ELEMENTWISE = {
    "Celu": ({"alpha": 2.0}, lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2))),
    "Elu": ({"alpha": 1.5}, lambda x: elu(x, 1.5)),
    "Gelu": ({}, lambda x: x * normal(x)),
    "Mish": ({}, lambda x: x * np.tanh(softplus(x))),
    "Selu": ({"alpha": 1.5, "gamma": 1.25}, lambda x: 1.25 * elu(x, 1.5)),
    "Sigmoid": ({}, sigmoid),
    "Softplus": ({}, softplus),
    "Softsign": ({}, lambda x: x / (1 + np.abs(x))),
    "Swish": ({"alpha": 1.5}, lambda x: x * sigmoid(1.5 * x)),
    "Tanh": ({}, np.tanh),
}


class Model:
    """Nodes of one element type, with what each is expected to give."""

    def __init__(self, dtype):
        self.dtype, self.x = dtype, numbers(dtype)
        self.nodes, self.stored, self.infos, self.feeds, self.expected = [], [], [], [], {}
        self.input("x", self.x)

    def input(self, name, array):
        self.infos.append((name, array))
        self.feeds.append(array)

    def constant(self, array):
        self.stored.append(numpy_helper.from_array(array, f"c{len(self.stored)}"))
        return self.stored[-1].name

    def node(self, operator, inputs, expected=None, **attributes):
        """Adds a node and returns its output, which the model gives if something is expected of it."""
        output = f"{operator}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], output, **attributes))
        if expected is not None:
            self.expected[output] = np.asarray(expected).astype(self.dtype)
        return output

    def run(self, mode):
        infos = []
        for name, array in self.infos:
            shape = {"static": array.shape, "dynamic": [f"{name}{d}" for d in range(array.ndim)], "unranked": None}[mode]
            infos.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape))
        outputs = [helper.make_empty_tensor_value_info(n) for n in self.expected]
        graph = helper.make_graph(self.nodes, "g", infos, outputs, self.stored)
        with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
            path = pathlib.Path(folder, "model.onnx")
            save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=11), path)
            artefact.compile_model(path, path.with_suffix(".so"))
            return artefact.load_session(path.with_suffix(".so")).run(self.feeds)


def add_reductions(m, x):
    for axes in (-1,), (0,), (0, 1):
        stored = m.constant(np.array(axes, np.int64))
        for keepdims in 0, 1:
            m.node("ReduceLogSumExp", ["x", stored], log_sum_exp(x, axes, keepdims), keepdims=keepdims)
    m.input("axes", np.array([1], np.int64))
    m.node("ReduceLogSumExp", ["x", "axes"], log_sum_exp(x, (1,)))
    m.node("ReduceLogSumExp", ["x"], log_sum_exp(x, (0, 1), False), keepdims=0)
    m.node("ReduceLogSumExp", ["x"], x, noop_with_empty_axes=1)
    nothing = m.constant(np.zeros((2, 0), m.dtype))
    m.node("ReduceLogSumExp", [nothing, m.constant(np.array([1], np.int64))], np.full((2, 1), -INF))


def add_losses(m, x):
    labels = m.constant(np.arange(len(x)) % 4)
    picked = -log_softmax(x)[np.arange(len(x)), np.arange(len(x)) % 4]
    m.node("Softmax", ["x"], np.exp(log_softmax(x)))
    m.node("Hardmax", ["x"], np.eye(4)[x.argmax(-1)])
    scores = m.node("LogSoftmax", ["x"], log_softmax(x))
    m.node("SoftmaxCrossEntropyLoss", ["x", labels], picked, reduction="none")
    m.node("NegativeLogLikelihoodLoss", [scores, labels], picked, reduction="none")


def add_long_rows(m):
    """A NaN in each place of a row of several vectors is that of its results, and of no other row's."""
    columns = 67
    wide = np.resize(np.arange(-8.0, 9.0), (columns + 1, columns))
    np.fill_diagonal(wide, NAN)
    m.input("wide", wide.astype(m.dtype))
    axes = m.constant(np.array([-1], np.int64))
    m.node("ReduceMax", ["wide", axes], wide.max(-1, keepdims=True))
    m.node("ReduceMin", ["wide", axes], wide.min(-1, keepdims=True))
    m.node("Softmax", ["wide"], np.exp(log_softmax(wide)))
    m.node("LogSoftmax", ["wide"], log_softmax(wide))


def add_attention(m):
    """One key is so much nearer than the others that its value is the result."""
    size = 40.0 if m.dtype == np.float16 else 1000.0
    keys = np.eye(4)[None, None] * size
    values = np.arange(16.0).reshape(1, 1, 4, 4)
    q, k, v = (m.constant(a.astype(m.dtype)) for a in (keys[:, :, ::-1].copy(), keys, values))
    m.node("Attention", [q, k, v], values[:, :, ::-1])
    # Softmax of scores as exporters write it.
    factor = m.constant(np.array(size, m.dtype))
    m.node("Softmax", [m.node("Mul", ["x", factor])], np.exp(log_softmax((m.x * m.dtype(size)).astype(np.float64))))


def model_of(dtype):
    m = Model(dtype)
    with np.errstate(all="ignore"):
        x = m.x.astype(np.float64)
        for operator, (attributes, function) in ELEMENTWISE.items():
            m.node(operator, ["x"], function(x), **attributes)
        add_reductions(m, x)
        if dtype != ml_dtypes.bfloat16:
            add_losses(m, x)
        add_attention(m)
        add_long_rows(m)
    return m


def main():
    passed = failed = 0
    for dtype in np.float32, np.float64, np.float16, ml_dtypes.bfloat16:
        m = model_of(dtype)
        results = m.run(sys.argv[1])
        tolerance = TOLERANCES[np.dtype(dtype).name]
        for (name, expected), result in zip(m.expected.items(), results, strict=True):
            mine, wanted = result.astype(np.float64), expected.astype(np.float64)
            if mine.shape == wanted.shape and np.allclose(mine, wanted, tolerance, tolerance, equal_nan=True):
                passed += 1
                continue
            failed += 1
            print(f"FAILED {name} of {np.dtype(dtype).name}: {mine.tolist()} instead of {wanted.tolist()}")
    print(f"{passed} passed, {failed} failed")


main()
