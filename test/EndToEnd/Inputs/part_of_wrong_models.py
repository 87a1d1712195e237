# ===- part_of_wrong_models.py - Parts of models that are wrong -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles parts of models that are wrong or unknown elsewhere, compares them with numpy, and prints the errors of parts that are wrong."""

import re
import subprocess
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import TensorProto, parser

HEADER = '<ir_version: 10, opset_import: ["" : 21, "my.lib" : 1, "ai.onnx.ml" : 99]> '
X = np.array([[1, -2, 3, 4], [-5, 6, 7, -8]], np.float32)
RELU = np.maximum(X, 0)
# The graph, --from and --to, the inputs of the part, its outputs.
PARTS = [
    ("(float[n, 4] x) => (float[n, 4] y) { a = Relu(x) b = Transpose <perm = [0, 2, 1]> (a) y = Add(a, b) }", [], ["a"], [X], [RELU]),
    ("(float[n, 4] x) => (float[n, 4] y) { a = Relu(x) y = my.lib.Foo(a) }", [], ["a"], [X], [RELU]),
    ("(float[n, 4] x) => (float[n, 4] y) { a = Relu(x) b = Nope(a) y = Add(a, b) }", [], ["a"], [X], [RELU]),
    ("(float[n, 4] x, float[n, 3] z) => (float[n, 4] y) { a = Transpose <perm = [0, 2, 1]> (x) y = Relu(z) }", ["z"], ["y"], [X[:, :3]], [RELU[:, :3]]),
    ("(float[n, 4] x) => (float[n, 4] y) { a = Relu(x) w = Constant <value_ints = [1, 2, 3]> () b = MatMul(a, w) y = Add(a, b) }", [], ["a"], [X], [RELU]),
    ("(float[n, 4] x) => (float[n, 4] y) { a = Relu(x) w = Constant <value_floats = [1., 2.]> () b = MatMul(a, w) y = Add(a, b) }", [], ["a"], [X], [RELU]),
    # A node that is named, a name that nothing makes, a cycle, and an attribute that the operator does not have.
    ("(float[n, 4] x) => (float[n, 4] y) { [first] a = Relu(x) y = Add(a, q) }", [], ["first"], [X], [RELU]),
    ("(float[n, 4] x) => (float[n, 4] y) { a = Relu(x) b = Add(a, c) c = Add(a, b) y = Add(b, c) }", [], ["a"], [X], [RELU]),
    ("(float[n, 4] x) => (float[n, 4] y) { a = Relu(x) y = Relu <alpha = 1.> (a) }", [], ["a"], [X], [RELU]),
    # An input without a proper type, and an initializer that cannot be read.
    ("(float[n, 4] x, float[n, 4] z) => (float[n, 4] y) <float[2] w = {1., 2.}> { a = Relu(x) y = Add(z, w) }", ["x"], ["a"], [X], [RELU]),
    # The types of tensors to start from are declared where nodes do not give them.
    ("(float[n, 4] x) => (float[n, 4] y) <float[n, 4] h> { h = my.lib.Foo(x) y = Relu(h) }", ["h"], ["y"], [X], [RELU]),
    ("(float[n, 4] x) => (float[n, 4] y) <float[n, 4] h> { g = Nope(x) h = Neg(g) y = Relu(h) }", ["h"], ["y"], [X], [RELU]),
    ("(float[n, 4] x) => (float[n, 4] y) { h = Neg(x) g = my.lib.Foo(h) y = Relu(h) }", ["h"], ["y"], [X], [RELU]),
    # A branch reads from outside: only what it reads is taken.
    ("(float[n, 4] x, bool c) => (float[n, 4] y) { a = Relu(x) b = Nope(x) y = If(c) <then_branch = t () => (float[n, 4] p) { p = Identity(a) }, "
     "else_branch = e () => (float[n, 4] r) { r = Neg(x) }> z = Add(y, b) }", [], ["y"], [X, np.array(True)], [RELU]),
    # The node that makes the tensor to start from makes another one that is needed.
    ("(float[n, 4] x) => (float[n, 2] y) { l, r = Split <axis = 1, num_outputs = 2> (x) n = Neg(r) y = Add(l, n) z = Nope(y) }", ["l", "x"], ["y"],
     [np.zeros((2, 2), np.float32), X], [-X[:, 2:]]),
    # A Gradient names what it reads in its attributes.
    ("(float[n, 4] x) => (float[n, 4] y) { a = Mul(x, x) s = ReduceSum <keepdims = 0> (a) "
     'g = ai.onnx.preview.training.Gradient <xs = ["x"], y = "s"> (x) y = Nope(g) }', [], ["g"], [X], [2 * X]),
    # Only a node outside is of an operator set that is not known.
    ("(float[n, 4] x) => (float[n, 4] y) { a = Relu(x) y = ai.onnx.ml.Normalizer(a) }", [], ["a"], [X], [RELU]),
    ("(float[n, 4] x) => (float[n, 4] y) <float[n, 4] h> { h = ai.onnx.ml.Normalizer(x) y = Relu(h) }", ["h"], ["y"], [X], [RELU]),
    # An initializer to start from.
    ("(float[n, 4] x) => (float[n, 4] y) <float[4] w = {1., 2., 3., 4.}> { a = Nope(x) y = Neg(w) }", ["w"], ["y"], [X[0]], [-X[0]]),
]  # fmt: skip
ERRORS = [
    ("(float[n, 4] x) => (float[n, 4] y) { h = my.lib.Foo(x) y = Relu(h) }", ["h"], ["y"]),
    ("(float[n, 4] x) => (float[n, 4] y) { a = Nope(x) b = Relu(a) y = Neg(b) }", [], ["b"]),
    ("(float[n, 4] x) => (float[n, 4] y) { y = Relu(x) }", ["q"], ["y"]),
    ("(float[n, 4] x) => (float[n, 4] y) { y = Relu(x) }", [], ["q"]),
    ("(float[n, 4] x) => (float[n, 4] y) { a = Relu(x) b = Add(a, q) y = Neg(b) }", [], ["b"]),
    ("(float[n, 4] x) => (float[n, 4] y) { h = Relu(x) y = Add(h, x) }", ["h"], ["y"]),
    ("(float[n, 4] x) => (float[n, 4] y) { h = Relu(x) y = Neg(h) }", ["h"], ["y", "--shape=x:4"]),
    ("(float[n, 4] x) => (float[n, 4] y) { h = ai.onnx.ml.Normalizer(x) y = Neg(h) }", ["h"], ["y"]),
    ("(float[n, 4] x, bool c) => (float[n, 4] y) { y = If(c) <then_branch = t () => (float[n, 4] p) { p = ai.onnx.ml.Normalizer(x) }, "
     "else_branch = e () => (float[n, 4] r) { r = Neg(x) }> z = Nope(y) }", [], ["y"]),
]


def model_of(text):
    model = parser.parse_model(f"{HEADER} g {text}")
    for tensor in model.graph.initializer:
        if tensor.dims == [2]:  # less data than the shape says
            del tensor.float_data[:]
            tensor.raw_data = bytes(3)
            model.graph.input[1].type.tensor_type.elem_type = TensorProto.UNDEFINED
    return model


def names(start, end):
    return [f"--from={name}" for name in start] + [name if name.startswith("--") else f"--to={name}" for name in end]


def run(path, *options):
    return subprocess.run(["onnx-compile", "-q", f"{path}.onnx", "-o", f"{path}.so", *options], capture_output=True, text=True)


def main():
    path = sys.argv[1]
    for text, start, end, inputs, outputs in PARTS:
        onnx.save(model_of(text), f"{path}.onnx")
        assert run(path).returncode == 1, text
        done = run(path, *names(start, end))
        assert done.returncode == 0, (text, done.stderr)
        for got, wanted in zip(onnx_compile.ExecutionSession(f"{path}.so").run(inputs), outputs, strict=True):
            np.testing.assert_array_equal(got, wanted)
    print(f"parts of wrong models: {len(PARTS)} agree")
    for text, start, end in ERRORS:
        onnx.save(model_of(text), f"{path}.onnx")
        done = run(path, *names(start, end))
        assert done.returncode == 1, (text, done)
        print(*re.findall("error: .*", done.stderr), sep="\n")


if __name__ == "__main__":
    main()
