# ===- others_onnx.py - Models written with onnx.helper ---------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes FER+ as CNTK exported it (opset 7) and a model quantised to 16 bits by onnxruntime, with random weights."""

import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from others import save_inputs, target

RNG = np.random.default_rng(0)


class Graph:
    """Nodes and weights as they are added; each method returns the name of its result."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def weight(self, *shape, scale=None):
        value = RNG.normal(0, scale or (2 / np.prod(shape[1:])) ** 0.5, shape).astype(np.float32)
        return self.constant(value)

    def constant(self, value):
        name = f"weight{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(self, operator, *inputs, **attributes):
        name = f"{operator}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], name, **attributes))
        return name

    def model(self, inputs, outputs, opset, ir_version):
        """Of format 3 and before, weights are inputs, too."""
        infos = [helper.make_tensor_value_info(n, t, s) for n, t, s in inputs]
        if ir_version < 4:
            infos += [helper.make_tensor_value_info(w.name, w.data_type, w.dims) for w in self.weights]
        graph = helper.make_graph(
            self.nodes, "graph", infos, [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in outputs], self.weights
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version, producer_name="CNTK")


def emotion():
    """FER+: a VGG of 13 layers on grey faces; dropout between blocks, which inference has to leave out."""
    g = Graph()
    scaled = g.add("Sub", "Input3", g.constant(np.float32([127.5])))
    x = g.add("Div", scaled, g.constant(np.float32([127.5])))
    channels = 1
    for width, repeats in ((64, 2), (128, 2), (256, 3), (256, 3)):
        for _ in range(repeats):
            x = g.add(
                "Conv",
                x,
                g.weight(width, channels, 3, 3),
                kernel_shape=[3, 3],
                strides=[1, 1],
                dilations=[1, 1],
                group=1,
                auto_pad="SAME_UPPER",
            )
            x = g.add("Relu", g.add("Add", x, g.weight(width, 1, 1, scale=0.1)))
            channels = width
        x = g.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], auto_pad="NOTSET")
        x = g.add("Dropout", x, ratio=0.25)
    x = g.add("Reshape", x, g.constant(np.int64([1, 256 * 16])))
    for inside, outside in ((256 * 16, 1024), (1024, 1024)):
        flat = g.add("Reshape", g.weight(inside, outside, scale=(2 / inside) ** 0.5), g.constant(np.int64([inside, outside])))
        x = g.add("Relu", g.add("Add", g.add("MatMul", x, flat), g.weight(1, outside, scale=0.1)))
        x = g.add("Dropout", x, ratio=0.5)
    x = g.add("Add", g.add("MatMul", x, g.weight(1024, 8, scale=0.03)), g.weight(1, 8, scale=0.1))
    model = g.model([("Input3", TensorProto.FLOAT, [1, 1, 64, 64])], [(x, [1, 8])], 7, 3)
    onnx.save(model, target("ferplus_7", "onnx"))
    save_inputs("ferplus_7", [{"Input3": RNG.integers(0, 256, (1, 1, 64, 64)).astype(np.float32)} for _ in range(2)])


def network():
    """A small network of what quantisation meets: convolution, product, addition, pools, softmax."""
    g = Graph()
    x = g.add("Relu", g.add("Conv", "image", g.weight(12, 3, 3, 3), g.weight(12, scale=0.1), pads=[1, 1, 1, 1], strides=[2, 2]))
    y = g.add("Conv", x, g.weight(12, 1, 3, 3), g.weight(12, scale=0.1), pads=[1, 1, 1, 1], group=12)
    x = g.add("MaxPool", g.add("Add", x, y), kernel_shape=[2, 2], strides=[2, 2])
    x = g.add("Flatten", g.add("GlobalAveragePool", g.add("Sigmoid", x)))
    x = g.add("Softmax", g.add("Gemm", x, g.weight(12, 10, scale=0.5), g.weight(10, scale=0.2)), axis=1)
    return g.model([("image", TensorProto.FLOAT, ["batch", 3, 32, 32])], [(x, ["batch", 10])], 21, 10)


def quantised():
    """16 bits for what flows, 8 or 16 for weights, as onnxruntime's static quantisation writes it."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    images = [{"image": RNG.random((n, 3, 32, 32), np.float32)} for n in (2, 1, 5)]

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.rest = iter(images)

        def get_next(self):
            return next(self.rest, None)

    with tempfile.TemporaryDirectory() as scratch:
        onnx.save(network(), f"{scratch}/model.onnx")
        for kind, weights, per_channel in (("QInt16", "QInt16", False), ("QUInt16", "QInt8", True), ("QUInt16", "QUInt16", False)):
            name = f"quantised_{kind}_{weights}".lower()
            quantize_static(
                f"{scratch}/model.onnx",
                target(name, "onnx"),
                Reader(),
                QuantFormat.QDQ,
                per_channel=per_channel,
                activation_type=QuantType[kind],
                weight_type=QuantType[weights],
            )
            save_inputs(name, images)


def main():
    emotion()
    quantised()


if __name__ == "__main__":
    sys.exit(main())
