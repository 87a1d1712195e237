# ===- quantized_rounding.py - Quantised operators to the last quantum -------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Scales of two digits make many numbers lie between two quanta, where the order of
# operations decides. Bytes are all that there are.
# ===------------------------------------------------------------------------===//
"""Compares operators between bytes with onnxruntime, element by element, without a tolerance."""

import os
import pathlib
import sys
import tempfile

os.environ.setdefault("OM_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, save

from Harness import artefact

RNG = np.random.default_rng(11)
SETTINGS = 6


def any_byte(dtype, shape=()):
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max + 1, shape).astype(dtype)


def parameters(dtype):
    """A scale and a zero point."""
    return [np.float32(RNG.integers(1, 12) / 100), any_byte(dtype)]


class Graph:
    """Nodes whose scales, zero points and weights are constants."""

    def __init__(self):
        self.nodes, self.stored, self.inputs, self.feeds = [], [], [], {}

    def stored_names(self, values):
        for value in values:
            self.stored.append(numpy_helper.from_array(np.asarray(value), f"c{len(self.stored)}"))
        return [t.name for t in self.stored[len(self.stored) - len(values) :]]

    def input(self, value):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape))
        self.feeds[name] = value
        return name

    def node(self, operator, inputs, domain="com.microsoft", **attributes):
        name = f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name, domain=domain, **attributes))

    def model(self):
        outputs = [helper.make_empty_tensor_value_info(n.name) for n in self.nodes]
        graph = helper.make_graph(self.nodes, "g", self.inputs, outputs, self.stored)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def pairs(g, dtype):
    """Sums and products of all pairs of bytes, of rows, of channels and of single numbers."""
    info = np.iinfo(dtype)
    every = np.arange(info.min, info.max + 1).astype(dtype)
    shapes = [((16, 1, 1), (2, 16, 8, 8)), ((2, 16, 8, 8), (16, 1, 1)), ((1,), (600,)), ((600,), ()), ((40, 30), (30,))]
    operands = [(g.input(every[:, None] + np.zeros((256, 256), dtype)), g.input(every[None] + np.zeros((256, 256), dtype)))]
    operands += [(g.input(any_byte(dtype, a)), g.input(any_byte(dtype, b))) for a, b in shapes]
    for a, b in operands:
        for _ in range(SETTINGS):
            left, right, result = (g.stored_names(parameters(dtype)) for _ in range(3))
            for operator in "QLinearAdd", "QLinearMul":
                g.node(operator, [a, *left, b, *right, *result])


def singles(g, dtype):
    """Functions of one byte, joined tensors and pools."""
    x, image = g.input(any_byte(dtype, (40, 50))), g.input(any_byte(dtype, (2, 5, 14, 15)))
    for _ in range(SETTINGS):
        own, result = g.stored_names(parameters(dtype)), g.stored_names(parameters(dtype))
        g.node("QLinearLeakyRelu", [x, *own, *result], alpha=0.1)
        g.node("QLinearConcat", [*result, x, *own, x, *g.stored_names(parameters(dtype))], axis=1)
        g.node("QLinearAveragePool", [image, *own, *result], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 0])
        g.node("QLinearGlobalAveragePool", [image, *own, *result], channels_last=0)


def products(g, dtype):
    """Convolutions and matrix products, with a scale for each channel."""
    image, rows = g.input(any_byte(dtype, (1, 16, 12, 12))), g.input(any_byte(dtype, (30, 64)))
    for _ in range(SETTINGS):
        own, result = g.stored_names(parameters(dtype)), g.stored_names([np.float32(RNG.integers(50, 300)), any_byte(dtype)])
        scales, zeros = (RNG.integers(1, 12, 24) / 100).astype(np.float32), np.zeros(24, np.int8)
        # Of 7 bits: onnxruntime's sums of two products end at the limits of 16 bits where there is no VNNI.
        filters, weights = (RNG.integers(-64, 64, shape).astype(np.int8) for shape in ((24, 16, 3, 3), (64, 24)))
        bias = RNG.integers(-3000, 3000, 24).astype(np.int32)
        g.node("QLinearConv", [image, *own, *g.stored_names([filters, scales, zeros]), *result, *g.stored_names([bias])], "", pads=[1] * 4)
        g.node("QLinearMatMul", [rows, *own, *g.stored_names([weights, scales, zeros]), *result], "")


def run(g):
    """The number of nodes that agree."""
    model = g.model()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    wanted = session.run(None, g.feeds)
    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
        path = pathlib.Path(folder, "model.onnx")
        save(model, path)
        artefact.compile_model(path, path.with_suffix(".so"))
        results = artefact.load_session(path.with_suffix(".so")).run(list(g.feeds.values()))
    agreed = 0
    for node, mine, theirs in zip(g.nodes, results, wanted, strict=True):
        wrong = np.count_nonzero(mine != theirs)
        agreed += not wrong
        if wrong:
            kind = TensorProto.DataType.Name(helper.np_dtype_to_tensor_dtype(theirs.dtype))
            print(f"FAILED {node.name} of {kind}: {wrong} of {theirs.size} elements differ")
    return agreed


def main():
    agreed = 0
    for family in pairs, singles, products:
        for dtype in np.uint8, np.int8:
            g = Graph()
            family(g, dtype)
            agreed += run(g)
    print(f"{agreed} nodes agree")


main()
