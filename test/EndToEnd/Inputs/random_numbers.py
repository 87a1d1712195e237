# ===- random_numbers.py - Distributions, seeds and threads ----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Checks the random operators; writes models and artefacts beside the path given.

Distributions are judged by draws with a seed: a correct compiler never fails by chance."""

import math
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact

BASE = sys.argv[1]
SHAPE = [200, 300]
TYPES = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "float64": TensorProto.DOUBLE}


def build(name, node, inputs, kind):
    """Compiles a graph of one node and returns the path of the artefact."""
    output = helper.make_tensor_value_info("y", kind, None)
    graph = helper.make_graph([node], "g", inputs, [output])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)]), f"{BASE}.{name}.onnx")
    artefact.compile_model(f"{BASE}.{name}.onnx", f"{BASE}.{name}.so")
    return f"{BASE}.{name}.so"


def run(path, *inputs):
    return artefact.load_session(path).run(list(inputs))[0]


def run_elsewhere(path, threads):
    """The first run in a process of its own."""
    code = (f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).resolve().parents[2])!r})\n"
            f"from Harness import artefact\n"
            f"sys.stdout.buffer.write(artefact.load_session({path!r}).run([])[0].tobytes())")  # fmt: skip
    environment = {**os.environ, "OM_NUM_THREADS": str(threads)}
    return subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True).stdout


def within(value, expected, error):
    assert abs(value - expected) <= 5 * error, f"{value}, expected {expected} within {5 * error}"


def check_independence(y, spread):
    """Adjacent numbers, in both directions, know nothing of each other."""
    centred = (y - y.mean()) / spread
    for a, b in [(centred[:, 1:], centred[:, :-1]), (centred[1:], centred[:-1])]:
        within((a * b).mean(), 0, 1 / math.sqrt(a.size))


for name, kind in TYPES.items():
    node = helper.make_node("RandomUniform", [], ["y"], dtype=kind, low=-1.0, high=3.0, shape=SHAPE, seed=1.0)
    y = run(build(f"uniform-{name}", node, [], kind))
    assert y.shape == tuple(SHAPE) and y.dtype == name
    y = y.astype(np.float64)
    assert y.min() >= -1 and y.max() <= 3
    within(y.mean(), 1, 4 / math.sqrt(12 * y.size))
    within(y.var(), 16 / 12, 16 * math.sqrt(1 / 180 / y.size))
    check_independence(y, 4 / math.sqrt(12))
    shares = np.histogram(y, bins=16, range=(-1, 3))[0] / y.size
    for share in shares:
        within(share, 1 / 16, math.sqrt(1 / 16 * 15 / 16 / y.size))
    print(f"uniform {name} holds")

for name in ("float32", "float64"):
    node = helper.make_node("RandomNormal", [], ["y"], dtype=TYPES[name], mean=2.0, scale=3.0, shape=SHAPE, seed=2.0)
    y = run(build(f"normal-{name}", node, [], TYPES[name]))
    assert y.shape == tuple(SHAPE) and y.dtype == name
    z = (y.astype(np.float64) - 2) / 3
    within(z.mean(), 0, 1 / math.sqrt(z.size))
    within(z.var(), 1, math.sqrt(2 / z.size))
    within((z**3).mean(), 0, math.sqrt(15 / z.size))
    within((z**4).mean(), 3, math.sqrt(96 / z.size))
    check_independence(z, 1)
    for bound in (0.5, 1, 2, 3):
        share = math.erfc(bound / math.sqrt(2))
        within((np.abs(z) > bound).mean(), share, math.sqrt(share / z.size))
    print(f"normal {name} holds")

like = helper.make_tensor_value_info("x", TensorProto.DOUBLE, ["n", "m"])
for operator in ("RandomNormalLike", "RandomUniformLike"):
    y = run(build(operator, helper.make_node(operator, ["x"], ["y"]), [like], TensorProto.DOUBLE), np.zeros((3, 5)))
    assert y.shape == (3, 5) and y.dtype == np.float64 and len(np.unique(y)) == 15
    node = helper.make_node(operator, ["x"], ["y"], dtype=TensorProto.FLOAT)
    y = run(build(operator + "F", node, [like], TensorProto.FLOAT), np.zeros((0, 5)))
    assert y.shape == (0, 5) and y.dtype == np.float32
print("like takes shape and type")

logits = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])
node = helper.make_node("Multinomial", ["x"], ["y"], sample_size=20000, dtype=TensorProto.INT64, seed=3.0)
weights = np.array([[0.1, 0.2, 0.3, 0.4], [0, 0, 1, 0], [0.97, 0.01, 0.01, 0.01]])
with np.errstate(divide="ignore"):
    y = run(build("multinomial", node, [logits], TensorProto.INT64), np.log(weights).astype(np.float32) + 7)
assert y.shape == (3, 20000) and y.dtype == np.int64
for row, probabilities in zip(y, weights):
    for label, p in enumerate(probabilities):
        within((row == label).mean(), p, math.sqrt(p * (1 - p) / row.size))
print("multinomial holds")

node = helper.make_node("RandomUniform", [], ["y"], shape=SHAPE, seed=5.0)
seeded = build("seeded", node, [], TensorProto.FLOAT)
first = run_elsewhere(seeded, 1)
assert first == run_elsewhere(seeded, 1)
other = build("reseeded", helper.make_node("RandomUniform", [], ["y"], shape=SHAPE, seed=6.0), [], TensorProto.FLOAT)
assert first != run_elsewhere(other, 1)
session = artefact.load_session(seeded)
assert not np.array_equal(session.run([])[0], session.run([])[0])
print("a seed gives the same first run")
others = [artefact.load_session(seeded) for _ in range(2)]
sequences = [[run.run([])[0] for run in others] for _ in range(2)]
for mine, yours in sequences:
    np.testing.assert_array_equal(mine, yours)
assert not np.array_equal(sequences[0][0], sequences[1][0])
print("sessions do not disturb each other")

unseeded = build("unseeded", helper.make_node("RandomUniform", [], ["y"], shape=SHAPE), [], TensorProto.FLOAT)
assert not np.array_equal(run(unseeded), run(unseeded))
assert run_elsewhere(unseeded, 1) != run_elsewhere(unseeded, 1)
print("without one runs differ")

assert first == run_elsewhere(seeded, 2) == run_elsewhere(seeded, 4)
print("threads do not matter")
