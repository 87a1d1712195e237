# ===- templates/dimensions.py - Nodes that work along dimensions ----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Templates of reductions, sums that run, normalisations and selection."""

import numpy as np
from templates.node import FLOATS, Node, has, template


@template
def reduce(d):
    x = d.value(lambda v: has(v, (np.float32, np.float64), 1) and v.array.size)
    if not x:
        return None
    axes = d.given(np.array(d.axes(x), np.int64))
    names = ["ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"]
    return Node(d.one(names), [x, axes], {"keepdims": d.integer(0, 1)})


@template
def reduce_exactly(d):
    x = d.value(lambda v: has(v, (np.float32, np.float64, np.int32, np.int64, np.int8, np.uint8), 1) and v.array.size)
    if not x:
        return None
    axes = d.given(np.array(d.axes(x), np.int64))
    return Node(d.one(["ReduceMax", "ReduceMin"]), [x, axes], {"keepdims": d.integer(0, 1)}, keeps=True)


@template
def arg(d):
    x = d.value(lambda v: has(v, (np.float32, np.int32, np.int64), 1) and v.exact and v.array.size)
    attributes = x and {"axis": d.axis(x), "keepdims": d.integer(0, 1), "select_last_index": d.integer(0, 1)}
    return x and Node(d.one(["ArgMax", "ArgMin"]), [x], attributes, keeps=True)


@template
def softmax(d):
    x = d.value(lambda v: has(v, FLOATS, 1) and v.array.size)
    return x and Node(d.one(["Softmax", "LogSoftmax"]), [x], {"axis": d.axis(x)})


@template
def cumulate(d):
    x = d.value(lambda v: has(v, (np.float32, np.float64, np.int32, np.int64), 1))
    axis = x and d.given(np.array(d.axis(x), np.int64))
    attributes = {"exclusive": d.integer(0, 1), "reverse": d.integer(0, 1)}
    return x and Node("CumSum", [x, axis], attributes, keeps=x.array.dtype.kind == "i")


@template
def normalize(d):
    x = d.value(lambda v: has(v, (np.float32,), 2) and v.array.size)
    if not x:
        return None
    axis = d.axis(x)
    shape = x.array.shape[axis:]
    scale, bias = d.given(d.numbers(shape, np.float32)), d.given(d.numbers(shape, np.float32))
    return Node("LayerNormalization", [x, scale, bias], {"axis": axis, "epsilon": 1e-2})


@template
def top(d):
    x = d.value(lambda v: has(v, (np.float32, np.int64, np.int32), 1) and v.exact and v.array.size)
    if not x:
        return None
    axis = d.axis(x)
    count = d.given(np.array([d.integer(1, x.array.shape[axis])], np.int64))
    return Node("TopK", [x, count], {"axis": axis, "largest": d.integer(0, 1)}, 2, keeps=True)
