# ===- operator_case.py - One node with its inputs --------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# What the tables of operators are written with.
# ===------------------------------------------------------------------------===//
"""One node with its inputs, as a model."""

import itertools

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 21
RNG = np.random.default_rng(1)
NUMBERS = itertools.count()
# Inputs of fewer elements say sizes, scales or positions, whose order matters.
MIN_DATA = 16
# A case has as many sets of inputs as these bytes hold: no predictor of branches learns larger ones.
MAX_FEED_BYTES, MAX_FEEDS = 1 << 19, 16


class Fixed:
    """An input that the model has as a constant."""

    def __init__(self, array):
        self.array = np.asarray(array)


def floats(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


def below(limit, *shape, dtype=np.int64):
    return RNG.integers(0, limit, shape).astype(dtype)


def flags(*shape):
    return RNG.random(shape) < 0.5


class Case:
    """One node. Inputs are arrays, `Fixed` arrays or None for what is left out.

    `dynamic` lists dimensions of the first input that are dynamic, or names those of all inputs:
    {dimension: name}.
    """

    def __init__(self, name, inputs, outputs=1, domain="", suffix="", opset=OPSET, results=None, dynamic=(), **attributes):
        self.number, self.operator, self.inputs = next(NUMBERS), name, inputs
        self.name = f"{name}{'/' + suffix if suffix else ''}"
        self.outputs, self.domain, self.opset, self.attributes = outputs, domain, opset, attributes
        self.dynamic = dynamic
        # Element types of results that onnx cannot infer, where they are not that of the first input.
        self.results = results or [next(iter(self.arrays().values())).dtype] * outputs

    def arrays(self):
        return {f"x{i}": v.array if isinstance(v, Fixed) else v for i, v in enumerate(self.inputs) if v is not None}

    def feeds(self):
        return {f"x{i}": v for i, v in enumerate(self.inputs) if v is not None and not isinstance(v, Fixed)}

    def feed_sequence(self):
        """The inputs, and the same with their slices along the first dimension of several in other orders."""
        first = self.feeds()
        count = MAX_FEED_BYTES // max(1, sum(array.nbytes for array in first.values()))
        return [first] + [{name: shuffled(array) for name, array in first.items()} for _ in range(min(count, MAX_FEEDS) - 1)]

    def describe(self):
        return " ".join(f"{a.dtype}{list(a.shape)}" for a in self.arrays().values())

    def declared(self, name, array):
        """The shape that the model states for an input."""
        if isinstance(self.dynamic, dict):
            return [self.dynamic.get(d, n) for d, n in enumerate(array.shape)]
        return [f"{name}_{d}" if name == "x0" and d in self.dynamic else n for d, n in enumerate(array.shape)]

    def model(self):
        names = [f"x{i}" if v is not None else "" for i, v in enumerate(self.inputs)]
        node = helper.make_node(self.operator, names, [f"y{i}" for i in range(self.outputs)], domain=self.domain, **self.attributes)
        given = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), self.declared(n, a))
                 for n, a in self.feeds().items()]  # fmt: skip
        fixed = [numpy_helper.from_array(a, n) for n, a in self.arrays().items() if n not in self.feeds()]
        results = [onnx.ValueInfoProto(name=f"y{i}") for i in range(self.outputs)]
        graph = helper.make_graph([node], "operator", given, results, fixed)
        sets = [helper.make_opsetid("", self.opset)]
        if self.domain:
            sets.append(helper.make_opsetid(self.domain, {"ai.onnx.ml": 3}.get(self.domain, 1)))
        model = helper.make_model(graph, opset_imports=sets, ir_version=10)
        return onnx.shape_inference.infer_shapes(model) if not self.domain else typed(model, self)


def shuffled(array):
    """The slices along the first dimension of several in another order."""
    if array.size < MIN_DATA:
        return array
    return np.ascontiguousarray(RNG.permutation(array, axis=next(d for d, n in enumerate(array.shape) if n > 1)))


def typed(model, case):
    """Results of operators that onnx cannot infer."""
    for result, dtype in zip(model.graph.output, case.results):
        result.CopyFrom(helper.make_tensor_value_info(result.name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), None))
    return model
