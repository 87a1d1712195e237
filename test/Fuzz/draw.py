# ===- draw.py - A random model as it grows ---------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Every node is computed as it is drawn, so that its results can be drawn on.
# What the reference implementation says counts where it is known to be right;
# nodes from the table of all operators are shown to onnxruntime, too, and left
# out where the two disagree.
# ===------------------------------------------------------------------------===//
"""Values and models as they are drawn."""

import warnings

import numpy as np
import onnx
import references
import schemas
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

# Relative, and as a part of the largest value; a node after the other adds to the error. Of f64 some compute parts in
# f32, or with constants of f32.
TOLERANCES = {"float16": (5e-2, 2e-2), "bfloat16": (2e-1, 1e-1), "float": (2e-3, 2e-4), "double": (5e-6, 1e-6),
              "complex64": (2e-3, 2e-4), "complex128": (5e-6, 1e-6)}  # fmt: skip
LARGEST = 1e4
OPSETS = [helper.make_opsetid(domain, version) for domain, version in references.OPSETS.items()]


def kind_of(value):
    """The type of a value; of a sequence that of its first element, or floats."""
    if isinstance(value, (list, tuple)):
        return f"seq({kind_of(value[0]) if value else 'tensor(float)'})"
    return schemas.type_of(np.asarray(value).dtype)


class Value:
    """A value of the model. Its tolerance is the widest of what it is made from."""

    def __init__(self, name, array, exact, is_constant=False, sources=(), kind=None):
        self.name, self.array, self.exact, self.is_constant = name, array, exact, is_constant
        self.kind = kind or kind_of(array)
        own = TOLERANCES.get(schemas.element_of(self.kind), (0, 0))
        self.tolerance = max([own, *(v.tolerance for v in sources)])
        self.is_read = False

    @property
    def is_tensor(self):
        return self.kind.startswith("tensor")


def value_info(value, unknown):
    shape = None
    if value.is_tensor:
        shape = [f"{value.name}_{i}" for i in range(value.array.ndim)] if unknown else value.array.shape
    return helper.make_value_info(value.name, schemas.type_proto(value.kind, shape))


def single_model(proto, values, names, opsets=None):
    infos = [value_info(v, False) for v in {v.name: v for v in values}.values()]
    graph = helper.make_graph([proto], "g", infos, [onnx.ValueInfoProto(name=n) for n in names])
    return helper.make_model(graph, opset_imports=opsets or OPSETS, ir_version=10)


def by_reference(proto, values, names):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(single_model(proto, values, names)).run(names, {v.name: v.array for v in values})


def older(model):
    """The same model in an opset that onnxruntime has."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for opset in copy.opset_import:
        if opset.domain == "":
            opset.version = 24
    return copy


def run_peer(model, feeds, names):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(older(model).SerializeToString(), options, providers=["CPUExecutionProvider"])
    taken = {i.name for i in session.get_inputs()}
    return session.run(names, {n: v for n, v in feeds.items() if n in taken})


def by_peer(proto, values, names):
    return run_peer(single_model(proto, values, names), {v.name: v.array for v in values}, names)


def attempt(ask, *arguments):
    try:
        return ask(*arguments)
    except Exception:  # it refuses what it does not know
        return None


def usable(value):
    """Whether a result may be drawn on: not too large, finite."""
    if isinstance(value, (list, tuple)):
        return len(value) < 20 and all(usable(v) for v in value)
    if value is None or isinstance(value, dict):
        return isinstance(value, dict)
    array = np.asarray(value)
    if array.size > 5000 or array.ndim > 6:
        return False
    if array.dtype.kind in "OUSbiu":
        return True
    numbers = np.abs(references.as_numbers(array))
    return bool(np.isfinite(numbers).all() and (array.size == 0 or numbers.max() < LARGEST))


def differs(ours, value, theirs=None):
    """What is wrong with an output, None if nothing."""
    theirs = value.array if theirs is None else theirs
    relative, part = value.tolerance
    problem = references.differs(ours, theirs, relative, part=part)
    return f"{value.name}: {problem}" if problem else None


class Draw:
    """A model as it grows, and the choices that templates make for it."""

    def __init__(self, rng, prefix="", depth=0):
        self.rng, self.prefix, self.depth = rng, prefix, depth
        self.values, self.containers, self.nodes, self.inputs, self.made = [], [], [], [], 0

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
            return np.asarray(self.rng.standard_normal(shape)).astype(dtype)
        info = np.iinfo(dtype)
        return np.asarray(self.rng.integers(max(info.min, -50), min(info.max, 50), shape)).astype(dtype)

    def value(self, accept):
        """One of the tensors so far that is accepted, later ones more often; None if there is none."""
        found = [v for v in self.values if accept(v)]
        return found[-1 - min(int(self.rng.exponential(2)), len(found) - 1)] if found else None

    def constant(self, array):
        array = np.asarray(array)
        return Value(self.name("c"), array, True, is_constant=True)

    def input(self, array, kind=None):
        """A new input of the model; inside of a body a constant."""
        if self.depth:
            return self.constant(array)
        value = Value(self.name("x"), array, True, kind=kind)
        self.inputs.append(value)
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
        inner = Draw(self.rng, self.name("b") + "_", self.depth + 1)
        inner.values, inner.containers = list(self.values), list(self.containers)
        return inner

    def results(self, proto, node, names):
        """What the node computes; None if that is not known for sure."""
        if node.expect:
            return attempt(node.expect)
        read = [v for v in [*node.inputs, *node.captured] if v is not None]
        reference = attempt(by_reference, proto, read, names)
        if node.trust == "reference":
            return reference
        peer = attempt(by_peer, proto, read, names)
        if peer is None or reference is None:
            return peer if reference is None or node.trust == "onnxruntime" else reference
        made = [Value(n, r, True, sources=read) for n, r in zip(names, peer)]
        return None if any(differs(r, v) for v, r in zip(made, reference)) else peer

    def add(self, node):
        """Computes the node; returns its results, None if they are of no use."""
        names = [self.name("v") for _ in range(node.outputs)]
        inputs = ["" if v is None else v.name for v in node.inputs]
        proto = helper.make_node(node.operator, inputs, names, f"{self.prefix}n{len(self.nodes)}", domain=node.domain, **node.attributes)
        arrays = self.results(proto, node, names)
        if arrays is None or not all(usable(a) for a in arrays):
            return None
        if any(k.startswith("tensor") and kind_of(a) != k for k, a in zip(node.kinds, arrays)):
            return None  # it takes another type for the result than the schema says
        read = [v for v in [*node.inputs, *node.captured] if v is not None]
        exact = all(v.exact for v in read)
        for v in read:
            v.is_read = True
        arrays = [a if isinstance(a, (list, dict)) else np.asarray(a) for a in arrays]
        arrays = [a.astype(object) if isinstance(a, np.ndarray) and a.dtype.kind in "US" else a for a in arrays]
        made = [Value(n, a, exact and (node.keeps or node.is_exact(a)), sources=read, kind=k) for n, a, k in zip(names, arrays, node.kinds or [None] * len(names))]
        for value in made:
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

    def model(self, outputs, unknown):
        infos = [value_info(v, unknown) for v in self.inputs]
        ends = [value_info(v, unknown) for v in outputs]
        graph = helper.make_graph([p for p, _ in self.nodes], "g", infos, ends, self.stored())
        return helper.make_model(graph, opset_imports=OPSETS, ir_version=12)
