# ===- short_sums.py - Products of bytes added up in 16 bits ---------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Multiplies unsigned by constant signed bytes, some of whose pairs do not fit 16 bits, and compares all sums.

Arguments: a folder, and the processors.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact

FOLDER = pathlib.Path(sys.argv[1])
# Pairs that fit only just, or not: 255 * 128 does, 255 * 129 does not, nor does -255 * 256.
EXTREMES = [(64, 64), (65, 64), (127, 127), (-128, -128), (-64, -64), (-65, -64), (127, -128), (127, 1), (127, 2), (-128, -1)]
# Of small bytes up to four groups are added up, of larger ones fewer.
BOUNDS = [3, 12, 40, 127]
# Rows, sums and columns, which tiles, groups and panels do not divide.
SIZES = [(1, 64, 24), (1, 768, 136), (1, 766, 104), (1, 765, 104), (17, 64, 40), (64, 96, 21), (96, 70, 64), (128, 768, 96)]


def weights(rng, depth, columns, bound):
    w = rng.integers(-bound, bound + 1, (depth, columns)).astype(np.int8)
    for pair in EXTREMES:
        k, n = 2 * int(rng.integers(depth // 2)), int(rng.integers(columns))
        w[k : k + 2, n] = pair
    # The sums of several groups, where each pair fits.
    w[: min(depth, 16), 0] = 32
    w[depth - 8 :, columns - 1] = -33
    return w


def data(rng, *shape):
    x = rng.integers(0, 256, shape).astype(np.uint8)
    x[..., : shape[-1] // 2][rng.random((*shape[:-1], shape[-1] // 2)) < 0.7] = 255
    return x


def save(path, node, x, w, y):
    graph = helper.make_graph(
        [node],
        "sums",
        [helper.make_tensor_value_info("x", TensorProto.UINT8, x)],
        [helper.make_tensor_value_info("y", TensorProto.INT32, y)],
        [numpy_helper.from_array(w, "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


def results(name, x, cpu):
    library = FOLDER / f"{name}.so"
    artefact.compile_model(str(FOLDER / f"{name}.onnx"), str(library), cpu=cpu)
    return np.copy(artefact.load_session(str(library)).run([x])[0])


def check_product(rng, rows, depth, columns, bound, cpu):
    w, x = weights(rng, depth, columns, bound), data(rng, rows, depth)
    save(FOLDER / "product.onnx", helper.make_node("MatMulInteger", ["x", "w"], ["y"]), x.shape, w, [rows, columns])
    np.testing.assert_array_equal(results("product", x, cpu), x.astype(np.int32) @ w.astype(np.int32))


def check_convolution(rng, channels, size, bound, cpu):
    count = 24
    w = weights(rng, channels * 9, count, bound).reshape(3, 3, channels, count).transpose(3, 2, 0, 1).copy()
    x = data(rng, 1, channels, size, size)
    save(FOLDER / "windows.onnx", helper.make_node("ConvInteger", ["x", "w"], ["y"]), x.shape, w, [1, count, size - 2, size - 2])
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3)).astype(np.int32)
    expected = np.einsum("bchwij,ocij->bohw", windows, w.astype(np.int32))
    np.testing.assert_array_equal(results("windows", x, cpu), expected)


def main():
    rng = np.random.default_rng(0)
    for cpu in sys.argv[2:]:
        for bound in BOUNDS:
            for size in SIZES:
                check_product(rng, *size, bound, cpu)
            for channels, size in [(16, 9), (20, 14)]:
                check_convolution(rng, channels, size, bound, cpu)
        print(f"{cpu}: all sums agree")


main()
