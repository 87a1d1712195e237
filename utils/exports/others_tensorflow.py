# ===- others_tensorflow.py - Models of TensorFlow, exported by tf2onnx -----===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Writes small models of Keras and of plain TensorFlow with random weights."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras
import numpy as np
import tensorflow as tf
import tf2onnx
from keras import layers
from others import save_inputs, target

RNG = np.random.default_rng(0)


def spread_weights(model):
    """Biases and statistics that are not what they are initialised with."""
    for weight in model.weights:
        value = RNG.normal(0, 0.1, weight.shape).astype(np.float32)
        if "variance" in weight.path or "gamma" in weight.path:
            weight.assign(1 + np.abs(value))
        elif len(weight.shape) == 1:
            weight.assign(value)
    return model


def vision():
    """Strided, dilated, depthwise and transposed convolutions, which TensorFlow pads unevenly."""
    image = layers.Input((None, None, 3))
    x = layers.Conv2D(16, 3, strides=2, padding="same", use_bias=False)(image)
    x = layers.Activation("hard_silu")(layers.BatchNormalization()(x))
    y = layers.DepthwiseConv2D(5, padding="same")(x)
    y = layers.ReLU(max_value=6.0)(layers.BatchNormalization()(y))
    x = layers.Add()([x, layers.Conv2D(16, 1)(y)])
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    x = layers.SeparableConv2D(24, 3, dilation_rate=2, padding="same", activation="relu")(x)
    x = layers.AveragePooling2D(2, padding="same")(x)
    up = layers.UpSampling2D(2)(x)
    up = layers.Conv2DTranspose(8, 3, strides=2, padding="same", activation="sigmoid")(up)
    scores = layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling2D()(x))
    return spread_weights(keras.Model(image, [scores, up]))


def text():
    """Embedding, recurrent layers in both directions, attention and layer normalisation."""
    words = layers.Input((None,), dtype="int32")
    x = layers.Embedding(100, 24)(words)
    x = layers.Bidirectional(layers.LSTM(16, return_sequences=True))(x)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
    x = layers.GRU(20, return_sequences=True)(x)
    x = layers.SimpleRNN(12)(x)
    return spread_weights(keras.Model(words, layers.Dense(5)(x)))


@tf.function
def plain(x, k):
    """What is not a layer: strided slices, gathers, sorting, einsum, control flow, segments."""
    top, index = tf.math.top_k(x, k=3)
    rows = tf.gather(x, tf.argsort(x[:, 0], direction="DESCENDING"))
    product = tf.einsum("ij,kj->ik", rows, x[:, ::-1])
    total = tf.zeros_like(x)
    step = tf.constant(0)
    while step < k:
        total = total + tf.roll(x, 1, axis=1) * tf.cast(step, tf.float32)
        step = step + 1
    if tf.reduce_sum(x) > 0:
        total = total * 2
    mask = tf.one_hot(tf.cast(index, tf.int64), tf.shape(x)[1], on_value=2.0, off_value=-1.0)
    return top, product, tf.where(total > 0, total, tf.exp(total) - 1), tf.cumsum(mask, axis=1, reverse=True)


def resized(network, image):
    scores, up = network(image, training=False)
    smooth = tf.image.resize(up, [40, 24])
    return scores, smooth, tf.image.resize(up, tf.shape(smooth)[1:3] * 2, method="nearest")


def write(name, function, signature, sizes, opset):
    tf2onnx.convert.from_function(function, input_signature=signature, opset=opset, output_path=str(target(name, "onnx")))
    save_inputs(name, sizes)


def main():
    images = [{"image": RNG.random((n, h, w, 3), np.float32)} for n, h, w in [(2, 32, 48), (1, 45, 31), (5, 64, 64)]]
    network = vision()
    for opset in (11, 18):
        write(
            f"tensorflow_vision_{opset}",
            tf.function(lambda image: resized(network, image)),
            [tf.TensorSpec((None, None, None, 3), tf.float32, name="image")],
            images,
            opset,
        )
    words = [{"words": RNG.integers(0, 100, (n, t), np.int32)} for n, t in [(2, 7), (1, 1), (4, 19)]]
    reader = text()
    write(
        "tensorflow_text",
        tf.function(lambda words: reader(words, training=False)),
        [tf.TensorSpec((None, None), tf.int32, name="words")],
        words,
        17,
    )
    rows = [{"x": RNG.normal(size=(n, d)).astype(np.float32), "k": np.int32(k)} for n, d, k in [(4, 6, 3), (1, 9, 0), (7, 5, 2)]]
    write("tensorflow_plain", plain, [tf.TensorSpec((None, None), tf.float32, name="x"), tf.TensorSpec((), tf.int32, name="k")], rows, 17)


if __name__ == "__main__":
    sys.exit(main())
