# ===- draw.py - A random model as it grows ---------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Every node is computed as it is drawn, so that its results can be drawn on.
# What the reference implementation says counts where it is known to be right;
# nodes from the table of all operators are shown to onnxruntime, too, and left
# out where the two disagree.
# ===------------------------------------------------------------------------===//
"""Values and models as they are drawn."""

import functools
import warnings

import comparison
import numpy as np
import onnx
import references
import schemas
from dressing import declared_shape, dress, given_inputs
from older_forms import at_opset
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from properties import PROPERTIES

# Relative, and as a part of the largest value; a node after the other adds to the error. Of f64 some compute parts in
# f32, or with constants of f32.
TOLERANCES = {"float16": (5e-2, 2e-2), "bfloat16": (2e-1, 1e-1), "float": (2e-3, 2e-4), "double": (5e-6, 1e-6),
              "complex64": (2e-3, 2e-4), "complex128": (5e-6, 1e-6)}  # fmt: skip
LARGEST = 1e4
MOST_ELEMENTS = 20000
# Sizes beside and at those of vectors, tiles and blocks.
BORDERS = (15, 16, 31, 32, 33, 47, 49, 63, 64, 65, 127, 128, 129, 257, 1000)
NEWEST = references.OPSETS[""]
# What the standard leaves no doubt about where a number is infinite or none.
SPECIAL = frozenset(
    "Abs Add Ceil Clip Compress Concat Cos Div Elu Equal Erf Exp Expand Flatten Floor Gather GatherElements GatherND Gemm "
    "Greater GreaterOrEqual Identity If IsInf IsNaN LeakyRelu Less LessOrEqual Log Loop MatMul Max Min Mul Neg Pad Reciprocal "
    "ReduceMax ReduceMean ReduceMin ReduceSum Relu Reshape ReverseSequence Round Scan ScatterElements ScatterND Sigmoid Sign "
    "Sin Slice Softmax Split Sqrt Squeeze Sub Tanh Tile Transpose Trilu Unsqueeze Where".split()
)


def opsets_of(opset):
    return [helper.make_opsetid(domain, version) for domain, version in {**references.OPSETS, "": opset}.items()]


def kind_of(value):
    """The type of a value; of a sequence that of its first element, or floats."""
    if isinstance(value, (list, tuple)):
        return f"seq({kind_of(value[0]) if value else 'tensor(float)'})"
    return schemas.type_of(np.asarray(value).dtype)


def is_finite(array):
    is_real = array.dtype.kind == "c" or (array.dtype.kind not in "ObiuUS" and schemas.is_real(array.dtype))
    return not is_real or bool(np.isfinite(comparison.as_numbers(array)).all())


class Value:
    """A value of the model. Its tolerance is the widest of what it is made from."""

    def __init__(self, name, array, exact, is_constant=False, sources=(), kind=None):
        self.name, self.array, self.exact, self.is_constant = name, array, exact, is_constant
        self.kind = kind or kind_of(array)
        own = TOLERANCES.get(schemas.element_of(self.kind), (0, 0))
        self.tolerance = max([own, *(v.tolerance for v in sources)])
        self.is_read = False
        self.is_finite = not self.is_tensor or is_finite(np.asarray(array))
        # What is wrong with ours where no other numbers are right: a function of it.
        self.problem = None

    @property
    def is_tensor(self):
        return self.kind.startswith("tensor")


OWN = object()


def value_info(value, shape=OWN):
    """The declaration of a value with these sizes, or those it has; None leaves the rank out."""
    if shape is OWN:
        shape = value.array.shape if value.is_tensor else None
    return helper.make_value_info(value.name, schemas.type_proto(value.kind, shape))


def single_model(proto, values, names, opset):
    infos = [value_info(v) for v in {v.name: v for v in values}.values()]
    graph = helper.make_graph([proto], "g", infos, [onnx.ValueInfoProto(name=n) for n in names])
    return helper.make_model(graph, opset_imports=opsets_of(opset), ir_version=10)


def by_reference(proto, values, names, opset):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(single_model(proto, values, names, opset)).run(names, {v.name: v.array for v in values})


# The newest opset that onnxruntime has, and the last one in which it has the operators whose types alone have changed since.
PEER_OPSETS = (24, 21)


def older(model, newest):
    """The same model in an opset that is no newer."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for imports in [copy, *copy.functions]:
        for opset in imports.opset_import:
            if opset.domain == "":
                opset.version = min(opset.version, newest)
    return copy


def run_peer(model, feeds, names, newest=PEER_OPSETS[0]):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(older(model, newest).SerializeToString(), options, providers=["CPUExecutionProvider"])
    taken = {i.name for i in session.get_inputs()}
    return session.run(names, {n: v for n, v in feeds.items() if n in taken})


def by_peer(proto, values, names, opset):
    model, feeds = single_model(proto, values, names, opset), {v.name: v.array for v in values}
    try:
        return run_peer(model, feeds, names)
    except Exception:  # it refuses what it does not know
        return run_peer(model, feeds, names, PEER_OPSETS[1])


def attempt(ask, *arguments):
    try:
        return ask(*arguments)
    except Exception:  # it refuses what it does not know
        return None


def usable(value, may_be_special):
    """Whether a result may be drawn on: not too large, finite if its operands are."""
    if isinstance(value, (list, tuple)):
        return len(value) < 20 and all(usable(v, may_be_special) for v in value)
    if value is None or isinstance(value, dict):
        return isinstance(value, dict)
    array = np.asarray(value)
    if array.size > MOST_ELEMENTS or array.ndim > 8:
        return False
    if array.dtype.kind in "OUSbiu":
        return True
    numbers = np.abs(comparison.as_numbers(array))
    finite = numbers[np.isfinite(numbers)]
    return bool((may_be_special or finite.size == array.size) and finite.max(initial=0) < LARGEST)


def differs(ours, value, theirs=None):
    """What is wrong with an output, None if nothing."""
    if value.problem:
        problem = value.problem(ours)
        return f"{value.name}: {problem}" if problem else None
    theirs = value.array if theirs is None else theirs
    relative, part = value.tolerance
    problem = comparison.differs(ours, theirs, relative, part=part)
    return f"{value.name}: {problem}" if problem else None


class Draw:
    """A model as it grows, and the choices that templates make for it."""

    def __init__(self, rng, prefix="", depth=0, opset=NEWEST):
        self.rng, self.prefix, self.depth, self.opset = rng, prefix, depth, opset
        self.root = self
        self.values, self.containers, self.nodes, self.inputs, self.made = [], [], [], [], 0
        # Results that are judged by what must hold of them, and not drawn on.
        self.judged = []

    def chance(self, p):
        return self.rng.random() < p

    def integer(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def one(self, choices):
        return choices[self.rng.integers(0, len(choices))]

    def name(self, letter):
        self.made += 1
        return f"{self.prefix}{letter}{self.made}"

    def numbers(self, shape, dtype):
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.rng.random(shape) < 0.5
        if dtype.kind == "f":
            drawn = np.asarray(self.rng.standard_normal(shape))
            return self.sprinkled(drawn, [np.inf, -np.inf, np.nan, 0.0, -0.0], 0.03).astype(dtype)
        info = np.iinfo(dtype)
        drawn = np.asarray(self.rng.integers(max(info.min, -50), min(info.max, 50), shape)).astype(dtype)
        return self.sprinkled(drawn, [info.min, info.max, info.min + 1, info.max - 1], 0.1)

    def sprinkled(self, array, ends, chance):
        """The array, seldom with some of its elements at the ends of what the type has."""
        if not self.chance(chance):
            return array
        chosen = self.rng.random(array.shape) < 0.2
        return np.where(chosen, np.asarray(ends, array.dtype)[self.rng.integers(0, len(ends), array.shape)], array)

    def value(self, accept):
        """One of the tensors so far that is accepted, later ones more often; None if there is none."""
        found = [v for v in self.values if accept(v)]
        return found[-1 - min(int(self.rng.exponential(2)), len(found) - 1)] if found else None

    def constant(self, array):
        array = np.asarray(array)
        return Value(self.name("c"), array, True, is_constant=True)

    def given(self, array):
        """What most models know before they run: a constant, seldom an input."""
        return self.input(np.asarray(array)) if self.chance(0.12) else self.constant(array)

    def size(self, largest):
        """A size up to `largest`, at times one beside the size of a vector or tile."""
        return self.one(BORDERS) if self.chance(0.15) else self.integer(1, largest)

    def shape(self, rank):
        """Sizes of a tensor of that rank, one of them at times large."""
        shape = [self.one([1, 2, 3, 5, 8, 17] if rank < 5 else [1, 1, 2, 3]) for _ in range(rank)]
        if shape and self.chance(0.07):
            shape[self.integer(0, rank - 1)] = 0
        if shape and self.chance(0.25):
            place, large = self.integer(0, rank - 1), self.one(BORDERS)
            while np.prod(shape[:place] + shape[place + 1 :], initial=large) > MOST_ELEMENTS // 4:
                shape = [(n + 1) // 2 for n in shape]
            shape[place] = large
        return shape

    def input(self, array, kind=None):
        """A new input of the model; inside of a body often a constant, or one of the model around it."""
        is_tensor = kind is None or kind.startswith("tensor")
        if self.depth and is_tensor and self.chance(0.7):
            return self.constant(array)
        value = Value(self.root.name("x"), array, True, kind=kind)
        self.root.inputs.append(value)
        self.root.keep(value)
        if self.depth:
            self.keep(value)
        return value

    def keep(self, value):
        (self.values if value.is_tensor else self.containers).append(value)

    def axis(self, x):
        return self.integer(-x.array.ndim, x.array.ndim - 1)

    def axes(self, x):
        count = self.integer(1, x.array.ndim)
        return sorted(int(a) for a in self.rng.permutation(x.array.ndim)[:count])

    @staticmethod
    def broadcasts(x, y):
        return all(n == m or 1 in (n, m) for n, m in zip(x.array.shape[::-1], y.array.shape[::-1]))

    @staticmethod
    def type_number(dtype):
        return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))

    def body(self):
        """A model inside of this one, which may read the tensors so far."""
        inner = Draw(self.rng, self.name("b") + "_", self.depth + 1, self.opset)
        inner.root = self.root
        inner.values, inner.containers = list(self.values), list(self.containers)
        return inner

    def results(self, proto, node, names):
        """What the node computes; None if that is not known for sure."""
        if node.expect:
            return attempt(node.expect)
        read = [v for v in [*node.inputs, *node.captured] if v is not None]
        is_special = not all(v.is_finite for v in read)
        if is_special and node.operator not in SPECIAL:
            return None
        reference = attempt(by_reference, proto, read, names, self.opset)
        if node.trust == "reference" and reference is not None and not is_special:
            return reference
        peer = attempt(by_peer, proto, read, names, self.opset)
        if node.trust == "onnxruntime alone":
            return peer
        if (is_special or node.trust == "agreement") and (peer is None or reference is None):
            return None
        if peer is None or reference is None:
            return peer if reference is None or node.trust == "onnxruntime" else reference
        made = [Value(n, r, True, sources=read) for n, r in zip(names, peer)]
        apart = [(node.key, i) in PROPERTIES for i in range(len(made))]
        return None if any(differs(r, v) for v, r, a in zip(made, reference, apart) if not a) else peer

    def trust_inside(self, proto, node, names, arrays):
        """Whom to believe of a graph that holds the node, whose results the text says: onnxruntime if it says the same."""
        read = [v for v in [*node.inputs, *node.captured] if v is not None]
        peer = attempt(by_peer, proto, read, names, self.opset)
        made = [Value(n, a, True, sources=read) for n, a in zip(names, arrays)]
        return "agreement" if peer is None or any(differs(p, v) for v, p in zip(made, peer)) else "onnxruntime"

    def judge_apart(self, node, number, value, arrays):
        """The value is judged by what must hold of it."""
        relative, part = value.tolerance = max(value.tolerance, *(v.tolerance for v in node.inputs if v))
        rule, inputs = PROPERTIES[node.key, number], [v and v.array for v in node.inputs]

        def problem(ours):
            outputs = [*arrays[:number], ours, *arrays[number + 1 :]]
            return rule.problem(node.attributes, inputs, outputs, (relative, 0, part))

        value.problem = problem
        self.judged.append(value)

    def add(self, node):
        """Computes the node; returns its results, None if they are of no use."""
        node = at_opset(node, self.opset)
        if node is None:
            return None
        names = [self.name("v") for _ in range(node.outputs)]
        inputs = ["" if v is None else v.name for v in node.inputs]
        proto = helper.make_node(node.operator, inputs, names, f"{self.prefix}n{len(self.nodes)}", domain=node.domain, **node.attributes)
        arrays = self.results(proto, node, names)
        is_special = any(v is not None and not v.is_finite for v in [*node.inputs, *node.captured])
        if arrays is None or not all(usable(a, is_special) for a in arrays):
            return None
        if any(k.startswith("tensor") and kind_of(a) != k for k, a in zip(node.kinds, arrays)):
            return None  # it takes another type for the result than the schema says
        if node.expect and self.depth:
            node = node._replace(trust=self.trust_inside(proto, node, names, arrays))
        read = [v for v in [*node.inputs, *node.captured] if v is not None]
        exact = all(v.exact for v in read)
        for v in read:
            v.is_read = True
        arrays = [a if isinstance(a, (list, dict)) else np.asarray(a) for a in arrays]
        arrays = [a.astype(object) if isinstance(a, np.ndarray) and a.dtype.kind in "US" else a for a in arrays]
        made = [Value(n, a, exact and (node.keeps or node.is_exact(a)), sources=read, kind=k) for n, a, k in zip(names, arrays, node.kinds or [None] * len(names))]
        for number, value in enumerate(made):
            if node.judge:
                value.problem = functools.partial(node.judge, theirs=value.array)
                self.judged.append(value)
            elif (node.key, number) in PROPERTIES:
                self.judge_apart(node, number, value, arrays)
            else:
                self.keep(value)
        self.nodes.append((proto, node))
        return made

    def grow(self, templates, wanted):
        tries = 0
        while len(self.nodes) < wanted and tries < 6 * wanted:
            tries += 1
            node = self.one(templates)(self)
            if node:
                self.add(node)

    def stored(self):
        """The constants that the nodes read, as initialisers."""
        read = {v.name: v for _, n in self.nodes for v in n.inputs if v is not None and v.is_constant}
        return [numpy_helper.from_array(v.array, name) for name, v in read.items()]

    def outside(self):
        """The values of the models around this one that it reads."""
        own = {name for proto, _ in self.nodes for name in proto.output}
        read = {v.name: v for _, n in self.nodes for v in [*n.inputs, *n.captured] if v is not None and not v.is_constant}
        return [v for name, v in read.items() if name not in own]

    def model(self, outputs, mode, seed):
        """(the model with these outputs, the values of its inputs)"""
        rng = np.random.default_rng([seed, 1])
        given = given_inputs(self.inputs, mode)
        shapes = {v.name: declared_shape(v, mode, rng) for v in self.inputs if v.is_tensor}
        infos = [value_info(v, shapes.get(v.name, OWN)) for v in given]
        ends = [value_info(v, declared_shape(v, mode, rng) if v.is_tensor else OWN) for v in outputs]
        stored = self.stored() + [numpy_helper.from_array(v.array, v.name) for v in self.inputs if v not in given]
        graph = helper.make_graph([p for p, _ in self.nodes], "g", infos, ends, stored)
        model = helper.make_model(graph, opset_imports=opsets_of(self.opset), ir_version=12)
        dress(model, rng)
        return model, [v.array for v in given]
