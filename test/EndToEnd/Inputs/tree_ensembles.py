# ===- tree_ensembles.py - Random trees against other evaluators -----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Regressors and classifiers are compared with onnxruntime, where it follows the
# standard: it passes over targets and classes that nobody votes for, and takes
# the labels of two classes that both have votes from elsewhere. TreeEnsemble,
# with sets, is compared with the reference evaluator, which returns sets in
# another order than the standard: all sets of an ensemble are equal.
# ===------------------------------------------------------------------------===//
"""Compiles random ensembles of all modes, aggregates and transforms, and counts the differences."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from Harness import artefact

FEATURES = 5
MODES = "BRANCH_LEQ BRANCH_LT BRANCH_GTE BRANCH_GT BRANCH_EQ BRANCH_NEQ".split()
NODE_LISTS = "treeids nodeids featureids values modes truenodeids falsenodeids missing_value_tracks_true".split()


def random_tree(rng, leaves):
    """Children of each node; -1 makes a leaf."""
    true, false, open_leaves = [-1], [-1], [0]
    while len(open_leaves) < leaves:
        node = open_leaves.pop(rng.integers(len(open_leaves)))
        for children in (true, false):
            children[node] = len(true)
            true.append(-1), false.append(-1)
            open_leaves.append(children[node])
    return true, false


def named_model(rng, is_classifier):
    """A TreeEnsembleRegressor or TreeEnsembleClassifier and the element type of its input."""
    prefix = "class" if is_classifier else "target"
    nodes = {f"nodes_{name}": [] for name in NODE_LISTS}
    votes = {f"{prefix}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}
    count = int(rng.choice([2, 3, 4] if is_classifier else [1, 2, 4]))
    modes = [MODES[:1], MODES[1:3], MODES][rng.integers(3)]
    weight = lambda: float(rng.normal())  # noqa: E731
    # Votes that are never negative are probabilities of a class, but not for a logistic function.
    if is_classifier and rng.integers(2):
        weight = lambda: float(rng.random())  # noqa: E731
    one_each = not is_classifier and count == 1 or is_classifier and (count == 2 or rng.integers(2))
    for tree in range(count * int(rng.integers(1, 3))):
        true, false = random_tree(rng, int(rng.integers(1, 14)))
        target = 0 if count == 2 else tree % count
        for i in range(len(true)):
            mode = "LEAF" if true[i] < 0 else str(rng.choice(modes))
            row = (tree, i, int(rng.integers(FEATURES)), float(rng.integers(-2, 3) / 2), mode, max(true[i], 0),
                   max(false[i], 0), int(rng.integers(2)))  # fmt: skip
            for name, value in zip(nodes.values(), row):
                name.append(value)
            for voted in ([target] if one_each else range(count)) if true[i] < 0 else ():
                for name, value in zip(votes.values(), (tree, i, voted, weight())):
                    name.append(value)
    attributes = {**nodes, **votes}
    if is_classifier:
        transforms = ["NONE", "LOGISTIC"] if count == 2 else ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"]
        attributes["post_transform"] = str(rng.choice(transforms))
        labels = rng.permutation(10)[:count].tolist()
        kind = ("classlabels_int64s", labels) if rng.integers(2) else ("classlabels_strings", [f"l{v}" for v in labels])
        attributes[kind[0]] = kind[1]
        outputs = [("y", T.INT64 if kind[0] == "classlabels_int64s" else T.STRING), ("z", T.FLOAT)]
    else:
        attributes |= {"n_targets": count, "aggregate_function": str(rng.choice(["SUM", "AVERAGE", "MIN", "MAX"]))}
        attributes["base_values"] = rng.normal(size=count).tolist()
        outputs = [("y", T.FLOAT)]
    name = "TreeEnsembleClassifier" if is_classifier else "TreeEnsembleRegressor"
    element = [T.FLOAT, T.DOUBLE, T.INT64][rng.integers(2 + is_classifier)]
    return make_model(name, element, outputs, 3, attributes), element


def make_model(name, element, outputs, version, attributes):
    node = helper.make_node(name, ["x"], [o for o, _ in outputs], domain="ai.onnx.ml", **attributes)
    x = helper.make_tensor_value_info("x", element, ["n", FEATURES])
    infos = [helper.make_tensor_value_info(o, kind, None) for o, kind in outputs]
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", version)]
    return helper.make_model(helper.make_graph([node], "g", [x], infos), opset_imports=opsets, ir_version=10)


def numbered_model(rng):
    """A TreeEnsemble with sets, and the element type of its input."""
    element = [T.FLOAT, T.DOUBLE][rng.integers(2)]
    dtype = helper.tensor_dtype_to_np_dtype(element)
    lists = {name: [] for name in "featureids truenodeids falsenodeids trueleafs falseleafs missing_value_tracks_true".split()}
    modes, splits, members, roots, targets, weights = [], [], [], [], [], []
    # Zero ends a set of the reference evaluator, so it is none.
    one_set = rng.choice([-1.5, -1, -0.5, 0.5, 1, 1.5], 3, replace=False)
    for _ in range(rng.integers(1, 4)):
        true, false = random_tree(rng, int(rng.integers(2, 10)))
        places = {}
        for i in range(len(true)):
            if true[i] < 0:
                places[i] = (len(weights), 1)
                weights.append(rng.normal()), targets.append(int(rng.integers(2)))
            else:
                places[i] = (len(modes), 0)
                modes.append(int(rng.integers(7))), splits.append(rng.integers(-2, 3) / 2)
                if modes[-1] == 6:
                    members += [*one_set, np.nan]
        roots.append(places[0][0])
        for i in range(len(true)):
            if true[i] < 0:
                continue
            for name, value in zip(lists.values(), (int(rng.integers(FEATURES)), places[true[i]][0], places[false[i]][0],
                                                    places[true[i]][1], places[false[i]][1], int(rng.integers(2)))):  # fmt: skip
                name.append(value)
    tensor = lambda name, values, kind: numpy_helper.from_array(np.array(values, kind), name)  # noqa: E731
    attributes = {f"nodes_{name}": values for name, values in lists.items()} | {
        "nodes_modes": tensor("m", modes, np.uint8), "nodes_splits": tensor("s", splits, dtype), "tree_roots": roots,
        "leaf_weights": tensor("w", weights, dtype), "leaf_targetids": targets, "n_targets": 2,
        "aggregate_function": int(rng.integers(4)),
    }  # fmt: skip
    if members:
        attributes["membership_values"] = tensor("v", members, dtype)
    return make_model("TreeEnsemble", element, [("y", element)], 5, attributes), element


def agrees(ours, theirs):
    theirs = np.asarray(theirs)
    if theirs.dtype.kind == "f":
        return ours.shape == theirs.shape and np.allclose(ours, theirs, 1e-4, 1e-5)
    return ours.astype(str).tolist() == theirs.astype(str).tolist()


def check(seed, folder):
    """Does ensemble `seed` give the same for one row, a few and many?"""
    rng = np.random.default_rng(seed)
    model, element = numbered_model(rng) if seed % 3 == 2 else named_model(rng, seed % 3 == 1)
    path = pathlib.Path(folder) / f"trees{seed}.onnx"
    onnx.save(model, path)
    if seed % 3 == 2:
        evaluate = lambda x: ReferenceEvaluator(model).run(None, {"x": x})  # noqa: E731
    else:
        evaluate = lambda x: onnxruntime.InferenceSession(path).run(None, {"x": x})  # noqa: E731
    artefact.compile_model(path, path.with_suffix(".so"))
    session = artefact.load_session(path.with_suffix(".so"))
    for rows in (1, 3, 40):
        x = rng.integers(-3, 4, size=(rows, FEATURES)) / 2
        if element != T.INT64:
            x[rng.random(x.shape) < 0.15] = np.nan
        x = x.astype(helper.tensor_dtype_to_np_dtype(element))
        for ours, theirs in zip(session.run([x]), evaluate(x), strict=True):
            if not agrees(ours, theirs):
                print(f"ensemble {seed}, {rows} rows: {ours[:3].tolist()}, but expected {np.asarray(theirs)[:3].tolist()}")
                return False
    return True


def main():
    onnxruntime.set_default_logger_severity(4)
    count = int(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
        wrong = sum(not check(seed, folder) for seed in range(count))
    print(f"{count} ensembles, {wrong} differences")


if __name__ == "__main__":
    main()
