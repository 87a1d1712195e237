# ===- templates/node.py - What a template gives ---------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Each template looks for values it can work on and returns a node, or None. A
# value knows whether its numbers are the same in every correct implementation
# ("exact"): rounding, comparing and counting take only such values, or a last
# bit would become an integer.
# ===------------------------------------------------------------------------===//
"""Node, and the list of templates: functions of a Draw that return a Node or None."""

import typing

import numpy as np

FLOATS = (np.float32, np.float64, np.float16)
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
SIGNED = (np.int8, np.int16, np.int32, np.int64)
NUMBERS = FLOATS + INTEGERS
ANY = NUMBERS + (np.bool_,)
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
    # Whom to believe: the reference, or it and onnxruntime where they agree ("both"), or "onnxruntime" at least and unless
    # the reference disagrees, or "onnxruntime alone"; "agreement" is both and nothing less.
    trust: str = "reference"
    # A function that says what the standard wants, where the others do not know.
    expect: typing.Callable = None
    # Types of the outputs where values do not tell.
    kinds: tuple = ()
    # What is wrong with a result, a function of ours and theirs, where it is of no use to other nodes.
    judge: typing.Callable = None

    @property
    def key(self):
        return f"{self.domain}.{self.operator}" if self.domain else self.operator

    def is_exact(self, array):
        """Whether exact inputs give this exact output although not all outputs are: no floats."""
        return self.trust != "reference" and isinstance(array, np.ndarray) and array.dtype.kind in "OUSbiu"


def template(function):
    TEMPLATES.append(function)
    return function


def has(value, dtypes, min_rank=0, max_rank=9):
    return value.array.dtype.type in dtypes and min_rank <= value.array.ndim <= max_rank
