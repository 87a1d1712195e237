# ===- operators.py - What random models are made of -----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Each template looks for values it can work on and returns a node, or None. A
# value knows whether its numbers are the same in every correct implementation
# ("exact"): rounding, comparing and counting take only such values, or a last
# bit would become a whole number.
# ===------------------------------------------------------------------------===//
"""Templates of nodes: TEMPLATES is a list of functions of a Draw that return a Node or None."""

import typing

import numpy as np

FLOATS = (np.float32, np.float64, np.float16)
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
SIGNED = (np.int8, np.int16, np.int32, np.int64)
NUMBERS = FLOATS + INTEGERS
TEMPLATES = []


class Node(typing.NamedTuple):
    operator: str
    inputs: list
    attributes: dict = {}
    outputs: int = 1
    # Whether exact inputs give exact outputs.
    keeps: bool = False
    domain: str = ""
    # What graphs inside of the node read.
    captured: tuple = ()
    # Whom to believe: the reference, or it and onnxruntime where they agree, or onnxruntime at least.
    trust: str = "reference"
    # A function that says what the standard wants, where the others do not know.
    expect: typing.Callable = None
    # Types of the outputs where values do not tell.
    kinds: tuple = ()

    @property
    def key(self):
        return f"{self.domain}.{self.operator}" if self.domain else self.operator

    def is_exact(self, array):
        """Whether exact inputs give this exact output although not all outputs are: no floats."""
        return self.trust != "reference" and isinstance(array, np.ndarray) and array.dtype.kind in "OUSbiu"


def template(function):
    TEMPLATES.append(function)
    return function


def has(value, dtypes, least=0, most=9):
    return value.array.dtype.type in dtypes and least <= value.array.ndim <= most


# --- Element by element -------------------------------------------------------

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
        y = d.constant(d.numbers(shape, x.array.dtype))
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


# --- Along dimensions -----------------------------------------------------------


@template
def reduce(d):
    x = d.value(lambda v: has(v, (np.float32, np.float64), 1) and v.array.size)
    if not x:
        return None
    axes = d.constant(np.array(d.axes(x), np.int64))
    names = ["ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"]
    return Node(d.one(names), [x, axes], {"keepdims": d.integer(0, 1)})


@template
def reduce_exactly(d):
    x = d.value(lambda v: has(v, (np.float32, np.float64, np.int32, np.int64, np.int8, np.uint8), 1) and v.array.size)
    if not x:
        return None
    axes = d.constant(np.array(d.axes(x), np.int64))
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
    axis = x and d.constant(np.array(d.axis(x), np.int64))
    attributes = {"exclusive": d.integer(0, 1), "reverse": d.integer(0, 1)}
    return x and Node("CumSum", [x, axis], attributes, keeps=x.array.dtype.kind == "i")


@template
def normalize(d):
    x = d.value(lambda v: has(v, (np.float32,), 2) and v.array.size)
    if not x:
        return None
    axis = d.axis(x)
    shape = x.array.shape[axis:]
    scale, bias = d.constant(d.numbers(shape, np.float32)), d.constant(d.numbers(shape, np.float32))
    return Node("LayerNormalization", [x, scale, bias], {"axis": axis, "epsilon": 1e-2})


@template
def top(d):
    x = d.value(lambda v: has(v, (np.float32, np.int64, np.int32), 1) and v.exact and v.array.size)
    if not x:
        return None
    axis = d.axis(x)
    count = d.constant(np.array([d.integer(1, x.array.shape[axis])], np.int64))
    return Node("TopK", [x, count], {"axis": axis, "largest": d.integer(0, 1)}, 2, keeps=True)


# --- Moving ---------------------------------------------------------------------

ANY = NUMBERS + (np.bool_,)


@template
def transpose(d):
    x = d.value(lambda v: has(v, ANY, 1))
    return x and Node("Transpose", [x], {"perm": [int(n) for n in d.rng.permutation(x.array.ndim)]}, keeps=True)


@template
def reshape(d):
    x = d.value(lambda v: has(v, ANY) and v.array.size)
    if not x:
        return None
    rest, shape = x.array.size, []
    for _ in range(d.integer(0, 3)):
        shape.append(int(d.one([n for n in range(1, rest + 1) if rest % n == 0])))
        rest //= shape[-1]
    shape.append(d.one([-1, rest]))
    return Node("Reshape", [x, d.constant(np.array(shape, np.int64))], keeps=True)


@template
def flatten(d):
    x = d.value(lambda v: has(v, ANY, 1))
    return x and Node("Flatten", [x], {"axis": d.integer(-x.array.ndim, x.array.ndim)}, keeps=True)


@template
def unsqueeze(d):
    x = d.value(lambda v: has(v, ANY, 0, 4))
    return x and Node("Unsqueeze", [x, d.constant(np.array([d.integer(0, x.array.ndim)], np.int64))], keeps=True)


@template
def squeeze(d):
    x = d.value(lambda v: has(v, ANY, 1) and 1 in v.array.shape)
    return x and Node("Squeeze", [x, d.constant(np.array([x.array.shape.index(1)], np.int64))], keeps=True)


@template
def concat(d):
    x = d.value(lambda v: has(v, ANY, 1))
    if not x:
        return None
    axis = d.integer(0, x.array.ndim - 1)

    def fits(v):
        if v.array.dtype != x.array.dtype or v.array.ndim != x.array.ndim:
            return False
        return all(n == m or i == axis for i, (n, m) in enumerate(zip(v.array.shape, x.array.shape)))

    others = [d.value(fits) for _ in range(d.integer(1, 2))]
    return Node("Concat", [x, *others], {"axis": axis}, keeps=True)


@template
def cut(d):
    x = d.value(lambda v: has(v, ANY, 1))
    if not x:
        return None
    axis = d.integer(0, x.array.ndim - 1)
    size = x.array.shape[axis]
    # The standard and NumPy disagree on a start before the beginning.
    bounds = (d.integer(-size, 9), d.integer(-9, 9), axis, d.one([-3, -1, 1, 2]))
    bounds = [d.constant(np.array([n], np.int64)) for n in bounds]
    return Node("Slice", [x, *bounds], keeps=True)


@template
def split(d):
    x = d.value(lambda v: has(v, ANY, 1) and max(v.array.shape) > 1)
    if not x:
        return None
    axis = d.one([i for i, n in enumerate(x.array.shape) if n > 1])
    first = d.integer(1, x.array.shape[axis] - 1)
    sizes = d.constant(np.array([first, x.array.shape[axis] - first], np.int64))
    return Node("Split", [x, sizes], {"axis": axis}, 2, keeps=True)


@template
def pad(d):
    x = d.value(lambda v: has(v, (np.float32, np.float64, np.int32, np.int64), 1, 4) and v.array.size)
    if not x:
        return None
    mode = d.one(["constant", "edge", "reflect", "wrap"])
    if mode == "reflect" and min(x.array.shape) < 3:
        return None
    widths = [0 if min(x.array.shape) < 2 and mode != "constant" else d.integer(0, 2 if mode != "wrap" else 1) for _ in range(2 * x.array.ndim)]
    return Node("Pad", [x, d.constant(np.array(widths, np.int64))], {"mode": mode}, keeps=True)


@template
def gather(d):
    x = d.value(lambda v: has(v, ANY, 1))
    if not x:
        return None
    axis = d.integer(0, x.array.ndim - 1)
    size = x.array.shape[axis]
    shape = [d.integer(0, 3) for _ in range(d.integer(0, 2))]
    if size == 0:
        return None
    return Node("Gather", [x, d.constant(d.rng.integers(-size, size, shape))], {"axis": axis}, keeps=True)


@template
def gather_elements(d):
    x = d.value(lambda v: has(v, ANY, 1) and v.array.size)
    if not x:
        return None
    axis = d.integer(0, x.array.ndim - 1)
    indices = d.rng.integers(-x.array.shape[axis], x.array.shape[axis], x.array.shape)
    return Node("GatherElements", [x, d.constant(indices)], {"axis": axis}, keeps=True)


@template
def scatter_elements(d):
    x = d.value(lambda v: has(v, (np.float32, np.int32, np.int64), 1) and v.array.size)
    if not x:
        return None
    axis = d.integer(0, x.array.ndim - 1)
    order = np.argsort(d.rng.random(x.array.shape), axis)
    updates = d.constant(d.numbers(x.array.shape, x.array.dtype))
    return Node("ScatterElements", [x, d.constant(order), updates], {"axis": axis}, keeps=True)


@template
def expand(d):
    x = d.value(lambda v: has(v, ANY, 0, 4))
    if not x:
        return None
    shape = [d.integer(1, 3) if n == 1 else n for n in x.array.shape]
    shape = [d.integer(1, 3)] * d.integer(0, 1) + shape
    return Node("Expand", [x, d.constant(np.array(shape, np.int64))], keeps=True)


@template
def tile(d):
    x = d.value(lambda v: has(v, ANY, 1, 4))
    repeats = x and [d.integer(1, 2) for _ in x.array.shape]
    return x and Node("Tile", [x, d.constant(np.array(repeats, np.int64))], keeps=True)


@template
def triangle(d):
    x = d.value(lambda v: has(v, ANY, 2))
    return x and Node("Trilu", [x, d.constant(np.array(d.integer(-2, 2), np.int64))], {"upper": d.integer(0, 1)}, keeps=True)


@template
def one_hot(d):
    x = d.value(lambda v: has(v, (np.int64, np.int32), 1, 3) and v.exact)
    if not x:
        return None
    depth, values = d.constant(np.array(d.integer(2, 5), np.int64)), d.constant(np.array([0, 1], np.float32))
    return Node("OneHot", [x, depth, values], {"axis": d.integer(-1, x.array.ndim)}, keeps=True)


@template
def reverse(d):
    x = d.value(lambda v: has(v, (np.float32, np.int64), 2) and v.array.size)
    if not x:
        return None
    lengths = d.rng.integers(1, x.array.shape[0] + 1, x.array.shape[1])
    return Node("ReverseSequence", [x, d.constant(lengths)], {"time_axis": 0, "batch_axis": 1}, keeps=True)


@template
def shape_of(d):
    x = d.value(lambda v: has(v, ANY))
    return x and Node(d.one(["Shape", "Size"]), [x], keeps=True)


@template
def non_zero(d):
    x = d.value(lambda v: has(v, (np.bool_, np.int32, np.float32), 1) and v.exact)
    return x and Node("NonZero", [x], keeps=True)


@template
def compress(d):
    x = d.value(lambda v: has(v, (np.float32, np.int64), 1))
    if not x:
        return None
    axis = d.integer(0, x.array.ndim - 1)
    condition = d.rng.random(x.array.shape[axis]) < 0.6
    return Node("Compress", [x, d.constant(condition)], {"axis": axis}, keeps=True)


# --- Contractions and windows ---------------------------------------------------


@template
def matmul(d):
    x = d.value(lambda v: has(v, (np.float32, np.float64), 2) and v.array.size)
    if not x:
        return None
    y = d.value(lambda v: v.array.dtype == x.array.dtype and v.array.ndim == 2 and v.array.shape[0] == x.array.shape[-1])
    if not y or d.chance(0.5):
        y = d.constant(d.numbers([x.array.shape[-1], d.integer(1, 20)], x.array.dtype))
    return Node("MatMul", [x, y])


@template
def gemm(d):
    x = d.value(lambda v: has(v, (np.float32,), 2, 2) and v.array.size)
    if not x:
        return None
    ta, tb, n = d.integer(0, 1), d.integer(0, 1), d.integer(1, 20)
    k = x.array.shape[0 if ta else 1]
    y = d.constant(d.numbers([n, k] if tb else [k, n], np.float32))
    c = d.constant(d.numbers([n], np.float32))
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
    shape = [group * d.integer(1, 3), x.array.shape[1] // group, *kernel]
    attributes = {"pads": [d.integer(0, 1) for _ in range(2 * spatial)], "strides": [d.integer(1, 2) for _ in range(spatial)],
                  "dilations": [d.integer(1, 2) if n > 4 else 1 for n in x.array.shape[2:]], "group": group}  # fmt: skip
    bias = d.constant(d.numbers(shape[:1], np.float32))
    return Node("Conv", [x, d.constant(d.numbers(shape, np.float32)), bias], attributes)


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
    scale, bias, mean = (d.constant(d.numbers([c], np.float32)) for _ in range(3))
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
    return Node("MatMulInteger", [x, d.constant(d.numbers([x.array.shape[-1], d.integer(1, 20)], np.int8))], keeps=True)


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
