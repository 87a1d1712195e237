# ===- dynamic_cases.py - Images of dynamic sizes ---------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Windows and transpositions of images of dynamic height and width."""

import numpy as np
from operator_case import Case, Fixed, below, floats

IMAGE = (2, 3)


def windows():
    for kernel in (3, 5, 7):
        geometry = {"pads": [kernel // 2] * 4, "strides": [2, 2], "dynamic": IMAGE}
        for channels, size in ((96, 56), (384, 14)):
            name = f"{kernel}x{kernel} stride 2 {channels}x{size} dynamic image"
            yield Case("Conv", [floats(1, channels, size, size), Fixed(floats(channels, 1, kernel, kernel))], group=channels,
                       suffix=f"depthwise {name}", **geometry)  # fmt: skip
            for pool in ("MaxPool", "AveragePool"):
                yield Case(pool, [floats(1, channels, size, size)], kernel_shape=[kernel, kernel], suffix=name, **geometry)
        yield Case("Conv", [floats(1, 3, 112, 112), Fixed(floats(32, 3, kernel, kernel))],
                   suffix=f"{kernel}x{kernel} stride 2 3x112 dynamic image", **geometry)  # fmt: skip


def transpositions():
    for channels in (1, 2, 3, 4, 5, 8):
        for dtype in (np.float32, np.uint8):
            def draw(*shape, dtype=dtype):  # fmt: skip
                return floats(*shape) if dtype is np.float32 else below(255, *shape, dtype=dtype)

            name = f"{channels} channels {np.dtype(dtype).name} dynamic image"
            yield Case("Transpose", [draw(1, channels, 224, 224)], perm=(0, 2, 3, 1), dynamic=(2, 3), suffix=f"to NHWC {name}")
            yield Case("Transpose", [draw(1, 224, 224, channels)], perm=(0, 3, 1, 2), dynamic=(1, 2), suffix=f"to NCHW {name}")


def dynamic_images():
    yield from windows()
    yield from transpositions()
