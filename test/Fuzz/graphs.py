# ===- graphs.py - Small models whose kernels take every kind of step ------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Odd sizes, so that no block divides them, but those of products of matrices; with sizes known and unknown.
# ===------------------------------------------------------------------------===//
"""Small models for random recipes: GRAPHS[name]() returns (model, inputs)."""

import functools

import numpy as np
from onnx import helper, numpy_helper


def random_array(rng, shape, dtype):
    if np.issubdtype(dtype, np.integer):
        return rng.integers(max(np.iinfo(dtype).min, -100), min(np.iinfo(dtype).max, 100), shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def build(nodes, inputs, rank, weights=(), unknown=False, dtype=np.float32, result=None, dims=None):
    """A model of one output `y` of that rank; inputs and weights are {name: shape or (shape, dtype)}.

    `unknown` hides all sizes of the inputs, `dims` has names for some of them; `result` is the output's dtype.
    """
    rng = np.random.default_rng(42)

    def make(shape):
        shape, element = shape if isinstance(shape[-1:][0] if shape else 0, type) else (shape, dtype)
        return random_array(rng, shape, element)

    def info(name, element, shape):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(element)), shape)

    arrays = {n: make(s) for n, s in inputs.items()}
    stored = [numpy_helper.from_array(make(s), n) for n, s in dict(weights).items()]
    infos = [info(n, a.dtype, [None] * a.ndim if unknown else (dims or {}).get(n, a.shape)) for n, a in arrays.items()]
    graph = helper.make_graph(nodes, "g", infos, [info("y", result or dtype, [None] * rank)], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return model, list(arrays.values())


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], **attributes)


def with_axes(made, axes):
    """Adds the constant input `axes`."""
    made[0].graph.initializer.append(numpy_helper.from_array(np.array(axes, np.int64), "axes"))
    return made


def elementwise(**kind):
    nodes = [node("Add", "a b", "s"), node("Relu", "s", "r"), node("Mul", "r c", "y")]
    return build(nodes, {"a": (17, 33), "b": (33,), "c": (17, 1)}, 2, **kind)


def broadcast(**kind):
    nodes = [node("Mul", "a b", "m"), node("Sub", "m c", "y")]
    return build(nodes, {"a": (3, 1, 5, 7), "b": (4, 1, 7), "c": (3, 4, 5, 1)}, 4, **kind)


def gemm(**kind):
    nodes = [node("Gemm", "x w b", "g"), node("Relu", "g", "y")]
    return build(nodes, {"x": (19, 37)}, 2, {"w": (37, 53), "b": (53,)}, **kind)


def gemm_transposed(**kind):
    nodes = [node("Gemm", "x w", "g", transA=1, transB=1), node("Sigmoid", "g", "y")]
    return build(nodes, {"x": (23, 18), "w": (21, 23)}, 2, **kind)


def matmul(**kind):
    nodes = [node("MatMul", "a b", "m"), node("Add", "m c", "y")]
    return build(nodes, {"a": (3, 9, 21), "b": (3, 21, 35), "c": (35,)}, 3, **kind)


def matmul_broadcast(**kind):
    return build([node("MatMul", "a b", "y")], {"a": (2, 3, 5, 11), "b": (3, 11, 17)}, 4, **kind)


def matmul_integer(**kind):
    nodes = [node("MatMulInteger", "a b za zb", "y")]
    inputs = {"a": ((13, 22), np.uint8), "b": ((22, 19), np.int8)}
    zeros = {"za": ((), np.uint8), "zb": ((), np.int8)}
    return build(nodes, inputs, 2, zeros, result=np.int32, **kind)


def matrices(**kind):
    nodes = [node("MatMul", "a b", "m"), node("Add", "m c", "y")]
    return build(nodes, {"a": (32, 64), "b": (64, 48), "c": (48,)}, 2, **kind)


def matrices_integer(**kind):
    inputs = {"a": ((32, 64), np.uint8), "b": ((64, 48), np.int8)}
    return build([node("MatMulInteger", "a b", "y")], inputs, 2, result=np.int32, **kind)


def softmax(**kind):
    return build([node("Softmax", "x", "y", axis=1)], {"x": (13, 50)}, 2, **kind)


def layer_norm(**kind):
    nodes = [node("LayerNormalization", "x s b", "y", axis=-1)]
    return build(nodes, {"x": (3, 5, 29)}, 3, {"s": (29,), "b": (29,)}, **kind)


def reduce_mean(**kind):
    nodes = [node("ReduceMean", "x axes", "m", keepdims=1), node("Sub", "x m", "y")]
    return with_axes(build(nodes, {"x": (11, 29)}, 2, **kind), [1])


def reduce_columns(**kind):
    nodes = [node("ReduceSum", "x axes", "y", keepdims=0)]
    return with_axes(build(nodes, {"x": (9, 6, 21)}, 1, **kind), [0, 1])


def reduce_max(**kind):
    nodes = [node("ReduceMax", "x axes", "y", keepdims=0)]
    return with_axes(build(nodes, {"x": (5, 6, 17)}, 1, **kind), [0, 2])


def with_axis(made, axis):
    """Adds the constant input `axis`, a scalar."""
    made[0].graph.initializer.append(numpy_helper.from_array(np.array(axis, np.int64), "axis"))
    return made


def running_sum(**kind):
    nodes = [node("CumSum", "x axis", "s"), node("Mul", "s x", "y")]
    return with_axis(build(nodes, {"x": (5, 19, 3)}, 3, **kind), 1)


def running_sum_backwards(**kind):
    return with_axis(build([node("CumSum", "x axis", "y", reverse=1, exclusive=1)], {"x": (7, 21)}, 2, **kind), 1)


def conv(**kind):
    nodes = [node("Conv", "x w b", "c", pads=[1, 1, 1, 1], kernel_shape=[3, 3]), node("Relu", "c", "y")]
    return build(nodes, {"x": (2, 5, 9, 11)}, 4, {"w": (18, 5, 3, 3), "b": (18,)}, **kind)


def conv_strided(**kind):
    nodes = [node("Conv", "x w", "y", strides=[2, 2], dilations=[1, 2], kernel_shape=[3, 2])]
    return build(nodes, {"x": (1, 4, 13, 12)}, 4, {"w": (10, 4, 3, 2)}, **kind)


def depthwise(**kind):
    nodes = [node("Conv", "x w b", "c", pads=[1, 1, 1, 1], kernel_shape=[3, 3], group=7), node("Clip", "c", "y")]
    return build(nodes, {"x": (1, 7, 9, 10)}, 4, {"w": (7, 1, 3, 3), "b": (7,)}, **kind)


def conv_integer(**kind):
    nodes = [node("ConvInteger", "x w", "y", kernel_shape=[3, 3])]
    inputs = {"x": ((1, 3, 8, 9), np.uint8)}
    return build(nodes, inputs, 4, {"w": ((6, 3, 3, 3), np.uint8)}, result=np.int32, **kind)


def max_pool(**kind):
    nodes = [node("MaxPool", "x", "y", kernel_shape=[3, 3], strides=[2, 1], pads=[1, 1, 1, 1])]
    return build(nodes, {"x": (1, 5, 11, 9)}, 4, **kind)


def average_pool(**kind):
    nodes = [node("AveragePool", "x", "y", kernel_shape=[2, 3], strides=[2, 2], count_include_pad=1, pads=[0, 1, 0, 1])]
    return build(nodes, {"x": (2, 3, 10, 13)}, 4, **kind)


def windows_apart(**kind):
    nodes = [node("Conv", "x w", "c", strides=[2, 2], kernel_shape=[5, 5], group=3), node("Relu", "c", "y")]
    return build(nodes, {"x": (2, 3, 13, 27)}, 4, {"w": (3, 1, 5, 5)}, **kind)


def transpose(**kind):
    nodes = [node("Transpose", "x", "t", perm=[2, 0, 1]), node("Exp", "t", "y")]
    return build(nodes, {"x": (7, 10, 13)}, 3, **kind)


def attention(**kind):
    nodes = [node("MatMul", "q k", "s"), node("Softmax", "s", "p", axis=-1), node("MatMul", "p v", "y")]
    return build(nodes, {"q": (2, 7, 9), "k": (2, 9, 13), "v": (2, 13, 10)}, 3, **kind)


def attention_keys(**kind):
    """Keys that are rows of an input, so that they are packed at run time."""
    return build(attention_nodes(), {"q": (3, 21, 18), "k": (3, 37, 18), "v": (3, 37, 10)}, 3, **kind)


def attention_nodes():
    return [node("Transpose", "k", "t", perm=[0, 2, 1]), node("MatMul", "q t", "s"), node("Softmax", "s", "p", axis=-1),
            node("MatMul", "p v", "y")]  # fmt: skip


def attention_rows(**kind):
    """Enough scores for all of it to become one kernel."""
    return build(attention_nodes(), {"q": (2, 261, 10), "k": (2, 259, 10), "v": (2, 259, 18)}, 3, **kind)


def attention_open(**kind):
    """Names say which sizes are equal, so that it becomes one kernel, too."""
    dims = {"q": ("b", "m", 18), "k": ("b", "n", 18), "v": ("b", "n", 10)}
    return build(attention_nodes(), {"q": (3, 21, 18), "k": (3, 37, 18), "v": (3, 37, 10)}, 3, dims=dims, **kind)


def packed_weights(**kind):
    sizes = {"K": 48, "N": 21, "bits": 4, "block_size": 16}
    nodes = [node("MatMulNBits", "x w s z", "m", domain="com.microsoft", **sizes), node("Relu", "m", "y")]
    weights = {"w": ((21, 3, 8), np.uint8), "s": (63,), "z": ((42,), np.uint8)}
    made = build(nodes, {"x": (9, 48)}, 2, weights, **kind)
    made[0].opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return made


def packed_bytes(**kind):
    """Data that may become bytes: sums of blocks that are scaled and added up."""
    sizes = {"K": 96, "N": 37, "bits": 4, "block_size": 32, "accuracy_level": 4}
    nodes = [node("MatMulNBits", "x w s z", "m", domain="com.microsoft", **sizes), node("Relu", "m", "y")]
    weights = {"w": ((37, 3, 16), np.uint8), "s": (111,), "z": ((74,), np.uint8)}
    made = build(nodes, {"x": (9, 96)}, 2, weights, **kind)
    made[0].opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return made


def trees(**kind):
    """The ways down a tree: traversals, which may end early."""
    leaves = [1, 3, 5, 7, 9, 11, 13, 14]
    branches = [n for n in range(15) if n not in leaves]
    values = [round(0.2 * n - 1, 2) if n in branches else 0.0 for n in range(15)]
    # One child of each node is a leaf, so the ways have different lengths.
    attributes = {
        "n_targets": 1, "nodes_treeids": [0] * 15, "nodes_nodeids": list(range(15)),
        "nodes_featureids": [n % 4 for n in range(15)], "nodes_values": values,
        "nodes_modes": ["LEAF" if n in leaves else "BRANCH_LEQ" for n in range(15)],
        "nodes_truenodeids": [n + 1 if n in branches else 0 for n in range(15)],
        "nodes_falsenodeids": [n + 2 if n in branches else 0 for n in range(15)],
        "target_treeids": [0] * 8, "target_nodeids": leaves, "target_ids": [0] * 8, "target_weights": [float(n) for n in leaves],
    }  # fmt: skip
    made = build([node("TreeEnsembleRegressor", "x", "y", domain="ai.onnx.ml", **attributes)], {"x": (17, 4)}, 2, **kind)
    made[0].opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    return made


F32 = (
    elementwise, broadcast, gemm, gemm_transposed, matmul, matmul_broadcast, matmul_integer, matrices_integer, softmax, layer_norm,
    reduce_mean, reduce_columns, reduce_max, running_sum, running_sum_backwards, conv, conv_strided, depthwise,
    conv_integer, max_pool, average_pool, transpose, attention, attention_keys, attention_rows, attention_open,
    packed_weights, packed_bytes, trees, windows_apart,
)  # fmt: skip
UNKNOWN = (elementwise, gemm, matmul, softmax, layer_norm, reduce_columns, depthwise, max_pool, matmul_integer,
           attention_keys, packed_weights, packed_bytes, windows_apart)  # fmt: skip
F16 = (elementwise, gemm, matrices, softmax, conv)
F64 = (matmul, broadcast, reduce_mean)
I32 = (elementwise, reduce_columns, running_sum)

GRAPHS = {f.__name__: f for f in F32}
GRAPHS |= {f.__name__ + "-unknown": functools.partial(f, unknown=True) for f in UNKNOWN}
for suffix, dtype, functions in (("f16", np.float16, F16), ("f64", np.float64, F64), ("i32", np.int32, I32)):
    GRAPHS |= {f"{f.__name__}-{suffix}": functools.partial(f, dtype=dtype) for f in functions}
