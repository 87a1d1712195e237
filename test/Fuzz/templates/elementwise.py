# ===- templates/elementwise.py - Nodes that work element by element -------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Templates of functions, arithmetic, comparisons and casts."""

import numpy as np
from templates.node import FLOATS, INTEGERS, NUMBERS, SIGNED, Node, has, template

UNARY = {
    # In f64 the reference computes these with constants of f32.
    (np.float32, np.float16): ["Erf", "HardSwish", "Gelu"],
    FLOATS: "Sigmoid Tanh Softplus Softsign HardSigmoid Elu Selu Celu LeakyRelu Mish Exp Sin Cos Atan "
    "Asinh ThresholdedRelu Swish".split(),
    (np.float32, np.float64): "Sinh Cosh Tan".split(),
}
EXACT_UNARY = {FLOATS + SIGNED: ["Abs", "Neg"], FLOATS: ["Relu"], NUMBERS + (np.bool_,): ["Identity"]}
STEPS = ["Floor", "Ceil", "Round", "Sign"]


@template
def unary(d):
    dtypes, names = d.one(list(UNARY.items()))
    x = d.value(lambda v: has(v, dtypes))
    return x and Node(d.one(names), [x])


@template
def exact_unary(d):
    dtypes, names = d.one(list(EXACT_UNARY.items()))
    x = d.value(lambda v: has(v, dtypes))
    return x and Node(d.one(names), [x], keeps=True)


@template
def steps(d):
    x = d.value(lambda v: has(v, FLOATS) and v.exact)
    return x and Node(d.one(STEPS), [x], keeps=True)


@template
def roots(d):
    x = d.value(lambda v: has(v, FLOATS) and v.array.size and v.array.min() > 0.01)
    return x and Node(d.one(["Sqrt", "Log", "Reciprocal"]), [x])


def pair(d, accept):
    """Two values that broadcast, the second often made for the first."""
    x = d.value(accept)
    if not x:
        return None
    y = d.value(lambda v: v.array.dtype == x.array.dtype and accept(v) and d.broadcasts(x, v))
    if not y or d.chance(0.3):
        shape = [1 if d.chance(0.3) else n for n in x.array.shape[d.rng.integers(0, x.array.ndim + 1):]]
        if d.chance(0.2):  # both are repeated
            shape = [d.size(5) if n == 1 and x.array.size < 500 else n for n in shape]
        y = d.given(d.numbers(shape, x.array.dtype))
    return [x, y] if d.chance(0.5) else [y, x]


@template
def binary(d):
    xs = pair(d, lambda v: has(v, NUMBERS))
    exact = xs and xs[0].array.dtype.kind in "iu"
    return xs and Node(d.one(["Add", "Sub", "Mul"]), xs, keeps=exact)


@template
def choose(d):
    xs = pair(d, lambda v: has(v, NUMBERS))
    return xs and Node(d.one(["Max", "Min"]), xs, keeps=True)


@template
def divide(d):
    xs = pair(d, lambda v: has(v, NUMBERS))
    if not xs or not xs[1].array.size or np.abs(xs[1].array.astype(np.float64)).min() < 0.1:
        return None
    is_integer = xs[0].array.dtype.kind in "iu"
    return Node(d.one(["Div", "Mod"] if is_integer else ["Div"]), xs, keeps=is_integer)


@template
def compare(d):
    xs = pair(d, lambda v: has(v, NUMBERS) and v.exact)
    return xs and Node(d.one(["Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"]), xs, keeps=True)


@template
def logic(d):
    xs = pair(d, lambda v: has(v, (np.bool_,)))
    return xs and Node(d.one(["And", "Or", "Xor"]), xs, keeps=True)


@template
def bits(d):
    xs = pair(d, lambda v: has(v, INTEGERS))
    return xs and Node(d.one(["BitwiseAnd", "BitwiseOr", "BitwiseXor"]), xs, keeps=True)


@template
def where(d):
    xs = pair(d, lambda v: has(v, NUMBERS))
    condition = xs and d.value(lambda v: has(v, (np.bool_,)) and all(d.broadcasts(v, x) for x in xs))
    return condition and Node("Where", [condition, *xs], keeps=True)


@template
def clip(d):
    x = d.value(lambda v: has(v, FLOATS + (np.int32, np.int64, np.int8, np.uint8)))
    if not x:
        return None
    low, high = (d.constant(np.array(n, x.array.dtype)) for n in (0, 2))
    return Node("Clip", [x, low, high], keeps=True)


@template
def cast(d):
    x = d.value(lambda v: has(v, NUMBERS + (np.bool_,)))
    if not x:
        return None
    to = d.one(NUMBERS + (np.bool_,))
    if np.dtype(to).kind != "f" and x.array.dtype.kind == "f":
        limits = (0, 1) if to == np.bool_ else (np.iinfo(to).min, np.iinfo(to).max)
        inside = x.array.size == 0 or (x.array.min() >= limits[0] and x.array.max() <= limits[1])
        if not x.exact or not inside:
            return None
    return Node("Cast", [x], {"to": d.type_number(to)}, keeps=True)
