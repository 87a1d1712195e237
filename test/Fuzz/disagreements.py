#!/usr/bin/env python3
# ===- disagreements.py - Damaged models against onnxruntime -----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Changes attributes, numbers, sizes and other fields of the standard's node cases and
# of real models. What both we and onnxruntime take must give the same results, or those
# of the reference implementation; docs/Conventions.md lists where it does not, and why.
# ===------------------------------------------------------------------------===//
"""Runs damaged models beside onnxruntime and keeps those that give other results.

  disagreements.py                          a run of random damage, seeded
  disagreements.py --seed 7 --count 5000
  disagreements.py --models ../shared/models  real models with stored inputs, too
  disagreements.py --only 123               one of them
Models that give other results are kept in build/mutant-disagreements, with their inputs.
"""

import argparse
import collections
import functools
import os
import pathlib
import pickle
import shutil
import sys
import tempfile
import warnings

os.environ.setdefault("OM_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "Operators"))
sys.path.insert(2, str(pathlib.Path(__file__).resolve().parents[1] / "Conformance"))

import cases
import comparison
import numpy as np
import onnx
import onnxruntime
import schemas
from draw import PEER_OPSETS, TOLERANCES, older
from mutations import change_message, one
from onnx.reference import ReferenceEvaluator

from Harness import BUILD, artefact, isolation, values

import conventions
import hostile_models

KEPT = BUILD / "mutant-disagreements"
MEMORY = 8 << 30
# What became of a number from which no model was made.
UNDRAWN = "no model"
# Results that are random or that the standard leaves to the runtime.
UNDETERMINED = frozenset("Bernoulli Dropout ImageDecoder Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike".split())


def node_cases():
    return [case.path for case in cases.load_cases() if case.kind == "node"]


def real_models(folder):
    return sorted(p for p in pathlib.Path(folder).glob("*.onnx") if p.with_suffix(".vector.npz").exists())


# Texts that attributes choose among, whatever the operator.
CHOICES = sorted({"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", "constant", "reflect", "edge", "wrap", "nearest", "linear", "cubic",
                  "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "floor", "ceil", "round_prefer_floor",
                  "round_prefer_ceil", "none", "add", "mul", "min", "max", "mean", "sum", "forward", "reverse", "bidirectional",
                  "zeros", "border", "reflection", "bilinear", "bicubic", "avg", "LEFT", "RIGHT", "DCR", "CRD", "tanh"})  # fmt: skip
ODD_NUMBERS = (0.0, -0.0, 0.5, 1.0, -1.0, 2.0, 1e-3, 1e4, float("inf"), float("-inf"), float("nan"))


def other_integer(rng, old):
    return int(old + rng.integers(-2, 3)) if rng.random() < 0.7 else int(rng.integers(-4, 9))


def change_attribute(rng, attribute):
    """Another value that the attribute may have."""
    if attribute.type == onnx.AttributeProto.INT:
        attribute.i = other_integer(rng, attribute.i)
    elif attribute.type == onnx.AttributeProto.INTS and attribute.ints:
        at = int(rng.integers(len(attribute.ints)))
        attribute.ints[at] = other_integer(rng, attribute.ints[at])
    elif attribute.type == onnx.AttributeProto.FLOAT:
        attribute.f = one(rng, ODD_NUMBERS)
    elif attribute.type == onnx.AttributeProto.STRING:
        attribute.s = one(rng, CHOICES).encode()


def change_meaning(rng, model, given):
    """Changes what a model computes so that it is likely to stay a model: attributes, numbers, sizes; returns its inputs."""
    nodes = [n for n in model.graph.node]
    for _ in range(1 + int(rng.exponential(0.7))):
        node, kind = one(rng, nodes), rng.random()
        if kind < 0.45 and node.attribute:
            change_attribute(rng, one(rng, node.attribute))
        elif kind < 0.55 and node.attribute:
            del node.attribute[int(rng.integers(len(node.attribute)))]
        elif given:
            name = sorted(given)[int(rng.integers(len(given)))]
            given[name] = changed_input(rng, model, name, given[name])
    return given


def changed_input(rng, model, name, value):
    """Other numbers for an input: odd ones among them, or a dimension longer or shorter, which is declared then."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub" or not value.size:
        return value
    value, kind = value.copy(), rng.random()
    if kind < 0.5 or not value.ndim:
        odd = ODD_NUMBERS if value.dtype.kind == "f" else (0, 1, 2, 3, 5, 100) if value.dtype.kind in "ub" else (0, -1, 1, 2, 3, -2, 100)
        chosen = rng.random(value.shape) < one(rng, (0.1, 0.5, 1.0))
        return np.where(chosen, np.array(odd, np.float64)[rng.integers(0, len(odd), value.shape)], value).astype(value.dtype)
    shape = list(value.shape)
    axis = int(rng.integers(value.ndim))
    shape[axis] = int(one(rng, (0, 1, shape[axis] + 1, max(1, shape[axis] - 1), 2 * shape[axis])))
    for info in model.graph.input:
        if info.name == name and info.type.tensor_type.HasField("shape"):
            info.type.tensor_type.shape.dim[axis].dim_value = shape[axis]
    for info in model.graph.output:
        info.type.tensor_type.ClearField("shape")
    return np.resize(value, shape)


def operators_of(graph):
    """The names of all operators in the graph and in graphs inside."""
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            yield from operators_of(attribute.g)


@functools.cache
def load(path):
    """(model, its inputs by name); None if onnxruntime cannot be asked about it."""
    is_case = path.is_dir()
    model = onnx.load(path / "model.onnx" if is_case else path)
    if UNDETERMINED & set(operators_of(model.graph)) or any("training" in o.domain for o in model.opset_import):
        return None
    model = older(model, PEER_OPSETS[0])
    model.ir_version = min(model.ir_version, 10)
    if is_case:
        given, _ = values.read_data_set(path / "test_data_set_0", model)
        return model, dict(zip((i.name for i in values.graph_inputs(model)), given))
    stored = np.load(path.with_suffix(".vector.npz"))
    return model, {str(n): stored[f"in_{i}"] for i, n in enumerate(stored["in_names"])}


def fitted(rng, info, value):
    """The stored value with the type and the sizes that the damaged model declares; None if there is no such value."""
    kind = info.type.tensor_type
    if not info.type.HasField("tensor_type") or not isinstance(value, np.ndarray):
        return value
    name = onnx.TensorProto.DataType.Name(kind.elem_type).lower()
    dtype = schemas.dtype_of(name)
    if value.dtype != dtype:
        if dtype.kind == "O" or value.dtype.kind == "O":
            return hostile_models.input_value(rng, info)
        with np.errstate(all="ignore"):
            value = value.astype(dtype)
    if not kind.HasField("shape"):
        return value
    sizes = [d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim]
    if len(sizes) == value.ndim:
        sizes = [n if wanted is None else wanted for wanted, n in zip(sizes, value.shape)]
    sizes = [2 if n is None else n for n in sizes]
    if tuple(sizes) == value.shape:
        return value
    if any(n < 0 for n in sizes) or len(sizes) > 20 or np.prod(np.array(sizes, object)) > hostile_models.MOST_ELEMENTS:
        return None
    return np.resize(value, sizes)


def draw(number, sources):
    """(source, damaged model, its inputs by name); None where nothing comes of it."""
    rng = np.random.default_rng([number, 20])
    source = sources[int(rng.integers(len(sources)))]
    loaded = load(source)
    if loaded is None:
        return None
    model, given = onnx.ModelProto(), dict(loaded[1])
    model.CopyFrom(loaded[0])
    if rng.random() < 0.6:
        change_meaning(rng, model, given)
    else:
        change_message(rng, model, [], 1 + int(rng.exponential(0.6)))
        if model == loaded[0]:
            return None
    if UNDETERMINED & set(operators_of(model.graph)):
        return None
    try:
        feeds = {i.name: fitted(rng, i, given.get(i.name)) for i in values.graph_inputs(model)}
    except (ValueError, KeyError, TypeError):  # no element type of the standard
        return None
    return None if any(v is None for v in feeds.values()) else (source, model, feeds)


# --- Both of them, and the reference --------------------------------------------


def run_ours(model, feeds):
    """The results, or the message of a refusal."""
    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
        path, library = pathlib.Path(folder, "model.onnx"), pathlib.Path(folder, "model.so")
        path.write_bytes(model.SerializeToString())
        status, messages = artefact.try_compile(path, library)
        if status:
            return artefact.error_line(messages)
        try:
            return artefact.load_session(library).run(list(feeds.values()))
        except (RuntimeError, ValueError, TypeError, MemoryError) as error:
            return str(error)


def run_peer(model, feeds, optimised=True):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        taken = {i.name for i in session.get_inputs()}
        return session.run(None, {n: v for n, v in feeds.items() if n in taken})
    except Exception as error:  # its exceptions have no class in common
        return str(error)


def run_reference(model, feeds):
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return ReferenceEvaluator(model).run(None, feeds)
    except Exception as error:  # it is Python that computes
        return str(error)


def difference(model, ours, theirs):
    """What is wrong with our results if theirs are right, None if nothing."""
    if isinstance(theirs, str):
        return f"a refusal: {theirs}"
    slack = int(any("Quantize" in o or o.startswith("QLinear") for o in operators_of(model.graph)))
    for info, mine, other in zip(model.graph.output, ours, theirs):
        if isinstance(mine, np.ndarray) and mine.dtype.itemsize == 1 and getattr(other, "dtype", None) == np.uint8:
            mine = mine.view(np.uint8)  # it gives narrow floats as the bytes that they are
        element = schemas.element_of(schemas.type_of(np.asarray(mine).dtype)) if isinstance(mine, np.ndarray) else "float"
        relative, part = TOLERANCES.get(element, (0, 0))
        problem = comparison.differs(mine, other, relative, slack, part)
        if problem:
            return f"{info.name}: {problem}"
    return None


# --- One model ------------------------------------------------------------------


def judge(model, feeds, ours, theirs):
    """(what became of it, what differs)"""
    if isinstance(ours, str) or isinstance(theirs, str):
        return ("both refuse" if isinstance(ours, str) and isinstance(theirs, str) else
                "refused here" if isinstance(ours, str) else "refused there"), ours if isinstance(ours, str) else theirs  # fmt: skip
    problem = difference(model, ours, theirs)
    if not problem:
        return "equal", None
    if difference(model, ours, run_peer(model, feeds, optimised=False)) is None:
        return "equal without their optimisations", problem
    if difference(model, ours, run_reference(model, feeds)) is None:
        return "equal to the reference", problem
    row = conventions.explain(model, feeds)
    return (f"convention: {row}" if row else "other results"), problem


def differs_undamaged(source):
    """Whether a model gives other results as it is: the peer's quantised sums are other ones, for example."""
    model, feeds = load(source)
    ours, theirs = run_ours(model, feeds), run_peer(model, feeds)
    return isinstance(ours, str) or difference(model, ours, theirs) is not None


class Job:
    def __init__(self, sources):
        self.sources = sources

    def __call__(self, number, reporter):
        drawn = draw(number, self.sources)
        if drawn is None:
            return UNDRAWN, None, None
        source, model, feeds = drawn
        reporter.stage(f"ours, {source.name}")
        ours = run_ours(model, feeds)
        reporter.stage(f"onnxruntime, {source.name}")
        fate, detail = judge(model, feeds, ours, run_peer(model, feeds))
        if fate == "other results" and differs_undamaged(source):
            fate = "other results undamaged, too"
        if fate == "other results":
            folder = KEPT / str(number)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "model.onnx").write_bytes(model.SerializeToString())
            (folder / "inputs.pickle").write_bytes(pickle.dumps(feeds))
        return fate, source.name, detail


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--models", metavar="FOLDER", help="real models with stored inputs, drawn once in eight")
    parser.add_argument("--only", type=int, help="number of one model")
    parser.add_argument("--verbose", action="store_true", help="a line for each model that one of them refuses")
    arguments = parser.parse_args()
    sources = node_cases()
    if arguments.models:
        models = real_models(arguments.models)
        sources += models * (len(sources) // (7 * max(1, len(models))))
    numbers = [arguments.only] if arguments.only is not None else range(arguments.seed, arguments.seed + arguments.count)
    assert not conventions.undocumented(), f"docs/Conventions.md lacks {conventions.undocumented()}"
    shutil.rmtree(KEPT, ignore_errors=True)
    fates, failed = collections.Counter(), 0
    artefact.warm_up()
    for number, outcome in isolation.run_isolated(numbers, Job(sources), arguments.jobs, memory=MEMORY):
        fate, source, detail = outcome.value if outcome.status == "passed" else (outcome.status, outcome.stage, outcome.message)
        if outcome.status != "passed" and outcome.stage.startswith("onnxruntime"):
            fate = "onnxruntime crashed"
        fates[fate] += 1
        is_failure = fate in ("other results", "failed", "crashed", "timeout")
        failed += is_failure
        if is_failure or arguments.verbose and detail:
            label = "FAILED" if is_failure else fate
            print(f"{label} {number} {source}: {' '.join(str(detail).split())[:300]}", flush=True)
    print(", ".join(f"{count} {fate}" for fate, count in fates.most_common()))
    print(f"{sum(fates.values()) - failed - fates[UNDRAWN]} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
