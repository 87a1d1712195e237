# ===- ranks_of_tuples.py - Index tuples of unknown length ------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles GatherND and ScatterND without shapes into the folder argv[1], and compares them with the reference
implementation for data and tuples of several ranks."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact

FOLDER = pathlib.Path(sys.argv[1])
FOLDER.mkdir(parents=True, exist_ok=True)
SHAPES = [(3,), (2, 3), (2, 1, 3), (2, 4, 1, 3), (2, 2, 4, 1, 3)]
COUNTS = [(), (3,), (2, 0), (2, 2)]


def tensor(name, kind=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def model_of(name, operator, tuples=None, **attributes):
    names = ["x", "i", "u"] if operator == "ScatterND" else ["x", "i"]
    infos = [tensor(n, TensorProto.INT64, tuples) if n == "i" else tensor(n) for n in names]
    node = helper.make_node(operator, names, ["y"], **attributes)
    graph = helper.make_graph([node], name, infos, [tensor("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.save(model, FOLDER / f"{name}.onnx")
    library = artefact.compile_model(FOLDER / f"{name}.onnx", FOLDER / f"{name}.so", O=1)
    return model, artefact.load_session(library)


def drawn(shape, count, length, batch=0):
    """Data, and tuples of numbers from either end of the dimensions that they index."""
    random = np.random.default_rng(len(shape) + 7 * length)
    x = random.standard_normal(shape).astype(np.float32)
    sizes = shape[batch : batch + length]
    tuples = [random.integers(-s, s, shape[:batch] + count) for s in sizes]
    return x, np.stack(tuples, axis=-1) if tuples else np.zeros((*shape[:batch], *count, 0), np.int64)


def compare(name, model, session, inputs):
    (expected,) = ReferenceEvaluator(model).run(None, dict(zip("xiu", inputs)))
    (got,) = session.run(inputs)
    what = f"{name}: {inputs[0].shape} and {inputs[1].shape}"
    assert got.shape == expected.shape, f"{what}: {got.shape} instead of {expected.shape}"
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6, err_msg=what)


def check_gather(name, batch, tuples=None, lengths=range(1, 6)):
    model, session = model_of(name, "GatherND", tuples, batch_dims=batch)
    done = 0
    for shape in SHAPES:
        for length in lengths:
            for count in COUNTS:
                if batch + length <= len(shape) and (tuples is None or len(tuples) == batch + len(count) + 1):
                    compare(name, model, session, drawn(shape, count, length, batch))
                    done += 1
    print(f"{name}: {done} pairs of shapes agree")
    return session


def check_scatter(reduction):
    """Sums of several updates of one place are rounded in any order; what is left of them is not looked at here."""
    model, session = model_of(f"scatter_{reduction}", "ScatterND", reduction=reduction)
    done = 0
    for shape in SHAPES:
        for length in range(1, len(shape) + 1):
            x, _ = drawn(shape, (1,), length)
            places = np.argwhere(np.ones(shape[:length]))[::2]
            places[0] -= shape[:length]
            for tuples in (places, places[0], places[:, None], places[:0]):
                u = np.arange(1, 1 + np.prod(tuples.shape[:-1] + shape[length:]), dtype=np.float32)
                u = u.reshape(tuples.shape[:-1] + shape[length:])
                compare(f"scatter {reduction}", model, session, [x, tuples, u])
                done += 1
    print(f"scatter {reduction}: {done} pairs of shapes agree")
    return session


def refused(name, session, *inputs):
    try:
        session.run(inputs)
    except Exception as error:
        print(f"{name}: {error}")
    else:
        raise AssertionError(f"{name} is taken")


def ints(*numbers):
    return np.array(numbers, np.int64)


X = np.ones((2, 3), np.float32)
gather = check_gather("gather", 0)
refused("beyond the end", gather, X, ints([0, 3]))
refused("beyond the front", gather, X, ints([-3, 0]))
refused("too long", gather, X, ints([0, 0, 0]))
refused("far too long", gather, np.ones((1,) * 9, np.float32), ints([0] * 10))
refused("a number", gather, X, np.array(0))
refused("no element", gather, X[:0], ints([0, 0]))
check_gather("known tuples", 0, ["n", 2], [2])
check_gather("batch", 1)
other = check_gather("batches", 2)
refused("another batch", other, np.ones((2, 3, 2), np.float32), np.zeros((3, 2, 1), np.int64))
for reduction in ("none", "add", "mul", "min", "max"):
    scatter = check_scatter(reduction)
refused("scatter beyond", scatter, X, ints([2]), np.ones((1, 3), np.float32))
refused("scatter too long", scatter, X, ints([0, 0, 0]), X)
refused("other updates", scatter, X, ints([1]), X)
