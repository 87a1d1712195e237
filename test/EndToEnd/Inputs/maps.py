# ===- maps.py - Operators from and to maps ---------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles ZipMap, DictVectorizer and CastMap and prints what agrees with what they should give."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper

from Harness import artefact


def tensor(kind, shape):
    return helper.make_tensor_type_proto(kind, shape)


def map_of(key, value):
    return helper.make_map_type_proto(key, tensor(value, []))


def run(kind, given, result, feed, **attributes):
    node = helper.make_node(kind, ["x"], ["y"], domain="ai.onnx.ml", **attributes)
    graph = helper.make_graph([node], "g", [helper.make_value_info("x", given)], [helper.make_value_info("y", result)])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 1)]
    with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
        path = pathlib.Path(scratch) / "model.onnx"
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)
        artefact.compile_model(path, path.with_suffix(".so"))
        return artefact.load_session(path.with_suffix(".so")).run([feed])[0]


def cases():
    """Yields (name, actual, expected)."""
    rows = np.array([[0.25, 0.75], [0.5, 0.5]], np.float32)
    maps = lambda key: helper.make_sequence_type_proto(map_of(key, T.FLOAT))  # noqa: E731
    zipped = run("ZipMap", tensor(T.FLOAT, ["n", 2]), maps(T.INT64), rows, classlabels_int64s=[4, 7])
    yield "ZipMap", zipped, [{4: 0.25, 7: 0.75}, {4: 0.5, 7: 0.5}]
    zipped = run("ZipMap", tensor(T.FLOAT, [2]), maps(T.STRING), rows[0], classlabels_strings=["a", "b"])
    yield "ZipMap of a vector", zipped, [{"a": 0.25, "b": 0.75}]
    zipped = run("ZipMap", tensor(T.FLOAT, ["n", 2]), maps(T.INT64), rows[:0], classlabels_int64s=[4, 7])
    yield "ZipMap of nothing", zipped, []

    row = tensor(T.FLOAT, [1, 3])
    given = map_of(T.STRING, T.FLOAT)
    vector = run("DictVectorizer", given, row, {"b": 2.0, "a": 1.0, "z": 9.0}, string_vocabulary=["a", "c", "b"])
    yield "DictVectorizer", vector.tolist(), [[1.0, 0.0, 2.0]]
    given = map_of(T.INT64, T.STRING)
    vector = run("DictVectorizer", given, tensor(T.STRING, [1, 2]), {5: "five"}, int64_vocabulary=[4, 5])
    yield "DictVectorizer of strings", vector.tolist(), [["", "five"]]
    vector = run("DictVectorizer", map_of(T.STRING, T.INT64), tensor(T.INT64, [1, 1]), {}, string_vocabulary=["a"])
    yield "DictVectorizer of nothing", vector.tolist(), [[0]]

    given, row = map_of(T.INT64, T.FLOAT), tensor(T.FLOAT, [1, None])
    vector = run("CastMap", given, row, {9: 3.5, 2: 1.5})
    yield "CastMap", vector.tolist(), [[1.5, 3.5]]
    vector = run("CastMap", given, row, {3: 3.5, 0: 1.5}, map_form="SPARSE", max_map=4)
    yield "CastMap to places", vector.tolist(), [[1.5, 0.0, 0.0, 3.5]]
    vector = run("CastMap", map_of(T.INT64, T.STRING), tensor(T.INT64, [1, None]), {1: "12", 0: "-3"}, cast_to="TO_INT64")
    yield "CastMap to integers", vector.tolist(), [[-3, 12]]
    vector = run("CastMap", map_of(T.INT64, T.STRING), tensor(T.STRING, [1, None]), {1: "x"}, cast_to="TO_STRING")
    yield "CastMap to strings", vector.tolist(), [["x"]]


def refusals():
    """Yields (name, message) of runs that must fail."""
    given, row = map_of(T.INT64, T.FLOAT), tensor(T.FLOAT, [1, None])
    texts = map_of(T.INT64, T.STRING)
    for name, call in [
        ("a key that has no place", lambda: run("CastMap", given, row, {7: 1.0}, map_form="SPARSE", max_map=4)),
        ("a string that is not a number", lambda: run("CastMap", texts, row, {0: "x"})),
        ("rows of another length", lambda: run("ZipMap", tensor(T.FLOAT, ["n", "c"]),
                                               helper.make_sequence_type_proto(map_of(T.INT64, T.FLOAT)),
                                               np.zeros((1, 3), np.float32), classlabels_int64s=[1, 2])),
    ]:  # fmt: skip
        try:
            call()
            yield name, "was not refused"
        except Exception as error:  # noqa: BLE001, whatever the binding raises
            yield name, str(error)


def main():
    results = list(cases())
    for name, actual, expected in results:
        if actual != expected:
            print(f"{name}: {actual}, but expected {expected}")
    for name, message in refusals():
        print(f"{name}: {message}")
    print(f"{sum(actual == expected for _, actual, expected in results)} of {len(results)} agree")


if __name__ == "__main__":
    main()
