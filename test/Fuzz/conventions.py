# ===- conventions.py - Where onnxruntime may give other results -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# docs/Conventions.md says what each row is about and why; a name is that of a row there.
# ===------------------------------------------------------------------------===//
"""Recognises models on which onnxruntime gives other results for a known reason."""

import numpy as np
from onnx import helper, numpy_helper

from Harness import ROOT

TO_INTEGERS = {"Cast", "CastLike", "QuantizeLinear", "DynamicQuantizeLinear"}


def nodes_of(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            yield from nodes_of(attribute.g)


def numbers(model, feeds):
    """The inputs and stored tensors of floats."""
    stored = [numpy_helper.to_array(t) for t in model.graph.initializer]
    return [v for v in [*feeds.values(), *stored] if isinstance(v, np.ndarray) and v.dtype.kind == "f"]


def rounds_no_number(model, feeds):
    special = any(not np.isfinite(v).all() or np.abs(v).max(initial=0) > 2**31 for v in numbers(model, feeds))
    return special and any(n.op_type in TO_INTEGERS for n in nodes_of(model.graph))


def has_special(model, feeds, operators):
    return any(not np.isfinite(v).all() for v in numbers(model, feeds)) and any(n.op_type in operators for n in nodes_of(model.graph))


def pools_nan(model, feeds):
    return has_special(model, feeds, {"MaxPool", "LpPool", "MaxRoiPool"})


def multiplies_border(model, feeds):
    return has_special(model, feeds, {"Conv", "ConvTranspose", "DeformConv", "DFT", "STFT"})


def samples_nowhere(model, feeds):
    return has_special(model, feeds, {"GridSample", "RoiAlign", "DeformConv", "Resize"})


def masks_special(model, feeds):
    return has_special(model, feeds, {"Attention", "FlexAttention"})


def caps_by_negative(model, feeds):
    return any(n.op_type == "Attention" and a.name == "softcap" and a.f < 0 for n in nodes_of(model.graph) for a in n.attribute)


def compares_nan(model, feeds):
    has_nan = any(np.isnan(v).any() for v in numbers(model, feeds))
    return has_nan and any(n.op_type in {"ArgMax", "ArgMin", "Hardmax"} for n in nodes_of(model.graph))


def reduces_nan(model, feeds):
    has_nan = any(np.isnan(v).any() for v in numbers(model, feeds))
    return has_nan and any(n.op_type in {"ReduceMax", "ReduceMin", "GlobalMaxPool"} for n in nodes_of(model.graph))


def overflows_power(model, feeds):
    """Whether a power of integers leaves their range; both are inputs or stored."""
    stored = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    for node in nodes_of(model.graph):
        base, exponent = (({**stored, **feeds}).get(n) for n in node.input[:2]) if node.op_type == "Pow" else (None, None)
        if base is None or exponent is None or base.dtype.kind not in "iu":
            continue
        with np.errstate(all="ignore"):
            size = np.power(np.abs(base.astype(np.float64)), np.nan_to_num(exponent.astype(np.float64)))
        if (size > np.iinfo(base.dtype).max).any():
            return True
    return False


def has_empty_limit(model, feeds):
    limits = [n.input[2:5] for n in nodes_of(model.graph) if n.op_type == "NonMaxSuppression"]
    return any(np.size(feeds[name]) == 0 for names in limits for name in names if name in feeds)


def leaves_elements_out(model, feeds):
    """Whether the windows of a pool with as many as strides do not reach the end of an input."""
    for node in nodes_of(model.graph):
        given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type not in {"AveragePool", "LpPool"} or not given.get("auto_pad", b"").startswith(b"SAME"):
            continue
        sizes, kernel = feeds.get(node.input[0], np.empty(())).shape[2:], given.get("kernel_shape", [])
        strides, dilations = (given.get(name) or [1] * len(kernel) for name in ("strides", "dilations"))
        if any((size - 1) // stride * stride + (k - 1) * step + 1 < size for size, k, stride, step in zip(sizes, kernel, strides, dilations)):
            return True
    return False


# Tried in this order.
ROWS = {
    "NaN converted to an integer": rounds_no_number,
    "MaxPool of NaN": pools_nan,
    "convolutions and transforms of NaN or infinities": multiplies_border,
    "samples at positions that are NaN or infinite": samples_nowhere,
    "masked numbers of Attention": masks_special,
    "powers of integers beyond their range": overflows_power,
    "NonMaxSuppression with an empty limit": has_empty_limit,
    "Attention with a negative `softcap`": caps_by_negative,
    "NaN in ArgMax, ArgMin and Hardmax": compares_nan,
    "NaN in ReduceMax, ReduceMin and GlobalMaxPool": reduces_nan,
    "AveragePool and LpPool with `auto_pad` SAME, windows shorter than the input": leaves_elements_out,
}


def explain(model, feeds):
    """The name of the first row that is about the model, None if there is none."""
    return next((name for name, is_about in ROWS.items() if is_about(model, feeds)), None)


def undocumented():
    """Rows that the document does not have."""
    text = (ROOT / "docs" / "Conventions.md").read_text()
    return [name for name in ROWS if f"| {name} |" not in text]
