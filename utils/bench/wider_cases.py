# ===- wider_cases.py - Operators in the forms of today's models ------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The forms that language models, vision transformers and quantised or half
# precision networks have: other sizes, axes and types of the operators that
# operator_cases.py measures once.
# ===------------------------------------------------------------------------===//
"""Operators in the forms of language models, vision transformers and half precision networks."""

import ml_dtypes
import numpy as np
from onnx import helper
from operator_case import Case, Fixed, below, flags, floats

HALF = np.float16


def number(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def logits():
    """What is done with the scores of 32,000 words."""
    for rows, words in ((1, 32000), (8, 32000), (128, 30522)):
        yield Case("Softmax", [floats(rows, words)], axis=-1, suffix=f"{rows} rows of {words}")
    yield Case("LogSoftmax", [floats(1, 32000)], axis=-1, suffix="1 row of 32000")
    yield Case("LogSoftmax", [floats(8, 128, 64)], axis=-1, suffix="short")
    yield Case("Softmax", [floats(1, 32000, dtype=HALF)], axis=-1, suffix="float16 of 32000")
    for k in (1, 50, 1000):
        yield Case("TopK", [floats(1, 32000), Fixed(np.array([k]))], outputs=2, suffix=f"{k} of 32000")
    yield Case("TopK", [floats(1, 32000), Fixed(np.array([32000]))], outputs=2, suffix="all of 32000")
    yield Case("TopK", [floats(1, 32000, dtype=HALF), Fixed(np.array([50]))], outputs=2, suffix="50 of 32000 float16")
    yield Case("TopK", [floats(4096, 8), Fixed(np.array([2]))], outputs=2, suffix="2 of 8")
    yield Case("ArgMax", [floats(1, 32000)], axis=-1, suffix="1 row of 32000")
    yield Case("ArgMax", [floats(1, 32000, dtype=HALF)], axis=-1, suffix="float16 of 32000")
    yield Case("CumSum", [floats(1, 32000), Fixed(np.int64(1))], suffix="1 row of 32000")
    yield Case("CumSum", [below(2, 8, 128), Fixed(np.int64(1))], suffix="positions")
    yield Case("Multinomial", [floats(1, 32000)], sample_size=1, dtype=7, suffix="1 of 32000")


def experts():
    """Mixtures of experts and a step of a language model."""
    up, down = Fixed(floats(8, 512, 256)), Fixed(floats(8, 256, 512))
    for rows in (1, 128):
        yield Case("MoE", [floats(rows, 256), floats(rows, 8), up, None, down], k=2, activation_type="silu", domain="com.microsoft",
                   suffix=f"{rows} rows, 2 of 8")  # fmt: skip
    step = [floats(1, 1, 2048), floats(1, 1, 512), floats(1, 1, 512), floats(1, 8, 1023, 64), floats(1, 8, 1023, 64)]
    lengths = [Fixed(np.array([1023], np.int32)), Fixed(np.array([1024], np.int32))]
    yield Case("GroupQueryAttention", [*step, *lengths], outputs=3, num_heads=32, kv_num_heads=8, domain="com.microsoft",
               suffix="step after 1023")  # fmt: skip
    yield Case("Inverse", [floats(64, 4, 4)], domain="com.microsoft", suffix="64 of 4x4")


def attention():
    """Softmax, masks and the movement of heads around it."""
    for shape in ((1, 12, 1, 512), (64, 3, 49, 49), (1, 12, 197, 197), (1, 8, 77, 77)):
        yield Case("Softmax", [floats(*shape)], axis=-1, suffix="x".join(map(str, shape)))
    yield Case("Softmax", [floats(1, 12, 128, 128, dtype=HALF)], axis=-1, suffix="1x12x128x128 float16")
    for shape, perm in (((1, 128, 12, 64), (0, 2, 1, 3)), ((1, 12, 128, 64), (0, 2, 1, 3)), ((1, 197, 3, 12, 64), (2, 0, 3, 1, 4)),
                        ((1, 8, 7, 8, 7, 96), (0, 1, 3, 2, 4, 5)), ((1, 1, 12, 64), (0, 2, 1, 3)), ((1, 768, 196), (0, 2, 1)),
                        ((1, 12, 512, 64), (0, 1, 3, 2)), ((1, 3, 14, 16, 14, 16), (0, 2, 4, 3, 5, 1))):  # fmt: skip
        yield Case("Transpose", [floats(*shape)], perm=perm, suffix="x".join(map(str, shape)) + " " + "".join(map(str, perm)))
    for dtype in (HALF, np.int8):
        yield Case("Transpose", [floats(8, 128, 12, 64).astype(dtype)], perm=(0, 2, 1, 3), suffix=f"0213 {np.dtype(dtype).name}")
        yield Case("Transpose", [floats(8, 12, 128, 64).astype(dtype)], perm=(0, 1, 3, 2), suffix=f"0132 {np.dtype(dtype).name}")
    yield Case("Concat", [floats(1, 12, 511, 64), floats(1, 12, 1, 64)], axis=2, suffix="cache")
    yield Case("Concat", [floats(8, 12, 128, 32), floats(8, 12, 128, 32)], axis=-1, suffix="halves")
    yield Case("Concat", [floats(1, 1, 768), floats(1, 196, 768)], axis=1, suffix="class token")
    yield Case("Concat", [floats(8, 128, 64, dtype=HALF)] * 4, axis=-1, suffix="four float16")
    yield Case("Split", [floats(8, 12, 128, 64)], outputs=2, axis=-1, num_outputs=2, suffix="halves")
    yield Case("Split", [floats(1, 197, 3, 768)], outputs=3, axis=2, num_outputs=3, suffix="middle")
    yield Case("Slice", [floats(1, 12, 512, 64), Fixed([0]), Fixed([128]), Fixed([2])], suffix="of a cache")
    yield Case("Slice", [floats(8, 12, 128, 64), Fixed([32]), Fixed([64]), Fixed([3])], suffix="half")
    yield Case("Expand", [floats(1, 8, 1, 512, 64), Fixed([1, 8, 4, 512, 64])], suffix="grouped queries")
    yield Case("Expand", [floats(1, 1, 768), Fixed([64, 197, 768])], suffix="rows")
    yield Case("Expand", [flags(8, 1, 1, 128), Fixed([8, 1, 128, 128])], suffix="mask")
    for width in (1, 128):
        yield Case("Gather", [Fixed(floats(32000, 768)), below(32000, 1, width)], suffix=f"{width} tokens of 32000")
    yield Case("Gather", [Fixed(floats(32000, 768, dtype=HALF)), below(32000, 8, 128)], suffix="embedding float16")
    yield Case("Gather", [floats(8, 128, 768), Fixed(np.int64(0))], axis=1, suffix="first token")
    yield Case("Where", [flags(1, 1, 128, 128), floats(8, 12, 128, 128), Fixed(np.float32(-1e9))], suffix="causal mask")
    yield Case("Where", [flags(8, 1, 1, 128), Fixed(np.float32(0)), Fixed(np.float32(-1e9))], suffix="of scalars")
    yield Case("Where", [flags(800000), floats(800000), floats(800000)], suffix="float32")
    yield Case("Tile", [below(99, 8, 1, 128), Fixed([1, 128, 1])], suffix="int64 rows")
    yield Case("Trilu", [flags(1, 1, 512, 512)], upper=0, suffix="mask")
    yield Case("RotaryEmbedding", [floats(1, 12, 128, 64), Fixed(floats(128, 32)), Fixed(floats(128, 32)), below(128, 1, 128)],
               opset=23)  # fmt: skip
    for suffix, shape, dims in (("197", (1, 12, 197, 64), {}), ("1024 pixels", (1, 8, 1024, 40), {}),
                                ("1500 positions", (1, 6, 1500, 64), {}),
                                ("dynamic batch", (1, 4, 1024, 32), {0: "batch"}),
                                ("dynamic length", (1, 4, 512, 64), {0: "batch", 2: "length"})):  # fmt: skip
        yield Case("Attention", [floats(*shape) for _ in range(3)], opset=23, suffix=suffix, dynamic=dims)


def normalisations():
    for shape in ((1, 1, 768), (1, 197, 768), (1, 3136, 96), (8, 128, 1024), (1, 128, 4096)):
        width, name = shape[-1], "x".join(map(str, shape))
        yield Case("LayerNormalization", [floats(*shape), floats(width), floats(width)], axis=-1, suffix=name)
        yield Case("RMSNormalization", [floats(*shape), floats(width)], axis=-1, opset=23, suffix=name)
    yield Case("LayerNormalization", [floats(8, 128, 768), floats(768)], axis=-1, suffix="no bias")
    yield Case("LayerNormalization", [floats(8, 128, 768, dtype=np.float64), floats(768, dtype=np.float64)], axis=-1, suffix="float64")
    yield Case("LayerNormalization", [floats(8, 50, 60), floats(50, 60), floats(50, 60)], axis=1, suffix="two axes")
    yield Case("RMSNormalization", [floats(128, 4096, dtype=HALF), floats(4096, dtype=HALF)], axis=-1, opset=23, suffix="float16")
    yield Case("SkipLayerNormalization", [floats(8, 128, 768), floats(8, 128, 768), floats(768), floats(768)], domain="com.microsoft")
    yield Case("GroupNormalization", [floats(2, 320, 32, 32), floats(320), floats(320)], num_groups=32, suffix="320x32x32")
    yield Case("GroupNormalization", [floats(1, 320, 32, 32, dtype=HALF), *[floats(320, dtype=HALF)] * 2], num_groups=32, suffix="float16")
    yield Case("GroupNormalization", [floats(1, 512, 3000), floats(512), floats(512)], num_groups=1, suffix="audio")
    yield Case("InstanceNormalization", [floats(1, 512, 3000), floats(512), floats(512)], suffix="1d")
    yield Case("InstanceNormalization", [floats(1, 8, 32, 64, 64), floats(8), floats(8)], suffix="3d")
    yield Case("BatchNormalization", [floats(8, 64, 28, 28), *[Fixed(np.abs(floats(64))) for _ in range(4)]], suffix="constants")
    yield Case("LpNormalization", [floats(1, 512, 28, 28)], axis=1, suffix="channels")
    yield Case("ReduceMean", [floats(1, 197, 768), Fixed(np.array([1]))], keepdims=0, suffix="tokens")
    yield Case("ReduceMean", [floats(8, 7, 7, 1280), Fixed(np.array([1, 2]))], suffix="channels last image")
    yield Case("ReduceL2", [floats(8, 64, 28, 28), Fixed(np.array([1]))], suffix="channels")
    yield Case("ReduceMax", [floats(8, 64, 28, 28), Fixed(np.array([1]))], suffix="channels")
    yield Case("ReduceSum", [floats(4, 8, 100, 100), Fixed(np.array([0, 2]))], suffix="every other")
    yield Case("ReduceProd", [floats(64, 100, 32), Fixed(np.array([1]))], suffix="middle")
    yield Case("ReduceMean", [floats(8, 128, 768, dtype=HALF), Fixed(np.array([1]))], suffix="middle float16")
    yield Case("ReduceMax", [floats(1, 512, 14, 14, dtype=HALF), Fixed(np.array([2, 3]))], suffix="image float16")
    yield Case("ReduceLogSumExp", [floats(64, 100, 64), Fixed(np.array([1]))], suffix="middle")
    yield Case("ReduceMax", [flags(8, 128, 128).astype(np.int8), Fixed(np.array([-1]))], suffix="int8 rows")


def small_types():
    for source, to in (("int4", "float16"), ("uint4", "uint8"), ("int8", "int4"), ("float16", "int8"), ("float16", "float64"),
                       ("bfloat16", "int64"), ("bfloat16", "float8_e4m3fn"), ("float8_e4m3fn", "bfloat16"), ("int32", "uint8"),
                       ("uint8", "float16"), ("bool", "float16"), ("float64", "float16"), ("int64", "float16"), ("bool", "int32"),
                       ("uint8", "bool"), ("int16", "int8"), ("int32", "float64"), ("uint32", "float32")):  # fmt: skip
        dtypes = [np.dtype(getattr(ml_dtypes, t, t)) for t in (source, to)]
        yield Case("Cast", [(4 * floats(800000)).astype(dtypes[0])], suffix=f"{source}-{to}", to=number(dtypes[1]))
    for dtype in (np.int8, np.uint8, np.int16, np.int32):
        name, (a, b) = f"{np.dtype(dtype).name} of 800000", (below(100, 800000, dtype=dtype) for _ in range(2))
        for operator in ("Mul", "Sub", "Max", "Min", "Less"):
            yield Case(operator, [a, b], suffix=name)
        yield Case("Where", [flags(800000), a, b], suffix=name)
        yield Case("Clip", [a, Fixed(dtype(10)), Fixed(dtype(80))], suffix=name)
    for dtype in (np.int8, np.int32, np.int64):
        for name in ("Abs", "Neg", "Sign"):
            yield Case(name, [below(100, 800000, dtype=dtype) - dtype(50)], suffix=np.dtype(dtype).name)
    yield Case("Relu", [below(100, 800000, dtype=np.int8) - np.int8(50)], suffix="int8")
    yield Case("BitwiseAnd", [below(2**31, 400000, dtype=np.int32), below(2**31, 400000, dtype=np.int32)], opset=18)
    yield Case("BitwiseXor", [below(200, 800000, dtype=np.uint8), below(200, 800000, dtype=np.uint8)], opset=18, suffix="uint8")
    for dtype in (HALF, ml_dtypes.bfloat16):
        name = np.dtype(dtype).name
        x = floats(8, 128, 768, dtype=dtype)
        yield Case("Add", [x, floats(768, dtype=dtype)], suffix=f"row {name}")
        yield Case("Mul", [x, Fixed(dtype(0.125))], suffix=f"scalar {name}")
        yield Case("Max", [x, Fixed(dtype(0))], suffix=f"scalar {name}")
        yield Case("Greater", [x, x], suffix=name)
        for unary in ("Neg", "Abs", "Sqrt", "Erf", "HardSwish", "Log"):
            yield Case(unary, [np.abs(x) if unary in ("Sqrt", "Log") else x], suffix=name)
    yield Case("Pow", [floats(8, 128, 768, dtype=HALF), Fixed(HALF(2))], suffix="square float16")
    for exponent in (3.0, 0.5, -0.5, 4.0):
        yield Case("Pow", [np.abs(floats(8, 128, 768)), Fixed(np.float32(exponent))], suffix=f"{exponent}")
    yield Case("Pow", [np.abs(floats(400000)), floats(400000)], suffix="of tensors")
    yield Case("Pow", [below(9, 400000), Fixed(np.int64(3))], suffix="int64")
    yield Case("Clip", [floats(8, 128, 768), np.float32(-1), np.float32(1)], suffix="bounds at run time")
    yield Case("Div", [floats(8, 128, 768), Fixed(np.float32(8))], suffix="scalar")
    yield Case("Sub", [Fixed(np.float32(1)), floats(8, 128, 768)], suffix="from one")
    yield Case("Xor", [flags(800000), flags(800000)])
    yield Case("GreaterOrEqual", [below(512, 1, 512), below(512, 512, 1)], suffix="outer int64")
    yield Case("IsInf", [floats(800000)])


def images():
    tensor = floats(1, 64, 28, 28)
    yield Case("ConvTranspose", [tensor, Fixed(floats(64, 32, 3, 3))], strides=[2, 2], pads=[1] * 4, output_padding=[1, 1], suffix="3x3")
    yield Case("ConvTranspose", [tensor, Fixed(floats(64, 1, 4, 4))], strides=[2, 2], pads=[1] * 4, group=64, suffix="depthwise")
    yield Case("ConvTranspose", [floats(1, 128, 8, 8), Fixed(floats(128, 128, 5, 5))], strides=[2, 2], pads=[2] * 4,
               output_padding=[1, 1], suffix="5x5")  # fmt: skip
    yield Case("ConvTranspose", [floats(1, 16, 8, 14, 14), Fixed(floats(16, 16, 2, 2, 2))], strides=[2, 2, 2], suffix="3d")
    for dtype in (HALF, np.float64):
        name = np.dtype(dtype).name
        yield Case("Conv", [floats(1, 64, 28, 28, dtype=dtype), Fixed(floats(64, 64, 3, 3, dtype=dtype))], pads=[1] * 4, suffix=name)
        yield Case("MaxPool", [floats(1, 64, 56, 56, dtype=dtype)], kernel_shape=[3, 3], strides=[2, 2], suffix=name)
    yield Case("AveragePool", [floats(1, 64, 56, 56, dtype=HALF)], kernel_shape=[2, 2], strides=[2, 2], suffix="float16")
    yield Case("GlobalAveragePool", [floats(1, 1280, 7, 7)], suffix="7x7")
    yield Case("AveragePool", [floats(1, 64, 56, 56)], kernel_shape=[3, 3], pads=[1] * 4, suffix="3x3 stride 1")
    yield Case("AveragePool", [floats(4, 64, 1000)], kernel_shape=[4], strides=[4], suffix="1d")
    yield Case("AveragePool", [floats(1, 16, 16, 56, 56)], kernel_shape=[2, 2, 2], strides=[2, 2, 2], suffix="3d")
    yield Case("MaxPool", [floats(1, 64, 56, 56)], kernel_shape=[3, 3], pads=[1] * 4, suffix="3x3 stride 1")
    yield Case("MaxPool", [floats(8, 64, 28, 28)], kernel_shape=[2, 2], strides=[2, 2], suffix="2x2")
    yield Case("MaxUnpool", [floats(1, 16, 100, 100), np.arange(16 * 10000).reshape(1, 16, 100, 100) * 4],
               kernel_shape=[2, 2], strides=[2, 2], suffix="100x100")  # fmt: skip
    sizes = [("nearest", "asymmetric", (1, 256, 13, 13), (26, 26)), ("linear", "half_pixel", (1, 19, 128, 128), (512, 512)),
             ("cubic", "half_pixel", (1, 768, 14, 14), (16, 16)), ("linear", "pytorch_half_pixel", (1, 64, 56, 56), (28, 28)),
             ("linear", "align_corners", (1, 32, 33, 33), (129, 129)), ("cubic", "half_pixel", (1, 3, 224, 224), (448, 448)),
             ("nearest", "half_pixel", (1, 64, 28, 28), (56, 56))]  # fmt: skip
    for mode, coordinates, shape, to in sizes:
        yield Case("Resize", [floats(*shape), None, None, Fixed([*shape[:2], *to])], mode=mode,
                   coordinate_transformation_mode=coordinates, suffix=f"{mode} {shape[2]} to {to[0]}",
                   **({"nearest_mode": "floor"} if mode == "nearest" else {}))  # fmt: skip
    yield Case("Resize", [below(255, 1, 3, 480, 640, dtype=np.uint8), None, None, Fixed([1, 3, 240, 320])], mode="linear", suffix="uint8")
    yield Case("Resize", [floats(1, 64, 28, 28, dtype=HALF), None, Fixed(np.float32([1, 1, 2, 2]))], mode="nearest",
               coordinate_transformation_mode="asymmetric", nearest_mode="floor", suffix="nearest float16")  # fmt: skip
    yield Case("DepthToSpace", [floats(1, 48, 64, 64)], blocksize=4, suffix="4")
    yield Case("SpaceToDepth", [floats(1, 3, 224, 224)], blocksize=4, suffix="4")
    yield Case("Pad", [floats(1, 3, 224, 224), Fixed([0, 0, 3, 3, 0, 0, 3, 3])], suffix="image")
    yield Case("Pad", [floats(1, 56, 56, 96), Fixed([0, 0, 0, 0, 0, 3, 3, 0])], suffix="windows")
    yield Case("Pad", [floats(1, 80, 3000), Fixed([0, 0, 1, 0, 0, 1])], suffix="1d")


def sums():
    for equation, shapes in (("bhid,bhjd->bhij", ((1, 12, 128, 64), (1, 12, 128, 64))),
                             ("bhij,bhjd->bhid", ((1, 12, 128, 128), (1, 12, 128, 64))),
                             ("bid,bjd->bij", ((8, 64, 96), (8, 80, 96))), ("ij,jk->ik", ((128, 256), (256, 192))),
                             ("nkctv,kvw->nctw", ((1, 3, 64, 50, 25), (3, 25, 25))), ("ij->ji", ((1000, 1000),)),
                             ("bij->b", ((64, 100, 100),)), ("bhwc,hkc->bhwk", ((4, 14, 14, 64), (14, 14, 64))),
                             ("i,j->ij", ((1000,), (1000,))), ("bn,bnd->bd", ((8, 200), (8, 200, 64)))):  # fmt: skip
        yield Case("Einsum", [floats(*shape) for shape in shapes], equation=equation, suffix=equation)
    for rows in (1, 16, 128):
        yield Case("MatMul", [floats(rows, 768, dtype=HALF), Fixed(floats(768, 768, dtype=HALF))], suffix=f"{rows} rows float16")
        yield Case("Gemm", [floats(rows, 768), Fixed(floats(768, 768)), Fixed(floats(768))], suffix=f"{rows} rows")
    yield Case("MatMul", [floats(1, 768), Fixed(floats(768, 32000))], suffix="to words")
    yield Case("MatMul", [floats(1, 12, 1, 64), floats(1, 12, 64, 512)], suffix="one token's scores")
    yield Case("MatMul", [floats(1, 12, 1, 512), floats(1, 12, 512, 64)], suffix="one token's values")
    yield Case("MatMul", [floats(64, 49, 32), floats(64, 32, 49)], suffix="windows")
    yield Case("MatMul", [floats(512, 512), floats(512, 512)], suffix="512")
    yield Case("MatMul", [floats(7, 100), floats(100, 13)], suffix="tiny")
    yield Case("Gemm", [floats(512, 64), floats(512, 64)], transA=1, suffix="transposed")


def recurrent():
    for name, gates, outputs in (("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 2)):
        for hidden, batch, steps, extra in ((64, 32, 20, {}), (128, 1, 100, {"direction": "bidirectional"}), (512, 1, 20, {})):
            ways, depth = 2 if extra else 1, 64
            weights = [Fixed(0.1 * floats(ways, gates * hidden, depth)), Fixed(0.1 * floats(ways, gates * hidden, hidden)),
                       Fixed(0.1 * floats(ways, 2 * gates * hidden))]  # fmt: skip
            yield Case(name, [floats(steps, batch, depth), *weights], outputs=outputs, hidden_size=hidden,
                       suffix=f"{hidden} of {batch}{' both' if extra else ''}", **extra)  # fmt: skip


def wider():
    for family in (logits, experts, attention, normalisations, small_types, images, sums, recurrent):
        yield from family()
