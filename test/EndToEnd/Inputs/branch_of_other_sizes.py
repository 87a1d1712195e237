# ===- branch_of_other_sizes.py - Branches for some sizes only --------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs models with a branch or loop for sizes of 1, with dynamic sizes and with others."""

import sys

import numpy as np
import onnx_compile
from onnx import parser

HEAD = '<ir_version: 10, opset_import: ["" : 21]>'
MODELS = {
    "squeeze": """g (bool enter, float[n, 3] x) => (y) {
      y = If (enter) <
        then_branch = t () => (a) { first = Constant <value_ints = [0]> ()
                                    [squeeze] s = Squeeze (x, first) a = Neg (s) },
        else_branch = e () => (b) { b = ReduceSum <keepdims = 0> (x) }>
    }""",
    "blocks": """g (bool enter, float[1, n, 2, 2] x) => (y) {
      y = If (enter) <
        then_branch = t () => (a) { [blocks] a = DepthToSpace <blocksize = 2> (x) },
        else_branch = e () => (b) { b = Neg (x) }>
    }""",
    "loop": """g (bool enter, float[n, 3] x) => (y) {
      iterations = Cast <to = 7> (enter)
      start = ReduceSum <keepdims = 0> (x)
      y = Loop (iterations, , start) <
        body = b (int64 i, bool c, float v) => (d, w) {
          d = Identity (c) first = Constant <value_ints = [0]> ()
          [squeeze] s = Squeeze (x, first) t = ReduceSum <keepdims = 0> (s) w = Add (t, v) }>
    }""",
}
LARGE = """g (bool enter, float[1, 1] x) => (y) <int64[2] sizes = {9000000000, 9000}> {
      y = If (enter) <
        then_branch = t () => (a) { [expand] e = Expand (x, sizes) a = ReduceSum <keepdims = 0> (e) },
        else_branch = e () => (b) { b = ReduceSum <keepdims = 0> (x) }>
    }"""
# The size that the branch takes, another one, and the shape of x.
SIZES = {"squeeze": (1, 2, (3,)), "blocks": (4, 3, (2, 2)), "loop": (1, 2, (3,))}


def expected(name, enter, x):
    if name == "squeeze":
        return -x[0] if enter else x.sum()
    if name == "loop":
        return x.sum() * (2 if enter else 1)
    return x.reshape(1, 2, 2, 1, 2, 2).transpose(0, 3, 4, 1, 5, 2).reshape(1, 1, 4, 4) if enter else -x


def try_model(name, fixed):
    fits, other, rest = SIZES[name]
    model = parser.parse_model(HEAD + MODELS[name])
    options = {"dims": {"n": other}} if fixed else {}
    session = onnx_compile.ExecutionSession(onnx_compile.compile(model, f"{sys.argv[1]}.{name}.{fixed}.so", **options))

    def run(enter, size):
        shape = (1, size, *rest) if name == "blocks" else (size, *rest)
        x = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
        (y,) = session.run([np.array(enter), x])
        return np.array_equal(y, expected(name, enter, x)) or print("wrong", y)

    right = run(False, other) + (not fixed and run(True, fits))
    try:
        run(True, other)
        error = "wrong: it does not"
    except (ValueError, RuntimeError) as raised:
        error = str(raised).splitlines()[0]
    print(f"{name}, sizes {'fixed' if fixed else 'dynamic'}: {right} right, fails: {error}")


for name in MODELS:
    try_model(name, fixed=False)
    try_model(name, fixed=True)

session = onnx_compile.ExecutionSession(onnx_compile.compile(parser.parse_model(HEAD + LARGE), f"{sys.argv[1]}.large.so"))
print("large:", session.run([np.array(False), np.ones((1, 1), np.float32)])[0].tolist())
try:
    session.run([np.array(True), np.ones((1, 1), np.float32)])
except (ValueError, RuntimeError) as raised:
    print("large, entered:", raised)

model = parser.parse_model(HEAD + MODELS["squeeze"])
result = onnx_compile.check(model, dims={"n": 2})
finding = next(f for f in result["findings"] if f["name"].endswith("squeeze"))
print("check:", result["compiles"], result["errors"], finding["kind"], finding["reason"])

# With a constant condition each run comes to it.
certain = MODELS["squeeze"].replace("bool enter, ", "").replace("{\n", "{ enter = Constant <value_int = 1> ()\n", 1)
certain = certain.replace("enter = Constant <value_int = 1> ()", "one = Constant <value_int = 1> () enter = Cast <to = 9> (one)")
try:
    onnx_compile.compile(parser.parse_model(HEAD + certain), f"{sys.argv[1]}.so", dims={"n": 2})
except onnx_compile.CompileError as error:
    print("refused:", str(error).splitlines()[0])
