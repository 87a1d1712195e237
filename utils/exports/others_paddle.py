# ===- others_paddle.py - Models of PaddlePaddle, exported by paddle2onnx ---===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes small models of PaddlePaddle with random weights."""

import sys

import numpy as np
import paddle
from others import save_inputs, target
from paddle import nn
from paddle.static import InputSpec

RNG = np.random.default_rng(0)


class Squeeze(nn.Layer):
    """A block of MobileNetV3: expand, depthwise, squeeze and excite, project."""

    def __init__(self, inside, wide, outside, stride):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2D(inside, wide, 1, bias_attr=False), nn.BatchNorm2D(wide), nn.Hardswish())
        self.depth = nn.Sequential(nn.Conv2D(wide, wide, 5, stride, 2, groups=wide), nn.BatchNorm2D(wide), nn.ReLU6())
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2D(1), nn.Conv2D(wide, 8, 1), nn.ReLU(), nn.Conv2D(8, wide, 1), nn.Hardsigmoid())
        self.project = nn.Conv2D(wide, outside, 1)
        self.adds = inside == outside and stride == 1

    def forward(self, x):
        y = self.depth(self.expand(x))
        y = self.project(y * self.gate(y))
        return x + y if self.adds else y


class Vision(nn.Layer):
    """What detectors and text recognisers of Paddle are made of: such blocks and an upsampling neck."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2D(3, 16, 3, 2, 1)
        self.blocks = nn.LayerList([Squeeze(16, 32, 16, 1), Squeeze(16, 48, 24, 2), Squeeze(24, 48, 24, 1)])
        self.up = nn.Conv2DTranspose(24, 8, 2, 2)
        self.head = nn.Linear(24, 7)

    def forward(self, image):
        x = self.stem(image)
        for block in self.blocks:
            x = block(x)
        large = nn.functional.interpolate(x, size=[28, 36], mode="nearest")
        exact = nn.functional.interpolate(x, size=[40, 40], mode="bilinear", align_corners=False)
        scores = nn.functional.softmax(self.head(x.mean([2, 3])), axis=-1)
        return scores, nn.functional.sigmoid(self.up(large)), exact


class Text(nn.Layer):
    """A transformer's encoder and a recurrent layer over it."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 32)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, activation="gelu"), 2)
        self.recurrent = nn.LSTM(32, 16, direction="bidirect")
        self.head = nn.Linear(32, 5)

    def forward(self, words):
        x = self.encoder(self.embed(words))
        x, _ = self.recurrent(x)
        scores = self.head(x)
        return scores, paddle.argmax(scores, axis=-1), paddle.topk(scores, k=2, axis=-1)[0]


def write(name, layer, spec, sizes, opset):
    layer.eval()
    paddle.onnx.export(layer, str(target(name, "onnx").with_suffix("")), input_spec=[spec], opset_version=opset)
    save_inputs(name, sizes)


def main():
    paddle.seed(0)
    images = [{"image": RNG.random((n, 3, h, w), np.float32)} for n, h, w in [(2, 32, 48), (1, 64, 64), (3, 48, 32)]]
    write("paddle_vision", Vision(), InputSpec([None, 3, None, None], "float32", "image"), images, 11)
    words = [{"words": RNG.integers(0, 100, (n, t), np.int64)} for n, t in [(2, 7), (1, 1), (4, 19)]]
    write("paddle_text", Text(), InputSpec([None, None], "int64", "words"), words, 17)


if __name__ == "__main__":
    sys.exit(main())
