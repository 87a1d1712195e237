# ===- explain_models.py - Small models whose nodes have different fates ----===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Writes layers.onnx, bodies.onnx and many.onnx to the folder of the first argument."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper, parser

FOLDER = pathlib.Path(sys.argv[1])

LAYERS = """
<ir_version: 10, opset_import: ["" : 21]>
layers (float[1, 8, 12, 12] x) => (float[1, 8] y) {
  c = Conv <pads: ints = [1, 1, 1, 1]> (x, w)
  n = BatchNormalization (c, scale, shift, mean, variance)
  r = Relu (n)
  d = Sigmoid (r)
  e = Exp (scale)
  s = ReduceSum <keepdims = 0> (r, axes)
  m = Mul (s, e)
  y = Softmax (m)
}"""

BODIES = """
<ir_version: 10, opset_import: ["" : 21, "own" : 1]>
bodies (bool b, float[N, 16] x) => (float[N, 16] y) {
  t = own.twice (x)
  y = If (b) <
    then_branch = yes () => (float[N, 16] p) { p = Tanh (t) },
    else_branch = no () => (float[N, 16] q) { q = LeakyRelu (t) }>
}
<domain: "own", opset_import: ["" : 21]>
twice (a) => (z) { h = Mul (a, a) z = Exp (h) }"""

random = np.random.default_rng(0)


def weight(name, *shape):
    return numpy_helper.from_array(random.standard_normal(shape).astype(np.float32), name)


def name_nodes(graph):
    """Nodes have the names of their first outputs."""
    for node in graph.node:
        node.name = "node_" + node.output[0]
        for attribute in node.attribute:
            name_nodes(attribute.g)


layers = parser.parse_model(LAYERS)
name_nodes(layers.graph)
layers.graph.initializer.extend([weight("w", 8, 8, 3, 3), *(weight(n, 8) for n in ("scale", "shift", "mean"))])
layers.graph.initializer.append(numpy_helper.from_array(np.ones(8, np.float32), "variance"))
layers.graph.initializer.append(numpy_helper.from_array(np.array([2, 3]), "axes"))
onnx.save(layers, FOLDER / "layers.onnx")

bodies = parser.parse_model(BODIES)
name_nodes(bodies.graph)
onnx.save(bodies, FOLDER / "bodies.onnx")

# One call, which stands for 300 products.
STEPS = "".join(f"h{i + 1} = MatMul (h{i}, w) " for i in range(300))
MANY = f"""
<ir_version: 10, opset_import: ["" : 21, "own" : 1]>
many (float[4, 4] x, float[4, 4] w) => (float[4, 4] y) {{ y = own.power (x, w) }}
<domain: "own", opset_import: ["" : 21]>
power (h0, w) => (h300) {{ {STEPS} }}"""
many = parser.parse_model(MANY)
name_nodes(many.graph)
onnx.save(many, FOLDER / "many.onnx")
