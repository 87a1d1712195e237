# ===- trainer.py - Training steps against what they should do --------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Trains small models with onnx_compile.training and compares with NumPy."""

import os
import pathlib
import sys

import numpy as np
import onnx
from onnx import parser

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(pathlib.Path(os.environ.get("ONNXC_BUILD", ROOT / "build")) / "python"))

import onnx_compile
from onnx_compile import training

BASE = sys.argv[1]
random = np.random.default_rng(4)


def model_of(text, weights, opset=18):
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : {opset}]> {text}')
    model.graph.initializer.extend(onnx.numpy_helper.from_array(v.astype(np.float32), n) for n, v in weights.items())
    return model


LINE = "g (float[n, 3] x) => (float[n, 2] y) { z = MatMul(x, w) y = Add(z, b) }"
w, b = random.standard_normal((3, 2)), random.standard_normal(2)
x, target = (random.standard_normal((8, k)).astype(np.float32) for k in (3, 2))


def gradients(w, b):
    error = x @ w + b - target
    return 2 / error.size * x.T @ error, 2 / error.size * error.sum(0)


class Reference:
    """The optimizers once more; one for each weight."""

    def __init__(self, optimizer):
        self.optimizer, self.count, self.first, self.second = optimizer, 0, 0.0, 0.0

    def step(self, weight, gradient):
        o = self.optimizer
        gradient = gradient + o.weight_decay * weight
        self.count += 1
        if isinstance(o, training.SGD):
            return weight - o.rate * gradient
        if isinstance(o, training.Momentum):
            self.first = o.momentum * self.first + gradient
            way = gradient + o.momentum * self.first if o.nesterov else self.first
            return weight - o.rate * way
        if isinstance(o, training.Adagrad):
            self.first = self.first + gradient**2
            rate = o.rate / (1 + self.count * o.decay)
            return weight - rate * gradient / (np.sqrt(self.first) + o.epsilon)
        self.first = o.beta1 * self.first + (1 - o.beta1) * gradient
        self.second = o.beta2 * self.second + (1 - o.beta2) * gradient**2
        rate = o.rate * np.sqrt(1 - o.beta2**self.count) / (1 - o.beta1**self.count)
        return weight - rate * self.first / (np.sqrt(self.second) + o.epsilon)


OPTIMIZERS = [training.SGD(0.1), training.SGD(0.1, weight_decay=0.2), training.Momentum(0.1, 0.8),
              training.Momentum(0.1, nesterov=True, weight_decay=0.1), training.Adagrad(0.2, decay=0.1), training.Adam(0.05),
              training.Adam(0.05, 0.8, 0.99, weight_decay=0.1)]  # fmt: skip
for optimizer in OPTIMIZERS:
    trainer = training.Trainer(model_of(LINE, {"w": w, "b": b}), "mean-squared-error", optimizer)
    wanted, references = [w, b], [Reference(optimizer), Reference(optimizer)]
    for _ in range(4):
        loss = trainer.step(x, target)
        np.testing.assert_allclose(loss, np.mean((x @ wanted[0] + wanted[1] - target) ** 2), 1e-5)
        wanted = [r.step(v, g) for r, v, g in zip(references, wanted, gradients(*wanted))]
    for name, value in zip("wb", wanted):
        np.testing.assert_allclose(trainer.weights[name], value, 1e-4, 1e-5, err_msg=f"{optimizer}: {name}")
print(f"optimizers: {len(OPTIMIZERS)} settings agree")


def softmax(scores):
    parts = np.exp(scores - scores.max(1, keepdims=True))
    return parts / parts.sum(1, keepdims=True)


scores = x @ w + b
labels = random.integers(0, 2, 8)
shares = random.random((8, 2)).astype(np.float32)
sigmoid = 1 / (1 + np.exp(-scores))
picked = -np.log(softmax(scores)[range(8), labels]).mean()
LOSSES = [
    ("cross-entropy", LINE, labels, picked),
    ("cross-entropy", LINE.replace("y = Add(z, b)", "s = Add(z, b) y = Softmax(s)"), labels, picked),
    ("binary-cross-entropy", LINE.replace("y = Add(z, b)", "s = Add(z, b) y = Sigmoid(s)"), shares,
     -np.mean(shares * np.log(sigmoid) + (1 - shares) * np.log(1 - sigmoid))),
    ("mean-absolute-error", LINE, target, np.abs(scores - target).mean()),
    ("given", LINE.replace("y = Add(z, b)", "s = Add(z, b) y = Mul(s, s)"), None, np.mean(scores**2)),
]  # fmt: skip
for loss, text, wanted, value in LOSSES:
    trainer = training.Trainer(model_of(text, {"w": w, "b": b}), loss, "adam")
    first, *_, last = [trainer.step(x, wanted, rate=0.05) for _ in range(30)]
    np.testing.assert_allclose(first, value, 1e-5, err_msg=loss)
    assert last < first, loss
print(f"losses: {len(LOSSES)} agree and become smaller")

# Normalizations keep track of the batches they see; dropout draws new numbers.
NORM = """g (float[n, 3, 4] x) => (float[n, 3, 4] y) {
  r = Constant<value_float = 0.5>() d = Dropout(x, r) y = BatchNormalization<momentum = 0.7>(d, scale, bias, mean, var) }"""
parts = {"scale": np.ones(3), "bias": np.zeros(3), "mean": np.zeros(3), "var": np.ones(3)}
images = random.standard_normal((5, 3, 4)).astype(np.float32)
quiet = NORM.replace("d = Dropout(x, r)", "d = Identity(x)")
trainer = training.Trainer(model_of(quiet, parts), "mean-squared-error", "sgd")
trainer.step(images, images)
np.testing.assert_allclose(trainer.states["mean"], 0.3 * images.mean((0, 2)), 1e-5, 1e-6)
np.testing.assert_allclose(trainer.states["var"], 0.7 + 0.3 * images.var((0, 2)), 1e-5, 1e-6)
assert sorted(trainer.weights) == ["bias", "scale"]
saved = {t.name: onnx.numpy_helper.to_array(t) for t in trainer.trained().graph.initializer}
np.testing.assert_array_equal(saved["mean"], trainer.states["mean"])
trainer = training.Trainer(model_of(NORM, parts), "mean-squared-error", "sgd")
assert len({trainer.step(images, images, rate=0.0) for _ in range(4)}) == 4
trainer = training.Trainer(model_of(NORM, parts), "mean-squared-error", "sgd", evaluation=True)
assert len({trainer.step(images, images, rate=0.0) for _ in range(4)}) == 1 and not trainer.states
print("normalizations and dropout train")

# An exporter that stores equal tensors once: two normalizations of a fresh model, statistics and all.
SHARED = """g (float[n, 3, 4] x) => (float[n, 3, 4] y) {
  var = Identity(scale) scale2 = Identity(scale) mean = Identity(bias)
  d = BatchNormalization<momentum = 0.7>(x, scale, bias, mean, var) y = BatchNormalization(d, scale2, bias, bias, scale) }"""
APART = """g (float[n, 3, 4] x) => (float[n, 3, 4] y) {
  d = BatchNormalization<momentum = 0.7>(x, scale, bias, mean, var) y = BatchNormalization(d, scale2, bias, bias2, var2) }"""
apart = {**parts, "scale2": parts["scale"], "bias2": parts["mean"], "var2": parts["var"]}
goal = random.standard_normal(images.shape).astype(np.float32)
for evaluation in (False, True):
    sgd = training.SGD(0.5)
    trainer, reference = (training.Trainer(model_of(text, values), "mean-squared-error", sgd, evaluation=evaluation)
                          for text, values in ((SHARED, {n: parts[n] for n in ("scale", "bias")}), (APART, apart)))  # fmt: skip
    assert [trainer.step(images, goal) for _ in range(3)] == [reference.step(images, goal) for _ in range(3)]
    assert trainer.weights.keys() == {"scale", "scale2", "bias"}
    for name, value in reference.weights.items():
        np.testing.assert_array_equal(trainer.weights[name], value)
assert training.Trainer(trainer.trained(), "mean-squared-error").weights.keys() == trainer.weights.keys()
print("what only happens to be equal goes ways of its own")

trainer = training.Trainer(model_of(LINE, {"w": w, "b": b}), "mean-squared-error", "sgd", freeze="w*")
assert list(trainer.weights) == ["b"]
for settings in ({"loss": "hinge"}, {"optimizer": "newton"}, {"train": ["v*"]}, {"freeze": ["w", "b"]}, {"output": "q"}):
    try:
        training.Trainer(model_of(LINE, {"w": w, "b": b}), **settings)
    except training.TrainingError as error:
        print(f"refused: {error}")
try:
    training.Trainer(model_of(NORM, parts, opset=13), "mean-squared-error")
except training.TrainingError as error:
    print(f"refused: {error}")

status = training.main([str(ROOT / "examples/digits/digits.onnx"), "-o", f"{BASE}.step.so"])
twin = onnx_compile.compile(ROOT / "examples/digits/digits.onnx", f"{BASE}.so")
more = os.path.getsize(f"{BASE}.step.so") - os.path.getsize(twin)
assert status == 0 and more <= 2_000_000, (status, more)
print(f"a training step is {more} bytes larger")
assert training.main([f"{BASE}.nothing.onnx", "-o", f"{BASE}.step.onnx"]) == 1
