# ===- real_time_models.py - Models of controllers and microcontrollers -----===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Two keyword spotters of the kind DS-CNN (Zhang and others, "Hello Edge", 2017)
# with random weights, a recurrent network, and indices that come from data.
# ===------------------------------------------------------------------------===//
"""Models of known sizes with inputs."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper, parser

CHANNELS, CLASSES = 32, 12


class Spotter:
    """Builds a network layer by layer; quantized ones have a pair of QuantizeLinear and DequantizeLinear per tensor."""

    def __init__(self, is_quantized):
        self.is_quantized = is_quantized
        self.random = np.random.default_rng(5)
        self.nodes, self.initializers, self.value = [], [], "features"

    def constant(self, array):
        self.initializers.append(numpy_helper.from_array(array, f"c{len(self.initializers)}"))
        return self.initializers[-1].name

    def add(self, operator, inputs, **attributes):
        self.value = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [self.value], name=f"{operator}_{len(self.nodes)}", **attributes))
        return self.value

    def requantize(self, scale):
        if self.is_quantized:
            parameters = [self.constant(np.float32(scale)), self.constant(np.int8(-3))]
            self.add("QuantizeLinear", [self.value, *parameters])
            self.add("DequantizeLinear", [self.value, *parameters])

    def weights(self, shape, scale):
        values = self.random.standard_normal(shape).astype(np.float32) * scale
        if not self.is_quantized:
            return self.constant(values)
        step = np.float32(4 * scale / 127)
        whole = np.clip(np.rint(values / step), -127, 127).astype(np.int8)
        before = self.value
        name = self.add("DequantizeLinear", [self.constant(whole), self.constant(step), self.constant(np.int8(0))])
        self.value = before
        return name

    def convolution(self, outputs, inputs, kernel, strides, group=1):
        area = kernel[0] * kernel[1] * (inputs // group)
        weights = self.weights((outputs, inputs // group, *kernel), (2 / area) ** 0.5)
        bias = self.constant(self.random.standard_normal(outputs).astype(np.float32) * 0.1)
        self.add("Conv", [self.value, weights, bias], auto_pad="SAME_UPPER", kernel_shape=kernel, strides=strides, group=group)
        self.add("Relu", [self.value])
        self.requantize(0.05)

    def build(self):
        self.requantize(0.03)
        self.convolution(CHANNELS, 1, [10, 4], [2, 2])
        for _ in range(3):
            self.convolution(CHANNELS, CHANNELS, [3, 3], [1, 1], group=CHANNELS)
            self.convolution(CHANNELS, CHANNELS, [1, 1], [1, 1])
        self.add("GlobalAveragePool", [self.value])
        self.add("Flatten", [self.value])
        self.requantize(0.02)
        self.add("Gemm", [self.value, self.weights((CHANNELS, CLASSES), 0.3)])
        self.add("Softmax", [self.value])
        self.nodes[-1].output[0] = "probabilities"
        graph = helper.make_graph(
            self.nodes, "spotter",
            [helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, 1, 49, 10])],
            [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [1, CLASSES])], self.initializers)  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


RECURRENT = """<ir_version: 10, opset_import: ["" : 21]>
recurrent (float[5, 1, 3] x, float[1, 16, 3] w, float[1, 16, 4] r, float[1, 1, 4] start)
    => (float[5, 1, 1, 4] y, float[1, 1, 4] last, float[1, 1, 4] sum, float[5, 1, 1, 4] sums, float[5, 1, 4] differences) {
  y, last, cell = LSTM <hidden_size = 4> (x, w, r, , , start, start)
  iterations = Constant <value_int = 5> ()
  go = Constant <value = bool {1}> ()
  sum, sums = Loop (iterations, go, start) <body = steps (int64 i, bool still, float[1, 1, 4] before)
      => (bool onward, float[1, 1, 4] after, float[1, 1, 4] row) {
    onward = Identity (still)
    after = Add (before, last)
    row = Identity (after)
  }>
  axis = Constant <value_ints = [1]> ()
  flat = Squeeze (y, axis)
  zero = Constant <value = float[1, 4] {0.0, 0.0, 0.0, 0.0}> ()
  unused, differences = Scan <num_scan_inputs = 1, body = steps_2 (float[1, 4] older, float[1, 4] newer)
      => (float[1, 4] kept, float[1, 4] difference) {
    kept = Identity (newer)
    difference = Sub (newer, older)
  }> (zero, flat)
}"""

# An index that is out of range ends the run.
INDEXED = """<ir_version: 10, opset_import: ["" : 21]>
indexed (float[6, 4] table, int64[3] which) => (float[3, 4] rows, float[3, 4] ranked)
<float[4] scale = {1.0, 2.0, 3.0, 4.0}> {
  rows = Gather <axis = 0> (table, which)
  ranked = LayerNormalization (rows, scale)
}"""


def all_models():
    """Yields (name, model, inputs)."""
    random = np.random.default_rng(9)

    def floats(*shape):
        return random.standard_normal(shape).astype(np.float32)

    yield "spotter", Spotter(is_quantized=False).build(), [floats(1, 1, 49, 10)]
    yield "quantized", Spotter(is_quantized=True).build(), [floats(1, 1, 49, 10)]
    yield ("recurrent", parser.parse_model(RECURRENT),
           [floats(5, 1, 3), floats(1, 16, 3), floats(1, 16, 4), floats(1, 1, 4)])  # fmt: skip
    yield "indexed", parser.parse_model(INDEXED), [floats(6, 4), np.array([5, -1, 0])]
