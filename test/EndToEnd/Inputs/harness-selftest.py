# ===- harness-selftest.py - Does the harness catch what it must? ----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Jobs that pass, fail, crash, hang and eat memory; a list of known failures in
# which one passes; a model in the modes of the conformance driver.
# ===------------------------------------------------------------------------===//
"""Checks the harness of the numeric tests."""

import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from unittest import mock

import numpy as np
from onnx import TensorProto, helper

TEST = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TEST), str(TEST / "Conformance")]

import modes

from Harness import artefact, expectations, isolation, judging, randomness


def job(kind, reporter):
    reporter.stage("work")
    subprocess.run(["mktemp", "-d"], check=True)
    pathlib.Path(tempfile.mkdtemp(), "file").touch()
    if kind == "fails":
        raise ValueError("a reason")
    if kind == "crashes":
        ctypes.string_at(0)
    if kind == "hangs":
        time.sleep(1000)
    if kind == "eats memory":
        bytearray(64 << 30)
    return kind


def check_isolation():
    kinds = ["passes", "fails", "crashes", "eats memory"]
    with tempfile.TemporaryDirectory() as folder:
        usual, tempfile.tempdir = tempfile.tempdir, folder
        outcomes = {k: o for k, o in isolation.run_isolated(kinds, job, workers=2, memory=8 << 30)}
        outcomes |= {k: o for k, o in isolation.run_isolated(["hangs"], job, timeout=5)}
        tempfile.tempdir = usual
        left = os.listdir(folder)
    statuses = {k: o.status for k, o in outcomes.items()}
    assert statuses == {"passes": "passed", "fails": "failed", "crashes": "crashed", "hangs": "timeout",
                        "eats memory": "failed"}, statuses  # fmt: skip
    assert outcomes["passes"].value == "passes"
    assert outcomes["fails"].message == "ValueError: a reason"
    assert outcomes["crashes"].message.startswith("SIGSEGV")
    assert outcomes["hangs"].stage == "work" and 5 <= outcomes["hangs"].seconds < 1000
    assert outcomes["eats memory"].message == "memory limit reached"
    assert not left, left
    print("isolation holds")


def check_expectations():
    results = {"good": True, "bad": False, "known": False, "mended": True}
    groups = expectations.judge(results, {"known": "reason", "mended": "reason"})
    assert groups == (["good"], ["known"], ["bad"], ["mended"]), groups
    assert expectations.generalise("m.onnx:\"conv1\": error: rank 3 and 4x5") == "rank N and N"
    print("expectations hold")


def check_tool():
    """Without the Python package, as in an instrumented build: the tool and the C interface."""
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", values[:1], values[1:])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.onnx")
        path.write_bytes(helper.make_model(graph).SerializeToString())
        with mock.patch.object(artefact, "onnx_compile", None):
            artefact.compile_model(path, path.with_suffix(".so"), O=1)
            outputs = artefact.load_session(path.with_suffix(".so")).run([np.float32([1, 2])])
    assert outputs[0].tolist() == [-1, -2], outputs
    # A report of a sanitizer is no refusal.
    done = subprocess.CompletedProcess([], 99, "", "note\nm.cpp:1: runtime error: null pointer\n")
    with mock.patch.object(subprocess, "run", return_value=done):
        try:
            artefact.compile_with_tool(path, path, {})
        except isolation.StageError as error:
            assert error.stage == "crash" and "runtime error" in str(error), error
        else:
            raise SystemExit("a report of a sanitizer is taken for a refusal")
    print("the tool holds")


def check_modes():
    def sliced():
        def info(name, kind, shape):
            return helper.make_tensor_value_info(name, kind, shape)

        inputs = [info("x", TensorProto.FLOAT, [4, 5])]
        inputs += [info(n, TensorProto.INT64, [1]) for n in ("starts", "ends")]
        node = helper.make_node("Slice", ["x", "starts", "ends"], ["y"])
        return helper.make_model(helper.make_graph([node], "g", inputs, [info("y", TensorProto.FLOAT, [2, 5])]))

    values = [np.ones((4, 5), np.float32), np.array([1]), np.array([3])]
    dynamic = sliced()
    assert modes.apply_mode("dynamic", dynamic, values) is values
    for value in [*dynamic.graph.input, *dynamic.graph.output]:
        for dim in value.type.tensor_type.shape.dim:
            assert dim.WhichOneof("value") is None
    assert len(dynamic.graph.input[0].type.tensor_type.shape.dim) == 2
    unranked = sliced()
    assert modes.apply_mode("unranked", unranked, values) is values
    for value in [*unranked.graph.input, *unranked.graph.output]:
        assert value.type.tensor_type.elem_type and not value.type.tensor_type.HasField("shape")
    constant = sliced()
    left = modes.apply_mode("constant", constant, values)
    assert len(left) == 1 and left[0] is values[0]
    assert [i.name for i in constant.graph.input] == ["x"]
    assert [t.name for t in constant.graph.initializer] == ["starts", "ends"]
    print("modes hold")


def check_transforms():
    expected = [np.array([54, 1.9e-7], np.float32)]
    judging.judge_transform(lambda: [np.array([54, 0], np.float32)], expected)
    for wrong in (np.array([54, 1e-4], np.float32), np.array([54, 0]), np.array([54], np.float32)):
        try:
            judging.judge_transform(lambda: [wrong], expected)
        except AssertionError:
            continue
        raise SystemExit(f"{wrong} is taken for {expected}")
    print("transforms hold")


def check_randomness():
    generator = np.random.default_rng(1)
    p, x = np.array([0, 0.2, 0.7, 1]), np.array([1.0, 2, 3, 4])

    def bernoulli(probability):
        return lambda: [generator.binomial(1, probability).astype(np.float32)]

    def dropout(ratio, factor):
        def run():
            kept = generator.random(4) >= ratio
            return [np.where(kept, x * factor, 0), kept]
        return run

    def refuses(judge):
        try:
            judge()
        except AssertionError:
            return True
        return False

    expected = [np.zeros(4, np.float32)]
    randomness.judge_bernoulli(p, bernoulli(p), expected)
    # Draws of a rare event are skewed: 22 of 4000 where 10 are expected come by chance, 100 do not.
    assert randomness.is_likely(22 / 4000, 10 / 4000, 4000)
    assert not randomness.is_likely(100 / 4000, 10 / 4000, 4000)
    for wrong in (p[::-1], np.full(4, 0.5), p + [0, 0.1, 0, 0], p - [0, 0, 0, 0.1]):
        assert refuses(lambda: randomness.judge_bernoulli(p, bernoulli(wrong), expected))
    once = bernoulli(p)()
    assert refuses(lambda: randomness.judge_bernoulli(p, lambda: once, expected))
    assert refuses(lambda: randomness.judge_bernoulli(p, bernoulli(p), [np.zeros(4)]))
    both = [np.zeros(4), np.zeros(4, bool)]
    randomness.judge_dropout(x, 0.25, dropout(0.25, 4 / 3), both)
    assert refuses(lambda: randomness.judge_dropout(x, 0.25, dropout(0.25, 1), both))
    assert refuses(lambda: randomness.judge_dropout(x, 0.25, dropout(0.5, 4 / 3), both))
    print("randomness holds")


check_isolation()
check_expectations()
check_tool()
check_modes()
check_transforms()
check_randomness()
