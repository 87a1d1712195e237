# ===- any_operator.py - Nodes of all operators and types -------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Draws from the table of test/Operators: an operator, a type for each of its
# constraints, operands of the graph where they fit or can be made to fit.
# ===------------------------------------------------------------------------===//
"""A template that gives a node of any operator."""

import functools
import typing

import comparison
import numpy as np
import references
import schemas
import table
from draw import BORDERS
from templates import Node

# Small changes of their operands change their results little.
SMOOTH = frozenset(
    "Acos Acosh Add AffineGrid Asin Asinh Atan Atanh Attention AveragePool BatchNormalization CausalConvWithState Celu Conv "
    "ConvTranspose Cos Cosh CumSum Det DFT Einsum Elu Erf Exp Gelu Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool "
    "GroupNormalization GRU HardSigmoid HardSwish InstanceNormalization LayerNormalization LeakyRelu Log LogSoftmax LRN LSTM "
    "LpNormalization LpPool MatMul MaxPool Mean MeanVarianceNormalization Mish Mul PRelu ReduceL1 ReduceL2 ReduceLogSum "
    "ReduceLogSumExp ReduceMean ReduceProd ReduceSum ReduceSumSquare Relu RMSNormalization RNN RotaryEmbedding Selu Sigmoid "
    "Sin Sinh Softmax Softplus Softsign Sqrt STFT Sub Sum SwiGLU Swish Tan Tanh".split()
)
# Where the reference alone is not to be believed: it joins what loops give along a dimension that is there, has optionals
# that are lists, drops imaginary parts, and takes the mean of windows over the edge for their sum divided by their size.
DOUBTFUL = frozenset("Loop LpPool Resize".split())
# Where it is wrong: it forgets the lengths of sequences and the dimension of vectors, and takes other elements for the nearest.
WRONG = frozenset("RNN GRU LSTM LRN DictVectorizer".split())
# Where onnxruntime takes what is not a model: it leaves empty tensors of other shapes out.
LENIENT = frozenset(["ConcatFromSequence"])
# The reference puts the number 0 between strings.
FILLS = frozenset("CenterCropPad GridSample Trilu".split())
# Files, what names values around it, and what onnxruntime rounds as it goes.
LEFT_OUT = frozenset(["ImageDecoder", "ai.onnx.preview.training.Gradient", "com.microsoft.DynamicQuantizeLSTM",
                      "com.microsoft.DynamicQuantizeMatMul", "com.microsoft.QAttention"])
WINDOWS = ("BlackmanWindow", "HammingWindow", "HannWindow")
# Types for which there is one right result: the reference divides in the wider type of the two, not in that of the scale;
# the largest values of windows are or are not quite 1, which integers tell apart.
RIGHT_FOR = {
    "QuantizeLinear": lambda types: types["T1"] == types["T2"],
    **dict.fromkeys(WINDOWS, lambda types: schemas.is_real(schemas.dtype_of(schemas.element_of(types["T2"])))),
}
MOVES = ("rows.movement", "rows.containers")
COMPUTES = frozenset(["Range", "Resize", "GridSample", "AffineGrid", "MelWeightMatrix", "Col2Im", *WINDOWS])


def drawable():
    for signature in schemas.all_signatures():
        row = table.row_of(signature)
        if row and signature.key not in LEFT_OUT:
            yield signature, row


OPERATORS = list(drawable())


class GraphMaker(table.Maker):
    """Makes a node of a random model: odd choices, and operands that are there already."""

    def __init__(self, signature, types, draw):
        super().__init__(signature, types, draw.rng)
        self.draw = draw

    def pick(self, *choices):
        return self.draw.one(choices)

    def size(self, smallest):
        if self.draw.chance(0.03):
            return self.draw.one(BORDERS)
        return self.draw.one([smallest, smallest, smallest + 1, 1, 2 * smallest + 1])

    def shape(self, *sizes):
        """Any shape: often that of a tensor that is there."""
        known = self.draw.value(lambda v: v.array.size < 500)
        if known and self.draw.chance(0.7):
            return list(known.array.shape)
        return [0 if self.draw.chance(0.03) else self.draw.integer(1, 5) for _ in range(self.draw.integer(0, 4))]

    def integers(self, *values, name="int64"):
        """How the node works, which seldom is known only when it runs."""
        return super().integers(*values, name=name)._replace(structural=not self.draw.chance(0.2))

    def container(self, kind, shape, low, high):
        """A sequence, often of tensors whose sizes differ; an optional, seldom empty; or a map."""
        if kind.startswith("optional") and self.draw.chance(0.15):
            return None
        made = schemas.value(self.rng, kind, shape, low, high)
        if kind.startswith("seq(tensor") and shape and self.draw.chance(0.4):
            sizes = [[self.draw.integer(1, 4) if self.draw.chance(0.5) else n for n in shape] for _ in range(self.draw.integer(1, 4))]
            made = [schemas.value(self.rng, kind[4:-1], each, low, high) for each in sizes]
        return made

    def tensor(self, name, shape, low=None, high=None):
        kind = self.kind(name)
        if not kind.startswith("tensor"):
            known = [v for v in self.draw.containers if v.kind == kind]
            if known and self.draw.chance(0.6):
                return self.operand(self.draw.one(known))
            return self.operand(self.draw.input(self.container(kind, shape, low, high), kind))
        found = self.find(kind, list(shape), low, high) if self.draw.chance(0.75) else None
        if found is None:
            array = schemas.value(self.rng, kind, shape, low, high)
            found = self.draw.input(array) if self.draw.chance(0.5) else self.draw.constant(array)
        return self.operand(found)

    def operand(self, value):
        return table.Operand(value.kind, value.array, source=value)

    def fits(self, value, kind):
        return value.kind == kind and (value.exact or self.signature.name in SMOOTH)

    def find(self, kind, shape, low, high):
        """A value of the graph that fits, if need be reshaped and clipped."""
        found = self.draw.value(lambda v: self.fits(v, kind) and list(v.array.shape) == shape)
        count = int(np.prod(shape))
        if found is None and count:
            found = self.draw.value(lambda v: self.fits(v, kind) and v.array.size >= count)
            found = self.reshaped(found, shape, count) if found and kind in SLICED else None
        if found is None or (low is None and high is None) or self.is_within(found.array, low, high):
            return found
        if not schemas.is_real(found.array.dtype) and found.array.dtype.kind not in "iu":
            return None
        if kind not in CLIPPED:
            return None
        bounds = [self.draw.constant(np.asarray(b, np.float64).astype(found.array.dtype)) for b in (low or 0, high)]
        return self.first(Node("Clip", [found, *bounds], keeps=True))

    def reshaped(self, value, shape, count):
        def ints(*numbers):
            return self.draw.constant(np.array(numbers, np.int64))

        flat = self.first(Node("Reshape", [value, ints(-1)], keeps=True))
        part = flat and self.first(Node("Slice", [flat, ints(0), ints(count)], keeps=True)) if value.array.size > count else flat
        return part and self.first(Node("Reshape", [part, ints(*shape)], keeps=True))

    def first(self, node):
        made = self.draw.add(node)
        return made and made[0]

    @staticmethod
    def is_within(array, low, high):
        if array.dtype.kind in "ObcV" and not schemas.is_real(array.dtype):
            return array.dtype.kind in "Obc"
        numbers = array.astype(np.float64)
        return array.size == 0 or (numbers.min() >= (low or 0) and numbers.max() <= high)

    def value_of(self, operand):
        """The value that an operand is in the graph."""
        if operand is None:
            return None
        if operand.source is not None and operand.source.array is operand.value:
            return operand.source
        if operand.structural or self.draw.chance(0.5) or not operand.kind.startswith("tensor"):
            return self.draw.constant(operand.value) if operand.kind.startswith("tensor") else self.draw.input(operand.value, operand.kind)
        return self.draw.input(operand.value)


TYPES = {s.name: s.constraints["T"] for s, _ in OPERATORS if s.name in ("Clip", "Slice")}
CLIPPED, SLICED = frozenset(TYPES["Clip"]), frozenset(TYPES["Slice"])


def judge_of(row, types):
    """How results are judged that are of no use to other nodes, as they may differ by one, or are random numbers."""
    if row.random:
        return lambda ours, theirs: None if (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype) else "another type or shape"
    if row.slack:
        tolerance = max([row.tolerance] + [comparison.TOLERANCES.get(schemas.element_of(k), 0) for k in types.values()])
        return lambda ours, theirs: comparison.differs(ours, theirs, tolerance, row.slack)
    return None


def believed(signature, row, types):
    """Whom to believe of a node of the operator."""
    if signature.name in WRONG:
        return "onnxruntime alone"
    if signature.name in LENIENT:
        return "agreement"
    fills = signature.name in FILLS and "tensor(string)" in types.values()
    # Its locale is not everywhere.
    is_alone = row.random or signature.name == "StringNormalizer"
    return "reference" if is_alone else "onnxruntime" if signature.name in DOUBTFUL or fills else "both"


class Drawn(typing.NamedTuple):
    """What rows want to know of a node with its types."""

    signature: schemas.Signature
    types: dict


def any_operator(d, choices=OPERATORS):
    signature, row = d.one(choices)
    there = {v.kind for v in [*d.values, *d.containers]}
    types = {}
    for name, allowed in signature.constraints.items():
        known = [kind for kind in allowed if kind in there]
        types[name] = d.one(known) if known and d.chance(0.7) else d.one(allowed)
    types = table.complete(row, types)
    if types is None or any(types[n] not in allowed for n, allowed in signature.constraints.items()):
        return None
    if signature.key in RIGHT_FOR and not RIGHT_FOR[signature.key](types):
        return None
    maker = GraphMaker(signature, types, d)
    try:
        made = row.make(maker)
    except (LookupError, ValueError):  # its operands do not go together
        return None
    if made.captured:
        return None
    kinds = tuple(references.result_kinds(signature, types, made))
    keeps = row.make.__module__ in MOVES and signature.name not in COMPUTES
    trust = believed(signature, row, types)
    expect = functools.partial(row.expect, Drawn(signature, types), made) if row.expect else None
    operands = [maker.value_of(o) for o in made.inputs]
    return Node(signature.name, operands, made.attributes, made.outputs, keeps, signature.domain, (), trust, expect, kinds, judge_of(row, types))
