#!/usr/bin/env python3
# ===- train.py - Train the handwritten-digits example ---------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Trains a small convolutional network on the 1,797 handwritten digits bundled
# with scikit-learn, in plain numpy, and writes digits.onnx and a few images.
# ===------------------------------------------------------------------------===//
"""Train the digits network: train.py [--epochs N].

The network is Conv(8) Relu Conv(16) Relu MaxPool Flatten Gemm(64) Relu Gemm(10) Softmax.
Everything is seeded, so the same numpy version writes the same weights.
"""

import argparse
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20240229


def load_split():
    """Returns (train x, train y, held-back x, held-back y); x is [n, 1, 8, 8] in 0..1."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    x = (digits.images[:, None] / 16.0).astype(np.float32)
    y = digits.target.astype(np.int64)
    order = np.random.default_rng(SEED).permutation(len(x))
    train, held = order[:1437], order[1437:]
    return x[train], y[train], x[held], y[held]


class Conv3x3:
    """A 3x3 convolution with one pixel of zero padding, as a product over windows."""

    def __init__(self, rng, inputs, outputs):
        scale = np.sqrt(2.0 / (inputs * 9))
        self.params = [
            (rng.standard_normal((outputs, inputs, 3, 3)) * scale).astype(np.float32),
            np.zeros(outputs, np.float32),
        ]

    def forward(self, x):
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
        n, c, h, w = x.shape
        self.columns = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * h * w, c * 9)
        self.shape = x.shape
        weight, bias = self.params
        y = self.columns @ weight.reshape(len(weight), -1).T + bias
        return y.reshape(n, h, w, -1).transpose(0, 3, 1, 2)

    def backward(self, dy):
        n, c, h, w = self.shape
        weight, _ = self.params
        rows = dy.transpose(0, 2, 3, 1).reshape(n * h * w, -1)
        self.grads = [(rows.T @ self.columns).reshape(weight.shape), rows.sum(0)]
        d = (rows @ weight.reshape(len(weight), -1)).reshape(n, h, w, c, 3, 3)
        dx = np.zeros((n, c, h + 2, w + 2), np.float32)
        for i in range(3):
            for j in range(3):
                dx[:, :, i : i + h, j : j + w] += d[..., i, j].transpose(0, 3, 1, 2)
        return dx[:, :, 1:-1, 1:-1]


class Gemm:
    """y = x @ weight.T + bias, the layout of ONNX's Gemm with transB = 1."""

    def __init__(self, rng, inputs, outputs):
        scale = np.sqrt(2.0 / inputs)
        self.params = [
            (rng.standard_normal((outputs, inputs)) * scale).astype(np.float32),
            np.zeros(outputs, np.float32),
        ]

    def forward(self, x):
        self.x = x
        return x @ self.params[0].T + self.params[1]

    def backward(self, dy):
        self.grads = [dy.T @ self.x, dy.sum(0)]
        return dy @ self.params[0]


class Relu:
    params = ()

    def forward(self, x):
        self.mask = x > 0
        return x * self.mask

    def backward(self, dy):
        return dy * self.mask


class MaxPool2x2:
    params = ()

    def forward(self, x):
        n, c, h, w = x.shape
        blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
        y = blocks.max(axis=(3, 5))
        self.mask = blocks == y[:, :, :, None, :, None]
        self.shape = x.shape
        return y

    def backward(self, dy):
        return (self.mask * dy[:, :, :, None, :, None]).reshape(self.shape)


class Flatten:
    params = ()

    def forward(self, x):
        self.shape = x.shape
        return x.reshape(len(x), -1)

    def backward(self, dy):
        return dy.reshape(self.shape)


class Adam:
    def __init__(self, layers, rate):
        self.slots = [(l, i) for l in layers for i in range(len(l.params))]
        self.m = [np.zeros_like(l.params[i]) for l, i in self.slots]
        self.v = [np.zeros_like(l.params[i]) for l, i in self.slots]
        self.rate, self.t = rate, 0

    def step(self, rate_scale):
        self.t += 1
        correction = np.sqrt(1 - 0.999**self.t) / (1 - 0.9**self.t)
        for (layer, i), m, v in zip(self.slots, self.m, self.v):
            g = layer.grads[i]
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            layer.params[i] -= self.rate * rate_scale * correction * m / (np.sqrt(v) + 1e-8)


def forward(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x


def train_step(layers, x, y):
    """Softmax cross entropy: sets the gradients of all layers, returns the mean loss."""
    scores = forward(layers, x)
    scores = scores - scores.max(1, keepdims=True)
    p = np.exp(scores)
    p /= p.sum(1, keepdims=True)
    rows = np.arange(len(y))
    loss = -np.log(p[rows, y]).mean()
    p[rows, y] -= 1
    d = p / len(y)
    for layer in reversed(layers):
        d = layer.backward(d)
    return loss


def shifted(rng, x):
    """Moves each image by up to one pixel, so that the network sees more than 1,437."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    dy, dx = rng.integers(0, 3, (2, len(x)))
    return np.stack([p[:, a : a + 8, b : b + 8] for p, a, b in zip(padded, dy, dx)])


def train(epochs):
    rng = np.random.default_rng(SEED)
    layers = [Conv3x3(rng, 1, 8), Relu(), Conv3x3(rng, 8, 16), Relu(), MaxPool2x2(), Flatten(),
              Gemm(rng, 256, 64), Relu(), Gemm(rng, 64, 10)]  # fmt: skip
    x, y, held_x, held_y = load_split()
    adam = Adam(layers, 2e-3)
    for epoch in range(epochs):
        order = rng.permutation(len(x))
        losses = []
        for start in range(0, len(order), 64):
            batch = order[start : start + 64]
            images = shifted(rng, x[batch]) if epoch % 2 else x[batch]
            losses.append(train_step(layers, images, y[batch]))
            adam.step(1.0 - epoch / epochs)
        accuracy = (forward(layers, held_x).argmax(1) == held_y).mean()
        print(f"epoch {epoch + 1:2} loss {np.mean(losses):.4f} held-back accuracy {accuracy:.2%}")
    return layers


def write_onnx(layers, path):
    """Writes the trained network with a symbolic batch dimension."""
    from onnx import TensorProto, checker, helper, numpy_helper, save

    conv1, _, conv2, _, _, _, gemm1, _, gemm2 = layers
    weights = []
    for name, layer in [("conv1", conv1), ("conv2", conv2), ("fc1", gemm1), ("fc2", gemm2)]:
        weights.append(numpy_helper.from_array(layer.params[0], name + ".weight"))
        weights.append(numpy_helper.from_array(layer.params[1], name + ".bias"))

    def conv(name, source):
        inputs = [source, name + ".weight", name + ".bias"]
        return helper.make_node("Conv", inputs, [name + ".out"], name=name, kernel_shape=[3, 3], pads=[1] * 4)

    def gemm(name, source):
        inputs = [source, name + ".weight", name + ".bias"]
        return helper.make_node("Gemm", inputs, [name + ".out"], name=name, transB=1)

    def plain(op, name, source, result, **attributes):
        return helper.make_node(op, [source], [result], name=name, **attributes)

    nodes = [
        conv("conv1", "image"),
        plain("Relu", "relu1", "conv1.out", "relu1.out"),
        conv("conv2", "relu1.out"),
        plain("Relu", "relu2", "conv2.out", "relu2.out"),
        plain("MaxPool", "pool", "relu2.out", "pool.out", kernel_shape=[2, 2], strides=[2, 2]),
        plain("Flatten", "flatten", "pool.out", "flatten.out"),
        gemm("fc1", "flatten.out"),
        plain("Relu", "relu3", "fc1.out", "relu3.out"),
        gemm("fc2", "relu3.out"),
        plain("Softmax", "softmax", "fc2.out", "probabilities", axis=1),
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 8, 8])
    result = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", 10])
    graph = helper.make_graph(nodes, "digits", [image], [result], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                              producer_name="examples/digits/train.py")  # fmt: skip
    checker.check_model(model, full_check=True)
    save(model, path)


def write_images(folder):
    """Saves the first held-back image of each digit as [1, 1, 8, 8] float32."""
    _, _, x, y = load_split()
    folder.mkdir(exist_ok=True)
    for digit in range(10):
        index = int(np.flatnonzero(y == digit)[0])
        np.save(folder / f"{digit}.npy", x[index][None])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    layers = train(parser.parse_args().epochs)
    write_onnx(layers, HERE / "digits.onnx")
    write_images(HERE / "images")
    print(f"wrote {HERE / 'digits.onnx'} ({(HERE / 'digits.onnx').stat().st_size} bytes)")


if __name__ == "__main__":
    main()
