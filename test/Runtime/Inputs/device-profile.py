# ===- device-profile.py - Models whose launches on a GPU take known times --===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Writes models of a product, a softmax and a loop of three steps."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper, parser

FOLDER = pathlib.Path(sys.argv[1])
HEAD = '<ir_version: 10, opset_import: ["" : 21]>'
MODELS = {
    "model": """g (float[64, 32] x, int64 steps) => (float[64, 16] y, float[64, 32] z) {
      [product] p = MatMul (x, w) [soft] y = Softmax <axis = 1> (p)
      t = Constant <value = bool {1}> ()
      [loop] z = Loop (steps, t, x) <body = b (int64 i, bool c, float[64, 32] h) => (bool d, float[64, 32] n) {
        d = Identity (c) [act] n = Tanh (h) }>
    }""",
    "open": "g (float[n, 32] x) => (float[n, 16] y) { [product] y = MatMul (x, w) }",
    "half": "g (float16[64, 32] x) => (float16[64, 16] y) { [product] y = MatMul (x, w) }",
}
weights = np.random.default_rng(1).standard_normal((32, 16))
for name, text in MODELS.items():
    model = parser.parse_model(HEAD + text)
    kind = np.float16 if name == "half" else np.float32
    model.graph.initializer.append(numpy_helper.from_array(weights.astype(kind), "w"))
    onnx.save(model, FOLDER / f"{name}.onnx")
np.save(FOLDER / "steps.npy", np.array(3))
