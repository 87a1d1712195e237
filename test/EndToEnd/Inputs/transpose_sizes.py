# ===- transpose_sizes.py - Transposes of dynamic sizes ----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compares transposes, also of sums, and concatenations of them with numpy, with sizes around those of squares that are transposed in registers.
Inputs end where memory does: a read after one ends the process."""

import ctypes
import itertools
import mmap
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import TensorProto, helper

TYPES = {TensorProto.FLOAT: np.float32, TensorProto.FLOAT16: np.float16, TensorProto.INT8: np.int8, TensorProto.INT64: np.int64}
# Permutation, known sizes.
FORMS = [((1, 0), {}), ((0, 2, 1), {}), ((2, 1, 0), {}), ((0, 2, 3, 1), {}), ((0, 3, 1, 2), {}), ((0, 2, 1, 3), {}),
         ((0, 2, 3, 1), {1: 3}), ((0, 3, 1, 2), {3: 3}), ((1, 0), {1: 40})]  # fmt: skip
# Channels of parts, of [batch, channels, pixels] each: the result has [batch, pixels, all channels], or the sum of the parts.
JOINED = [("Concat", parts) for parts in [(3, 8), (17, 4, 96), (40, 33)]] + [("Add", (channels,) * 2) for channels in [5, 33, "c"]]
SIZES = [1, 2, 3, 5, 15, 16, 17, 21, 32, 33, 70]


def at_end_of_memory(array):
    """A copy, after which nothing can be read."""
    pages = -(-array.nbytes // mmap.PAGESIZE) + 1
    memory = mmap.mmap(-1, pages * mmap.PAGESIZE)
    whole = np.frombuffer(memory, np.uint8)
    last = whole.ctypes.data + (pages - 1) * mmap.PAGESIZE
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(last), mmap.PAGESIZE, 0) == 0
    placed = whole[(pages - 1) * mmap.PAGESIZE - array.nbytes : (pages - 1) * mmap.PAGESIZE].view(array.dtype).reshape(array.shape)
    placed[...] = array
    return placed


def main():
    infos, nodes, ends, cases = [], [], [], list(itertools.product(TYPES, FORMS))
    for i, (element, (order, known)) in enumerate(cases):
        sizes = [known.get(d, f"x{i} {d}") for d in range(len(order))]
        infos.append(helper.make_tensor_value_info(f"x{i}", element, sizes))
        nodes.append(helper.make_node("Transpose", [f"x{i}"], [f"y{i}"], perm=order))
        ends.append(helper.make_tensor_value_info(f"y{i}", element, None))
    joined = list(itertools.product(TYPES, JOINED))
    for i, (element, (kind, parts)) in enumerate(joined):
        for k, channels in enumerate(parts):
            infos.append(helper.make_tensor_value_info(f"p{i} {k}", element, [f"b{i}", channels if channels != "c" else f"c{i}", f"n{i}"]))
            nodes.append(helper.make_node("Transpose", [f"p{i} {k}"], [f"t{i} {k}"], perm=(0, 2, 1)))
        nodes.append(helper.make_node(kind, [f"t{i} {k}" for k in range(len(parts))], [f"z{i}"], **({"axis": 2} if kind == "Concat" else {})))
        ends.append(helper.make_tensor_value_info(f"z{i}", element, None))
    graph = helper.make_graph(nodes, "g", infos, ends)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), f"{sys.argv[1]}.onnx")
    session = onnx_compile.ExecutionSession(onnx_compile.compile(f"{sys.argv[1]}.onnx", f"{sys.argv[1]}.so"))
    random = np.random.default_rng(0)
    runs = 0
    for shift in range(len(SIZES)):
        inputs = []
        for element, (order, known) in cases:
            shape = [known.get(d, SIZES[(shift + runs * d + 3 * d * d) % len(SIZES)]) for d in range(len(order))]
            runs += 1
            inputs.append(at_end_of_memory((100 * random.standard_normal(shape)).astype(TYPES[element])))
        whole = []
        for i, (element, (_, parts)) in enumerate(joined):
            shapes = [(1 + shift % 2, c if c != "c" else SIZES[(shift + 3 * i) % len(SIZES)], SIZES[(shift + i) % len(SIZES)]) for c in parts]
            whole.append([(50 * random.standard_normal(shape)).astype(TYPES[element]) for shape in shapes])
        ys = session.run(inputs + [at_end_of_memory(x) for xs in whole for x in xs])
        for x, y, (_, (order, _)) in zip(inputs, ys, cases):
            np.testing.assert_array_equal(y, x.transpose(order), err_msg=f"{x.dtype} {x.shape} {order}")
        for xs, y, (_, (kind, _)) in zip(whole, ys[len(cases) :], joined):
            z = np.concatenate(xs, 1) if kind == "Concat" else xs[0] + xs[1]
            np.testing.assert_array_equal(y, z.transpose(0, 2, 1), err_msg=f"{kind} {xs[0].dtype} {[x.shape for x in xs]}")
    print(f"{runs} transposes and {len(SIZES) * len(joined)} sums and concatenations agree")


main()
