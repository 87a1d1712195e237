# ===- operator_cases.py - Single operators at sizes of practice ------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The table that operators.py measures: a row is one node with its inputs.
# ===------------------------------------------------------------------------===//
"""Single operators at sizes that occur in practice."""

import itertools

import classical_cases
import dynamic_cases
import map_cases
import ml_dtypes
import numpy as np
import wider_cases
from onnx import helper
from operator_case import RNG, Case, Fixed, below, flags, floats


def elementwise():
    image, tokens = (1, 64, 56, 56), (8, 128, 768)
    for name in ["Relu", "Sigmoid", "Tanh", "Exp", "Log", "Sqrt", "Erf", "Gelu", "Abs", "Neg", "Floor", "Round", "Sign",
                 "Reciprocal", "Softplus", "Softsign", "Elu", "Selu", "HardSigmoid", "HardSwish", "LeakyRelu", "Sin", "Cos",
                 "Tan", "Atan", "Asin", "Sinh", "Mish", "Celu", "ThresholdedRelu", "IsNaN"]:  # fmt: skip
        yield Case(name, [np.abs(floats(*image)) % 1 + 0.1 if name in ("Log", "Sqrt", "Asin") else floats(*image)])
    for name in ["Add", "Mul", "Sub", "Div", "Max", "Min", "PRelu"]:
        yield Case(name, [floats(*tokens), floats(*tokens)])
    yield Case("Add", [floats(*tokens), floats(768)], suffix="row")
    yield Case("Mul", [floats(*image), floats(1, 64, 1, 1)], suffix="channel")
    yield Case("Pow", [floats(*tokens), Fixed(np.float32(2))], suffix="square")
    yield Case("Pow", [np.abs(floats(*image)), Fixed(np.float32(0.3))], suffix="general")
    yield Case("Mod", [below(1000, 400000), Fixed(np.int64(7))], suffix="i64")
    yield Case("Mod", [below(1000, 400000, dtype=np.int32), below(100, 400000, dtype=np.int32) + 1], suffix="i32")
    yield Case("Mod", [floats(400000), np.abs(floats(400000)) + 1], suffix="f32", fmod=1)
    for dtype in (np.int8, np.uint8, np.int32, np.int64):
        yield Case("Add", [below(100, 800000, dtype=dtype), below(100, 800000, dtype=dtype)], suffix=np.dtype(dtype).name)
        yield Case("Div", [below(100, 800000, dtype=dtype), below(100, 800000, dtype=dtype) + dtype(1)], suffix=np.dtype(dtype).name)
    yield Case("Mul", [below(100, 800000), below(100, 800000)], suffix="int64")
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float64):
        for name in ("Add", "Mul", "Sigmoid", "Exp", "Relu", "Tanh", "Gelu"):
            arrays = [floats(400000, dtype=dtype), floats(400000, dtype=dtype)]
            yield Case(name, arrays[: 1 + (name in ("Add", "Mul"))], suffix=np.dtype(dtype).name)
    for name in ("Log", "Erf", "Sin", "Cos", "Softplus", "Elu", "Tan", "Atan"):
        yield Case(name, [np.abs(floats(400000, dtype=np.float64)) + 0.1], suffix="float64")
    yield Case("Pow", [np.abs(floats(400000, dtype=np.float64)), Fixed(np.float64(0.3))], suffix="float64")
    for dtype in (np.int32, np.int64):
        name = np.dtype(dtype).name
        yield Case("Div", [below(10**6, 400000, dtype=dtype), Fixed(dtype(7))], suffix=f"{name} by a constant")
        yield Case("Mod", [below(10**6, 400000, dtype=dtype) - 500000, below(1000, 400000, dtype=dtype) + 1], suffix=f"{name} general")
        yield Case("Max", [below(99, 400000, dtype=dtype), below(99, 400000, dtype=dtype)], suffix=name)
        yield Case("Clip", [below(99, 400000, dtype=dtype), Fixed(dtype(10)), Fixed(dtype(80))], suffix=name)
    yield Case("Clip", [floats(400000, dtype=np.float16), Fixed(np.float16(-1)), Fixed(np.float16(1))], suffix="float16")
    for dtype in (np.float16, np.uint8, np.float64):
        yield Case("Where", [flags(400000), floats(400000).astype(dtype), floats(400000).astype(dtype)], suffix=np.dtype(dtype).name)
    yield Case("Where", [flags(128, 128), floats(8, 12, 128, 128), Fixed(np.float32(-1e9))], suffix="mask of rows")
    yield Case("Add", [floats(8, 64, 32, 48), floats(1, 64, 1, 48)], suffix="middle")
    yield Case("Mul", [floats(16, 1, 512, 16), floats(1, 32, 1, 16)], suffix="both sides")
    yield Case("Add", [floats(64, 1, 4096), floats(1, 16, 1)], suffix="middle of both")
    yield Case("Clip", [floats(*image), Fixed(np.float32(0)), Fixed(np.float32(6))])
    yield Case("Where", [flags(8, 12, 128, 128), floats(8, 12, 128, 128), Fixed(np.float32(-1e9))])
    yield Case("Where", [flags(800000), below(9, 800000), below(9, 800000)], suffix="int64")
    for name in ("Equal", "Greater", "LessOrEqual"):
        yield Case(name, [floats(*tokens), floats(*tokens)])
        yield Case(name, [below(9, 800000), Fixed(np.int64(4))], suffix="int64")
    yield Case("Equal", [below(9, 800000, dtype=np.uint8), Fixed(np.uint8(4))], suffix="uint8", opset=19)
    yield Case("Where", [flags(8, 1, 128, 1), floats(8, 12, 128, 128), floats(8, 1, 128, 128)], suffix="broadcast")
    yield Case("Mul", [floats(*tokens), floats(8, 128, 1)], suffix="inner")
    yield Case("Add", [floats(8, 12, 128, 128), floats(8, 1, 1, 128)], suffix="mask")
    yield Case("Add", [floats(1024, 1), floats(1, 1024)], suffix="outer")
    yield Case("Sum", [floats(*tokens), floats(*tokens), floats(*tokens)])
    yield Case("Max", [below(99, 800000, dtype=np.int8), below(99, 800000, dtype=np.int8)], suffix="int8", opset=13)
    yield Case("Swish", [floats(*image)], opset=24)
    yield Case("And", [flags(800000), flags(800000)])
    yield Case("Not", [flags(800000)])
    yield Case("BitShift", [below(200, 800000, dtype=np.uint8), Fixed(np.uint8(2))], direction="RIGHT")


def casts():
    pairs = [("float32", "float16"), ("float16", "float32"), ("float32", "bfloat16"), ("bfloat16", "float32"),
             ("float32", "int64"), ("int64", "float32"), ("float32", "int32"), ("int32", "float32"), ("float32", "uint8"),
             ("uint8", "float32"), ("float32", "bool"), ("bool", "float32"), ("int64", "int32"), ("int32", "int64"),
             ("float32", "float64"), ("float64", "float32"), ("bool", "int64"), ("int64", "bool"), ("float16", "int64"),
             ("float32", "float8_e4m3fn"), ("float8_e4m3fn", "float32"),
             ("float32", "float8_e5m2"), ("float8_e5m2", "float32"), ("float16", "float8_e4m3fn"), ("float8_e5m2", "float16"),
             ("float16", "bfloat16"), ("bfloat16", "float16"), ("float32", "int4"), ("int4", "float32"), ("uint4", "float32"),
             ("float32", "int8"), ("int8", "float32"), ("int8", "float16"), ("float16", "uint8"), ("uint8", "int64"),
             ("float64", "int64"), ("int64", "float64"), ("float32", "uint64"), ("int16", "float32")]  # fmt: skip
    for source, to in pairs:
        dtypes = [np.dtype(getattr(ml_dtypes, t)) if hasattr(ml_dtypes, t) else np.dtype(t) for t in (source, to)]
        yield Case("Cast", [(4 * floats(800000)).astype(dtypes[0])], suffix=f"{source}-{to}",
                   to=helper.np_dtype_to_tensor_dtype(dtypes[1]))  # fmt: skip


def reductions():
    for name in ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceProd", "ReduceLogSumExp"]:
        yield Case(name, [floats(8, 128, 768), Fixed(np.array([-1]))], suffix="rows", keepdims=1)
    for name in ["ReduceSum", "ReduceMax"]:
        yield Case(name, [floats(8, 128, 768), Fixed(np.array([1]))], suffix="columns", keepdims=0)
    yield Case("ReduceMean", [floats(1, 256, 28, 28), Fixed(np.array([2, 3]))], suffix="image")
    yield Case("ReduceSum", [floats(64, 64, 64, 16), Fixed(np.array([1]))], suffix="middle")
    yield Case("ReduceMax", [floats(32, 40, 24, 50), Fixed(np.array([0, 2]))], suffix="outer and middle")
    yield Case("ReduceSum", [floats(1024, 768), Fixed(np.array([0, 1]))], suffix="all")
    yield Case("ReduceMean", [floats(8, 128, 768, dtype=np.float16), Fixed(np.array([-1]))], suffix="float16")
    yield Case("ReduceSum", [floats(1024, 768, dtype=np.float64), Fixed(np.array([0]))], suffix="columns float64")
    yield Case("ReduceMin", [below(99, 1024, 768, dtype=np.int32), Fixed(np.array([0]))], suffix="columns int32")
    yield Case("ReduceSum", [below(9, 1024, 768), Fixed(np.array([-1]))], suffix="int64")
    for name in ("ReduceSum", "ReduceMax", "ReduceMean"):
        yield Case(name, [floats(16, 32, 24, 40), Fixed(np.array([1, 3]))], suffix="second and last")
        yield Case(name, [floats(16, 32, 24, 40), Fixed(np.array([0, 1]))], suffix="first two")
    yield Case("ReduceSumSquare", [floats(32, 40, 24, 50), Fixed(np.array([0, 2, 3]))], suffix="all but one")
    yield Case("ReduceMax", [below(99, 64, 64, 64, dtype=np.uint8), Fixed(np.array([1]))], suffix="middle uint8")
    yield Case("ReduceMin", [below(99, 1024, 768), Fixed(np.array([0]))], suffix="columns int64")
    for name in ("ArgMax", "ArgMin"):
        yield Case(name, [floats(128, 32000)], axis=-1, suffix="rows")
        yield Case(name, [floats(1, 21, 256, 256)], axis=1, suffix="columns")
    yield Case("ArgMax", [floats(1024, 16)], axis=-1, suffix="short")
    yield Case("CumSum", [floats(64, 8192), Fixed(np.int64(1))], suffix="rows")
    yield Case("CumSum", [floats(512, 1024), Fixed(np.int64(0))], suffix="columns")
    yield Case("CumSum", [below(9, 64, 8192), Fixed(np.int64(1))], suffix="int64")
    yield Case("TopK", [floats(8, 32000), Fixed(np.array([5]))], outputs=2, suffix="5 of 32000")
    yield Case("TopK", [floats(1, 8400), Fixed(np.array([300]))], outputs=2, suffix="300 of 8400")
    yield Case("TopK", [floats(1024, 64), Fixed(np.array([2]))], outputs=2, suffix="2 of 64")
    yield Case("TopK", [floats(64, 512, 8), Fixed(np.array([4]))], outputs=2, axis=1, suffix="columns")
    yield Case("TopK", [floats(1, 50000), Fixed(np.array([1000]))], outputs=2, suffix="1000 of 50000")
    yield Case("CumSum", [floats(64, 8192), Fixed(np.int64(1))], reverse=1, exclusive=1, suffix="reverse")
    yield Case("CumSum", [floats(64, 64, 64), Fixed(np.int64(1))], suffix="middle")
    yield Case("CumSum", [floats(64, 8192, dtype=np.float64), Fixed(np.int64(1))], suffix="float64")
    yield Case("TopK", [floats(64, 1000), Fixed(np.array([10]))], outputs=2, largest=0, suffix="smallest 10 of 1000")
    yield Case("TopK", [below(10**6, 64, 1000), Fixed(np.array([50]))], outputs=2, suffix="50 of 1000 int64")
    yield Case("TopK", [floats(1, 21, 128, 128), Fixed(np.array([3]))], outputs=2, axis=1, suffix="channels")
    yield Case("TopK", [floats(256, 128), Fixed(np.array([128]))], outputs=2, suffix="all of 128")
    yield Case("Softmax", [floats(8, 128, 1000, dtype=np.float16)], axis=-1, suffix="float16")
    yield Case("Softmax", [floats(8, 12, 128, 128)], axis=-1)
    yield Case("Softmax", [floats(1, 21, 128, 128)], axis=1, suffix="channels")
    yield Case("LogSoftmax", [floats(64, 32000)], axis=-1)
    yield Case("Hardmax", [floats(1024, 1000)], axis=-1)
    yield Case("LayerNormalization", [floats(8, 128, 768), floats(768), floats(768)], axis=-1)
    yield Case("RMSNormalization", [floats(8, 128, 768), floats(768)], axis=-1, opset=23)
    yield Case("GroupNormalization", [floats(1, 64, 64, 64), floats(64), floats(64)], num_groups=8)
    yield Case("InstanceNormalization", [floats(1, 64, 128, 128), floats(64), floats(64)])
    yield Case("BatchNormalization", [floats(1, 64, 56, 56), *[np.abs(floats(64)) for _ in range(4)]])
    yield Case("LayerNormalization", [floats(1, 96, 56, 56), floats(96, 56, 56), floats(96, 56, 56)], axis=1, suffix="image")
    yield Case("LayerNormalization", [floats(8, 128, 768, dtype=np.float16), *[floats(768, dtype=np.float16) for _ in range(2)]],
               axis=-1, suffix="float16")  # fmt: skip
    yield Case("SkipSimplifiedLayerNormalization", [floats(8, 128, 768), floats(8, 128, 768), floats(768)], domain="com.microsoft")
    yield Case("BatchNormalization", [floats(64, 256), *[np.abs(floats(256)) for _ in range(4)]], suffix="1d")
    yield Case("LRN", [floats(1, 96, 27, 27)], size=5)
    yield Case("LpNormalization", [floats(128, 512)], axis=-1)
    yield Case("MeanVarianceNormalization", [floats(1, 16, 128, 128)])


def movement():
    yield Case("Gather", [Fixed(floats(30522, 768)), below(30522, 8, 128)], suffix="embedding")
    yield Case("Gather", [floats(64, 1024), below(1024, 256)], axis=1, suffix="columns")
    yield Case("Gather", [below(9, 400000), below(400000, 100000)], suffix="scalars")
    yield Case("GatherElements", [floats(512, 1024), below(512, 512, 1024)], axis=0)
    yield Case("GatherElements", [floats(512, 1024), below(1024, 512, 64)], axis=1, suffix="rows")
    yield Case("GatherND", [floats(256, 256, 64), below(256, 4096, 2)], suffix="rows")
    yield Case("GatherND", [floats(256, 256), below(256, 40960, 2)], suffix="scalars")
    yield Case("ScatterElements", [floats(512, 1024), below(512, 64, 1024), floats(64, 1024)], axis=0)
    yield Case("ScatterElements", [floats(512, 1024), below(512, 64, 1024), floats(64, 1024)], axis=0, reduction="add", suffix="add")
    for reduction in ("mul", "max", "min"):
        yield Case("ScatterElements", [floats(512, 1024), below(512, 64, 1024), floats(64, 1024)], axis=0, reduction=reduction,
                   suffix=reduction)  # fmt: skip
    yield Case("ScatterElements", [below(9, 512, 1024), below(1024, 512, 64), below(9, 512, 64)], axis=1, suffix="rows int64")
    yield Case("GatherElements", [below(9, 512, 1024), below(1024, 512, 64)], axis=1, suffix="rows int64")
    yield Case("GatherElements", [floats(64, 256, 32), below(256, 64, 128, 32)], axis=1, suffix="middle")
    yield Case("ScatterND", [floats(1024, 256), below(1024, 512, 1), floats(512, 256)], suffix="rows")
    yield Case("ScatterND", [floats(1024, 256), below(256, 5000, 2), floats(5000)], suffix="scalars")
    for perm, shape in [((0, 2, 1, 3), (8, 128, 12, 64)), ((0, 2, 1), (8, 128, 768)), ((0, 3, 1, 2), (1, 224, 224, 3)),
                        ((0, 2, 3, 1), (1, 64, 56, 56)), ((3, 2, 1, 0), (16, 24, 32, 40)), ((1, 0), (1000, 1000)),
                        ((0, 2, 4, 1, 3), (2, 16, 32, 16, 20))]:  # fmt: skip
        yield Case("Transpose", [floats(*shape)], perm=perm, suffix="".join(map(str, perm)))
    yield Case("Transpose", [floats(4, 8, 16, 32, 20)], perm=(4, 1, 3, 0, 2), suffix="41302")
    yield Case("Transpose", [floats(1, 12, 128, 64)], perm=(0, 1, 3, 2), suffix="0132")
    yield Case("Transpose", [below(99, 1024, 1024)], perm=(1, 0), suffix="10 int64")
    yield Case("Transpose", [below(99, 1, 224, 224, 3, dtype=np.uint8)], perm=(0, 3, 1, 2), suffix="0312 uint8")
    yield Case("Transpose", [floats(8, 128, 768, dtype=np.float16)], perm=(0, 2, 1), suffix="021 float16")
    yield Case("Concat", [floats(1, 64, 56, 56), floats(1, 64, 56, 56)], axis=1)
    yield Case("Concat", [floats(8, 128, 64), floats(8, 128, 64)], axis=-1, suffix="last")
    yield Case("Split", [floats(8, 128, 2304)], outputs=3, axis=-1, num_outputs=3)
    yield Case("Slice", [floats(8, 128, 768), Fixed([0]), Fixed([384]), Fixed([2])])
    yield Case("Slice", [floats(8, 128, 768), Fixed([0]), Fixed([768]), Fixed([2]), Fixed([2])], suffix="step 2")
    yield Case("Slice", [floats(8, 128, 768), Fixed([767]), Fixed([-1000]), Fixed([2]), Fixed([-1])], suffix="reverse")
    yield Case("Pad", [floats(1, 64, 56, 56), Fixed([0, 0, 1, 1, 0, 0, 1, 1])])
    yield Case("Pad", [floats(1, 64, 56, 56), Fixed([0, 0, 3, 3, 0, 0, 3, 3])], mode="reflect", suffix="reflect")
    yield Case("Pad", [floats(1, 64, 56, 56), Fixed([0, 0, 3, 3, 0, 0, 3, 3])], mode="edge", suffix="edge")
    yield Case("Expand", [floats(8, 1, 1, 128), Fixed([8, 12, 128, 128])])
    yield Case("Tile", [floats(1, 64, 28, 28), Fixed([1, 1, 2, 2])])
    yield Case("OneHot", [below(1000, 1024), Fixed(np.int64(1000)), Fixed(np.float32([0, 1]))])
    yield Case("Trilu", [floats(8, 256, 256)])
    yield Case("DepthToSpace", [floats(1, 64, 64, 64)], blocksize=2)
    yield Case("SpaceToDepth", [floats(1, 16, 128, 128)], blocksize=2)
    yield Case("ReverseSequence", [floats(64, 16, 128), below(64, 16) + 1])
    yield Case("ScatterND", [floats(1024, 256), below(1024, 512, 1), floats(512, 256)], reduction="add", suffix="add")
    yield Case("ScatterElements", [floats(512, 1024), below(1024, 512, 64), floats(512, 64)], axis=1, suffix="rows")
    yield Case("OneHot", [below(16, 64, 64), Fixed(np.int64(16)), Fixed(np.float32([0, 1]))], axis=1, suffix="middle")
    yield Case("Concat", [floats(4096, 1), floats(4096, 3), floats(4096, 4)], axis=1, suffix="short")
    yield Case("Split", [floats(4096, 12)], outputs=3, axis=1, num_outputs=3, suffix="short")
    yield Case("Tile", [floats(1, 128, 1, 64), Fixed([1, 1, 12, 1])], suffix="heads")
    yield Case("Expand", [floats(8, 4, 1, 128, 64), Fixed([8, 4, 4, 128, 64])], suffix="heads")
    yield Case("Unique", [below(500, 20000)], outputs=4)
    yield Case("Unique", [floats(20000)], outputs=4, suffix="all differ")
    yield Case("Unique", [below(500, 20000)], outputs=1, sorted=0, suffix="as they come")
    yield Case("TensorScatter", [floats(2, 8, 512, 64), floats(2, 8, 1, 64), below(512, 2)], axis=2, opset=24)
    yield Case("Compress", [floats(4096, 64), flags(4096)], axis=0)
    yield Case("NonZero", [flags(512, 512)])
    yield Case("Range", [Fixed(np.int64(0)), Fixed(np.int64(400000)), Fixed(np.int64(1))])
    yield Case("EyeLike", [floats(512, 512)])


def vision():
    image = floats(1, 64, 56, 56)
    yield Case("MaxPool", [floats(1, 64, 112, 112)], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    yield Case("MaxPool", [image], outputs=2, kernel_shape=[2, 2], strides=[2, 2], suffix="indices")
    yield Case("MaxPool", [below(99, 1, 64, 112, 112, dtype=np.uint8)], kernel_shape=[3, 3], strides=[2, 2], suffix="uint8")
    yield Case("MaxPool", [floats(1, 128, 20, 20)], kernel_shape=[5, 5], pads=[2, 2, 2, 2], suffix="5x5")
    yield Case("MaxPool", [floats(4, 64, 1000)], kernel_shape=[3], strides=[2], suffix="1d")
    yield Case("MaxPool", [floats(1, 16, 16, 56, 56)], kernel_shape=[2, 2, 2], strides=[2, 2, 2], suffix="3d")
    yield Case("MaxPool", [floats(1, 64, 57, 57)], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, suffix="ceil")
    yield Case("MaxPool", [below(99, 1, 64, 56, 56, dtype=np.int8)], kernel_shape=[2, 2], strides=[2, 2], suffix="int8")
    yield Case("AveragePool", [floats(1, 64, 56, 56)], kernel_shape=[2, 2], strides=[2, 2], suffix="2x2")
    yield Case("AveragePool", [floats(1, 128, 20, 20)], kernel_shape=[5, 5], pads=[2, 2, 2, 2], suffix="5x5")
    yield Case("LpPool", [image], kernel_shape=[3, 3], strides=[2, 2], p=2)
    yield Case("GlobalLpPool", [floats(1, 512, 14, 14)], p=2)
    yield Case("AveragePool", [floats(1, 64, 112, 112)], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    yield Case("GlobalAveragePool", [floats(1, 512, 14, 14)])
    yield Case("GlobalMaxPool", [floats(1, 512, 14, 14)])
    yield Case("MaxUnpool", [floats(1, 64, 28, 28), np.arange(64 * 28 * 28).reshape(1, 64, 28, 28) * 4],
               kernel_shape=[2, 2], strides=[2, 2])  # fmt: skip
    for mode, coordinates in [("nearest", "asymmetric"), ("linear", "half_pixel"), ("linear", "align_corners"), ("cubic", "half_pixel")]:
        yield Case("Resize", [image, None, Fixed(np.float32([1, 1, 2, 2]))], mode=mode, coordinate_transformation_mode=coordinates,
                   suffix=f"{mode} {coordinates}", **({"nearest_mode": "floor"} if mode == "nearest" else {}))  # fmt: skip
    yield Case("Resize", [floats(1, 3, 480, 640), None, None, Fixed([1, 3, 224, 224])], mode="linear", suffix="linear down")
    yield Case("Resize", [floats(1, 3, 480, 640), None, None, Fixed([1, 3, 224, 224])], mode="linear", antialias=1, suffix="antialias")
    yield Case("Resize", [floats(1, 3, 480, 640), None, None, Fixed([1, 3, 224, 224])], mode="cubic", suffix="cubic down")
    yield Case("Resize", [floats(1, 64, 50, 50), None, None, Fixed([1, 64, 80, 80])], mode="nearest", suffix="nearest 1.6")
    yield Case("Resize", [floats(1, 64, 56, 56), None, Fixed(np.float32([1, 1, 0.5, 0.5]))], mode="linear", suffix="half")
    yield Case("Resize", [floats(1, 56, 56, 64), None, Fixed(np.float32([1, 2, 2, 1]))], mode="linear", suffix="channels last")
    yield Case("Resize", [floats(1, 8, 16, 28, 28), None, Fixed(np.float32([1, 1, 2, 2, 2]))], mode="linear", suffix="3d")
    grid = (np.clip(floats(1, 56, 56, 2), -1.1, 1.1)).astype(np.float32)
    for mode in ("linear", "nearest", "cubic"):
        yield Case("GridSample", [image, grid], mode=mode, suffix=mode)
    boxes = np.sort(RNG.random((100, 2, 2)) * 200, axis=1).reshape(100, 4).astype(np.float32)
    yield Case("RoiAlign", [floats(1, 256, 50, 50), boxes, np.zeros(100, np.int64)], output_height=7, output_width=7,
               sampling_ratio=2, spatial_scale=0.25)  # fmt: skip
    yield Case("MaxRoiPool", [floats(1, 64, 50, 50), np.concatenate([np.zeros((20, 1), np.float32), boxes[:20]], 1)],
               pooled_shape=[7, 7], spatial_scale=0.25)  # fmt: skip
    scores = RNG.random((1, 20, 1000)).astype(np.float32)
    corners = np.sort(RNG.random((1, 1000, 2, 2)), axis=2).reshape(1, 1000, 4).astype(np.float32)
    yield Case("NonMaxSuppression", [corners, scores, Fixed([100]), Fixed(np.float32([0.5])), Fixed(np.float32([0.6]))])
    corners = np.sort(RNG.random((1, 18900, 2, 2)), axis=2).reshape(1, 18900, 4).astype(np.float32)
    yield Case("NonMaxSuppression", [corners, floats(1, 1, 18900), Fixed([100]), Fixed(np.float32([0.5]))], suffix="few of many")
    yield Case("Col2Im", [floats(1, 64 * 9, 784), Fixed([28, 28]), Fixed([3, 3])], pads=[1, 1, 1, 1])
    yield Case("Col2Im", [floats(1, 64 * 16, 196), Fixed([56, 56]), Fixed([4, 4])], strides=[4, 4], suffix="patches")
    yield Case("AffineGrid", [floats(4, 2, 3), Fixed([4, 3, 224, 224])], opset=20)
    yield Case("DeformConv", [floats(1, 32, 28, 28), floats(32, 32, 3, 3), floats(1, 18, 28, 28) % 1], pads=[1, 1, 1, 1], opset=22)


def products():
    yield Case("MatMul", [floats(128, 768), Fixed(floats(768, 768))])
    yield Case("MatMul", [floats(8, 12, 128, 64), floats(8, 12, 64, 128)], suffix="batched")
    yield Case("MatMul", [floats(1, 768), Fixed(floats(768, 3072))], suffix="row")
    yield Case("MatMul", [floats(256, 256, dtype=np.float16), Fixed(floats(256, 256, dtype=np.float16))], suffix="float16")
    yield Case("MatMul", [floats(256, 256, dtype=np.float64), Fixed(floats(256, 256, dtype=np.float64))], suffix="float64")
    yield Case("MatMul", [below(9, 128, 128), below(9, 128, 128)], suffix="int64")
    yield Case("Gemm", [floats(64, 1024), Fixed(floats(1000, 1024)), Fixed(floats(1000))], transB=1)
    yield Case("Einsum", [floats(8, 128, 12, 64), floats(8, 128, 12, 64)], equation="bqhd,bkhd->bhqk")
    yield Case("Einsum", [floats(8, 128, 64), floats(64, 12, 32)], equation="bij,jhd->bihd", suffix="project")
    yield Case("Einsum", [floats(128, 256), floats(128, 256)], equation="ij,ij->i", suffix="rows")
    yield Case("Einsum", [floats(64, 48), floats(56, 48)], equation="ik,jk->ijk", suffix="outer")
    yield Case("Einsum", [floats(256, 256)], equation="ii->i", suffix="diagonal")
    yield Case("MatMul", [floats(768, 768), floats(768)], suffix="vector")
    yield Case("MatMul", [floats(1, 1, 768), Fixed(floats(768, 50))], suffix="narrow")
    yield Case("MatMul", [floats(1024, 3), Fixed(floats(3, 64))], suffix="thin")
    yield Case("Conv", [floats(1, 64, 56, 56), Fixed(floats(64, 64, 3, 3))], pads=[1, 1, 1, 1])
    yield Case("Conv", [floats(1, 96, 56, 56), Fixed(floats(96, 1, 3, 3))], pads=[1, 1, 1, 1], group=96, suffix="depthwise")
    yield Case("Conv", [floats(1, 64, 1000), Fixed(floats(64, 64, 5))], pads=[2, 2], suffix="1d")
    yield Case("Conv", [floats(1, 128, 1000), Fixed(floats(128, 1, 7))], pads=[3, 3], group=128, suffix="1d depthwise")
    yield Case("Conv", [floats(1, 64, 56, 56), Fixed(floats(64, 64, 3, 3))], pads=[2, 2, 2, 2], dilations=[2, 2], suffix="dilated")
    yield Case("Conv", [floats(1, 96, 56, 56), Fixed(floats(96, 1, 7, 7))], pads=[3] * 4, group=96, suffix="depthwise 7x7")
    yield Case("Conv", [floats(1, 96, 112, 112), Fixed(floats(96, 1, 3, 3))], pads=[1] * 4, strides=[2, 2], group=96,
               suffix="depthwise stride 2")  # fmt: skip
    yield Case("Conv", [floats(1, 256, 28, 28), Fixed(floats(64, 256, 1, 1))], suffix="1x1")
    yield Case("Conv", [floats(1, 3, 224, 224), Fixed(floats(64, 3, 7, 7))], pads=[3] * 4, strides=[2, 2], suffix="first")
    yield Case("ConvTranspose", [floats(1, 64, 400), Fixed(floats(64, 32, 8))], strides=[4], pads=[2, 2], suffix="1d")
    yield Case("Conv", [floats(1, 16, 16, 32, 32), Fixed(floats(16, 16, 3, 3, 3))], pads=[1] * 6, suffix="3d")
    yield Case("Conv", [floats(1, 64, 28, 28), Fixed(floats(64, 8, 3, 3))], pads=[1, 1, 1, 1], group=8, suffix="grouped")
    for channels, group, size in ((144, 9, 28), (784, 49, 7), (128, 32, 56), (512, 32, 14), (1024, 32, 7)):
        yield Case("Conv", [floats(1, channels, size, size), Fixed(floats(channels, channels // group, 3, 3))], pads=[1] * 4,
                   group=group, suffix=f"{group} groups of {channels // group}")  # fmt: skip
    yield Case("ConvTranspose", [floats(1, 64, 28, 28), Fixed(floats(64, 32, 4, 4))], strides=[2, 2], pads=[1, 1, 1, 1])
    yield Case("ConvTranspose", [floats(1, 64, 28, 28), Fixed(floats(64, 64, 2, 2))], strides=[2, 2], suffix="2x2")
    yield Case("Attention", [floats(1, 12, 128, 64), floats(1, 12, 128, 64), floats(1, 12, 128, 64)], opset=23)
    yield Case("Attention", [floats(1, 12, 128, 64), floats(1, 12, 128, 64), floats(1, 12, 128, 64)], is_causal=1, opset=23,
               suffix="causal")  # fmt: skip
    yield Case("Attention", [floats(1, 32, 1, 64), floats(1, 8, 512, 64), floats(1, 8, 512, 64)], opset=23, suffix="one token")
    yield from packed_weights()
    int4 = Fixed(floats(1024, 1024).astype(ml_dtypes.int4))
    yield Case("DequantizeLinear", [int4, Fixed(floats(1024))], axis=1, suffix="int4")


def packed_weights():
    """Linear layers of language models: one token, a few, a sentence."""
    size = 2048

    def case(rows, block, bits=4, zeros=False, dtype=np.float32, **attributes):
        count = size // block
        inputs = [floats(rows, size, dtype=dtype), Fixed(below(255, size, count, block * bits // 8, dtype=np.uint8)),
                  Fixed(floats(size * count, dtype=dtype))]  # fmt: skip
        if zeros:
            inputs.append(Fixed(below(255, size * count * bits // 8, dtype=np.uint8)))
        name = f"{rows} rows {bits} bits of {block}{' zeros' if zeros else ''} {np.dtype(dtype).name}{' bytes' if attributes else ''}"
        return Case("MatMulNBits", inputs, suffix=name, domain="com.microsoft", K=size, N=size, bits=bits, block_size=block,
                    **attributes)  # fmt: skip

    for rows in (1, 8, 128):
        for block, zeros in itertools.product((32, 128), (False, True)):
            yield case(rows, block, zeros=zeros)
        yield case(rows, 32, bits=8)
        yield case(rows, 32, zeros=True, dtype=np.float16)
        # Data may become bytes.
        for bits, block, zeros in ((4, 32, False), (4, 32, True), (4, 128, False), (8, 32, False)):
            yield case(rows, block, bits=bits, zeros=zeros, accuracy_level=4)
    table = below(255, 32000, 1024, dtype=np.uint8)
    yield Case("GatherBlockQuantized", [Fixed(table), below(32000, 128), Fixed(floats(32000, 64))], domain="com.microsoft",
               block_size=32, bits=4, results=[np.float32], suffix="128 tokens")  # fmt: skip


def recurrent():
    for batch in (1, 8):
        for name, gates, outputs in [("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 2)]:
            hidden, depth = 256, 128
            weights = [Fixed(0.1 * floats(1, gates * hidden, depth)), Fixed(0.1 * floats(1, gates * hidden, hidden)),
                       Fixed(0.1 * floats(1, 2 * gates * hidden))]  # fmt: skip
            extra = {"linear_before_reset": 1} if name == "GRU" else {}
            yield Case(name, [floats(50, batch, depth), *weights], outputs=outputs, hidden_size=hidden, suffix=f"batch {batch}", **extra)
    weights = [Fixed(0.1 * floats(2, 1024, 128)), Fixed(0.1 * floats(2, 1024, 256)), Fixed(0.1 * floats(2, 2048))]
    yield Case("LSTM", [floats(50, 1, 128), *weights], outputs=3, hidden_size=256, direction="bidirectional", suffix="both")


def signal():
    yield Case("DFT", [floats(1, 16000, 1), None, Fixed(np.int64(1))], onesided=1, opset=20, suffix="16000")
    yield Case("DFT", [floats(64, 512, 1), None, Fixed(np.int64(1))], onesided=1, opset=20, suffix="512")
    yield Case("STFT", [floats(1, 16000, 1), Fixed(np.int64(160)), Fixed(np.hanning(400).astype(np.float32)), Fixed(np.int64(400))])
    yield Case("DFT", [floats(16, 64, 64, 2), None, Fixed(np.int64(1))], opset=20, suffix="middle")
    yield Case("DFT", [floats(1, 8000, 2), None, Fixed(np.int64(1))], inverse=1, opset=20, suffix="inverse")
    yield Case("MelWeightMatrix", [Fixed(np.int64(80)), below(1) + 512, Fixed(np.int64(16000)), Fixed(np.float32(20)),
                                   Fixed(np.float32(8000))])  # fmt: skip
    yield Case("HannWindow", [np.int64(4096) + below(1)])


def scale_and_zero(zero, scale=0.02):
    """A quantisation with the zero point's type."""
    return [Fixed(np.float32(scale)), Fixed(zero)]


def quantized_convolutions():
    """Unsigned data and signed weights with a scale for each channel, as exporters quantise networks."""
    data, sum_type = scale_and_zero(np.uint8(120)), np.int32
    for suffix, (channels, size, weights, attributes) in {
        "1x1": (96, 28, (576, 96, 1, 1), {}),
        "3x3": (64, 28, (64, 64, 3, 3), {"pads": [1] * 4}),
        "depthwise": (144, 56, (144, 1, 3, 3), {"pads": [1] * 4, "group": 144}),
        "stem": (3, 112, (32, 3, 3, 3), {"pads": [1] * 4, "strides": [2, 2]}),
    }.items():
        out = weights[0]
        w, bias = below(255, *weights, dtype=np.int8), below(999, out, dtype=sum_type)
        scales = [Fixed(np.full(out, 0.005, np.float32)), Fixed(np.zeros(out, np.int8))]
        yield Case("QLinearConv", [below(256, 1, channels, size, size, dtype=np.uint8), *data, Fixed(w), *scales,
                                   *scale_and_zero(np.uint8(110), 0.3), Fixed(bias)], suffix=suffix, **attributes)  # fmt: skip
        yield Case("ConvInteger", [below(256, 1, channels, size, size, dtype=np.uint8), Fixed(w), Fixed(np.uint8(120))],
                   suffix=suffix, **attributes)  # fmt: skip


def quantized():
    yield from quantized_convolutions()
    microsoft, data = {"domain": "com.microsoft"}, scale_and_zero(np.uint8(120))
    for rows in (1, 8, 128):
        x, w = below(256, rows, 768, dtype=np.uint8), Fixed(below(255, 768, 768, dtype=np.int8))
        scales = [*data, w, *scale_and_zero(np.int8(0), 0.005)]
        yield Case("QLinearMatMul", [x, *scales, *scale_and_zero(np.uint8(110), 0.5)], suffix=f"{rows} rows")
        yield Case("MatMulInteger", [x, w, Fixed(np.uint8(120)), Fixed(np.int8(0))], suffix=f"{rows} rows")
        yield Case("QGemm", [x, *scales, None, *scale_and_zero(np.uint8(110), 0.5)], suffix=f"{rows} rows", **microsoft)
        yield Case("DynamicQuantizeMatMul", [floats(rows, 768), w, Fixed(np.float32(0.005)), Fixed(np.int8(0))],
                   suffix=f"{rows} rows", **microsoft)  # fmt: skip
    x, w, bias = below(256, 1, 128, 768, dtype=np.uint8), Fixed(below(255, 768, 2304, dtype=np.int8)), Fixed(floats(2304))
    scales = [Fixed(np.float32(0.02)), Fixed(np.float32(0.005)), None, Fixed(np.uint8(120)), Fixed(np.int8(0))]
    yield Case("QAttention", [x, w, bias, *scales], num_heads=12, results=[np.float32], **microsoft)
    image = below(256, 1, 96, 56, 56, dtype=np.uint8)
    for name in ("QLinearAdd", "QLinearMul"):
        yield Case(name, [image, *data, image, *data, *scale_and_zero(np.uint8(100), 0.05)], **microsoft)
    for name in ("QLinearSigmoid", "QLinearLeakyRelu"):
        yield Case(name, [image, *data, *scale_and_zero(np.uint8(100), 0.05)], **microsoft)
    yield Case("QLinearGlobalAveragePool", [image, *data, *data], channels_last=0, **microsoft)
    for dtype in (np.uint8, np.int8, np.uint16, np.int16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        name = np.dtype(dtype).name
        yield Case("QuantizeLinear", [floats(8, 128, 768), *scale_and_zero(dtype(0))], suffix=name)
        yield Case("DequantizeLinear", [below(100, 8, 128, 768).astype(dtype), *scale_and_zero(dtype(0))], suffix=name)


def cases():
    """All rows, in the order of the families."""
    for family in (elementwise, casts, reductions, movement, vision, products, recurrent, signal, classical_cases.texts, classical_cases.classical,
                   quantized, wider_cases.wider, map_cases.maps, dynamic_cases.dynamic_images):  # fmt: skip
        yield from family()
