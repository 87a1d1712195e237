# ===- device_models.py - Small models for devices ------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Writes small models whose kernels are those that devices have: device_models.py FOLDER."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(sys.argv[1])
RNG = np.random.default_rng(7)


def weights(name, *shape):
    return numpy_helper.from_array(RNG.standard_normal(shape).astype(np.float32), name)


def save(name, nodes, shape, result, initializers=(), element=TensorProto.FLOAT, to=TensorProto.FLOAT):
    """A model from x to y."""
    graph = helper.make_graph(
        [helper.make_node(op, ins, [out], name=out, **attributes) for op, ins, out, attributes in nodes],
        name,
        [helper.make_tensor_value_info("x", element, shape)],
        [helper.make_tensor_value_info("y", to, result)],
        list(initializers),
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, FOLDER / f"{name}.onnx")


FOLDER.mkdir(parents=True, exist_ok=True)
save(
    "chain",
    [("Mul", ["x", "x"], "square", {}), ("Tanh", ["square"], "tanh", {}), ("Add", ["tanh", "x"], "y", {})],
    [48, 1000],
    [48, 1000],
)
save("softmax", [("Softmax", ["x"], "y", {"axis": -1})], [48, 100], [48, 100])
# Rows that several threads have: of a block, of a warp, of all types that these exchange.
save("norm", [("LayerNormalization", ["x", "s", "b"], "y", {})], [5, 768], [5, 768], [weights("s", 768), weights("b", 768)])
save("warps", [("Softmax", ["x"], "y", {"axis": -1})], [1100, 77], [1100, 77])
save("short", [("LayerNormalization", ["x", "s", "b"], "y", {})], [40, 48], [40, 48], [weights("s", 48), weights("b", 48)])
save("long", [("Softmax", ["x"], "y", {"axis": -1})], [3, 8192], [3, 8192])
save("image", [("Softmax", ["x"], "y", {"axis": -1})], [1, 1, 40, 320], [1, 1, 40, 320])
save(
    "types",
    [
        *(("Cast", ["x"], f"x{to}", {"to": to}) for to in (TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.INT64)),
        ("Softmax", [f"x{TensorProto.DOUBLE}"], "double", {"axis": -1}),
        ("ReduceMax", [f"x{TensorProto.FLOAT16}", "axes"], "half", {}),
        ("ReduceSum", [f"x{TensorProto.INT64}", "axes"], "long", {}),
        *(("Cast", [name], f"{name}32", {"to": TensorProto.FLOAT}) for name in ("double", "half", "long")),
        ("Sum", ["double32", "half32", "long32"], "y", {}),
    ],
    [3, 1027],
    [3, 1027],
    [numpy_helper.from_array(np.array([1], np.int64), "axes")],
)
save(
    "product",
    [("MatMul", ["x", "w"], "product", {}), ("Add", ["product", "b"], "sum", {}), ("Relu", ["sum"], "y", {})],
    [64, 96],
    [64, 128],
    [weights("w", 96, 128), weights("b", 128)],
)
# Blocks of threads have a tile in shared memory; the second operand of the other lies along the sums.
save("gemm", [("Gemm", ["x", "w", "b"], "y", {})], [256, 200], [256, 512], [weights("w", 200, 512), weights("b", 512)])
save("gemm_transposed", [("Gemm", ["x", "w"], "y", {"transB": 1})], [256, 64], [256, 256], [weights("w", 256, 64)])


def exchange(name, element, size):
    """A matrix that puts what it is multiplied with in the opposite order."""
    matrix = np.eye(size, dtype=np.float32)[::-1]
    return numpy_helper.from_array(matrix.astype(helper.tensor_dtype_to_np_dtype(element)), name)


# The forms of products of matrices: rows and columns in the opposite order, so that a wrong result shows
# which elements a fragment has at the wrong place. Operands lie along the sums, and across them.
for name, element in (("f16", TensorProto.FLOAT16), ("bf16", TensorProto.BFLOAT16), ("tf32", TensorProto.FLOAT)):
    for transposed in (0, 1):
        save(
            f"matrices_{name}" + "_transposed" * transposed,
            [
                ("Gemm", ["rows", "x"], "p", {"transB": transposed}),
                ("Gemm", ["p", "columns"], "q", {"transB": transposed}),
                ("Cast", ["q"], "y", {"to": TensorProto.FLOAT}),
            ],
            [64, 64],
            [64, 64],
            [exchange("rows", element, 64), exchange("columns", element, 64)],
            element,
        )
# The same by warpgroups, which have 64 rows at least, with each operand along the sums and across them.
for name, element in (("f16", TensorProto.FLOAT16), ("bf16", TensorProto.BFLOAT16), ("tf32", TensorProto.FLOAT)):
    for across in (0, 1):
        save(
            f"warpgroups_{name}" + "_across" * across,
            [
                ("Gemm", ["rows", "x"], "p", {"transA": across, "transB": 1 - across}),
                ("Gemm", ["p", "columns"], "q", {"transA": across, "transB": 1 - across}),
                ("Cast", ["q"], "y", {"to": TensorProto.FLOAT}),
            ],
            [128, 128],
            [128, 128],
            [exchange("rows", element, 128), exchange("columns", element, 128)],
            element,
        )
# Bytes of both kinds.
for name, element, other in (("s8", TensorProto.INT8, TensorProto.UINT8), ("u8", TensorProto.UINT8, TensorProto.INT8)):
    save(
        f"warpgroups_{name}",
        [
            ("MatMulInteger", ["rows", "x"], "sums", {}),
            ("Cast", ["sums"], "p", {"to": element}),
            ("MatMulInteger", ["p", "columns"], "y", {}),
        ],
        [128, 128],
        [128, 128],
        [exchange("rows", other, 128), exchange("columns", other, 128)],
        element,
        TensorProto.INT32,
    )
# Blocks are not whole in any dimension, and no row begins at a multiple of 16 bytes.
save(
    "warpgroups_ragged",
    [
        ("Gemm", ["rows", "x"], "p", {}),
        ("Gemm", ["p", "columns"], "q", {}),
        ("Cast", ["q"], "y", {"to": TensorProto.FLOAT}),
    ],
    [120, 101],
    [120, 101],
    [exchange("rows", TensorProto.FLOAT16, 120), exchange("columns", TensorProto.FLOAT16, 101)],
    TensorProto.FLOAT16,
)
# The same with rows that begin at multiples of 16 bytes.
save(
    "warpgroups_tails",
    [
        ("Gemm", ["rows", "x"], "p", {}),
        ("Gemm", ["p", "columns"], "q", {}),
        ("Cast", ["q"], "y", {"to": TensorProto.FLOAT}),
    ],
    [120, 104],
    [120, 104],
    [exchange("rows", TensorProto.FLOAT16, 120), exchange("columns", TensorProto.FLOAT16, 104)],
    TensorProto.FLOAT16,
)
for name, element in (("s8", TensorProto.INT8), ("u8", TensorProto.UINT8)):
    save(
        f"matrices_{name}",
        [("MatMulInteger", ["x", "columns"], "y", {})],
        [64, 64],
        [64, 64],
        [exchange("columns", TensorProto.INT8, 64)],
        element,
        TensorProto.INT32,
    )
save("convolution", [("Conv", ["x", "w"], "y", {"strides": [2, 2]})], [2, 12, 33, 33], [2, 32, 16, 16], [weights("w", 32, 12, 3, 3)])


def positive(name, *shape):
    return numpy_helper.from_array(RNG.random(shape).astype(np.float32), name)


# Sums of few results are in parts that are added up: of channels under windows, and of a number of terms that
# no power of two divides. No term cancels others, so that the order of rounding shows little.
save(
    "parts",
    [("Abs", ["x"], "abs", {}), ("Conv", ["abs", "w", "b"], "y", {"pads": [1, 1, 1, 1]})],
    [1, 512, 5, 5],
    [1, 16, 5, 5],
    [positive("w", 16, 512, 3, 3), positive("b", 16)],
)
save(
    "parts_odd",
    [("Abs", ["x"], "abs", {}), ("Gemm", ["abs", "w", "b"], "y", {})],
    [3, 3375],
    [3, 40],
    [positive("w", 3375, 40), positive("b", 40)],
)
# One of two factors is computed from the other one, for many rows.
save(
    "factor",
    [
        ("Expand", ["x", "shape"], "rows", {}),
        ("Tanh", ["rows"], "tanh", {}),
        ("Mul", ["rows", "tanh"], "product", {}),
        ("ReduceSum", ["product", "axes"], "y", {"keepdims": 0}),
    ],
    [64, 256],
    [100, 64],
    [numpy_helper.from_array(np.array([100, 64, 256]), "shape"), numpy_helper.from_array(np.array([2]), "axes")],
)
save(
    "convolutions",
    [
        ("Conv", ["x", "w", "b"], "conv", {"pads": [1, 1, 1, 1]}),
        ("Relu", ["conv"], "relu", {}),
        ("MaxPool", ["relu"], "pool", {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("Flatten", ["pool"], "flat", {}),
        ("Gemm", ["flat", "v"], "gemm", {}),
        ("Softmax", ["gemm"], "y", {}),
    ],
    [1, 1, 28, 28],
    [1, 10],
    [weights("w", 8, 1, 5, 5), weights("b", 8), weights("v", 8 * 13 * 13, 10)],
)


def body(name, nodes, inputs, outputs):
    """The graph of a branch or of a loop; a value is a name, an element type and a shape."""
    values = [[helper.make_tensor_value_info(*value) for value in part] for part in (inputs, outputs)]
    return helper.make_graph([helper.make_node(op, ins, [out], **dict(*more)) for op, ins, out, *more in nodes], name, *values)


FLOATS = (TensorProto.FLOAT, [8, 16])
CONSTANTS = [
    numpy_helper.from_array(np.array(0, np.float32), "zero"),
    numpy_helper.from_array(np.array(3, np.int64), "iterations"),
    weights("w", 16, 16),
]
save(
    "branch",
    [
        ("ReduceSum", ["x"], "total", {"keepdims": 0}),
        ("Greater", ["total", "zero"], "which", {}),
        (
            "If",
            ["which"],
            "chosen",
            {
                "then_branch": body("then", [("MatMul", ["x", "w"], "a")], [], [("a", *FLOATS)]),
                "else_branch": body("else", [("Tanh", ["x"], "b")], [], [("b", *FLOATS)]),
            },
        ),
        ("Add", ["chosen", "x"], "y", {}),
    ],
    [8, 16],
    [8, 16],
    CONSTANTS,
)
save(
    "loop",
    [
        (
            "Loop",
            ["iterations", "", "x"],
            "last",
            {
                "body": body(
                    "step",
                    [("MatMul", ["v", "w"], "p"), ("Tanh", ["p"], "next"), ("Identity", ["go"], "again")],
                    [("i", TensorProto.INT64, []), ("go", TensorProto.BOOL, []), ("v", *FLOATS)],
                    [("again", TensorProto.BOOL, []), ("next", *FLOATS)],
                )
            },
        ),
        ("Add", ["last", "x"], "y", {}),
    ],
    [8, 16],
    [8, 16],
    CONSTANTS,
)
save(
    "scan",
    [
        (
            "Scan",
            ["x"],
            "y",
            {
                "num_scan_inputs": 1,
                "body": body(
                    "row",
                    [("Softmax", ["r"], "q"), ("Mul", ["q", "r"], "o")],
                    [("r", TensorProto.FLOAT, [16])],
                    [("o", TensorProto.FLOAT, [16])],
                ),
            },
        )
    ],
    [8, 16],
    [8, 16],
)
# Dynamic sizes.
save(
    "batch",
    [("MatMul", ["x", "w"], "product", {}), ("Add", ["product", "b"], "sum", {}), ("Softmax", ["sum"], "y", {})],
    ["n", 24],
    ["n", 32],
    [weights("w", 24, 32), weights("b", 32)],
)
save(
    "sequence",
    [
        ("Transpose", ["x"], "t", {"perm": [0, 2, 1]}),
        ("MatMul", ["x", "t"], "scores", {}),
        ("Softmax", ["scores"], "weights", {"axis": -1}),
        ("MatMul", ["weights", "x"], "y", {}),
    ],
    [2, "s", 16],
    [2, "s", 16],
)
# A border of rows and columns around a number of rows that may be none.
save(
    "rows",
    [("Pad", ["x", "pads", "value"], "y", {})],
    ["n", 24],
    ["m", 27],
    [numpy_helper.from_array(np.array([2, 1, 3, 2]), "pads"), weights("value")],
)
save(
    "grown",
    [
        (
            "Loop",
            ["iterations", "", "x"],
            "last",
            {
                "body": body(
                    "double",
                    [("Concat", ["v", "v"], "twice", {"axis": 0}), ("Tanh", ["twice"], "next"), ("Identity", ["go"], "again")],
                    [("i", TensorProto.INT64, []), ("go", TensorProto.BOOL, []), ("v", TensorProto.FLOAT, [None, None])],
                    [("again", TensorProto.BOOL, []), ("next", TensorProto.FLOAT, [None, None])],
                )
            },
        ),
        ("Exp", ["last"], "y", {}),
    ],
    ["n", "m"],
    [None, "m"],
    CONSTANTS,
)
# Parts of a tensor, and one that lies across memory.
save(
    "border",
    [("Pad", ["x", "pads", "value"], "y", {})],
    [2, 3, 20, 21],
    [2, 3, 25, 25],
    [numpy_helper.from_array(np.array([0, 0, 2, 1, 0, 0, 3, 3]), "pads"), weights("value")],
)
save("concatenation", [("Concat", ["x", "w"], "y", {"axis": 1})], [8, 5, 33], [8, 9, 33], [weights("w", 8, 4, 33)])
save("squares", [("Transpose", ["x"], "y", {"perm": [0, 2, 1]})], [2, 256, 96], [2, 96, 256])


def save_attention(name, element, rows, keys, depth, hidden=-1e4, heads=3):
    """Ragged rows of queries, of which each sees the keys up to its own place."""
    to = helper.tensor_dtype_to_np_dtype(element)
    tensors = {
        "k": RNG.standard_normal((heads, depth, keys)) / depth,
        "v": RNG.standard_normal((heads, keys, depth)),
        "mask": np.where(np.arange(keys) <= np.arange(rows)[:, None] + 8, 0, hidden),
    }
    save(
        name,
        [
            ("MatMul", ["x", "k"], "scores", {}),
            ("Add", ["scores", "mask"], "masked", {}),
            ("Softmax", ["masked"], "weights", {"axis": -1}),
            ("MatMul", ["weights", "v"], "y", {}),
        ],
        [heads, rows, depth],
        [heads, rows, depth],
        [numpy_helper.from_array(value.astype(to), key) for key, value in tensors.items()],
        element,
        element,
    )


save_attention("attention_f32", TensorProto.FLOAT, 40, 96, 32)
save_attention("attention_f16", TensorProto.FLOAT16, 100, 128, 64)
# Keys in parts, of which some are hidden wholly.
save_attention("attention_parts_f32", TensorProto.FLOAT, 4, 1024, 64, hidden=-np.inf)
save_attention("attention_parts_f16", TensorProto.FLOAT16, 20, 2048, 64, hidden=-np.inf, heads=2)
# Branches of one, two and three products, which are added up. Their inner sizes differ, so that no two are one kernel.
towers = [(length, step) for length in (3, 1, 2) for step in range(length)]
save(
    "towers",
    [
        *((("MatMul", [f"tower{n}.{i}" if i else "x", f"w{n}.{i}"], f"tower{n}.{i + 1}", {})) for n, i in towers),
        ("Sum", ["tower1.1", "tower2.2", "tower3.3"], "y", {}),
    ],
    [64, 64],
    [64, 64],
    [weights(f"w{n}.{i}", 32 * n if i else 64, 64 if i + 1 == n else 32 * n) for n, i in towers],
)
