# ===- strings.py - Every operator that moves elements, on strings ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Expected values come from NumPy, where elements are Python objects.
# ===------------------------------------------------------------------------===//
"""Compiles one model for each way to move strings and prints how many agree with NumPy."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper

from Harness import artefact

STRING = T.STRING
X = np.array([f"s{i}é" if i % 3 else "" for i in range(12)], object).reshape(3, 4)
EMPTY = X[:0]


def node(kind, inputs, outputs="y", **attributes):
    return helper.make_node(kind, inputs.split(","), outputs.split(","), **attributes)


def info(name, kind=STRING, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, constants=(), inputs=None, outputs=None):
    """A graph over x; constants are (name, values) with ints, bools or strings."""
    initializers = []
    for name, values in constants:
        array = np.array(values)
        kind = STRING if array.dtype.kind == "U" else T.BOOL if array.dtype.kind == "b" else T.INT64
        flat = [v.encode() for v in array.ravel()] if kind == STRING else array.ravel().tolist()
        initializers.append(helper.make_tensor(name, kind, array.shape, flat))
    graph = helper.make_graph(nodes, "g", inputs or [info("x", STRING, ["a", "b"])], outputs or [info("y")], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def join(a, b):
    return np.array([p + q for p, q in zip(a.ravel(), b.ravel())], object).reshape(a.shape)


def movements():
    """Yields (name, model, feeds, expected)."""
    rows = lambda *rows: [("c", rows)]  # noqa: E731
    yield "Identity", model([node("Identity", "x")]), X, X
    yield "Reshape", model([node("Reshape", "x,c")], rows(2, -1)), X, X.reshape(2, 6)
    yield "Transpose", model([node("Transpose", "x")]), X, X.T
    yield "Transpose, empty", model([node("Transpose", "x")]), EMPTY, EMPTY.T
    yield "Flatten", model([node("Flatten", "x", axis=0)]), X, X.reshape(1, 12)
    column = [("c", [["a"], ["b"], ["c"]])]
    yield "Concat", model([node("Concat", "x,c,x", axis=1)], column), X, np.concatenate([X, [["a"], ["b"], ["c"]], X], 1)
    yield "Concat, empty", model([node("Concat", "x,x", axis=0)]), EMPTY, EMPTY
    yield "Gather", model([node("Gather", "x,c", axis=1)], rows(3, 0, -1)), X, X[:, [3, 0, -1]]
    yield "GatherND", model([node("GatherND", "x,c")], rows([0, 1], [2, 3])), X, X[[0, 2], [1, 3]]
    picked = np.take_along_axis(X, np.array([[0], [2], [3]]), 1)
    yield "GatherElements", model([node("GatherElements", "x,c", axis=1)], rows([0], [2], [3])), X, picked
    steps = [("b", [-1]), ("e", [-9]), ("a", [1]), ("s", [-2])]
    yield "Slice", model([node("Slice", "x,b,e,a,s")], steps), X, X[:, ::-2]
    yield "Split", model([node("Split", "x", "z,y", axis=1, num_outputs=2)]), X, X[:, 2:]
    yield "Expand", model([node("Unsqueeze", "x,a", "u"), node("Expand", "u,c")], [("a", [0]), ("c", [2, 1, 1])]), X, np.stack([X, X])
    yield "Tile", model([node("Tile", "x,c")], rows(2, 3)), X, np.tile(X, (2, 3))
    yield "Tile, empty", model([node("Tile", "x,c")], rows(2, 3)), EMPTY, np.tile(EMPTY, (2, 3))
    texts = [("e", ""), ("d", ["none"])]
    chosen = np.where(X == "", "none", X)
    yield "Where", model([node("Equal", "x,e", "q"), node("Where", "q,d,x")], texts), X, chosen
    padded = np.full((4, 6), "-", object)
    padded[1:, :4] = X
    yield "Pad", model([node("Pad", "x,c,v")], [("c", [1, 0, 0, 2]), ("v", "-")]), X, padded
    yield "Pad, nothing said", model([node("Pad", "x,c")], [("c", [1, 0, 0, 2])]), X, np.where(padded == "-", "", padded)
    written = X.copy()
    written[[0, 1, 2], [0, 1, 3]] = ["p", "q", "r"]
    scatter = [("i", [[0], [1], [3]]), ("u", [["p"], ["q"], ["r"]])]
    yield "ScatterElements", model([node("ScatterElements", "x,i,u", axis=1)], scatter), X, written
    yield "Compress", model([node("Compress", "x,c", axis=1)], [("c", [True, False, True, False])]), X, X[:, [0, 2]]
    turned = np.stack([np.r_[r[:n][::-1], r[n:]] for r, n in zip(X, (2, 3, 4))])
    reverse = node("ReverseSequence", "x,c", batch_axis=0, time_axis=1)
    yield "ReverseSequence", model([reverse], rows(2, 3, 4)), X, turned


def others():
    numbers = [info("x", T.INT64, ["n"])]
    onehot = np.where(np.arange(3) == np.array([[0], [2]]), "on", "off")
    yield "OneHot", model([node("OneHot", "x,d,v")], [("d", 3), ("v", ["off", "on"])], numbers), np.array([0, 2]), onehot
    branches = [helper.make_graph([node(*n)], "b", [], [info("t")]) for n in (("Identity", "x", "t"), ("Neither", "x", "t"))]
    branches[1].node[0].CopyFrom(helper.make_node("Concat", ["x", "x"], ["t"], axis=0))
    choice = helper.make_node("If", ["q"], ["y"], then_branch=branches[0], else_branch=branches[1])
    yield "If", model([choice], [("q", False)]), X, np.tile(X, (2, 1))
    body = helper.make_graph(
        [node("StringConcat", "v,v", "w"), node("Identity", "go", "goes"), node("Identity", "w", "row")],
        "body",
        [info("i", T.INT64, []), info("go", T.BOOL, []), info("v")],
        [info("goes", T.BOOL, []), info("w"), info("row")],
    )
    loop = helper.make_node("Loop", ["n", "", "x"], ["last", "y"], body=body)
    grown = np.stack([join(X, X), join(join(X, X), join(X, X))])
    yield "Loop", model([loop], [("n", 2)]), X, grown
    there = [node("Cast", "x", "t", to=STRING), node("Cast", "t", to=T.FLOAT)]
    reals = np.array([1.5, -2, 1e30, 0.1, np.inf], np.float32)
    yield "Cast, reals", model(there, (), [info("x", T.FLOAT, ["n"])], [info("y", T.FLOAT)]), reals, reals
    there = [node("Cast", "x", "t", to=STRING), node("Cast", "t", to=T.INT64)]
    whole = np.array([1, -5, 1 << 62])
    yield "Cast, integers", model(there, (), numbers, [info("y", T.INT64)]), whole, whole


def run(graph, feed):
    with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
        path = pathlib.Path(scratch) / "model.onnx"
        onnx.save(graph, path)
        artefact.compile_model(path, path.with_suffix(".so"))
        return artefact.load_session(path.with_suffix(".so")).run([feed])[-1]


def write_model(folder):
    """A model that joins strings with themselves, and strings for it."""
    folder.mkdir(parents=True, exist_ok=True)
    joined = model([node("StringConcat", "x,x")], (), [info("x", STRING, ["n"])], [info("y", STRING, ["n"])])
    onnx.save(joined, folder / "joined.onnx")
    texts = onnx.numpy_helper.from_array(np.array(["é", 'a"b', "", "\t"], object), "x")
    (folder / "x.pb").write_bytes(texts.SerializeToString())


def main():
    if len(sys.argv) == 2:
        return write_model(pathlib.Path(sys.argv[1]))
    agreeing = count = 0
    for name, graph, feed, expected in [*movements(), *others()]:
        count += 1
        actual = run(graph, feed)
        if actual.shape == expected.shape and (actual == expected).all():
            agreeing += 1
        else:
            print(f"{name}: {actual.tolist()}, but expected {expected.tolist()}")
    print(f"{agreeing} of {count} agree")


if __name__ == "__main__":
    main()
