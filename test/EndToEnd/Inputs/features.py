# ===- features.py - Features of three dimensions ---------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compares operators of ai.onnx.ml on features of more than two dimensions with onnxruntime."""

import numpy as np
import onnx
import onnx_compile
import onnxruntime
from onnx import helper


def make_model(operator, operands, is_open, attributes):
    infos = []
    for i, operand in enumerate(operands):
        shape = [f"d{i}_{k}" for k in range(operand.ndim)] if is_open else operand.shape
        infos.append(helper.make_tensor_value_info(f"x{i}", helper.np_dtype_to_tensor_dtype(operand.dtype), shape))
    node = helper.make_node(operator, [info.name for info in infos], ["y"], domain="ai.onnx.ml", **attributes)
    graph = helper.make_graph([node], "features", infos, [onnx.ValueInfoProto(name="y")])
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def agrees(operator, operands, is_open, attributes):
    model = make_model(operator, operands, is_open, attributes)
    ours = onnx_compile.ExecutionSession(onnx_compile.compile(model)).run(operands)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    theirs = session.run(None, {info.name: x for info, x in zip(model.graph.input, operands)})
    return ours[0].shape == theirs[0].shape and np.array_equal(ours[0], theirs[0])


def main():
    cube, square = np.arange(24, dtype=np.float32).reshape(2, 3, 4), np.arange(4, dtype=np.float32).reshape(2, 2)
    cases = [
        ("FeatureVectorizer", [cube, square], {"inputdimensions": [12, 2]}),
        ("FeatureVectorizer", [cube, square], {"inputdimensions": [4, 2]}),
        ("FeatureVectorizer", [cube.reshape(2, 2, 2, 3)], {"inputdimensions": [14]}),
        ("ArrayFeatureExtractor", [cube, np.array([1, 3])], {}),
        ("ArrayFeatureExtractor", [cube, np.array([[3, 0]])], {}),
        ("ArrayFeatureExtractor", [square, np.array([[[1]]])], {}),
    ]
    right = [agrees(name, operands, is_open, attributes) for name, operands, attributes in cases for is_open in (False, True)]
    print(f"{sum(right)} of {len(right)} models agree")


if __name__ == "__main__":
    main()
