# ===- map_cases.py - Operators whose index maps are computed at run time ---===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Resizing, padding and sampling with sizes, scales, pads or starts that are
# inputs of the model, beside the same with known ones.
# ===------------------------------------------------------------------------===//
"""Operators whose index maps depend on run-time sizes, scales, pads or starts."""

import itertools

import numpy as np
from operator_case import RNG, Case, Fixed, below, floats


def resized():
    camera, batch = (1, 3, 480, 640), (8, 64, 56, 56)
    for name, shape, scale in [("up", (1, 16, 120, 160), 2), ("down", (1, 16, 120, 160), 0.5), ("odd", (1, 16, 120, 160), 1.3),
                               ("camera up", camera, 1.5), ("camera down", camera, 0.35), ("camera thumbnail", camera, 0.05),
                               ("batch up", batch, 2), ("batch down", batch, 0.5)]:  # fmt: skip
        scales = np.float32([1, 1, scale, scale])
        for mode in ("linear", "nearest", "cubic"):
            yield Case("Resize", [floats(*shape), None, scales], mode=mode, suffix=f"{mode} {name} dynamic scales")
            yield Case("Resize", [floats(*shape), None, Fixed(scales)], mode=mode, dynamic=(2, 3), suffix=f"{mode} {name} dynamic image")
            yield Case("Resize", [floats(*shape), None, scales], mode=mode, dynamic=(0, 2, 3), suffix=f"{mode} {name} dynamic both")
        if shape == camera:
            for mode in ("linear", "nearest"):
                yield Case("Resize", [below(255, *shape, dtype=np.uint8), None, scales], mode=mode, suffix=f"{mode} {name} uint8 dynamic scales")
    yield Case("Resize", [floats(1, 480, 640, 3), None, np.float32([1, 0.5, 0.5, 1])], mode="linear", suffix="linear channels last dynamic scales")


def padded():
    image, frame = floats(1, 3, 480, 640), np.array([0, 0, 3, 3, 0, 0, 3, 3])
    rows, lines = floats(1, 480, 640, 3), np.array([0, 3, 3, 0, 0, 3, 3, 0])
    for mode in ("reflect", "edge", "wrap", "constant"):
        for data, pads, dims, order in ((image, frame, (2, 3), "CHW"), (rows, lines, (1, 2), "HWC")):
            yield Case("Pad", [data, Fixed(pads)], mode=mode, suffix=f"{mode} {order}")
            yield Case("Pad", [data, Fixed(pads)], mode=mode, dynamic=dims, suffix=f"{mode} {order} dynamic image")
            yield Case("Pad", [data, pads], mode=mode, suffix=f"{mode} {order} dynamic pads")
            yield Case("Pad", [data, pads], mode=mode, dynamic=dims, suffix=f"{mode} {order} dynamic both")
        yield Case("Pad", [floats(8, 64, 56, 56), Fixed(np.array([0, 0, 1, 1, 0, 0, 1, 1]))], mode=mode, dynamic=(0, 2, 3), suffix=f"{mode} batch dynamic image")


def sampled():
    image, grid = floats(1, 64, 56, 56), np.clip(floats(1, 56, 56, 2), -1.1, 1.1).astype(np.float32)
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            yield Case("GridSample", [image, grid], mode=mode, padding_mode=padding, dynamic=(0, 2, 3), suffix=f"{mode} {padding} dynamic")
    boxes = np.sort(RNG.random((100, 2, 2)) * 200, axis=1).reshape(100, 4).astype(np.float32)
    for mode in ("avg", "max"):
        yield Case("RoiAlign", [floats(1, 256, 50, 50), boxes, np.zeros(100, np.int64)], output_height=7, output_width=7, mode=mode,
                   sampling_ratio=2, spatial_scale=0.25, dynamic=(0, 2, 3), suffix=f"{mode} dynamic")  # fmt: skip
    yield Case("RoiAlign", [floats(1, 256, 50, 50), boxes, np.zeros(100, np.int64)], output_height=7, output_width=7,
               spatial_scale=0.25, dynamic=(0, 2, 3), suffix="ratio 0 dynamic")  # fmt: skip
    yield Case("MaxUnpool", [floats(1, 64, 28, 28), np.arange(64 * 28 * 28).reshape(1, 64, 28, 28) * 4],
               kernel_shape=[2, 2], strides=[2, 2], dynamic=(0, 2, 3), suffix="dynamic")  # fmt: skip
    for shape in ([400, 400], [600, 800]):
        yield Case("CenterCropPad", [floats(3, 480, 640), np.array(shape)], axes=[1, 2], dynamic=(1, 2), suffix=f"{shape[0]} dynamic")


def moved():
    tokens = floats(8, 128, 768)
    ranges = [("begin", [[0], [64], [1], [1]]), ("reverse", [[767], [-1000], [2], [-1]]), ("reverse rows", [[127], [-1000], [1], [-1]]),
              ("step 2", [[0], [768], [2], [2]]), ("corner", [[2, 3], [100, 700], [1, 2], [1, 1]])]  # fmt: skip
    for name, (starts, ends, axes, steps) in ranges:
        starts, ends, axes, steps = (np.array(v) for v in (starts, ends, axes, steps))
        yield Case("Slice", [tokens, starts, ends, Fixed(axes), Fixed(steps)], dynamic=(0, 1, 2), suffix=f"{name} dynamic starts")
        yield Case("Slice", [tokens, starts, ends, Fixed(axes), steps], dynamic=(0, 1, 2), suffix=f"{name} dynamic steps")
        yield Case("Slice", [tokens, Fixed(starts), Fixed(ends), Fixed(axes), Fixed(steps)], dynamic=(0, 1, 2), suffix=f"{name} dynamic sizes")
    for name, shape, repeats in [("image", (1, 64, 28, 28), [1, 1, 2, 2]), ("heads", (1, 128, 1, 64), [1, 1, 12, 1]),
                                 ("batch", (1, 128, 768), [8, 1, 1]), ("columns", (512, 1), [1, 512])]:  # fmt: skip
        yield Case("Tile", [floats(*shape), np.array(repeats)], suffix=f"{name} dynamic repeats")
        yield Case("Tile", [floats(*shape), np.array(repeats)], dynamic=tuple(range(len(shape))), suffix=f"{name} dynamic both")
    yield Case("Gather", [floats(30522, 768), below(30522, 8, 128)], dynamic={0: "n", 1: "m"}, suffix="rows dynamic")
    yield Case("Gather", [floats(64, 1024), below(1024, 256)], axis=1, dynamic=(0, 1), suffix="columns dynamic")
    yield Case("Gather", [floats(8, 128, 768), np.array(5)], axis=1, dynamic=(0, 1, 2), suffix="one dynamic")
    yield Case("Gather", [floats(8, 64, 56, 56), below(64, 64)], axis=1, dynamic=(0, 2, 3), suffix="channels dynamic")


def maps():
    yield from itertools.chain(resized(), padded(), sampled(), moved())
