#!/usr/bin/env python3
# ===- models.py - Random models against two other implementations ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Draws valid graphs of 1 to 30 nodes, compiles them with known or unknown
# sizes and compares with the reference implementation of the onnx package. Where
# results differ, onnxruntime is asked too: a model fails if nobody agrees with us.
# ===------------------------------------------------------------------------===//
"""Checks that random models compute what the reference implementation does.

  models.py                       a run of random models, seeded
  models.py --seed 7 --count 2000
  models.py --only 123            one model, verbosely: its number
Models that fail are kept in build/model-failures, cut down to the first value that is wrong.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import warnings

os.environ.setdefault("OM_NUM_THREADS", "2")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from operators import NUMBERS, TEMPLATES

from Harness import BUILD, artefact, isolation

FAILURES = BUILD / "model-failures"
OPSETS = [helper.make_opsetid("", 24)]
# Relative, and as a part of the largest value; a node after the other adds to the error.
TOLERANCES = {np.dtype(np.float16): (5e-2, 2e-2), np.dtype(np.float32): (2e-3, 2e-4), np.dtype(np.float64): (1e-8, 1e-9)}
LARGEST = 1e4


class Value:
    """An array of the model. Its tolerance is the widest of what it is made from."""

    def __init__(self, name, array, exact, is_constant=False, sources=()):
        self.name, self.array, self.exact, self.is_constant = name, array, exact, is_constant
        self.tolerance = max([TOLERANCES.get(array.dtype, (0, 0)), *(v.tolerance for v in sources)])
        self.is_read = False


class Draw:
    """A model as it grows, and the choices that templates make for it."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.values, self.nodes, self.inputs = [], [], []
        for i in range(self.integer(1, 3)):
            shape = [self.one([1, 2, 3, 5, 8, 17]) for _ in range(self.one([0, 1, 2, 2, 3, 3, 4, 4]))]
            dtype = self.one([np.float32, np.float32, np.float32, *NUMBERS, np.bool_])
            self.inputs.append(Value(f"x{i}", self.numbers(shape, dtype), True))
        self.values += self.inputs

    def chance(self, p):
        return self.rng.random() < p

    def integer(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def one(self, choices):
        return choices[self.rng.integers(0, len(choices))]

    def numbers(self, shape, dtype):
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.rng.random(shape) < 0.5
        if dtype.kind == "f":
            return np.asarray(self.rng.standard_normal(shape)).astype(dtype)
        info = np.iinfo(dtype)
        return np.asarray(self.rng.integers(max(info.min, -50), min(info.max, 50), shape)).astype(dtype)

    def value(self, accept):
        """One of the values so far that is accepted, later ones more often; None if there is none."""
        found = [v for v in self.values if accept(v)]
        return found[-1 - min(int(self.rng.exponential(2)), len(found) - 1)] if found else None

    def constant(self, array):
        value = Value(f"c{len(self.nodes)}_{self.rng.integers(1 << 60)}", np.asarray(array), True, is_constant=True)
        return value

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

    def add(self, node):
        """Computes the node by the reference; False if it has no usable result."""
        names = [f"v{len(self.nodes)}_{i}" for i in range(node.outputs)]
        proto = helper.make_node(node.operator, [v.name for v in node.inputs], names, f"n{len(self.nodes)}", **node.attributes)
        try:
            arrays = evaluate([proto], node.inputs, names)
        except Exception:  # the reference refuses what it does not know
            return False
        if not all(usable(a) for a in arrays):
            return False
        exact = node.keeps and all(v.exact for v in node.inputs)
        for v in node.inputs:
            v.is_read = True
        self.values += [Value(n, np.asarray(a), exact, sources=node.inputs) for n, a in zip(names, arrays)]
        self.nodes.append((proto, node.inputs))
        return True

    def model(self, outputs, unknown):
        constants = {v.name: v for _, inputs in self.nodes for v in inputs if v.is_constant}
        infos = [tensor_info(v, unknown) for v in self.inputs]
        initializers = [numpy_helper.from_array(v.array, n) for n, v in constants.items()]
        ends = [tensor_info(v, unknown) for v in outputs]
        graph = helper.make_graph([p for p, _ in self.nodes], "g", infos, ends, initializers)
        return helper.make_model(graph, opset_imports=OPSETS, ir_version=10)


def tensor_info(value, unknown):
    shape = [f"{value.name}_{i}" for i in range(value.array.ndim)] if unknown else value.array.shape
    return helper.make_tensor_value_info(value.name, Draw.type_number(value.array.dtype), shape)


def evaluate(nodes, values, names):
    infos = [tensor_info(v, False) for v in {v.name: v for v in values}.values()]
    graph = helper.make_graph(nodes, "g", infos, [onnx.ValueInfoProto(name=n) for n in names])
    model = helper.make_model(graph, opset_imports=OPSETS, ir_version=10)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(model).run(names, {v.name: v.array for v in values})


def usable(array):
    array = np.asarray(array)
    if array.size > 5000 or array.ndim > 6:
        return False
    return array.dtype.kind != "f" or bool(np.isfinite(array).all() and (array.size == 0 or np.abs(array).max() < LARGEST))


def draw_model(seed):
    draw = Draw(seed)
    wanted, tries = draw.one([1, 2, 3, 5, 8, 13, 20, 30]), 0
    while len(draw.nodes) < wanted and tries < 6 * wanted:
        tries += 1
        node = draw.one(TEMPLATES)(draw)
        if node:
            draw.add(node)
    return draw


def differs(ours, value):
    """What is wrong with an output, None if nothing."""
    theirs = value.array
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f"{value.name} is {ours.dtype}{list(ours.shape)} instead of {theirs.dtype}{list(theirs.shape)}"
    if theirs.dtype.kind != "f":
        return None if (ours == theirs).all() else f"{value.name} differs in {(ours != theirs).sum()} of {ours.size}"
    relative, part = value.tolerance
    bound = part * max(1.0, float(np.abs(theirs).max(initial=0)))
    wrong = ~np.isclose(ours, theirs, relative, bound, equal_nan=True)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{value.name} differs in {wrong.sum()} of {ours.size}: {ours[at]} instead of {theirs[at]} at {list(at)}"


def run_ours(model, inputs, reporter):
    with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
        path, library = pathlib.Path(scratch, "model.onnx"), pathlib.Path(scratch, "model.so")
        onnx.save(model, path)
        reporter.stage("compile")
        artefact.compile_model(path, library)
        reporter.stage("run")
        return artefact.load_session(library).run(inputs)


def peer_agrees(model, inputs, value, ours):
    """True if onnxruntime computes what we do."""
    try:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        (theirs,) = session.run([value.name], {f"x{i}": x for i, x in enumerate(inputs)})
    except Exception:  # it refuses what it does not know
        return False
    return differs(ours, Value(value.name, theirs, True, sources=[value])) is None


def first_wrong(draw, unknown, reporter):
    """The first value of the graph that is wrong when it is the only output."""
    inputs = [v.array for v in draw.inputs]
    for value in draw.values[len(draw.inputs):]:
        model = draw.model([value], unknown)
        (ours,) = run_ours(model, inputs, reporter)
        reporter.stage("mismatch")
        problem = differs(ours, value)
        if problem and not peer_agrees(model, inputs, value, ours):
            return model, problem
    return None, None


def check(number, reporter):
    reporter.stage("draw")
    draw = draw_model(number)
    outputs = [v for v in draw.values[len(draw.inputs):] if not v.is_read]
    if not outputs:
        return 0
    unknown = draw.chance(0.5)
    model, inputs = draw.model(outputs, unknown), [v.array for v in draw.inputs]
    FAILURES.mkdir(parents=True, exist_ok=True)
    kept = FAILURES / f"{number}.onnx"
    onnx.save(model, kept)
    results = run_ours(model, inputs, reporter)
    reporter.stage("mismatch")
    problems = [p for p in map(differs, results, outputs) if p]
    if problems:
        smaller, problem = first_wrong(draw, unknown, reporter)
        reporter.stage("mismatch")
        if problem:
            onnx.save(smaller, kept)
            raise AssertionError(problem)
        wrong = [i for i, v in enumerate(outputs) if differs(results[i], v)]
        if not all(peer_agrees(model, inputs, outputs[i], results[i]) for i in wrong):
            raise AssertionError(f"only together: {problems[0]}")
    kept.unlink()
    return len(draw.nodes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="number of one model")
    arguments = parser.parse_args()
    numbers = [arguments.only] if arguments.only is not None else range(arguments.seed, arguments.seed + arguments.count)
    passed = failed = nodes = 0
    for number, outcome in isolation.run_isolated(numbers, check, arguments.jobs, 120, 16 << 30):
        if outcome.status == "passed":
            passed, nodes = passed + 1, nodes + outcome.value
        else:
            failed += 1
            print(f"FAILED {number}: {outcome.stage} {outcome.status}: {' '.join(outcome.message.split())[:300]}", flush=True)
    print(f"{nodes} nodes")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
