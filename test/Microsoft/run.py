#!/usr/bin/env python3
# ===- run.py - com.microsoft against onnxruntime --------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Compiles one node at a time on random inputs and compares with what
# onnxruntime computes, with known and unknown sizes, and with unknown ranks.
# ===------------------------------------------------------------------------===//
"""Runs operators of com.microsoft and compares with onnxruntime."""

import argparse
import os
import pathlib
import sys
import tempfile
import zlib

os.environ.setdefault("OM_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np
import onnx
from onnx import helper, numpy_helper

import cases as microsoft
from Harness import artefact, isolation

MODES = ("static", "dynamic", "unranked")


def shape_of(value, number, mode):
    """The shape that an input is declared with: none at all where its rank is to be unknown."""
    if mode == "unranked":
        return None
    return value.shape if mode == "static" else [f"d{number}_{k}" for k in range(value.ndim)]


def make_model(case, mode):
    """A model of the one node, its outputs without types."""
    inputs, names, constants = [], [], []
    for i, value in enumerate(case.inputs):
        names.append("" if value is None else f"x{i}")
        if value is not None and i in case.constants:
            constants.append(numpy_helper.from_array(value, names[-1]))
        elif value is not None:
            is_text = value.dtype == object
            kind = onnx.TensorProto.STRING if is_text else helper.np_dtype_to_tensor_dtype(value.dtype)
            inputs.append(helper.make_tensor_value_info(names[-1], kind, shape_of(value, i, mode)))
    outputs = [f"y{i}" for i in range(case.outputs)]
    node = helper.make_node(case.operator, names, outputs, "node", domain=case.domain, **case.attributes)
    infos = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph([node], case.name, inputs, infos, constants)
    opsets = [helper.make_opsetid("", 21)]
    if case.domain:
        opsets.append(helper.make_opsetid(case.domain, 1))
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def peer(model, inputs):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [info.name for info in model.graph.input]
    return session.run(None, dict(zip(names, inputs)))


def expected_of(case):
    if case.expected:
        return list(case.expected)
    known = case._replace(inputs=list(case.reference)) if case.reference else case
    return peer(make_model(known, "static"), known.fed())


def check(job, reporter):
    case, mode = job
    inputs = case.fed()
    reporter.stage("peer")
    expected = expected_of(case)
    with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
        model, library = pathlib.Path(scratch, "model.onnx"), pathlib.Path(scratch, "model.so")
        onnx.save(make_model(case, mode), model)
        reporter.stage("compile")
        artefact.compile_model(model, library)
        reporter.stage("run")
        outputs = artefact.load_session(library).run(inputs)
    reporter.stage("mismatch")
    for i, (ours, theirs) in enumerate(zip(outputs, expected, strict=True)):
        if i in case.undefined:
            continue
        assert ours.dtype == theirs.dtype, f"output {i} is {ours.dtype} instead of {theirs.dtype}"
        if theirs.dtype == object:
            assert ours.shape == theirs.shape and (ours == theirs).all(), f"output {i}: {ours} instead of {theirs}"
            continue
        if ours.dtype.kind in "ui":
            ours, theirs = ours.astype(np.int64), theirs.astype(np.int64)
        np.testing.assert_allclose(ours, theirs, 1e-4, case.tolerance, err_msg=f"output {i}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", default="", help="only cases whose name contains this")
    parser.add_argument("--mode", choices=MODES, action="append", help="static and dynamic, unless given")
    parser.add_argument("--verbose", action="store_true", help="a line for each case")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one case in N, chosen by its name")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    found = [c for c in microsoft.all_cases() if arguments.filter in c.name]
    found = [c for c in found if zlib.crc32(c.name.encode()) % arguments.every == 0]
    jobs = [(case, mode) for case in found for mode in arguments.mode or MODES[:2]]
    passed = failed = 0
    artefact.warm_up()
    for (case, mode), outcome in isolation.run_isolated(jobs, check, arguments.jobs, memory=16 << 30):
        passed += outcome.status == "passed"
        if outcome.status != "passed":
            failed += 1
            print(f"FAILED {mode}/{case.name}: {outcome.stage}: {' '.join(outcome.message.split())[:300]}", flush=True)
        if arguments.verbose:
            print(f"{outcome.status:8} {mode}/{case.name} {outcome.seconds:.1f} s, {outcome.peak_mb:.0f} MiB", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
