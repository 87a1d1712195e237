# ===- templates/patterns.py - Nodes as exporters write them together ------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# What rewrites look for comes by chance too seldom. The last node of each is
# what the template gives, those before it are added at once.
# ===------------------------------------------------------------------------===//
"""Templates of several nodes that belong together."""

import numpy as np
from templates.node import ANY, Node, has, template


KEEPING = ("Shape", "Transpose", "QuantizeLinear", "DequantizeLinear")


class Missing(Exception):
    """A node of the pattern could not be added."""


def chain(d, operator, *operands, **attributes):
    """The first result of a node that is added; operands that are numbers become constants of the first one's type."""
    known = next(v for v in operands if hasattr(v, "array"))
    operands = [v if hasattr(v, "array") else d.constant(np.asarray(v, known.array.dtype)) for v in operands]
    keeps = operator in KEEPING or all(v.array.dtype.kind in "iu" for v in operands)
    made = d.add(Node(operator, operands, attributes, keeps=keeps))
    if made is None:
        raise Missing
    return made[0]


def pattern(function):
    """Registers a template of several nodes, which gives nothing where one of them cannot be."""

    def attempt(d):
        try:
            return function(d)
        except Missing:
            return None

    template(attempt)
    return function


def matrix(d, min_rank=2):
    return d.value(lambda v: has(v, (np.float32,), min_rank) and v.array.size)


def ints(d, *numbers):
    return d.constant(np.array(numbers, np.int64))


@pattern
def reshape_by_shape(d):
    """Reshape to sizes that are computed from those of the operand."""
    x = d.value(lambda v: has(v, ANY, 2) and v.array.size)
    if not x:
        return None
    shape = chain(d, "Shape", x)
    kept = chain(d, "Gather", shape, ints(d, *range(d.integer(1, x.array.ndim - 1))), axis=0)
    return Node("Reshape", [x, chain(d, "Concat", kept, ints(d, -1), axis=0)], keeps=True)


@pattern
def flatten_by_shape(d):
    """Reshape to a product of sizes, a scalar made a vector again."""
    x = d.value(lambda v: has(v, ANY, 2) and v.array.size)
    if not x:
        return None
    shape = chain(d, "Shape", x)
    first, second = (chain(d, "Gather", shape, d.constant(np.array(i, np.int64)), axis=0) for i in (0, 1))
    product = chain(d, "Unsqueeze", chain(d, "Mul", first, second), ints(d, 0))
    return Node("Reshape", [x, chain(d, "Concat", product, ints(d, -1), axis=0)], keeps=True)


@pattern
def expand_like(d):
    """Expand or Tile to sizes that another tensor has."""
    x = d.value(lambda v: has(v, ANY, 1, 4) and v.array.size)
    y = x and d.value(lambda v: v.array.size and v.array.size < 2000 and v.array.ndim >= x.array.ndim and d.broadcasts(x, v))
    return y and Node("Expand", [x, chain(d, "Shape", y)], keeps=True)


@pattern
def normalization(d):
    x = matrix(d)
    if not x:
        return None
    axis = ints(d, -1)
    centred = chain(d, "Sub", x, chain(d, "ReduceMean", x, axis, keepdims=1))
    squared = chain(d, "Mul", centred, centred) if d.chance(0.5) else chain(d, "Pow", centred, 2.0)
    deviation = chain(d, "Sqrt", chain(d, "Add", chain(d, "ReduceMean", squared, axis, keepdims=1), 0.01))
    scaled = chain(d, "Mul", chain(d, "Div", centred, deviation), d.numbers(x.array.shape[-1:], np.float32))
    return Node("Add", [scaled, d.constant(d.numbers(x.array.shape[-1:], np.float32))])


@pattern
def gelu(d):
    x = matrix(d, 1)
    if not x:
        return None
    one = chain(d, "Add", chain(d, "Erf", chain(d, "Div", x, np.sqrt(2))), 1.0)
    half = chain(d, "Mul", x, 0.5)
    return Node("Mul", [half, one] if d.chance(0.5) else [one, half])


@pattern
def attention(d):
    q = d.value(lambda v: has(v, (np.float32,), 3, 4) and v.array.size and v.array.size < 2000)
    if not q:
        return None
    *batch, _, size = q.array.shape
    length = d.size(9)
    keys, values = (d.given(d.numbers([*batch, length, size], np.float32)) for _ in range(2))
    order = [*range(len(batch)), len(batch) + 1, len(batch)]
    scores = chain(d, "Mul", chain(d, "MatMul", q, chain(d, "Transpose", keys, perm=order)), 0.5)
    if d.chance(0.5):
        scores = chain(d, "Add", scores, d.numbers([q.array.shape[-2], length], np.float32))
    return Node("MatMul", [chain(d, "Softmax", scores, axis=-1), values])


def windows(x):
    return {"kernel_shape": [min(3, n) for n in x.array.shape[2:]], "pads": [int(n >= 3) for n in x.array.shape[2:]] * 2}


@pattern
def convolution_block(d):
    """Convolution, normalisation, activation and what the block began with."""
    x = d.value(lambda v: has(v, (np.float32,), 4, 4) and v.array.size and v.array.shape[1] <= 33)
    if not x:
        return None
    channels, facts = x.array.shape[1], windows(x)
    made = chain(d, "Conv", x, 0.3 * d.numbers([channels, channels, *facts["kernel_shape"]], np.float32), **facts)
    scale, bias, mean = (d.constant(d.numbers([channels], np.float32)) for _ in range(3))
    made = chain(d, "BatchNormalization", made, scale, bias, mean, np.abs(d.numbers([channels], np.float32)) + 0.5)
    made = chain(d, d.one(["Relu", "Sigmoid", "HardSwish"]), made)
    return Node("Add", [made, x] if d.chance(0.5) else [x, made])


@pattern
def quantized_product(d):
    """A product of numbers that were quantised, weights too."""
    x = d.value(lambda v: has(v, (np.float32,), 2) and v.exact and v.array.size)
    if not x:
        return None
    kind, columns = d.one([np.int8, np.uint8]), d.size(20)
    scale, zero = d.constant(np.float32(0.25)), d.constant(np.array(0 if d.chance(0.5) else 3, kind))
    x = chain(d, "DequantizeLinear", chain(d, "QuantizeLinear", x, scale, zero), scale, zero)
    stored = d.constant(d.rng.integers(-50, 50, [x.array.shape[-1], columns]).astype(np.int8))
    if d.chance(0.5):
        scales = [d.constant(np.abs(d.rng.standard_normal(columns)).astype(np.float32) + np.float32(0.1)), d.constant(np.zeros(columns, np.int8))]
        weights = chain(d, "DequantizeLinear", stored, *scales, axis=1)
    else:
        weights = chain(d, "DequantizeLinear", stored, d.constant(np.float32(0.125)), d.constant(np.array(0, np.int8)))
    return Node("MatMul", [x, weights])
