# ===- golden_kernels.py - Models of one kernel or a few for a GPU ---------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""The models whose kernels facts.txt describes: golden_kernels.py FOLDER [NAME...] writes them."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F32, F16, BF16, S8 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.INT8


def constant(name, element, *shape, first=0):
    """A tensor of small numbers; another one from another first number on."""
    count = int(np.prod(shape))
    values = np.arange(first, first + count, dtype=np.uint32) * np.uint32(2654435761) >> np.uint32(29)
    if element == TensorProto.INT4:
        packed = (values[::2] | values[1::2] << 4).astype(np.uint8)
        return helper.make_tensor(name, element, shape, packed.tobytes(), raw=True)
    dtype = helper.tensor_dtype_to_np_dtype(element)
    return numpy_helper.from_array((values.astype(np.float32) - 3).astype(dtype).reshape(shape), name)


def model(nodes, inputs, initializers=(), element=F32):
    """From the inputs, names and shapes, to y; nodes are an operator, inputs, an output and attributes."""
    graph = helper.make_graph(
        [helper.make_node(op, ins, [out], name=out, **dict(*more)) for op, ins, out, *more in nodes],
        "golden",
        [helper.make_tensor_value_info(name, element, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info("y", F32 if element == S8 else element, None)],
        list(initializers),
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


# ===------------------------------------------------------------------------===#
# Products
# ===------------------------------------------------------------------------===#


def product(element, m, n, k):
    """A linear layer with a bias and an activation."""
    weights, bias = constant("w", element, k, n), constant("b", element, n)
    nodes = [("MatMul", ["x", "w"], "p"), ("Add", ["p", "b"], "s"), ("Relu", ["s"], "y")]
    return model(nodes, {"x": [m, k]}, [weights, bias], element)


def gate(element, m, n, k):
    """Two linear layers of a network with gates, silu(x v) * (x w)."""
    nodes = [
        ("MatMul", ["x", "v"], "g"),
        ("MatMul", ["x", "w"], "u"),
        ("Sigmoid", ["g"], "s"),
        ("Mul", ["g", "s"], "a"),
        ("Mul", ["a", "u"], "y"),
    ]
    weights = [constant("v", element, k, n), constant("w", element, k, n, first=1)]
    return model(nodes, {"x": [m, k]}, weights, element)


def product_of_bytes(m, n, k):
    nodes = [("MatMulInteger", ["x", "w"], "p"), ("Cast", ["p"], "f", {"to": F32}), ("Mul", ["f", "scale"], "y")]
    return model(nodes, {"x": [m, k]}, [constant("w", S8, k, n), constant("scale", F32, n)], S8)


def product_of_int4(m, n, k, block=32):
    """Weights of 4 bits, with a scale for each block of rows."""
    nodes = [
        ("DequantizeLinear", ["w", "scale"], "d", {"axis": 0, "block_size": block}),
        ("MatMul", ["x", "d"], "y"),
    ]
    weights = [constant("w", TensorProto.INT4, k, n), constant("scale", F16, k // block, n)]
    return model(nodes, {"x": [m, k]}, weights, F16)


SHAPES = {
    "square": (1024, 1024, 1024),
    "large": (4096, 4096, 1024),
    "wide": (256, 4096, 1024),
    "deep": (256, 256, 4096),
    "ragged": (197, 771, 514),
    "batch16": (16, 4096, 1024),
    "vector": (1, 4096, 1024),
}
TYPES = {"f32": F32, "f16": F16, "bf16": BF16}
GOLDEN = {
    f"gemm_{name}_{shape}": lambda element=element, sizes=sizes: product(element, *sizes)
    for name, element in TYPES.items()
    for shape, sizes in SHAPES.items()
}
GOLDEN |= {f"gemm_s8_{shape}": lambda sizes=sizes: product_of_bytes(*sizes) for shape, sizes in SHAPES.items()}
GOLDEN |= {f"gate_f16_{rows}": lambda rows=rows: gate(F16, rows, 5632, 2048) for rows in (1, 16, 512)}
GOLDEN |= {f"gemm_int4_{shape}": lambda sizes=SHAPES[shape]: product_of_int4(*sizes) for shape in ("wide", "vector")}

# ===------------------------------------------------------------------------===#
# Networks
# ===------------------------------------------------------------------------===#


def convolution(channels, size, filters, kernel, stride=1, group=1, activation="Relu", element=F32):
    pads = [kernel // 2] * 4
    nodes = [
        ("Conv", ["x", "w", "b"], "c", {"pads": pads, "strides": [stride] * 2, "group": group}),
        (activation, ["c", *(["low", "high"] if activation == "Clip" else [])], "y"),
    ]
    weights = [constant("w", element, filters, channels // group, kernel, kernel), constant("b", element, filters)]
    if activation == "Clip":
        weights += [numpy_helper.from_array(np.float32(value), name) for name, value in (("low", 0), ("high", 6))]
    return model(nodes, {"x": [1, channels, size, size]}, weights, element)


def attention(q, k, element=F32, causal=False, masked=False):
    """softmax(scale * q * k^T) * v; k and v have the same shape. Causal: query i sees keys up to i; masked: an input says so."""
    scale = numpy_helper.from_array(np.array(q[-1] ** -0.5, helper.tensor_dtype_to_np_dtype(element)), "scale")
    axes = [*range(len(k) - 2), len(k) - 1, len(k) - 2]
    nodes = [
        ("Transpose", ["k"], "t", {"perm": axes}),
        ("MatMul", ["q", "t"], "scores"),
        ("Mul", ["scores", "scale"], "scaled"),
        *([("Add", ["scaled", "mask"], "masked")] if causal or masked else []),
        ("Softmax", ["masked" if causal or masked else "scaled"], "weights", {"axis": -1}),
        ("MatMul", ["weights", "v"], "y"),
    ]
    constants = [scale]
    if causal:
        hidden = np.where(np.tri(q[-2], k[-2], dtype=bool), 0, -np.inf).astype(helper.tensor_dtype_to_np_dtype(element))
        constants.append(numpy_helper.from_array(hidden, "mask"))
    inputs = {"q": q, "k": k, "v": k, **({"mask": [q[-2], k[-2]]} if masked else {})}
    return model(nodes, inputs, constants, element)


def chain(*shape):
    nodes = [("Mul", ["x", "x"], "square"), ("Tanh", ["square"], "tanh"), ("Add", ["tanh", "x"], "y")]
    return model(nodes, {"x": shape})


def layer_norm(rows, columns):
    weights = [constant("s", F32, columns), constant("b", F32, columns)]
    return model([("LayerNormalization", ["x", "s", "b"], "y")], {"x": [rows, columns]}, weights)


GOLDEN |= {
    "resnet50_stem": lambda: convolution(3, 224, 64, 7, stride=2),
    "resnet50_3x3": lambda: convolution(64, 56, 64, 3),
    "resnet50_1x1": lambda: convolution(256, 56, 64, 1),
    "resnet50_3x3_f16": lambda: convolution(64, 56, 64, 3, element=F16),
    "resnet50_1x1_f16": lambda: convolution(256, 56, 64, 1, element=F16),
    "mobilenet_depthwise": lambda: convolution(96, 112, 96, 3, stride=2, group=96, activation="Clip"),
    "mobilenet_pointwise": lambda: convolution(16, 112, 96, 1, activation="Clip"),
    "attention_bert": lambda: attention([1, 12, 128, 64], [1, 12, 128, 64]),
    "attention_vit_f16": lambda: attention([1, 12, 197, 64], [1, 12, 197, 64], F16),
    # Groups of four heads have one head of keys and values.
    "attention_llama_decode": lambda: attention([1, 8, 4, 128], [1, 8, 512, 128], F16),
    "attention_llama_decode_4k": lambda: attention([1, 8, 4, 128], [1, 8, 4096, 128], F16),
    "attention_decode": lambda: attention([1, 12, 1, 64], [1, 12, 4096, 64], F16),
    "attention_causal": lambda: attention([1, 12, 1024, 64], [1, 12, 1024, 64], causal=True),
    "attention_causal_f16": lambda: attention([1, 12, 1024, 64], [1, 12, 1024, 64], F16, causal=True),
    "attention_masked_f16": lambda: attention([1, 12, 512, 64], [1, 12, 512, 64], F16, masked=True),
    "attention_long": lambda: attention([1, 12, 128, 64], [1, 12, 4096, 64]),
    "softmax": lambda: model([("Softmax", ["x"], "y", {"axis": -1})], {"x": [1024, 1024]}),
    "softmax_long": lambda: model([("Softmax", ["x"], "y", {"axis": -1})], {"x": [16, 8192]}),
    "softmax_row": lambda: model([("Softmax", ["x"], "y", {"axis": -1})], {"x": [1, 131072]}),
    "mean_row": lambda: model([("ReduceMean", ["x"], "y", {"keepdims": 0})], {"x": [1048576]}),
    "layer_norm": lambda: layer_norm(512, 768),
    "layer_norm_short": lambda: layer_norm(320, 48),
    "chain": lambda: chain(2048, 2048),
    "transpose": lambda: model([("Transpose", ["x"], "y", {"perm": [1, 0]})], {"x": [2048, 1024]}),
}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or GOLDEN:
        onnx.save(GOLDEN[name](), folder / f"{name}.onnx")
