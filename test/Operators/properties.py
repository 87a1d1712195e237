# ===- properties.py - Results judged by what must hold of them ------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Where no implementation is right, or several are, a result is not compared.
# ===------------------------------------------------------------------------===//
"""PROPERTIES: what must hold of outputs that are not compared."""

import typing

import numpy as np
from comparison import tensors_differ


def is_in_window(offset, attributes, dimension, spatial):
    """Which places are in the window of that dimension that begins `offset` before them."""
    kernel, dilation = attributes["kernel_shape"][dimension], attributes.get("dilations", [1] * spatial)[dimension]
    return (offset >= 0) & (offset < kernel * dilation) & (offset % dilation == 0)


def places_of_largest(attributes, inputs, outputs, tolerance):
    """What is wrong with the indices of MaxPool: each is the place of the largest number, inside of its window."""
    (x, *_), (y, indices) = inputs, outputs
    if indices.shape != y.shape:
        return f"shape {list(indices.shape)} of the indices instead of {list(y.shape)}"
    if indices.size == 0:
        return None
    if indices.min() < 0 or indices.max() >= x.size:
        return f"index {indices.min()} or {indices.max()} for {x.size} elements"
    if wrong := tensors_differ(x.reshape(-1)[indices], y, *tolerance):
        return f"the indices do not lead to the largest numbers: {wrong}"
    places, ends, spatial = np.unravel_index(indices, x.shape), np.indices(y.shape), x.ndim - 2
    if any(np.any(places[d] != ends[d]) for d in (0, 1)):
        return "an index leads to another image or channel"
    strides, pads = attributes.get("strides", [1] * spatial), attributes.get("pads", [0] * spatial)
    for d in range(spatial if "auto_pad" not in attributes else 0):
        offset = places[d + 2] - (ends[d + 2] * strides[d] - pads[d])
        if not np.all(is_in_window(offset, attributes, d, spatial)):
            return f"an index is outside of its window in dimension {d + 2}"
    return None


class Property(typing.NamedTuple):
    """How an output is judged that is not compared: a function of attributes, inputs, all outputs and the (relative
    tolerance, slack, tolerance as a part of the largest) of the others, and why.
    """

    problem: typing.Callable
    reason: str


# By operator and number of the output.
PROPERTIES = {
    ("MaxPool", 1): Property(places_of_largest, "the reference's indices are wrong where the window is not square, and of "
                             "several largest numbers any may be named"),
}  # fmt: skip


def property_problem(case, node, results, tolerance):
    """The first output that does not hold what it must, None if there is none."""
    inputs = [o and o.value for o in node.inputs]
    for number in range(node.outputs):
        judged = PROPERTIES.get((case.signature.key, number))
        if judged and (problem := judged.problem(node.attributes, inputs, results, (tolerance, 0, tolerance))):
            return f"output {number}: {problem}"
    return None
