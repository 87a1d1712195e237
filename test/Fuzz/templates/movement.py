# ===- templates/movement.py - Nodes that move elements --------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Templates of views, slices, permutations, gathering and scattering."""

import numpy as np
from templates.node import ANY, Node, has, template


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
    return Node("Reshape", [x, d.given(np.array(shape, np.int64))], keeps=True)


@template
def flatten(d):
    x = d.value(lambda v: has(v, ANY, 1))
    return x and Node("Flatten", [x], {"axis": d.integer(-x.array.ndim, x.array.ndim)}, keeps=True)


@template
def unsqueeze(d):
    x = d.value(lambda v: has(v, ANY, 0, 4))
    return x and Node("Unsqueeze", [x, d.given(np.array([d.integer(0, x.array.ndim)], np.int64))], keeps=True)


@template
def squeeze(d):
    x = d.value(lambda v: has(v, ANY, 1) and 1 in v.array.shape)
    return x and Node("Squeeze", [x, d.given(np.array([x.array.shape.index(1)], np.int64))], keeps=True)


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
    bounds = [d.given(np.array([n], np.int64)) for n in bounds]
    return Node("Slice", [x, *bounds], keeps=True)


@template
def cut_many(d):
    x = d.value(lambda v: has(v, ANY, 2))
    if not x:
        return None
    axes = d.axes(x)
    bounds = []
    for axis in axes:
        size, step = x.array.shape[axis], d.one([-2, -1, 1, 1, 2, 3])
        start, end = sorted([d.integer(0, size), d.integer(0, size)])
        bounds.append((start, end, step) if step > 0 else (end, start, step))
    starts, ends, steps = (d.given(np.array(b, np.int64)) for b in zip(*bounds, strict=True))
    return Node("Slice", [x, starts, ends, d.given(np.array(axes, np.int64)), steps], keeps=True)


@template
def split(d):
    x = d.value(lambda v: has(v, ANY, 1) and max(v.array.shape) > 1)
    if not x:
        return None
    axis = d.one([i for i, n in enumerate(x.array.shape) if n > 1])
    first = d.integer(1, x.array.shape[axis] - 1)
    sizes = d.given(np.array([first, x.array.shape[axis] - first], np.int64))
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
    return Node("Pad", [x, d.given(np.array(widths, np.int64))], {"mode": mode}, keeps=True)


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
    return Node("Gather", [x, d.given(d.rng.integers(-size, size, shape))], {"axis": axis}, keeps=True)


@template
def gather_elements(d):
    x = d.value(lambda v: has(v, ANY, 1) and v.array.size)
    if not x:
        return None
    axis = d.integer(0, x.array.ndim - 1)
    indices = d.rng.integers(-x.array.shape[axis], x.array.shape[axis], x.array.shape)
    return Node("GatherElements", [x, d.given(indices)], {"axis": axis}, keeps=True)


@template
def scatter_elements(d):
    x = d.value(lambda v: has(v, (np.float32, np.int32, np.int64), 1) and v.array.size)
    if not x:
        return None
    axis = d.integer(0, x.array.ndim - 1)
    order = np.argsort(d.rng.random(x.array.shape), axis)
    updates = d.given(d.numbers(x.array.shape, x.array.dtype))
    return Node("ScatterElements", [x, d.given(order), updates], {"axis": axis}, keeps=True)


@template
def expand(d):
    x = d.value(lambda v: has(v, ANY, 0, 4))
    if not x:
        return None
    shape = [d.integer(1, 3) if n == 1 else n for n in x.array.shape]
    shape = [d.integer(1, 3)] * d.integer(0, 1) + shape
    return Node("Expand", [x, d.given(np.array(shape, np.int64))], keeps=True)


@template
def tile(d):
    x = d.value(lambda v: has(v, ANY, 1, 4))
    repeats = x and [d.integer(1, 2) for _ in x.array.shape]
    return x and Node("Tile", [x, d.given(np.array(repeats, np.int64))], keeps=True)


@template
def triangle(d):
    x = d.value(lambda v: has(v, ANY, 2))
    return x and Node("Trilu", [x, d.given(np.array(d.integer(-2, 2), np.int64))], {"upper": d.integer(0, 1)}, keeps=True)


@template
def one_hot(d):
    x = d.value(lambda v: has(v, (np.int64, np.int32), 1, 3) and v.exact)
    if not x:
        return None
    depth, values = d.given(np.array(d.integer(2, 5), np.int64)), d.given(np.array([0, 1], np.float32))
    return Node("OneHot", [x, depth, values], {"axis": d.integer(-1, x.array.ndim)}, keeps=True)


@template
def reverse(d):
    x = d.value(lambda v: has(v, (np.float32, np.int64), 2) and v.array.size)
    if not x:
        return None
    lengths = d.rng.integers(1, x.array.shape[0] + 1, x.array.shape[1])
    return Node("ReverseSequence", [x, d.given(lengths)], {"time_axis": 0, "batch_axis": 1}, keeps=True)


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
    return Node("Compress", [x, d.given(condition)], {"axis": axis}, keeps=True)
