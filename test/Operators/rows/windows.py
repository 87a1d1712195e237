# ===- windows.py - Rows of pools and regions -------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Operators that slide windows over images or look at regions of them."""

from table import Node, row


def image(m, name):
    return m.tensor(name, [m.size(1), m.size(2), 3 + m.size(2), 3 + m.size(3)])


@row("AveragePool", "LpPool")
def pool(m):
    attributes = {"kernel_shape": m.pick([3, 2], [2, 2]), **edges(m), "strides": m.pick([2, 1], [1, 1], [2, 3])}
    more = m.pick({}, {"count_include_pad": 1}) if m.signature.name == "AveragePool" else m.pick({}, {"p": 1}, {"p": 3})
    # Nobody else knows dilated windows that pad themselves.
    steps = {"ceil_mode": 1} if "auto_pad" in attributes else {"dilations": [1, 2]}
    return Node([image(m, m.signature.inputs[0].kind)], {**attributes, **more, **m.pick({}, {}, {"ceil_mode": 1}, steps)})


def edges(m):
    return m.pick({"pads": [1, 0, 1, 0]}, {"pads": [0, 0, 0, 0]}, {"pads": [1, 0, 0, 1]}, {"auto_pad": "SAME_UPPER"}, {"auto_pad": "SAME_LOWER"})


@row("MaxPool")
def max_pool(m):
    # As much in both dimensions: the reference takes the pads of one for those of the other.
    more = m.pick({}, {"ceil_mode": 1}, {"dilations": [1, 2]}, {"pads": [1, 0, 0, 1]}, {"auto_pad": "SAME_UPPER"})
    return Node([image(m, "T")], {"kernel_shape": m.pick([3, 2], [2, 2]), "strides": m.pick([2, 1], [1, 1]), **more}, m.pick(2, 1))


@row("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(m):
    return Node([image(m, "T")])


@row("MaxUnpool")
def max_unpool(m):
    indices = m.given("T2", [[[[0, 3], [8, 11]]]])
    return Node([m.tensor("T1", [1, 1, 2, 2]), indices], {"kernel_shape": [2, 2], "strides": [2, 2]})


def regions(m, name, with_image):
    boxes = [[0, 0, 0, 3, 3], [0, 1, 1, 4, 2]]
    return m.given(name, boxes if with_image else [b[1:] for b in boxes])


@row("MaxRoiPool")
def max_roi_pool(m):
    return Node([m.tensor("T", [1, m.size(2), 6, 6]), regions(m, "T", True)], {"pooled_shape": [2, 2]})


@row("RoiAlign")
def roi_align(m):
    attributes = {"output_height": 2, "output_width": 3, "sampling_ratio": m.pick(2, 1, 0), "mode": m.pick("avg", "max"),
                  **m.pick({}, {"spatial_scale": 0.5}, {"coordinate_transformation_mode": "output_half_pixel"})}  # fmt: skip
    return Node([m.tensor("T1", [1, m.size(2), 6, 6]), regions(m, "T1", False), m.integers(0, 0, name="T2")], attributes)
