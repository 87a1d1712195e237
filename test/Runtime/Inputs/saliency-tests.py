# ===- saliency-tests.py - Gradients of class scores by inputs --------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compares saliency outputs with differences of scores."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import parser
from onnx_compile import ExecutionSession, compile, saliency

digits, stem = pathlib.Path(sys.argv[1]), sys.argv[2]
images = np.concatenate([np.load(digits / "images" / f"{i}.npy").reshape(1, 1, 8, 8) for i in (3, 5)])


def check_digits(number):
    """Of two images at once: a step along the gradient changes the score of the row as the gradient says."""
    model = saliency.make(str(digits / "digits.onnx"), classes=number)
    # The scores before Softmax.
    (softmax,) = [node for node in model.graph.node if node.op_type == "Softmax"]
    model.graph.output.append(onnx.helper.make_tensor_value_info(softmax.input[0], 1, None))
    session = ExecutionSession(compile(model, f"{stem}.{number}.so"))
    _, gradient, scores = session.run({"image": images})
    assert gradient.shape == images.shape, gradient.shape
    rows = np.arange(2), scores.argmax(1) if number is None else [number, number]
    for row in range(2):
        step = 1e-3 * gradient[row] / np.abs(gradient[row]).max()
        moved = images.copy()
        moved[row] += step
        change = session.run({"image": moved})[2][rows] - scores[rows]
        np.testing.assert_allclose(change[row], (step * gradient[row]).sum(), rtol=0.05)
        assert change[1 - row] == 0, change


check_digits(None)
check_digits(4)

# Known gradients, in an opset where axes are an attribute; the integers have none.
text = """<ir_version: 8, opset_import: ["" : 13]>
    m (float[n, 2] x, int64[1] i, float[2] w) => (float[n, 2] y) { y = Mul (x, w) }"""
session = ExecutionSession(compile(saliency.make(parser.parse_model(text)), f"{stem}.small.so"))
y, by_x, by_w = session.run({"x": [[1, 2], [9, 2]], "i": [0], "w": [3, 4]})
np.testing.assert_array_equal(by_x, [[0, 4], [3, 0]])
np.testing.assert_array_equal(by_w, [9, 2])

try:
    saliency.make(parser.parse_model('<ir_version: 8, opset_import: ["" : 13]> m (int64[2] x) => (int64[2] y) { y = Neg (x) }'))
    raise SystemExit("a model of integers was taken")
except saliency.TrainingError as error:
    assert "no input of floats" in str(error), error
