# ===- windows_between_layouts.py - Windows beside convolutions -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compares pools and depthwise convolutions, before and after a convolution, with the reference of the onnx package, of sizes that the compiler knows and of others."""

import itertools
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

RANDOM = np.random.default_rng(0)
# Height and width: less than a vector, more, and squares that fill it.
SIZES = [(5, 3), (9, 33), (4, 32), (7, 71)]
WINDOWS = {
    "MaxPool": {"kernel_shape": [2, 2], "strides": [2, 2]},
    "AveragePool": {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]},
    "Conv": {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
}


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def window(operator, source, result, channels, weights):
    attributes = dict(WINDOWS[operator])
    inputs = [source]
    if operator == "Conv":
        attributes["group"] = channels
        weights["depthwise"] = floats(channels, 1, 3, 3)
        inputs.append("depthwise")
    return helper.make_node(operator, inputs, [result], **attributes)


def model_of(operator, channels, is_after, height, width):
    """The window after a 1x1 convolution, or before one."""
    outer = [8, channels] if is_after else [channels, 8]
    weights = {"pointwise": floats(outer[1], outer[0], 1, 1)}
    ends = [("x", "between"), ("between", "y")]
    pointwise = helper.make_node("Conv", [ends[not is_after][0], "pointwise"], [ends[not is_after][1]])
    nodes = [pointwise, window(operator, *ends[is_after], channels, weights)]
    image = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, outer[0], height, width])
    result = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes if is_after else nodes[::-1], "g", [image], [result],
                              [numpy_helper.from_array(array, name) for name, array in weights.items()])  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def compiled(model, prefix):
    onnx.save(model, f"{prefix}.onnx")
    return onnx_compile.ExecutionSession(onnx_compile.compile(f"{prefix}.onnx", f"{prefix}.so"))


def agrees(model, session, channels, is_after, size):
    x = floats(1, 8 if is_after else channels, *size)
    (wanted,) = ReferenceEvaluator(model).run(None, {"x": x})
    (got,) = session.run([x])
    assert got.shape == wanted.shape, (got.shape, wanted.shape)
    return np.allclose(got, wanted, rtol=1e-4, atol=1e-5)


def main():
    for channels in (16, 21, 40):
        count = 0
        for number, (operator, is_after) in enumerate(itertools.product(WINDOWS, (True, False))):
            prefix = f"{sys.argv[1]}.{channels}.{number}"
            model = model_of(operator, channels, is_after, "height", "width")
            session = compiled(model, prefix)
            for size in SIZES:
                assert agrees(model, session, channels, is_after, size), (operator, channels, is_after, size)
                count += 1
            known = model_of(operator, channels, is_after, *SIZES[1])
            assert agrees(known, compiled(known, f"{prefix}.known"), channels, is_after, SIZES[1]), (operator, channels, is_after)
        print(f"{channels} channels: {count} agree")


main()
