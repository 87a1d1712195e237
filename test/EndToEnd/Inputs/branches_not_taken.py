# ===- branches_not_taken.py - Memory of what does not run -------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Runs models whose branches and loops would need more memory than there is, with sizes that avoid them."""

import numpy as np
from onnx import parser

import onnx_compile

HEADER = '<ir_version: 10, opset_import: ["" : 21]>'
SQUARE = "t = Transpose(x) q = MatMul(x, t) w = Softmax(q)"
ROWS = 200_000
MODELS = {
    # By the sizes of an input, by an element of an input, by data.
    "size": (f"""g (float[n, 8] x) => (float[m, 8] y) {{
        s = Shape <start = 0, end = 1> (x) limit = Constant <value_ints = [1000]> () less = Less(s, limit) c = Squeeze(less)
        y = If(c) <then_branch = a () => (float[p, 8] ya) {{ {SQUARE} ya = MatMul(w, x) }},
                   else_branch = b () => (float[q, 8] yb) {{ yb = Relu(x) }}> }}""", ()),
    "element": (f"""g (float[n, 8] x, bool c) => (float[m, 8] y) {{
        y = If(c) <then_branch = a () => (float[p, 8] ya) {{ {SQUARE} ya = MatMul(w, x) }},
                   else_branch = b () => (float[q, 8] yb) {{ yb = Relu(x) }}> }}""", (np.array(False),)),
    "data": (f"""g (float[n, 8] x) => (float[m, 8] y) {{
        e = ReduceMax <keepdims = 0> (x) zero = Constant <value_float = 0.0> () c = Less(e, zero)
        y = If(c) <then_branch = a () => (float[p, 8] ya) {{ {SQUARE} ya = MatMul(w, x) }},
                   else_branch = b () => (float[q, 8] yb) {{ yb = Relu(x) }}> }}""", ()),
    "loop": ("""g (float[n, 8] x, int64 k) => (float[m, 8] y) {
        y = Loop(k, , x) <body = a (int64 i, bool go, float[p, 8] s) => (bool same, float[q, 8] z) {
            same = Identity(go) t = Transpose(s) q = MatMul(s, t) w = Softmax(q) z = MatMul(w, s) }> }""", (np.array(0),)),
}
value = np.random.default_rng(1).random((ROWS, 8), np.float32)
for name, (text, others) in MODELS.items():
    session = onnx_compile.ExecutionSession(onnx_compile.compile(parser.parse_model(HEADER + text)))
    (result,) = session.run([value, *others])
    np.testing.assert_array_equal(result, value, err_msg=name)

# Each depth of the indices is a branch, of which the first ones copy whole matrices for each index.
text = 'g (float[a, b, c] x, int64[d, e] at) => (float[f, g] y) { y = GatherND(x, at) }'
session = onnx_compile.ExecutionSession(onnx_compile.compile(parser.parse_model(HEADER + text)))
x = np.random.default_rng(2).random((100, 100, 32), np.float32)
at = np.random.default_rng(3).integers(0, 100, (20_000, 2))
(result,) = session.run([x, at])
np.testing.assert_array_equal(result, x[at[:, 0], at[:, 1]])
print("what does not run takes no memory")
