# ===- judging.py - How the results of a case are judged --------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The suite compares element by element, with a tolerance. Some operators need
# another rule; RULES lists them, docs/Testing.md says why.
# ===------------------------------------------------------------------------===//
"""The table of cases that are not compared element by element."""

import numpy as np

from Harness import randomness

# Errors of a transform relative to its largest number, in units of the type's precision.
TRANSFORM_UNITS = 8


def judge_transform(run, expected):
    """Fourier transforms are accurate relative to the largest of their numbers, not to each."""
    for got, wanted in zip(run(), expected, strict=True):
        assert got.shape == wanted.shape, f"incorrect shape {got.shape}, expected {wanted.shape}"
        assert got.dtype == wanted.dtype, f"type mismatch: {got.dtype}, expected {wanted.dtype}"
        error = np.abs(got.astype(np.float64) - wanted.astype(np.float64)).max(initial=0)
        limit = TRANSFORM_UNITS * np.finfo(wanted.dtype).eps * np.abs(wanted).max(initial=0)
        assert error <= limit, f"mismatch: Max absolute difference {error}, at most {limit} is expected"


def transform_rule(model, inputs):
    return judge_transform if randomness.only_node(model, "DFT", "STFT") else None


# Which cases: how. Each gives a function of `run` and what is expected, or None.
RULES = {"random results": randomness.rule_of, "Fourier transforms": transform_rule}


def rule_of(model, inputs):
    """How the model's results are judged; None if element by element."""
    return next((judge for rule in RULES.values() if (judge := rule(model, inputs))), None)
