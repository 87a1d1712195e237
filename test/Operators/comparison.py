# ===- comparison.py - When are two results the same? ----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Comparison of values of any kind."""

import numpy as np
import schemas

# Relative to the largest value of the result, and to each: a few of the last bits.
TOLERANCES = {"float": 1e-5, "double": 1e-7, "float16": 4e-3, "bfloat16": 3e-2, "complex64": 1e-5, "complex128": 1e-7}


def as_numbers(array):
    if array.dtype.kind in "fc":
        return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    return array.astype(np.float32).astype(np.float64)


def tensors_differ(ours, theirs, tolerance, slack, part):
    """What is wrong with a tensor, None if nothing."""
    theirs = np.asarray(theirs)
    if theirs.dtype.kind in "US":
        theirs = theirs.astype(object)
    if ours.shape != theirs.shape:
        return f"shape {list(ours.shape)} instead of {list(theirs.shape)}"
    if ours.dtype != theirs.dtype:
        return f"{ours.dtype} instead of {theirs.dtype}"
    if ours.dtype.kind in "fc" or (ours.dtype.kind not in "Ob" and schemas.is_real(ours.dtype)):
        mine, other = as_numbers(ours), as_numbers(theirs)
        bound = part * max(1.0, float(np.abs(other[np.isfinite(other)]).max(initial=0)))
        wrong = ~np.isclose(mine, other, tolerance, bound, equal_nan=True)
    elif slack:
        wrong = np.abs(ours.astype(np.int64) - theirs.astype(np.int64)) > slack
    else:
        wrong = ours != theirs
    if not np.any(wrong):
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{ours[at]} instead of {theirs[at]} at {list(at)}, {np.sum(wrong)} of {ours.size} differ"


def differs(ours, theirs, tolerance=0, slack=0, part=None):
    """What is wrong with a value of any kind, None if nothing.

    Floats may differ by `tolerance` of themselves or `part` of the largest, integers by `slack`.
    """
    part = tolerance if part is None else part
    if isinstance(theirs, np.ndarray) and theirs.dtype == object and theirs.shape == () and isinstance(theirs.item(), dict):
        theirs = theirs.item()
    if ours is None or theirs is None:
        return None if ours is theirs else "one is empty"
    if isinstance(theirs, dict) or isinstance(ours, dict):
        if not isinstance(ours, dict) or not isinstance(theirs, dict) or sorted(ours) != sorted(theirs):
            return f"{ours} instead of {theirs}"
        pairs = [(np.asarray(ours[k]), np.asarray(v).astype(np.asarray(ours[k]).dtype)) for k, v in theirs.items()]
    elif isinstance(theirs, (list, tuple)) or isinstance(ours, (list, tuple)):
        if not isinstance(ours, (list, tuple)) or not isinstance(theirs, (list, tuple)):
            return "one is a sequence"
        if len(ours) != len(theirs):
            return f"a sequence of {len(ours)} instead of {len(theirs)}"
        pairs = list(zip(ours, theirs))
    else:
        return tensors_differ(np.asarray(ours), theirs, tolerance, slack, part)
    return next((problem for o, t in pairs if (problem := differs(o, t, tolerance, slack, part))), None)
