# ===- table.py - How a small node of each operator is made -----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A row is a function that is given a maker and returns a node: the maker draws
# the operands (fresh ones for the types suite, values of the graph for random
# models) and makes the choices. The files of rows/ hold them by family;
# operators whose operands just have one shape need none.
# ===------------------------------------------------------------------------===//
"""The table of rows, and makers of operands."""

import typing

import numpy as np

import schemas


class Operand(typing.NamedTuple):
    """An input: its type, its value, and whether it says how rather than on what the operator works."""

    kind: str
    value: object
    structural: bool = False
    # The value of a random model that it is.
    source: object = None


class Node(typing.NamedTuple):
    """A node to be; an input that is None is absent. Graphs inside read what is captured by these names."""

    inputs: list
    attributes: dict = {}
    outputs: int = 1
    captured: dict = {}
    # The types of the results where the schema leaves them to a graph inside.
    kinds: tuple = ()


def always(types):
    return True


class Row(typing.NamedTuple):
    make: typing.Callable
    # Constraints whose type follows from the others: {name: function of the other types}.
    follows: dict = {}
    # Whether all combinations of types are tried, not one constraint after the other.
    combine: bool = False
    # Whether results are random numbers, of which only the type and the shape can be compared.
    random: bool = False
    # Whether the operator works on that combination of types; the schema may not be able to say.
    allows: typing.Callable = always
    # By how much whole results may differ: those of quantised arithmetic.
    slack: int = 0
    # By how much floats may, where more than their type allows.
    tolerance: float = 0
    # Numbers of outputs that have no defined value.
    undefined: tuple = ()
    # What the standard says where no other implementation knows: a function of the case and the node.
    expect: typing.Callable = None


ROWS = {}
# Operators that need operands from a range, or would give NaN or infinity.
RANGES = {
    "Acos": (-1, 1), "Acosh": (1, 9), "Asin": (-1, 1), "Atanh": (-0.9, 0.9), "Log": (0.1, 9), "Sqrt": (0, 9),
    "Reciprocal": (0.5, 3), "Cosh": (-3, 3), "Sinh": (-3, 3), "Exp": (-3, 3), "Tan": (-1, 1),
    "ReduceLogSum": (0.5, 3), "LpNormalization": (0.5, 3), "Shrink": (-3, 3),
}  # fmt: skip


def row(*names, **facts):
    def register(function):
        for name in names:
            ROWS[name] = Row(function, **facts)
        return function

    return register


def same_shape(maker):
    """The node of an operator without a row: all operands that it must have, of one shape."""
    signature, low, high = maker.signature, *RANGES.get(maker.signature.name, (None, None))
    shape, operands = maker.shape(3, 4), []
    for formal in signature.inputs:
        if formal.option != "optional":
            count = 2 if formal.option == "variadic" else 1
            operands += [maker.tensor(formal.kind, shape, low, high) for _ in range(count)]
    return Node(operands, {}, sum(f.option != "optional" for f in signature.outputs))


def row_of(signature):
    """The row of an operator, None if it lacks one."""
    found = ROWS.get(signature.key)
    if found or signature.required or signature.domain == "com.microsoft":
        return found
    return Row(same_shape)


class Maker:
    """Makes the smallest node: the first of all choices, fresh operands."""

    def __init__(self, signature, types, rng):
        self.signature, self.types, self.rng = signature, types, rng

    def kind(self, name):
        """The type of a constraint by name; other names are element types."""
        return self.types.get(name) or (name if "(" in name else f"tensor({name})")

    def element(self, name):
        return schemas.element_of(self.kind(name))

    def type_number(self, name):
        return schemas.type_number(self.element(name))

    def dtype(self, name):
        return schemas.dtype_of(self.element(name))

    def is_real(self, name):
        return schemas.is_real(self.dtype(name))

    # What random models choose otherwise.
    def pick(self, *choices):
        return choices[0]

    def size(self, smallest):
        return smallest

    def shape(self, *sizes):
        return list(sizes)

    def tensor(self, name, shape, low=None, high=None):
        return Operand(self.kind(name), schemas.value(self.rng, self.kind(name), shape, low, high))

    def given(self, name, array):
        """An operand with this value, in the type of that name."""
        return Operand(self.kind(name), np.asarray(array).astype(self.dtype(name)))

    def integers(self, *values, name="int64"):
        """A structural operand: sizes, axes and their like."""
        return self.given(name, list(values))._replace(structural=True)


def complete(row, types):
    """The types with those that follow from others; None if the operator does not work on them."""
    types = dict(types)
    for name, rule in row.follows.items():
        types[name] = rule(types)
    return types if row.allows(types) else None


def preferred(allowed):
    """The type that stands while another constraint varies."""
    for kind in ("tensor(float)", "tensor(int64)", "seq(tensor(float))", "optional(tensor(float))", "map(int64, float)"):
        if kind in allowed:
            return kind
    return allowed[0]


def combinations(signature, row):
    """The types to try: one constraint after the other, or all at once."""
    base = {name: preferred(allowed) for name, allowed in signature.constraints.items()}
    free = [name for name in base if name not in row.follows]
    if row.combine:
        found = [{}]
        for name in free:
            found = [{**types, name: kind} for types in found for kind in signature.constraints[name]]
    else:
        found = [{**base, name: kind} for name in free for kind in signature.constraints[name]]
    unique = {}
    for types in found or [{}]:
        types = complete(row, types)
        if types is not None:
            unique[tuple(sorted(types.items()))] = types
    return list(unique.values())


import rows  # noqa: E402, F401, fills ROWS
