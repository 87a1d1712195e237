#!/usr/bin/env python3
# ===- forest.py - The speed of tree ensembles ------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A boosted ensemble of 600 trees with 450 leaves each, made at random: a leaf
# is split again and again, so that trees are as uneven as trained ones. Says
# how long it takes to compile, and how fast it is beside onnxruntime, and beside
# LightGBM and XGBoost with the same trees where they are installed: all in this
# process, in turns, with pauses in which idle workers go to sleep. No two
# calls in a row see the same features: the processor would learn the branches
# of an engine that takes them, and of a single row keep all nodes in its cache.
# ===------------------------------------------------------------------------===//
"""Compiles a large tree ensemble and measures it beside onnxruntime, LightGBM and XGBoost."""

import argparse
import importlib.util
import json
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


def random_forest(trees, leaves, seed=1):
    """Trees with a value for each node; only those of leaves count."""
    rng = np.random.default_rng(seed)
    forest = []
    for _ in range(trees):
        tree = random_tree(rng, leaves)
        forest.append((*tree, rng.normal(size=len(tree[0])).astype(np.float32) / np.float32(trees)))
    return forest


def attributes(forest, classes=0):
    """Those of a TreeEnsembleRegressor of one target, or of a TreeEnsembleClassifier whose leaves vote for a class each."""
    names = "treeids nodeids featureids values modes truenodeids falsenodeids".split()
    nodes = {f"nodes_{name}": [] for name in names}
    kind = "class" if classes else "target"
    targets = {f"{kind}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    for number, (feature, split, true, false, value) in enumerate(forest):
        for i in range(len(feature)):
            is_leaf = true[i] < 0
            row = (number, i, feature[i], split[i], "LEAF" if is_leaf else "BRANCH_LEQ",
                   max(true[i], 0), max(false[i], 0))  # fmt: skip
            for name, item in zip(names, row):
                nodes[f"nodes_{name}"].append(item)
            if is_leaf:
                for name, item in zip(targets, (number, i, i % max(classes, 1), float(value[i]))):
                    targets[name].append(item)
    return {**nodes, **targets, **({"classlabels_int64s": list(range(classes))} if classes else {"n_targets": 1})}


def onnx_model(forest):
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", **attributes(forest))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", FEATURES])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(helper.make_graph([node], "forest", [x], [y]), opset_imports=opsets, ir_version=9)


def lightgbm_engine(forest, threads):
    """The same trees in LightGBM's text form, where inner nodes and leaves are counted apart."""
    import lightgbm

    names = " ".join(f"f{i}" for i in range(FEATURES))
    parts = [f"tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx={FEATURES - 1}\n"
             f"objective=regression\nfeature_names={names}\nfeature_infos={' '.join(['none'] * FEATURES)}\n"]  # fmt: skip
    for number, (feature, split, true, false, value) in enumerate(forest):
        inner = [i for i in range(len(feature)) if true[i] >= 0]
        leaves = [i for i in range(len(feature)) if true[i] < 0]
        place = {i: k for k, i in enumerate(inner)} | {i: ~k for k, i in enumerate(leaves)}
        line = lambda name, items: f"{name}={' '.join(map(str, items))}"  # noqa: E731
        parts.append("\n".join([
            f"Tree={number}", f"num_leaves={len(leaves)}", "num_cat=0", line("split_feature", (feature[i] for i in inner)),
            line("split_gain", [1] * len(inner)), line("threshold", (repr(split[i]) for i in inner)),
            line("decision_type", [2] * len(inner)), line("left_child", (place[true[i]] for i in inner)),
            line("right_child", (place[false[i]] for i in inner)), line("leaf_value", (repr(float(value[i])) for i in leaves)),
            line("leaf_weight", [1] * len(leaves)), line("leaf_count", [1] * len(leaves)),
            line("internal_value", [0] * len(inner)), line("internal_weight", [1] * len(inner)),
            line("internal_count", [1] * len(inner)), "is_linear=0", "shrinkage=1", "\n"]))  # fmt: skip
    booster = lightgbm.Booster(model_str="\n".join([*parts, "end of trees\n"]))
    options = {"num_threads": threads} if threads else {}
    return lambda x: booster.predict(x, **options)


def xgboost_engine(forest, threads):
    """The same trees in XGBoost's JSON, which asks for less than and not for at most."""
    import xgboost

    trees = []
    for number, (feature, split, true, false, value) in enumerate(forest):
        count = len(feature)
        parents = [2147483647] * count
        for i in range(count):
            for child in (true[i], false[i]):
                if child >= 0:
                    parents[child] = i
        conditions = [float(np.nextafter(np.float32(split[i]), np.float32(np.inf))) if true[i] >= 0 else float(value[i])
                      for i in range(count)]  # fmt: skip
        trees.append({
            "base_weights": [0.0] * count, "categories": [], "categories_nodes": [], "categories_segments": [],
            "categories_sizes": [], "default_left": [0] * count, "id": number, "left_children": true, "loss_changes": [1.0] * count,
            "parents": parents, "right_children": false, "split_conditions": conditions, "split_indices": feature,
            "split_type": [0] * count, "sum_hessian": [1.0] * count,
            "tree_param": {"num_deleted": "0", "num_feature": str(FEATURES), "num_nodes": str(count), "size_leaf_vector": "1"},
        })  # fmt: skip
    booster = {"model": {"gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
                         "iteration_indptr": list(range(len(trees) + 1)), "tree_info": [0] * len(trees), "trees": trees},
               "name": "gbtree"}  # fmt: skip
    model = {"learner": {
        "attributes": {}, "feature_names": [], "feature_types": [], "gradient_booster": booster,
        "learner_model_param": {"base_score": "0E0", "boost_from_average": "0", "num_class": "0", "num_feature": str(FEATURES), "num_target": "1"},
        "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}}}, "version": [3, 0, 0]}  # fmt: skip
    loaded = xgboost.Booster({"nthread": threads} if threads else {})
    loaded.load_model(bytearray(json.dumps(model).encode()))
    return lambda x: loaded.inplace_predict(x)


def seconds_of(run, inputs, clock, min_seconds=0.3):
    """Seconds of a call: the median over the calls that fit into `min_seconds` seconds, on all inputs in turn."""
    run(inputs[0])
    durations, end = [], time.perf_counter() + min_seconds
    while time.perf_counter() < end:
        for x in inputs:
            began = clock()
            run(x)
            durations.append(clock() - began)
    return statistics.median(durations)


def measure(engines, rows, rounds, clock):
    """Prints the seconds of each engine; the first is ours, all others are compared with it."""
    rng = np.random.default_rng(rows)
    inputs = [rng.normal(size=(rows, FEATURES)).astype(np.float32) for _ in range(max(4, 1024 // rows))]
    results = {name: np.asarray(run(inputs[0])).reshape(-1) for name, run in engines.items()}
    times = {name: [] for name in engines}
    for _ in range(rounds):
        for name, run in engines.items():
            time.sleep(0.05)
            times[name].append(seconds_of(run, inputs, clock))
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{rows:6} rows: ours {medians['ours'] * 1e6:9.1f} us", flush=True)
    for name in list(engines)[1:]:
        worst = float(np.abs(results["ours"] - results[name]).max())
        print(f"{'':12} {name:12} {medians[name] * 1e6:9.1f} us, ratio {medians[name] / medians['ours']:6.2f}, "
              f"largest difference {worst:.1e}", flush=True)  # fmt: skip


def other_engines(path, forest, threads):
    """What is installed, by name; each takes rows of features."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options)
    engines = {"onnxruntime": lambda x: session.run(None, {"x": x})[0]}
    for name, make in (("lightgbm", lightgbm_engine), ("xgboost", xgboost_engine)):
        if importlib.util.find_spec(name):
            engines[name] = make(forest, threads)
    return engines


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

    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(arguments.keep or scratch) / "forest.onnx"
        forest = random_forest(arguments.trees, arguments.leaves)
        onnx.save(onnx_model(forest), path)
        began = time.perf_counter()
        onnx_compile.compile(path, path.with_suffix(".so"))
        print(f"{arguments.trees} trees of {arguments.leaves} leaves: {path.stat().st_size / 1e6:.1f} MB, "
              f"compiled in {time.perf_counter() - began:.2f} s", flush=True)  # fmt: skip
        ours = onnx_compile.ExecutionSession(str(path.with_suffix(".so")))
        engines = {"ours": lambda x: ours.run([x])[0], **other_engines(path, forest, arguments.threads)}
        for rows in arguments.rows:
            # What one thread has computed does not depend on who else uses the machine.
            clock = time.thread_time if arguments.threads == 1 else time.perf_counter
            measure(engines, rows, arguments.rounds, clock)


if __name__ == "__main__":
    main()
