# ===- products.py - Rows of sums of products -------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Matrix products, convolutions and attention."""

import ml_dtypes
import numpy as np
import schemas
from table import Node, row


@row("MatMul")
def matmul(m):
    n = m.size(4)
    return Node([m.tensor("T", [m.size(3), n], -3, 3), m.tensor("T", [n, m.size(5)], -3, 3)])


@row("Gemm")
def gemm(m):
    k, n, turned = m.size(4), m.size(5), m.pick(0, 1)
    b = m.tensor("T", [n, k] if turned else [k, n], -3, 3)
    return Node([m.tensor("T", [m.size(3), k], -3, 3), b, m.tensor("T", [n], -3, 3)], {"transB": turned})


@row("Einsum")
def einsum(m):
    n = m.size(4)
    left, right = m.tensor("T", [m.size(2), n], -3, 3), m.tensor("T", [n, m.size(3)], -3, 3)
    return Node([left, right], {"equation": m.pick("ij,jk->ik", "ij,jk->ki", "ij,jk->i")})


@row("MatMulInteger")
def matmul_integer(m):
    k = m.size(4)
    return Node([m.tensor("T1", [m.size(3), k]), m.tensor("T2", [k, m.size(5)]), m.given("T1", 3), m.given("T2", 1)])


def quantized_product(case, node):
    """What the formula says, in f64; onnxruntime knows bytes alone."""
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = (np.asarray(o.value).astype(np.float64) for o in node.inputs)
    real = ((a - a_zero) * a_scale) @ ((b - b_zero) * b_scale) / y_scale
    dtype = node.inputs[-1].value.dtype
    if dtype.kind in "iu":
        least, most = schemas.limits(dtype)
        return [np.clip(np.rint(real) + y_zero, least, most).astype(dtype)]
    most = float(ml_dtypes.finfo(dtype).max)
    return [np.clip(real.astype(np.float32) + y_zero, -most, most).astype(np.float32).astype(dtype)]


@row("QLinearMatMul", expect=quantized_product)
def qlinear_matmul(m):
    k = m.size(4)
    a = [m.tensor("T1", [m.size(3), k]), m.given("TS", 0.5), m.given("T1", 1)]
    b = [m.tensor("T2", [k, m.size(5)]), m.given("TS", 0.25), m.given("T2", 2)]
    return Node([*a, *b, m.given("TS", 4), m.given("T3", 0)])


def window(m):
    return {"pads": m.pick([1, 1, 1, 1], [0, 1, 0, 1]), "strides": m.pick([1, 1], [2, 1]), "dilations": m.pick([1, 1], [1, 2])}


@row("Conv")
def conv(m):
    c, k = m.size(2), m.size(3)
    x = m.tensor("T", [m.size(1), c, 3 + m.size(2), 3 + m.size(3)])
    return Node([x, m.tensor("T", [k, c, 3, 2]), m.tensor("T", [k])], window(m))


@row("ConvTranspose")
def conv_transpose(m):
    c, k = m.size(2), m.size(3)
    x = m.tensor("T", [m.size(1), c, 2 + m.size(2), 2 + m.size(2)])
    return Node([x, m.tensor("T", [c, k, 3, 2]), m.tensor("T", [k])], {"strides": m.pick([2, 1], [1, 1])})


@row("ConvInteger")
def conv_integer(m):
    c = m.size(2)
    x = m.tensor("T1", [m.size(1), c, 3 + m.size(2), 3 + m.size(3)])
    return Node([x, m.tensor("T2", [m.size(3), c, 3, 2]), m.given("T1", 3), m.given("T2", 1)], window(m))


@row("QLinearConv")
def qlinear_conv(m):
    c, k = m.size(2), m.size(3)
    x = [m.tensor("T1", [m.size(1), c, 3 + m.size(2), 3 + m.size(3)]), m.given("float", 0.5), m.given("T1", 3)]
    w = [m.tensor("T2", [k, c, 3, 2]), m.given("float", 0.25), m.given("T2", 1)]
    return Node([*x, *w, m.given("float", 8), m.given("T3", 2), m.tensor("T4", [k])], window(m))


@row("DeformConv")
def deform_conv(m):
    c = m.size(2)
    x, weights = m.tensor("T", [1, c, 4, 5]), m.tensor("T", [m.size(3), c, 2, 2])
    return Node([x, weights, m.tensor("T", [1, 8, 3, 4], -1, 1)])


@row("CausalConvWithState")
def causal_conv(m):
    c = m.size(3)
    operands = [m.tensor("T", [m.size(2), c, m.size(6)]), m.tensor("T", [c, 1, 3]), m.tensor("T", [c])]
    return Node(operands, {}, 2)


def rows_of(m, name, heads, length, size):
    return m.tensor(name, [2, heads, length, size], -1, 1)


@row("Attention")
def attention(m):
    size, keys, queries = m.size(4), m.size(5), m.size(3)
    q, k, v = rows_of(m, "T1", 2, queries, size), rows_of(m, "T1", 2, keys, size), rows_of(m, "T2", 2, keys, size)
    return Node([q, k, v, m.tensor("U", [queries, keys], 0, 2)], {"scale": 0.5})


@row("ai.onnx.preview.FlexAttention")
def flex_attention(m):
    size, keys = m.size(4), m.size(5)
    return Node([rows_of(m, "T1", 2, m.size(3), size), rows_of(m, "T1", 2, keys, size), rows_of(m, "T1", 2, keys, size)])


@row("LinearAttention")
def linear_attention(m):
    size, length = m.size(4), m.size(5)
    operands = [m.tensor("T", [1, length, 2 * size], -1, 1) for _ in range(3)]
    state = m.tensor("S", [1, 2, size, size], -1, 1)
    return Node([*operands, state], {"q_num_heads": 2, "kv_num_heads": 2, "update_rule": "linear"}, 2)


@row("RotaryEmbedding")
def rotary(m):
    half, length = m.size(2), m.size(3)
    caches = [m.tensor("T", [9, half], -1, 1) for _ in range(2)]
    places = m.given("M", m.rng.integers(0, 9, [2, length]))
    return Node([m.tensor("T", [2, 3, length, 2 * half]), *caches, places], {"interleaved": m.pick(0, 1)})
