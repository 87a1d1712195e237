# ===- kernels.py - The kernels of a model, as a recipe sees them ----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Read from the text that --emit=krnl prints: the loops, what each op runs over
# and reduces, and which loops index each operand.
# ===------------------------------------------------------------------------===//
"""Reads loops, ops and operands of the kernels in a printed module."""

import dataclasses
import re

KERNEL = re.compile(r'krnl\.kernel "(.*?)" loops \[(.*?)\].*?^\s*krnl\.yield', re.M | re.S)
COMPUTE = re.compile(r"krnl\.compute (?:\"[^\"]*\" )?\[([^\]|]*)(?:\| ?([^\]]*))?\] \((.*?)\) -> ")
# The last index of an operand: positions beside each other of windows that are further apart.
WINDOW = re.compile(r"(?:\[|, )([A-Za-z_][\w.]*) \* (\d+) \+ ([A-Za-z_][\w.]*)\]")
ACCESS = re.compile(r"= (%[\w#]+)(?:\[([^\]]*)\])?")


@dataclasses.dataclass
class Op:
    """A structured op of a kernel body: the axes it runs over and those it reduces."""

    axes: tuple
    reduced: frozenset


@dataclasses.dataclass
class Kernel:
    """What a recipe can be about: axes with their extents (None: unknown), ops, and the axes indexing each operand.

    Of windows along memory the axes of results and of positions, and how many positions results are apart.
    """

    name: str
    axes: dict
    ops: list
    operands: dict
    multiplies_bytes: bool
    windows: list


def read_op(match):
    parallel, reduced = (re.findall(r"[\w.]+", group or "") for group in (match[1], match[2]))
    return Op((*parallel, *reduced), frozenset(reduced))


def read_operands(match, op, numbers):
    """{number of the operand: axes that index it} for what the op reads from outside the kernel."""
    for name, indices in ACCESS.findall(match[3]):
        if name in numbers:
            yield numbers[name], set(re.findall(r"[A-Za-z_][\w.]*", indices)) & set(op.axes)


def read_kernels(text):
    """The kernels of a module printed by --emit=krnl, in order."""
    kernels = []
    for match in KERNEL.finditer(text):
        sizes = dict(re.findall(r'"?([\w.]+)"? = (\d+|%[\w#]+)', match[2]))
        axes = {name: None if size.startswith("%") else int(size) for name, size in sizes.items()}
        arguments = re.search(r"\^bb0\((.*?)\):\n", match[0])[1]
        inputs = re.search(r"\bins\((.*?) :", match[0].split("\n")[0])
        count = len(inputs[1].split(", ")) if inputs else 0
        numbers = {name: i for i, name in enumerate(re.findall(r"(%\w+): ", arguments)[:count])}
        ops, operands, windows = [], {}, []
        for op_match in COMPUTE.finditer(match[0]):
            ops.append(read_op(op_match))
            windows += [(moving, window, int(step)) for moving, step, window in WINDOW.findall(op_match[3])]
            for number, used in read_operands(op_match, ops[-1], numbers):
                operands[number] = operands.get(number, set()) | used
        bytes_ = re.search(r"arith\.ext[su]i %\S+ : i8 to i32", match[0]) and "arith.muli" in match[0]
        kernels.append(Kernel(match[1], axes, ops, operands, bool(bytes_), windows))
    return kernels
