# ===- attention_of_few_queries.py - Attention of few positions -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles attentions of one query position, and of a dynamic number, over keys that come from an
input, a cache or a transposition, names the kernels of each, and compares what they compute with numpy for numbers of
queries and keys around those of vectors and tiles."""

import re
import subprocess
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import helper, numpy_helper

HEADS, WIDTH = 3, 64
FLOAT = onnx.TensorProto.FLOAT


def product_nodes(query, keys, values):
    """The attention as products, with keys that are transposed already."""
    scale = numpy_helper.from_array(np.float32(WIDTH**-0.5), "scale")
    return [
        helper.make_node("MatMul", [query, keys], ["scores"]),
        helper.make_node("Mul", ["scores", "scale"], ["scaled"]),
        helper.make_node("Softmax", ["scaled"], ["weights"], axis=-1),
        helper.make_node("MatMul", ["weights", values], ["y"]),
    ], [scale]


def model(form, batch, queries):
    past = [batch, "t", HEADS, WIDTH] if form == "rows" else [batch, HEADS, "t", WIDTH]
    new = [batch, HEADS, queries, WIDTH]
    infos = {"q": new, "k": past, "v": past}
    ends = {"y": new}
    nodes, weights = product_nodes("q", "keys", "values" if form in ("rows", "cache") else "v")
    if form == "operator":
        nodes, weights = [helper.make_node("Attention", ["q", "k", "v"], ["y"])], []
    elif form == "products":
        nodes.insert(0, helper.make_node("Transpose", ["k"], ["keys"], perm=[0, 1, 3, 2]))
    elif form == "rows":
        nodes.insert(0, helper.make_node("Transpose", ["k"], ["keys"], perm=[0, 2, 3, 1]))
        nodes.insert(0, helper.make_node("Transpose", ["v"], ["values"], perm=[0, 2, 1, 3]))
    else:
        infos |= {"newest_k": new, "newest_v": new}
        ends |= {"all": [batch, HEADS, "u", WIDTH], "values": [batch, HEADS, "u", WIDTH]}
        nodes.insert(0, helper.make_node("Transpose", ["all"], ["keys"], perm=[0, 1, 3, 2]))
        nodes.insert(0, helper.make_node("Concat", ["k", "newest_k"], ["all"], axis=2))
        nodes.insert(0, helper.make_node("Concat", ["v", "newest_v"], ["values"], axis=2))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in infos.items()],
        [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in ends.items()],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)])


def expected(form, q, k, v, newest_k=None, newest_v=None):
    if form == "rows":
        k, v = k.swapaxes(1, 2), v.swapaxes(1, 2)
    if form == "cache":
        k, v = np.concatenate([k, newest_k], axis=2), np.concatenate([v, newest_v], axis=2)
    scores = q @ k.swapaxes(2, 3) / np.sqrt(np.float32(WIDTH))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-1e9))
    return weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-30) @ v


def values_of(made, batch, queries, keys):
    random, named = np.random.default_rng(keys), {"n": batch, "m": queries, "t": keys}
    shapes = [[d.dim_value or named[d.dim_param] for d in i.type.tensor_type.shape.dim] for i in made.graph.input]
    return [random.standard_normal(shape, np.float32) for shape in shapes]


KEYS = (0, 1, 2, 15, 16, 17, 63, 64, 65, 130)
SIZES = {1: [(1, keys) for keys in KEYS], "m": [(queries, keys) for queries in (0, 1, 2, 4, 7, 15, 16, 33) for keys in KEYS]}


def check(form, batch, queries, prefix):
    made = model(form, batch, queries)
    path = f"{prefix}.{form}"
    onnx.save(made, f"{path}.onnx")
    command = ["onnx-compile", f"{path}.onnx", "--emit=krnl", "-o", "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    print(f"{form} {batch} {queries}:", ", ".join(re.findall(r"krnl.kernel .(.+?). loops", text)))
    session = onnx_compile.ExecutionSession(onnx_compile.compile(made, f"{path}.so"))
    for rows, keys in SIZES[queries]:
        values = values_of(made, 2 if batch == "n" else 1, rows, keys)
        found = session.run(values)[0]
        np.testing.assert_allclose(found, expected(form, *values), rtol=1e-4, atol=1e-5)


def main():
    for form in ("operator", "products", "rows", "cache"):
        for batch in ("n", 1):
            for queries in (1, "m"):
                check(form, batch, queries, sys.argv[1])


main()
