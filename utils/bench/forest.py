#!/usr/bin/env python3
# ===- forest.py - The speed of tree ensembles ------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A boosted ensemble of 600 trees with 450 leaves each, made at random: a leaf
# is split again and again, so that trees are as uneven as trained ones. Says
# how long it takes to compile, and how fast it is beside onnxruntime: both in
# this process, in turns, with pauses in which idle workers go to sleep. No two
# calls in a row see the same features: the processor would learn the branches
# of an engine that takes them, and of a single row keep all nodes in its cache.
# ===------------------------------------------------------------------------===//
"""Compiles a large tree ensemble and measures it beside onnxruntime."""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build" / "python"))
FEATURES = 50


def random_tree(rng, leaves):
    """Lists of feature, split, true child, false child; a child of -1 makes a leaf."""
    feature, split, true, false = [0], [0.0], [-1], [-1]
    # Each open leaf with the box of feature values that reach it.
    boxes = {0: (np.full(FEATURES, -2.5), np.full(FEATURES, 2.5))}
    while len(boxes) < leaves:
        node = list(boxes)[rng.integers(len(boxes))]
        low, high = boxes.pop(node)
        f = rng.integers(FEATURES)
        at = rng.uniform(low[f], high[f])
        feature[node], split[node] = int(f), float(np.float32(at))
        for children, edge in ((true, high), (false, low)):
            children[node] = len(feature)
            box = (low.copy(), high.copy())
            box[0 if edge is low else 1][f] = at
            boxes[len(feature)] = box
            feature.append(0), split.append(0.0), true.append(-1), false.append(-1)
    return feature, split, true, false


def make_model(trees, leaves, seed=1):
    rng = np.random.default_rng(seed)
    names = "treeids nodeids featureids values modes truenodeids falsenodeids".split()
    nodes = {f"nodes_{name}": [] for name in names}
    targets = {f"target_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    for number in range(trees):
        feature, split, true, false = random_tree(rng, leaves)
        for i in range(len(feature)):
            is_leaf = true[i] < 0
            row = (number, i, feature[i], split[i], "LEAF" if is_leaf else "BRANCH_LEQ",
                   max(true[i], 0), max(false[i], 0))  # fmt: skip
            for name, value in zip(names, row):
                nodes[f"nodes_{name}"].append(value)
            if is_leaf:
                for name, value in zip(targets, (number, i, 0, float(rng.normal()) / trees)):
                    targets[name].append(value)
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", n_targets=1, **nodes, **targets)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", FEATURES])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(helper.make_graph([node], "forest", [x], [y]), opset_imports=opsets, ir_version=9)


def seconds_of(run, inputs, clock, least=0.3):
    """Seconds of a call: the median over the calls that fit into `least` seconds, on all inputs in turn."""
    run(inputs[0])
    durations, end = [], time.perf_counter() + least
    while time.perf_counter() < end:
        for x in inputs:
            began = clock()
            run(x)
            durations.append(clock() - began)
    return statistics.median(durations)


def measure(ours, theirs, rows, rounds, clock):
    rng = np.random.default_rng(rows)
    inputs = [rng.normal(size=(rows, FEATURES)).astype(np.float32) for _ in range(max(4, 1024 // rows))]
    engines = {"ours": lambda x: ours.run([x])[0], "onnxruntime": lambda x: theirs.run(None, {"x": x})[0]}
    mine, other = (run(inputs[0]) for run in engines.values())
    worst = float(np.abs(mine - other).max())
    times = {name: [] for name in engines}
    for _ in range(rounds):
        for name, run in engines.items():
            time.sleep(0.05)
            times[name].append(seconds_of(run, inputs, clock))
    ours_s, theirs_s = (statistics.median(times[n]) for n in ("ours", "onnxruntime"))
    print(f"{rows:6} rows: ours {ours_s * 1e6:9.1f} us, onnxruntime {theirs_s * 1e6:9.1f} us, "
          f"ratio {theirs_s / ours_s:5.2f}, largest difference {worst:.1e}", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=600)
    parser.add_argument("--leaves", type=int, default=450)
    parser.add_argument("--rows", type=int, nargs="*", default=[1, 1024])
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", help="keep the model and the artefact in this folder")
    arguments = parser.parse_args()
    if arguments.threads:
        os.environ["OM_NUM_THREADS"] = str(arguments.threads)
    import onnx_compile
    import onnxruntime

    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(arguments.keep or scratch) / "forest.onnx"
        onnx.save(make_model(arguments.trees, arguments.leaves), path)
        began = time.perf_counter()
        onnx_compile.compile(path, path.with_suffix(".so"))
        print(f"{arguments.trees} trees of {arguments.leaves} leaves: {path.stat().st_size / 1e6:.1f} MB, "
              f"compiled in {time.perf_counter() - began:.2f} s", flush=True)  # fmt: skip
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = arguments.threads
        theirs = onnxruntime.InferenceSession(path, options)
        ours = onnx_compile.ExecutionSession(str(path.with_suffix(".so")))
        for rows in arguments.rows:
            # What one thread has computed does not depend on who else uses the machine.
            clock = time.thread_time if arguments.threads == 1 else time.perf_counter
            measure(ours, theirs, rows, arguments.rounds, clock)


if __name__ == "__main__":
    main()
