# ===- movement.py - Rows of what moves, chooses and makes elements ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Operators that move elements about, choose among them or make them."""

import numpy as np
from onnx import helper, numpy_helper
from table import Node, row


def stored(m, name, shape):
    """A random constant of that type, as a protobuf message."""
    array = m.tensor(name, shape).value
    if array.dtype.kind == "O":
        return helper.make_tensor("value", m.type_number(name), shape, [s.encode() for s in array.ravel().tolist()])
    return numpy_helper.from_array(array, "value")


@row("Constant")
def constant(m):
    return Node([], {"value": stored(m, "T", m.shape(3, 4))})


@row("ConstantOfShape")
def constant_of_shape(m):
    return Node([m.integers(*m.shape(3, 4))], {"value": stored(m, "T2", [1])})


@row("EyeLike")
def eye_like(m):
    return Node([m.tensor("T1", [m.size(3), m.size(4)])], {"dtype": m.type_number("T2"), "k": m.pick(1, 0, -1)})


@row("Range")
def integer_range(m):
    return Node([m.given("T", 1), m.given("T", m.size(9)), m.given("T", m.pick(2, 3, 1))])


@row("Concat")
def concat(m):
    axis, shape = m.pick(1, 0, -1), m.pick([m.size(3), m.size(4)], [m.size(2), m.size(3), 2])
    parts = [m.tensor("T", shape)]
    for _ in range(m.pick(1, 2, 3, 0)):
        other = list(shape)
        other[axis] = m.size(2)
        parts.append(m.tensor("T", other))
    return Node(parts, {"axis": axis})


@row("CenterCropPad")
def center_crop_pad(m):
    return Node([m.tensor("T", [m.size(3), m.size(4)]), m.integers(m.size(2), m.size(6), name="Tind")])


@row("DepthToSpace")
def depth_to_space(m):
    block = m.pick(2, 3)
    x = m.tensor("T", [m.size(1), block * block * m.size(1), m.size(2), m.size(3)])
    return Node([x], {"blocksize": block, "mode": m.pick("DCR", "CRD")})


@row("SpaceToDepth")
def space_to_depth(m):
    return Node([m.tensor("T", [m.size(1), m.size(2), 2 * m.size(2), 2 * m.size(1)])], {"blocksize": 2})


@row("Expand")
def expand(m):
    n = m.size(3)
    wanted = m.pick((m.size(2), 1, m.size(4)), (n, 1), (1,), (m.size(2), n, 1, 5))
    return Node([m.tensor("T", [n, 1]), m.integers(*wanted)])


@row("Tile")
def tile(m):
    shape, times = m.pick(([m.size(2), m.size(3)], (m.size(2), m.size(1))), ([m.size(2), 1, 3], (1, m.size(2), 2)), ([m.size(3)], (m.size(3),)),
                          ([m.size(3), 1], (1, m.size(5))))  # fmt: skip
    return Node([m.tensor("T", shape), m.integers(*times)])


@row("Gather")
def gather(m):
    n, axis = m.size(3), m.pick(0, 1, -1)
    shape = [n, m.size(4)] if axis == 0 else [m.size(4), n]
    if m.pick(False, False, True):
        return Node([m.tensor("T", shape), m.given("Tind", m.rng.integers(-n, n, m.shape(2, 3)))], {"axis": axis})
    return Node([m.tensor("T", shape), m.integers(0, n - 1, -n, name="Tind")], {"axis": axis})


@row("GatherElements")
def gather_elements(m):
    n, k = m.size(3), m.size(4)
    if m.pick(False, False, True):
        return Node([m.tensor("T", [2, n, k]), m.given("Tind", m.rng.integers(-n, n, [2, 3, k]))], {"axis": -2})
    indices = m.rng.integers(-n, n, [2, k])
    return Node([m.tensor("T", [n, k]), m.given("Tind", indices)], {"axis": 0})


@row("GatherND")
def gather_nd(m):
    n, k = m.size(3), m.size(4)
    if m.pick(False, False, True):
        return Node([m.tensor("T", [2, n, k]), m.given("int64", m.rng.integers(-n, n, [2, 3, 1]))], {"batch_dims": 1})
    return Node([m.tensor("T", [n, k]), m.given("int64", m.pick([[0, k - 1], [n - 1, 0]], [[0], [n - 1]]))])


def reduction(m):
    """What may become of two updates of a place: texts have no sum, and complex numbers no order."""
    if m.element("T") == "string":
        return "none"
    return m.pick("none", "none", "add", "mul", *([] if m.element("T").startswith("complex") else ["min", "max"]))


@row("ScatterElements")
def scatter_elements(m):
    n, k = m.size(3), m.size(4)
    order, how = np.argsort(m.rng.random([n, k]), 0), reduction(m)
    if how != "none":  # some places come again
        return Node([m.tensor("T", [n, k]), m.given("Tind", m.rng.integers(-n, n, [n, k])), m.tensor("T", [n, k])], {"axis": 0, "reduction": how})
    return Node([m.tensor("T", [n, k]), m.given("Tind", order), m.tensor("T", [n, k])], {"axis": 0})


@row("ScatterND")
def scatter_nd(m):
    n, k, how = 1 + m.size(3), m.size(4), reduction(m)
    if how != "none":
        places = m.rng.integers(0, min(n, k), [5, 2])
        return Node([m.tensor("T", [n, k]), m.given("int64", places), m.tensor("T", [5])], {"reduction": how})
    return Node([m.tensor("T", [n, k]), m.given("int64", [[n - 1], [0]]), m.tensor("T", [2, k])])


@row("Compress")
def compress(m):
    n = m.size(3)
    return Node([m.tensor("T", [n, m.size(4)]), m.given("T1", m.rng.random(n) < 0.6)], m.pick({"axis": 0}, {"axis": -2}, {}))


@row("OneHot")
def one_hot(m):
    on = m.tensor("T3", [2])
    places = m.given("T1", m.rng.integers(0, 5, m.shape(3, 4)))
    return Node([places, m.given("T2", [m.size(4)]), on], {"axis": m.pick(-1, 0)})


@row("Pad")
def pad(m):
    mode = m.pick("constant", "edge", "reflect", "wrap")
    value, x = m.tensor("T", []) if mode == "constant" else None, m.tensor("T", [m.size(3), m.size(4)])
    widths = m.pick(None, (1, 0, 2, 1), (0, -1, 0, 1), (-1, 2, -1, 0))
    if widths:
        return Node([x, m.integers(*widths), value], {"mode": mode})
    return Node([x, m.integers(1, 0), value, m.integers(1, name="Tind")], {"mode": mode})


@row("Reshape")
def reshape(m):
    n, k = m.size(3), m.size(4)
    return Node([m.tensor("T", [n, k]), m.integers(*m.pick((-1, n), (k, 1, n), (n * k,), (0, -1), (0, 0, 1), (1, 0, -1)))])


@row("Squeeze")
def squeeze(m):
    return Node([m.tensor("T", [m.size(3), 1, m.size(4)]), m.integers(1)])


@row("Unsqueeze")
def unsqueeze(m):
    return Node([m.tensor("T", m.shape(3, 4)), m.integers(*m.pick([0], [-1], [0, -1]))])


@row("Split")
def split(m):
    n, k = m.size(3), m.size(2)
    if m.pick(False, False, True):
        return Node([m.tensor("T", [2, n + k])], {"axis": -1, "num_outputs": 2}, 2)
    return Node([m.tensor("T", [n + k, m.size(2)]), m.integers(n, k)], {"axis": 0}, 2)


@row("Slice")
def cut(m):
    n = m.size(4)
    bounds = m.pick((0, n, 2), (-1, -99, -1), (1, 99, 1), (n - 1, 0, -2))
    starts, ends, steps = (m.integers(v, name="Tind") for v in bounds)
    return Node([m.tensor("T", [m.size(3), n]), starts, ends, m.integers(1, name="Tind"), steps])


@row("ReverseSequence")
def reverse_sequence(m):
    time, batch = m.size(4), m.size(3)
    lengths = m.given("int64", m.rng.integers(1, time + 1, batch))
    if m.pick(False, True):
        return Node([m.tensor("T", [batch, time, 2]), lengths], {"time_axis": 1, "batch_axis": 0})
    return Node([m.tensor("T", [time, batch]), lengths], {"time_axis": 0, "batch_axis": 1})


@row("TopK")
def top(m):
    n = m.size(5)
    x = m.given("T", m.rng.permutation(3 * n).reshape(3, n))
    return Node([x, m.integers(m.pick(2, 1, n) if n > 1 else 1)], {"axis": m.pick(1, -1), **m.pick({}, {"largest": 0})}, 2)


@row("Trilu")
def triangle(m):
    shape = m.pick([m.size(4), m.size(3)], [2, m.size(3), m.size(4)])
    return Node([m.tensor("T", shape), m.given("int64", m.pick(1, 0, -1, 9, -9))], {"upper": m.pick(0, 1)})


@row("Unique")
def unique(m):
    if m.pick(False, True):
        # Without an order the reference takes what is unique along the first dimension.
        return Node([m.tensor("T", [m.size(4), 2], 0, 1)], m.pick({"axis": 0}, {"axis": 1}, {"axis": 0, "sorted": 0}), 4)
    return Node([m.tensor("T", [m.size(8)], 0, 3)], m.pick({}, {"sorted": 0}), 4)


@row("TensorScatter")
def tensor_scatter(m):
    cache = m.tensor("T", [m.size(2), 3, 5, 2])
    batch = cache.value.shape[0]
    return Node([cache, m.tensor("T", [batch, 3, 2, 2]), m.given("int64", m.rng.integers(0, 4, batch))])


@row("Col2Im")
def col2im(m):
    more = m.pick({}, {"dilations": [1, 2]}, {"pads": [0, 1, 1, 0]}, {"strides": [1, 2]})
    blocks = {"dilations": 4, "pads": 12, "strides": 4}.get(next(iter(more), ""), 6)
    return Node([m.tensor("T", [m.size(1), 4 * m.size(2), blocks]), m.integers(3, 4), m.integers(2, 2)], more)


@row("Resize")
def resize(m):
    x = m.tensor("T1", [1, m.size(2), m.size(3), m.size(4)])
    real = m.is_real("T1")
    roi = m.given("T2", [0, 0, 0, 0, 1, 1, 1, 1])
    mode = m.pick("nearest", "linear", "cubic") if real else "nearest"
    more = m.pick({}, {"coordinate_transformation_mode": m.pick("align_corners", "asymmetric", "pytorch_half_pixel", "half_pixel_symmetric")})
    if mode == "nearest":
        more.update(m.pick({}, {"nearest_mode": m.pick("floor", "ceil", "round_prefer_ceil")}))
    elif m.pick(False, False, True):
        more.update({"antialias": 1})
    scales = m.pick([1, 1, 2, 1.5], [1, 1, 0.5, 2], [1, 1, 3, 3], [1, 1, 1, 1], None)
    if scales is None:
        image = m.pick([m.size(3), m.size(5)], x.value.shape[2:])
        return Node([x, None, None, m.integers(*x.value.shape[:2], *image)], {"mode": mode, **more})
    return Node([x, roi, m.given("float", scales)], {"mode": mode, **more})


@row("GridSample")
def grid_sample(m):
    mode = m.pick("linear", "nearest", "cubic") if m.is_real("T1") or m.element("T1").startswith("complex") else "nearest"
    batch = m.size(1)
    # Exact in every type, or the nearest would depend on the last bit.
    grid = m.given("T2", m.rng.integers(-4, 5, [batch, 2, 3, 2]) / 4)
    padding = m.pick({}, {"padding_mode": "border"}, {"padding_mode": "reflection"})
    return Node([m.tensor("T1", [batch, m.size(2), 3, 4]), grid], {"mode": mode, "align_corners": m.pick(0, 1), **padding})


@row("AffineGrid")
def affine_grid(m):
    return Node([m.tensor("T1", [2, 2, 3]), m.integers(2, 3, 4, 3, name="T2")])


def windows_type(m):
    return {"output_datatype": m.type_number("T2"), "periodic": m.pick(1, 0)}


# In f32 whatever the type. An even size would have a last bit decide whether the largest is 1.
@row("BlackmanWindow", "HammingWindow", "HannWindow", tolerance=1e-6)
def window(m):
    return Node([m.given("T1", 2 * m.size(3) + 1)], windows_type(m))


@row("MelWeightMatrix")
def mel(m):
    counts = [m.given("T1", n) for n in (4, 16, 8192)]
    return Node([*counts, m.given("T2", 0), m.given("T2", 4096)], {"output_datatype": m.type_number("T3")})


@row("NonMaxSuppression")
def suppression(m):
    corners = m.rng.random([1, 6, 2])
    boxes = m.given("float", np.concatenate([corners, corners + 0.5], -1))
    scores = m.given("float", m.rng.permutation(12).reshape(1, 2, 6) / 12)
    limits = [m.integers(m.pick(3, 1, 9)), m.given("float", [m.pick(0.5, 0.1)]), m.given("float", [0.1])]
    return Node([boxes, scores, *limits], m.pick({}, {"center_point_box": 1}))


@row("Flatten")
def flatten(m):
    shape = m.shape(3, 4)
    return Node([m.tensor("T", shape)], {"axis": m.pick(1, 0, -1) if shape else 0})


@row("Shape")
def shape(m):
    return Node([m.tensor("T", m.shape(3, 4))], m.pick({}, {"start": 1}, {"start": -1, "end": 2}))
