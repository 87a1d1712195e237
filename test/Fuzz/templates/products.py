# ===- templates/products.py - Nodes that multiply and add -----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Templates of matrix products, convolutions, windows and quantised numbers."""

import numpy as np
from templates.node import Node, has, template


@template
def matmul(d):
    x = d.value(lambda v: has(v, (np.float32, np.float64), 2) and v.array.size)
    if not x:
        return None
    y = d.value(lambda v: v.array.dtype == x.array.dtype and v.array.ndim == 2 and v.array.shape[0] == x.array.shape[-1])
    if not y or d.chance(0.5):
        y = d.given(d.numbers([x.array.shape[-1], d.size(20)], x.array.dtype))
    return Node("MatMul", [x, y])


@template
def gemm(d):
    x = d.value(lambda v: has(v, (np.float32,), 2, 2) and v.array.size)
    if not x:
        return None
    ta, tb, n = d.integer(0, 1), d.integer(0, 1), d.size(20)
    k = x.array.shape[0 if ta else 1]
    y = d.given(d.numbers([n, k] if tb else [k, n], np.float32))
    c = d.given(d.numbers([n], np.float32))
    return Node("Gemm", [x, y, c], {"transA": ta, "transB": tb, "alpha": 0.5})


@template
def einsum(d):
    x = d.value(lambda v: has(v, (np.float32,), 3, 3) and v.array.size)
    if not x:
        return None
    y = d.constant(d.numbers([x.array.shape[2], x.array.shape[0]], np.float32))
    return Node("Einsum", [x, y], {"equation": d.one(["abc,ca->b", "abc,ca->abc", "abc,cd->adb", "abc,ce->ba"])})


@template
def conv(d):
    x = d.value(lambda v: has(v, (np.float32,), 3, 5) and v.array.size and v.array.shape[1] <= 64)
    if not x:
        return None
    spatial = x.array.ndim - 2
    group = d.one([1, 1, x.array.shape[1]])
    # No window is larger than what it slides over: implementations disagree.
    kernel = [min(d.integer(1, 3), n) for n in x.array.shape[2:]]
    shape = [group * (d.integer(1, 3) if group > 1 else d.size(3)), x.array.shape[1] // group, *kernel]
    attributes = {"pads": [d.integer(0, 1) for _ in range(2 * spatial)], "strides": [d.integer(1, 2) for _ in range(spatial)],
                  "dilations": [d.integer(1, 2) if n > 4 else 1 for n in x.array.shape[2:]], "group": group}  # fmt: skip
    bias = d.given(d.numbers(shape[:1], np.float32))
    return Node("Conv", [x, d.given(d.numbers(shape, np.float32)), bias], attributes)


@template
def pool(d):
    x = d.value(lambda v: has(v, (np.float32,), 3, 5) and v.array.size)
    if not x:
        return None
    spatial = x.array.ndim - 2
    attributes = {"kernel_shape": [min(d.integer(1, 3), n) for n in x.array.shape[2:]], "strides": [d.integer(1, 2) for _ in range(spatial)],
                  "ceil_mode": 0}  # fmt: skip
    name = d.one(["MaxPool", "AveragePool"])
    return Node(name, [x], attributes, keeps=name == "MaxPool")


@template
def batch_normalize(d):
    x = d.value(lambda v: has(v, (np.float32,), 2) and v.array.size)
    if not x:
        return None
    c = x.array.shape[1]
    scale, bias, mean = (d.given(d.numbers([c], np.float32)) for _ in range(3))
    variance = d.constant(np.abs(d.numbers([c], np.float32)) + np.float32(0.5))
    return Node("BatchNormalization", [x, scale, bias, mean, variance])


@template
def global_pool(d):
    x = d.value(lambda v: has(v, (np.float32,), 3) and v.array.size)
    return x and Node("GlobalAveragePool", [x])


@template
def integer_matmul(d):
    x = d.value(lambda v: has(v, (np.int8, np.uint8), 2) and v.array.size)
    if not x:
        return None
    return Node("MatMulInteger", [x, d.given(d.numbers([x.array.shape[-1], d.size(20)], np.int8))], keeps=True)


@template
def quantize(d):
    x = d.value(lambda v: has(v, (np.float32,)) and v.exact)
    zero = d.one([np.int8, np.uint8])
    scale = d.constant(np.array(0.25, np.float32))
    return x and Node("QuantizeLinear", [x, scale, d.constant(np.array(3, zero))], keeps=True)


@template
def dequantize(d):
    x = d.value(lambda v: has(v, (np.int8, np.uint8)))
    if not x:
        return None
    scale, zero = d.constant(np.array(0.25, np.float32)), d.constant(np.array(3, x.array.dtype))
    return Node("DequantizeLinear", [x, scale, zero], keeps=True)
