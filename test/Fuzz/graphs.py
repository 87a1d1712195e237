# ===- graphs.py - Small models whose kernels take every kind of step ------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Odd sizes, so that no block divides them; with sizes known and unknown.
# ===------------------------------------------------------------------------===//
"""Small models for random recipes: GRAPHS[name]() returns (model, inputs)."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def build(nodes, inputs, output_rank, weights=(), unknown=False):
    """A model of one output `y`; inputs are {name: shape}, `unknown` hides all sizes of them."""

    def info(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    rng = np.random.default_rng(42)
    arrays = {n: rng.standard_normal(s).astype(np.float32) for n, s in inputs.items()}
    stored = [numpy_helper.from_array(rng.standard_normal(s).astype(np.float32), n) for n, s in dict(weights).items()]
    infos = [info(n, [None] * len(s) if unknown else s) for n, s in inputs.items()]
    graph = helper.make_graph(nodes, "g", infos, [info("y", [None] * output_rank)], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return model, list(arrays.values())


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], **attributes)


def elementwise(unknown=False):
    nodes = [node("Add", "a b", "s"), node("Relu", "s", "r"), node("Mul", "r c", "y")]
    return build(nodes, {"a": (17, 33), "b": (33,), "c": (17, 1)}, 2, unknown=unknown)


def gemm(unknown=False):
    nodes = [node("Gemm", "x w b", "g"), node("Relu", "g", "y")]
    return build(nodes, {"x": (19, 37)}, 2, {"w": (37, 53), "b": (53,)}, unknown)


def matmul(unknown=False):
    nodes = [node("MatMul", "a b", "m"), node("Add", "m c", "y")]
    return build(nodes, {"a": (3, 9, 21), "b": (3, 21, 35), "c": (35,)}, 3, unknown=unknown)


def softmax(unknown=False):
    return build([node("Softmax", "x", "y", axis=1)], {"x": (13, 50)}, 2, unknown=unknown)


def reduce_mean(unknown=False):
    nodes = [node("ReduceMean", "x axes", "m", keepdims=1), node("Sub", "x m", "y")]
    model, inputs = build(nodes, {"x": (11, 29)}, 2, unknown=unknown)
    model.graph.initializer.append(numpy_helper.from_array(np.array([1], np.int64), "axes"))
    return model, inputs


def conv(unknown=False):
    nodes = [node("Conv", "x w b", "c", pads=[1, 1, 1, 1], kernel_shape=[3, 3]), node("Relu", "c", "y")]
    return build(nodes, {"x": (2, 5, 9, 11)}, 4, {"w": (18, 5, 3, 3), "b": (18,)}, unknown)


def transpose(unknown=False):
    nodes = [node("Transpose", "x", "t", perm=[2, 0, 1]), node("Exp", "t", "y")]
    return build(nodes, {"x": (7, 10, 13)}, 3, unknown=unknown)


GRAPHS = {f.__name__: f for f in (elementwise, gemm, matmul, softmax, reduce_mean, conv, transpose)}
GRAPHS |= {f.__name__ + "-unknown": (lambda f=f: f(True)) for f in (elementwise, gemm, matmul, softmax)}
