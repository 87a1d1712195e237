# ===- loop_ranks.py - Loop state of more than one rank ----------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""A recurrent cell over slices of a sequence, as scripted modules are exported.

Each row is the split of SplitToSequence, the type that the body declares for its
state, and whether the slices, and with them the state, keep the dimension that is
split: keepdims=0 counts without a split and, as torch's exporter and onnxruntime
have it, for the number 1.
"""

import numpy as np
from onnx import parser

import onnx_compile

ROWS = [
    ("int64 {1}", "float[B, 4]", False),
    ("int64[3] {1, 1, 1}", "float[B, 4]", True),
    ("int64[3] {1, 1, 1}", "float[K, B, 4]", True),
]
TEXT = """
<ir_version: 9, opset_import: ["" : 17]>
cell (float[T, B, 4] x, float[B, 4] h0) => (float[B, 4] y) {{
  parts = Constant <value = {split}> ()
  xs = SplitToSequence <axis = 0, keepdims = 0> (x, parts)
  n = SequenceLength (xs)
  true = Constant <value = bool {{1}}> ()
  y = Loop (n, true, h0) <body = step (int64 i, bool go, {state} h) => (bool on, {state} next) {{
    on = Identity (go)
    part = SequenceAt (xs, i)
    sum = Add (part, h)
    next = Tanh (sum)
  }}>
}}"""

# The condition of the next iteration is a scalar or a list of one, by the branch.
CONDITION = """
<ir_version: 9, opset_import: ["" : 17]>
double (float[2] x) => (float[2] y) {
  n = Constant <value = int64 {10}> ()
  true = Constant <value = bool {1}> ()
  y = Loop (n, true, x) <body = step (int64 i, bool go, float[2] h) => (bool[] on, float[2] next) {
    next = Add (h, h)
    largest = ReduceMax (next)
    limit = Constant <value = float[1] {100.0}> ()
    list = Constant <value = int64[1] {-1}> ()
    one = Reshape (largest, list)
    isLess = Less (one, limit)
    zero = Constant <value = int64 {0}> ()
    isFirst = Equal (i, zero)
    on = If (isFirst) <
      then_branch = first () => (bool t) { t = Constant <value = bool {1}> () },
      else_branch = later () => (bool[1] u) { u = Identity (isLess) }
    >
  }>
}"""

rng = np.random.default_rng(5)
x, h0 = rng.standard_normal((3, 2, 4), np.float32), rng.standard_normal((2, 4), np.float32)
expected = h0
for part in x:
    expected = np.tanh(part + expected)
for split, state, keeps in ROWS:
    model = parser.parse_model(TEXT.format(split=split, state=state))
    (y,) = onnx_compile.ExecutionSession(onnx_compile.compile(model)).run({"x": x, "h0": h0})
    np.testing.assert_allclose(y, expected[None] if keeps else expected, rtol=1e-5, err_msg=f"{split} {state}")
(y,) = onnx_compile.ExecutionSession(onnx_compile.compile(parser.parse_model(CONDITION))).run([np.float32([3, 5])])
np.testing.assert_array_equal(y, np.float32([96, 160]))
