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
    n, rows, columns = m.size(4), m.size(3), m.size(5)
    left, right = m.pick(([rows, n], [n, columns]), ([2, rows, n], [n, columns]), ([n], [n, columns]), ([rows, n], [n]),
                         ([2, 1, rows, n], [3, n, columns]), ([rows, n], [2, n, columns]), ([n], [2, n, columns]), ([n], [n]))  # fmt: skip
    return Node([m.tensor("T", left, -3, 3), m.tensor("T", right, -3, 3)])


@row("Gemm")
def gemm(m):
    rows, k, n, turned, upright = m.size(3), m.size(4), m.size(5), m.pick(0, 1), m.pick(0, 1)
    a, b = m.tensor("T", [k, rows] if upright else [rows, k], -3, 3), m.tensor("T", [n, k] if turned else [k, n], -3, 3)
    added = m.pick([n], [rows, n], [rows, 1], [1, n], [1], [], None)
    operands = [a, b] if added is None else [a, b, m.tensor("T", added, -3, 3)]
    return Node(operands, {"transB": turned, **({"transA": 1} if upright else {}), **m.pick({}, {"alpha": 2.0, "beta": 3.0})})


@row("Einsum")
def einsum(m):
    equation = m.pick("ij,jk->ik", "ij,jk->ki", "ij,jk->i", "bij,bjk->bik", "bij,kj->bki", "ij,ij->", "i,j->ij", "ii->i", "ij->ji",
                      "bhqd,bhkd->bhqk", "ijk->kj", "ab,bc,cd->ad", "ij,i->ij", "...ij,...jk->...ik", "bi,bj->bij", "ij,ji->")  # fmt: skip
    sizes = dict(zip("ijkbhqdac", (m.size(n) for n in (2, 4, 3, 2, 2, 3, 4, 2, 3))))
    shapes = [[sizes[c] for c in part.replace("...", "b")] for part in equation.split("->")[0].split(",")]
    return Node([m.tensor("T", shape, -3, 3) for shape in shapes], {"equation": equation})


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
        lowest, highest = schemas.limits(dtype)
        return [np.clip(np.rint(real) + y_zero, lowest, highest).astype(dtype)]
    highest = float(ml_dtypes.finfo(dtype).max)
    return [np.clip(real.astype(np.float32) + y_zero, -highest, highest).astype(np.float32).astype(dtype)]


@row("QLinearMatMul", expect=quantized_product)
def qlinear_matmul(m):
    k = m.size(4)
    a = [m.tensor("T1", [m.size(3), k]), m.given("TS", 0.5), m.given("T1", 1)]
    b = [m.tensor("T2", [k, m.size(5)]), m.given("TS", 0.25), m.given("T2", 2)]
    return Node([*a, *b, m.given("TS", 4), m.given("T3", 0)])


def window(m):
    edges = m.pick({"pads": [1, 1, 1, 1]}, {"pads": [0, 1, 0, 1]}, {"auto_pad": "SAME_UPPER"}, {"auto_pad": "SAME_LOWER"}, {"auto_pad": "VALID"})
    return {**edges, "strides": m.pick([1, 1], [2, 1], [1, 2], [3, 3]), "dilations": m.pick([1, 1], [1, 2])}


@row("Conv")
def conv(m):
    c, k, group = m.size(2), m.size(3), m.pick(1, 1, 2, 3)
    x = m.tensor("T", [m.size(1), group * c, 3 + m.size(2), 3 + m.size(3)])
    operands = [x, m.tensor("T", [group * k, c, 3, 2]), m.tensor("T", [group * k])]
    return Node(operands[: m.pick(3, 2)], {**window(m), **({"group": group} if group > 1 else {})})


@row("ConvTranspose")
def conv_transpose(m):
    c, k, group = m.size(2), m.size(3), m.pick(1, 1, 2)
    x = m.tensor("T", [m.size(1), group * c, 2 + m.size(2), 2 + m.size(2)])
    strides = m.pick([2, 1], [1, 1], [2, 3])
    more = m.pick({}, {"pads": [1, 0, 1, 1]}, {"output_padding": [strides[0] - 1, 0]}, {"dilations": [2, 1]}, {"auto_pad": "SAME_UPPER"},
                  {"auto_pad": "SAME_LOWER"}, {"pads": [0, 1, 2, 0], "dilations": [1, 2]})  # fmt: skip
    if "auto_pad" in more:  # the reference adds zeros where the filter, 3 x 2, is less than a step, onnxruntime adds nothing
        strides = [min(strides[0], 3), min(strides[1], 2)]
    operands = [x, m.tensor("T", [group * c, k, 3, 2]), m.tensor("T", [group * k])]
    return Node(operands[: m.pick(3, 2)], {"strides": strides, **more, **({"group": group} if group > 1 else {})})


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
    c, k = m.size(2), m.size(3)
    x, weights = m.tensor("T", [1, c, 4, 5]), m.tensor("T", [k, c, 2, 2])
    more = m.pick([], [m.tensor("T", [k])], [m.tensor("T", [k]), m.tensor("T", [1, 4, 3, 4], 0, 1)], [None, m.tensor("T", [1, 4, 3, 4], 0, 1)])
    return Node([x, weights, m.tensor("T", [1, 8, 3, 4], -1, 1), *more])


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
    heads, more = m.pick(2, 4, 6), m.pick({}, {}, {"is_causal": 1}, {"softcap": 2.0})
    q, k, v = rows_of(m, "T1", heads, queries, size), rows_of(m, "T1", 2, keys, size), rows_of(m, "T2", 2, keys, size)
    form = m.pick("heads", "heads", "flat", "past")
    if form == "flat":
        q, k, v = (m.tensor(n, [2, length, h * size], -1, 1) for n, length, h in (("T1", queries, heads), ("T1", keys, 2), ("T2", keys, 2)))
        more = {**more, "q_num_heads": heads, "kv_num_heads": 2}
    before = 3 if form == "past" else 0
    # The reference has as many causal rows as the mask has.
    rows = queries if "is_causal" in more else 1
    shape = m.pick([queries, before + keys], [1, heads, queries, before + keys], [2, 1, rows, before + keys], None)
    mask = None if shape is None else m.tensor("U", shape, 0, 2)
    past = [rows_of(m, "T1", 2, before, size), rows_of(m, "T2", 2, before, size)] if before else []
    operands = [q, k, v, mask, *past] if mask or past else [q, k, v]
    return Node(operands, {"scale": 0.5, **more}, 3 if past else 1)


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
    half, length, rest = m.size(2), m.size(3), m.pick(0, 0, 3)
    caches = [m.tensor("T", [9, half], -1, 1) for _ in range(2)]
    places = m.given("M", m.rng.integers(0, 9, [2, length]))
    attributes = {"interleaved": m.pick(0, 1), **({"rotary_embedding_dim": 2 * half} if rest else {})}
    return Node([m.tensor("T", [2, 3, length, 2 * half + rest]), *caches, places], attributes)
