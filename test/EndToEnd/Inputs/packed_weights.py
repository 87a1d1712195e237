# ===- packed_weights.py - Products with weights of few bits ---------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""packed_weights.py BASE [--device]: compares products with constant weights of few bits with numpy's, in doubles.

With --device on the simulated device.
"""

import argparse
import itertools
import pathlib
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact

parser = argparse.ArgumentParser()
parser.add_argument("base")
artefact.add_device_option(parser)
arguments = parser.parse_args()
artefact.use_device(arguments)
BASE = arguments.base
random = np.random.default_rng(7)
COUNTS = {}


def check(group, nodes, x, constants, expected, dynamic):
    """Compiles the nodes from x to y, and compares."""
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    shape = [f"d{i}" for i in range(x.ndim)] if dynamic else x.shape
    infos = [helper.make_tensor_value_info("x", kind, shape)]
    initializers = [numpy_helper.from_array(v, n) for n, v in constants.items()]
    result = helper.make_tensor_value_info("y", kind, [None] * expected.ndim)
    graph = helper.make_graph(nodes, group, infos, [result], initializers)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), f"{BASE}.onnx")
    COUNTS[group] = COUNTS.get(group, 0) + 1
    library = f"{BASE}.{group}.{COUNTS[group]}.so"
    artefact.compile_model(f"{BASE}.onnx", library)
    actual = artefact.load_session(library).run([x])[0]
    pathlib.Path(library).unlink()
    text = f"{[str(n.op_type) for n in nodes]} {[a.attribute for a in nodes]} {x.shape}"
    assert actual.dtype == x.dtype and actual.shape == expected.shape, f"{text}: {actual.dtype} {actual.shape}"
    precision = {2: 4e-3, 4: 1e-5}[x.dtype.itemsize] * max(np.abs(expected).max(initial=0), 1)
    worst = np.abs(actual.astype(np.float64) - expected).max(initial=0)
    assert worst <= precision, f"{text}: differs by {worst}, more than {precision}"


def packed(numbers, bits):
    """Rows of numbers as bytes, the first in the low bits."""
    parts = 8 // bits
    padded = np.pad(numbers, [(0, 0), (0, -numbers.shape[1] % parts)])
    shifts = (np.arange(padded.shape[1]) % parts * bits).astype(np.uint8)
    return np.bitwise_or.reduce((padded << shifts).reshape(len(padded), -1, parts), axis=-1)


def activations(dtype, *shape):
    return random.standard_normal(shape).astype(dtype)


def as_bytes(x, size):
    """The numbers that x is when each block of it is bytes of 127 at most, as accuracy level 4 allows."""
    *rows, depth = x.shape
    count = -(-depth // size)
    blocks = np.pad(x.astype(np.float32), [(0, 0)] * len(rows) + [(0, count * size - depth)]).reshape(*rows, count, size)
    largest = np.abs(blocks).max(axis=-1, keepdims=True)
    factor = np.divide(np.float32(127), largest, out=np.zeros_like(largest), where=largest != 0)
    scale = largest * np.float32(1 / 127)
    return (np.rint(blocks * factor) * scale.astype(np.float64)).reshape(*rows, count * size)[..., :depth]


def operator(bits, size, depth, columns, rows, zeros, dtype, bias=False, dynamic=False, level=0, group="operator"):
    """One MatMulNBits; `zeros` are None, "packed" or the type of reals."""
    count = -(-depth // size)
    numbers = random.integers(0, 1 << bits, (columns, count * size)).astype(np.uint8)
    scales = (random.random((columns, count)) / 8 + 0.01).astype(dtype)
    middle = np.full((columns, count), 1 << (bits - 1))
    constants = {"w": packed(numbers, bits).reshape(columns, count, -1), "s": scales.ravel()}
    if zeros == "packed":
        middle = random.integers(0, 1 << bits, (columns, count)).astype(np.uint8)
        constants["z"] = packed(middle, bits).ravel()
    elif zeros is not None:
        middle = (random.random((columns, count)) * 9).astype(zeros)
        constants["z"] = middle.ravel()
    if bias:
        constants["b"] = activations(dtype, columns)
    real = (numbers.reshape(columns, count, size) - middle[..., None].astype(np.float64)) * scales[..., None].astype(np.float64)
    weights = real.reshape(columns, -1)[:, :depth]
    x = activations(dtype, *rows, depth)
    if group == "bytes" and rows:
        x[..., :size] = 0  # whose largest number is none to divide by
    expected = (as_bytes(x, size) if group == "bytes" else x.astype(np.float64)) @ weights.T + (constants["b"] if bias else 0)
    names = ["x", "w", "s", "z" if zeros is not None else "", "", "b" if bias else ""]
    sizes = {"K": depth, "N": columns, "bits": bits, "block_size": size, "accuracy_level": level}
    node = helper.make_node("MatMulNBits", names, ["y"], domain="com.microsoft", **sizes)
    check(group, [node], x, constants, expected, dynamic)


def operators():
    for bits, zeros, rows in itertools.product((2, 4, 8), (None, "packed", np.float32), ((1,), (5,))):
        operator(bits, 32, 96, 40, rows, zeros, np.float32)
    operator(4, 16, 100, 33, (3,), "packed", np.float32)  # the last block is cut off
    operator(4, 32, 64, 48, (2, 3), "packed", np.float32, dynamic=True)
    operator(4, 32, 64, 48, (17,), None, np.float32, bias=True, dynamic=True)
    operator(8, 16, 64, 130, (33,), "packed", np.float32, bias=True)
    operator(4, 64, 64, 64, (0,), None, np.float32, dynamic=True)
    operator(4, 32, 64, 7, (), None, np.float32)  # a vector
    operator(4, 32, 96, 5, (), "packed", np.float32, bias=True)
    for rows in ((1,), (9,), (2, 2)):
        operator(4, 32, 96, 40, rows, "packed", np.float16, bias=True)
    operator(4, 128, 256, 40, (4,), np.float16, np.float16, dynamic=True)


def large():
    """On a device rows of the weights are those of a warp or, of many rows of data, unpacked by a kernel of their own."""
    for bits, dtype in itertools.product((2, 4, 8), (np.float16, np.float32)):
        operator(bits, 32, 1024, 72, (1,), "packed", dtype, group="large")
    operator(4, 32, 1056, 40, (3,), None, np.float16, bias=True, group="large")
    for rows, dynamic in (((64,), False), ((2, 31), True)):
        operator(4, 32, 512, 264, rows, None, np.float16, dynamic=dynamic, group="large")
    operator(4, 64, 448, 136, (65,), "packed", np.float32, bias=True, group="large")
    operator(2, 16, 500, 96, (40,), np.float16, np.float16, group="large")


def largest_bytes():
    """The largest numbers and bytes of one sign: no sum of theirs may exceed the bits that it has."""
    for bits, rows in itertools.product((2, 4, 8), (1, 6)):
        x = np.full((rows, 256), -1, np.float32)
        constants = {"w": np.full((24, 2, 16 * bits), 255, np.uint8), "s": np.ones(48, np.float32)}
        sizes = {"K": 256, "N": 24, "bits": bits, "block_size": 128, "accuracy_level": 4}
        node = helper.make_node("MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft", **sizes)
        expected = np.full((rows, 24), -256 * ((1 << bits) - 1 - (1 << (bits - 1))), np.float64)
        check("bytes", [node], x, constants, expected, dynamic=False)


def bytes_of_data():
    """Accuracy level 4: what is computed is exact but for the rounding of the data to bytes."""

    def product(*arguments, **rest):
        operator(*arguments, level=4, group="bytes", **rest)

    for bits, zeros, rows in itertools.product((2, 4, 8), (None, "packed"), ((1,), (5,))):
        product(bits, 32, 96, 40, rows, zeros, np.float32)
    product(4, 16, 100, 33, (3,), "packed", np.float32)  # the last block is cut off
    product(4, 32, 64, 48, (2, 3), "packed", np.float32, dynamic=True)
    product(4, 128, 512, 130, (17,), None, np.float32, bias=True, dynamic=True)
    product(8, 16, 64, 130, (33,), "packed", np.float32, bias=True)
    product(4, 64, 64, 64, (0,), None, np.float32, dynamic=True)
    product(4, 32, 64, 7, (), None, np.float32)  # a vector
    product(4, 32, 96, 40, (9,), "packed", np.float16, bias=True)
    largest_bytes()
    # Reals for zero points, and blocks that are not groups of four bytes, stay exact.
    operator(4, 32, 96, 40, (3,), np.float32, np.float32, level=4)
    operator(2, 8, 64, 20, (3,), None, np.float32, level=4)


def dequantised(dtype, size, rows, zeros=True, columns_first=False, gemm=False, real=np.float32, scale="block", dynamic=False):
    """DequantizeLinear of [K, N], or of [N, K] that is transposed, and a product."""
    depth, columns = 52, 37
    count = -(-depth // size) if scale == "block" else 1
    low, high = (-(1 << 3), 1 << 3) if dtype == ml_dtypes.int4 else (0, 1 << 4) if dtype == ml_dtypes.uint4 else (-128, 128) if dtype == np.int8 else (0, 256)
    numbers = random.integers(low, high, (depth, columns))
    shape = {"block": (count, columns), "column": (columns,), "all": ()}[scale]
    scales = (random.random(shape) / 8 + 0.01).astype(real)
    points = random.integers(low, high, shape) if zeros else np.zeros(shape, np.int64)

    def spread(parameter):
        return np.repeat(parameter, size, axis=0)[:depth] if scale == "block" else parameter

    weights = (numbers - spread(points)) * spread(scales).astype(np.float64)
    turn = (lambda a: a.T if a.ndim == 2 else a) if columns_first else (lambda a: a)
    constants = {"w": np.ascontiguousarray(turn(numbers)).astype(dtype), "s": np.ascontiguousarray(turn(scales))}
    if zeros:
        constants["z"] = np.ascontiguousarray(turn(points)).astype(dtype)
    along = {"block": 0, "column": 1, "all": 0}[scale]
    attributes = {"axis": 1 - along if columns_first else along}
    if scale == "block":
        attributes["block_size"] = size
    nodes = [helper.make_node("DequantizeLinear", list(constants), ["d"], **attributes)]
    x = activations(real, *rows, depth)
    expected = x.astype(np.float64) @ weights
    if gemm:
        constants["c"] = activations(real, columns)
        expected = expected + constants["c"]
        nodes.append(helper.make_node("Gemm", ["x", "d", "c"], ["y"], transB=int(columns_first)))
    else:
        factor = "d"
        if columns_first:
            nodes.append(helper.make_node("Transpose", ["d"], ["t"], perm=[1, 0]))
            factor = "t"
        nodes.append(helper.make_node("MatMul", ["x", factor], ["y"]))
    check("dequantised", nodes, x, constants, expected, dynamic)


def products():
    kinds = (ml_dtypes.int4, ml_dtypes.uint4, np.int8, np.uint8)
    for kind, zeros, columns_first in itertools.product(kinds, (True, False), (True, False)):
        dequantised(kind, 16, (3,), zeros, columns_first)
    for kind, scale in itertools.product(kinds, ("column", "all")):
        dequantised(kind, 52, (1,), scale=scale, columns_first=kind == np.int8)
    dequantised(ml_dtypes.uint4, 4, (2, 9), columns_first=True, dynamic=True)
    dequantised(ml_dtypes.int4, 16, (6,), gemm=True, columns_first=True)
    dequantised(np.uint8, 16, (1,), gemm=True)
    dequantised(ml_dtypes.int4, 16, (5,), real=np.float16)
    dequantised(ml_dtypes.uint4, 16, (1,), real=np.float16, columns_first=True, dynamic=True)
    dequantised(ml_dtypes.uint4, 3, (5,))  # blocks that end inside of a byte


def gathered(dtype, zeros):
    """Rows of a table of few bits, which count from zero without zero points."""
    low, high = (-8, 8) if dtype == ml_dtypes.int4 else (0, 16)
    numbers, scales = random.integers(low, high, (9, 32)), random.random((9, 2)).astype(np.float32)
    points = random.integers(low, high, (9, 2)) if zeros else np.zeros((9, 2), np.int64)
    constants = {"w": numbers.astype(dtype), "s": scales, "z": points.astype(dtype)}
    real = (numbers - points.repeat(16, axis=1)) * scales.repeat(16, axis=1).astype(np.float64)
    if not zeros:
        del constants["z"]
    attributes = {"gather_axis": 0, "quantize_axis": 1, "block_size": 16}
    names = ["w", "i", "s", *(["z"] if zeros else [])]
    # The rows to take are computed from x, whose type that of the result is.
    nodes = [helper.make_node("Cast", ["x"], ["i"], to=onnx.TensorProto.INT64),
             helper.make_node("GatherBlockQuantized", names, ["y"], domain="com.microsoft", **attributes)]  # fmt: skip
    x = np.array([[3, 0], [8, 8]], np.float32)
    check("gathered", nodes, x, constants, real[x.astype(int)], dynamic=False)


operators()
large()
bytes_of_data()
products()
for kind, zeros in itertools.product((ml_dtypes.int4, ml_dtypes.uint4), (True, False)):
    gathered(kind, zeros)
for name, count in COUNTS.items():
    print(f"{name}: {count} models agree")
