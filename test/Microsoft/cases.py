# ===- cases.py - Nodes of com.microsoft to try ----------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A case is one node with its attributes and inputs; None is an absent input.
# ===------------------------------------------------------------------------===//
"""The cases of run.py."""

import typing

import numpy as np

RANDOM = np.random.default_rng(20)


class Case(typing.NamedTuple):
    name: str
    operator: str
    inputs: list
    outputs: int = 1
    attributes: dict = {}
    tolerance: float = 1e-4
    # What the peer runs instead, if it does not know this form.
    reference: tuple = ()
    # Numbers of outputs that the peer leaves undefined.
    undefined: tuple = ()
    # Empty for an operator that its makers write into the standard's domain.
    domain: str = "com.microsoft"
    # Numbers of inputs that the model has as constants.
    constants: tuple = ()

    def fed(self):
        """The inputs that a run is given."""
        return [value for i, value in enumerate(self.inputs) if value is not None and i not in self.constants]


def real(*shape, scale=1.0):
    return (RANDOM.standard_normal(shape) * scale).astype(np.float32)


def byte(*shape, dtype=np.uint8):
    info = np.iinfo(dtype)
    return RANDOM.integers(info.min, info.max + 1, shape).astype(dtype)


def scalar(value, dtype=np.float32):
    return np.array(value, dtype)


def activations():
    yield Case("gelu", "Gelu", [real(3, 7)])
    yield Case("fast_gelu", "FastGelu", [real(3, 7)])
    yield Case("fast_gelu_bias", "FastGelu", [real(2, 3, 8), real(8)])
    yield Case("bias_gelu", "BiasGelu", [real(2, 3, 8), real(8)])
    yield Case("quick_gelu", "QuickGelu", [real(3, 7)], attributes={"alpha": 1.5})


def fused():
    yield Case("matmul", "FusedMatMul", [real(3, 4), real(4, 5)], attributes={"alpha": 0.5})
    yield Case("matmul_trans_a", "FusedMatMul", [real(2, 4, 3), real(2, 4, 5)], attributes={"transA": 1})
    yield Case("matmul_trans_b", "FusedMatMul", [real(2, 3, 4), real(5, 4)], attributes={"transB": 1, "alpha": 2.0})
    batch = {"transBatchA": 1, "transBatchB": 1}
    yield Case("matmul_trans_batch", "FusedMatMul", [real(3, 2, 4), real(4, 2, 5)], attributes=batch)
    image, weight, bias = real(1, 3, 9, 8), real(4, 3, 3, 3), real(4)
    for activation, parameters in (("Relu", []), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.5]), ("HardSigmoid", [0.3, 0.4])):
        attributes = {"activation": activation, "pads": [1, 1, 1, 1], "strides": [2, 1], "kernel_shape": [3, 3]}
        if parameters:
            attributes["activation_params"] = parameters
        yield Case(f"conv_{activation}", "FusedConv", [image, weight, bias], attributes=attributes)
    attributes = {"activation": "Relu", "kernel_shape": [3, 3]}
    yield Case("conv_sum", "FusedConv", [image, weight, bias, real(1, 4, 7, 6)], attributes=attributes)
    attributes = {"activation": "LeakyRelu", "activation_alpha": 0.2, "transB": 1, "alpha": 0.5}
    yield Case("gemm", "FusedGemm", [real(3, 4), real(5, 4), real(5)], attributes=attributes)
    for activation, parameters in (("Selu", {"alpha": 1.5, "gamma": 1.1}), ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}), ("Elu", {"alpha": 0.7})):
        attributes = {f"activation_{name}": value for name, value in parameters.items()} | {"activation": activation}
        yield Case(f"gemm_{activation}", "FusedGemm", [real(3, 4), real(4, 5), real(5)], attributes=attributes)


def normalization():
    x, skip, gamma, beta, bias = real(2, 3, 8), real(2, 3, 8), real(8), real(8), real(8)
    epsilon = {"epsilon": 1e-5}
    yield Case("skip_norm", "SkipLayerNormalization", [x, skip, gamma, beta], attributes=epsilon)
    yield Case("skip_norm_sum", "SkipLayerNormalization", [x, skip, gamma, beta, bias], 4, epsilon)
    yield Case("skip_norm_row", "SkipLayerNormalization", [x, real(3, 8), gamma, beta, bias], attributes=epsilon)
    attributes = {"epsilon": 1e-6, "axis": -1, "stash_type": 1}
    yield Case("rms_norm", "SimplifiedLayerNormalization", [x, gamma], attributes=attributes, domain="")
    yield Case("skip_rms_norm", "SkipSimplifiedLayerNormalization", [x, skip, gamma], attributes=epsilon)
    yield Case("skip_rms_norm_sum", "SkipSimplifiedLayerNormalization", [x, skip, gamma, bias], 4, epsilon, undefined=(1, 2))
    tables = [real(20, 8), real(6, 8), real(2, 8), gamma, beta]
    ids = RANDOM.integers(0, 20, (2, 4)).astype(np.int32)
    segments = RANDOM.integers(0, 2, (2, 4)).astype(np.int32)
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    yield Case("embed_norm", "EmbedLayerNormalization", [ids, segments, *tables, mask], 2, epsilon)
    yield Case("embed_norm_plain", "EmbedLayerNormalization", [ids, None, *tables[:2], None, *tables[3:]], 2, epsilon)


def attention():
    x, weights, bias = real(2, 5, 8), real(8, 24, scale=0.3), real(24)
    heads = {"num_heads": 2}
    yield Case("attention", "Attention", [x, weights, bias], attributes=heads)
    yield Case("attention_causal", "Attention", [x, weights, bias], attributes={**heads, "unidirectional": 1})
    ends = np.array([5, 3], np.int32)
    yield Case("attention_lengths", "Attention", [x, weights, bias, ends], attributes=heads)
    words = (RANDOM.random((2, 5)) < 0.7).astype(np.int32)
    words[:, 0] = 1
    yield Case("attention_words", "Attention", [x, weights, bias, words], attributes=heads)
    past = real(2, 2, 2, 3, 4)
    yield Case("attention_past", "Attention", [x, weights, bias, None, past], 2, {**heads, "unidirectional": 1})
    yield Case("attention_bias", "Attention", [x, weights, bias, None, None, real(1, 2, 5, 5)], attributes=heads)
    q, k, v = real(2, 5, 8), real(2, 7, 8), real(2, 7, 8)
    yield Case("heads", "MultiHeadAttention", [q, k, v], attributes=heads)
    yield Case("heads_bias", "MultiHeadAttention", [q, k, v, real(24)], attributes={**heads, "scale": 0.4})
    lengths = (RANDOM.random((2, 7)) < 0.7).astype(np.int32)
    lengths[:, 0] = 1
    yield Case("heads_words", "MultiHeadAttention", [q, k, v, None, lengths, real(2, 2, 5, 7)], attributes=heads)
    packed = real(2, 5, 2, 3, 4)
    parts = tuple(packed[:, :, :, i].reshape(2, 5, 8) for i in range(3))
    yield Case("heads_packed", "MultiHeadAttention", [packed], attributes=heads, reference=parts)
    yield Case("heads_cached", "MultiHeadAttention", [q, real(2, 2, 7, 4), real(2, 2, 7, 4)], attributes=heads)
    cache = [real(2, 2, 3, 4), real(2, 2, 3, 4)]
    operands = [real(2, 5, 8), real(2, 5, 8), real(2, 5, 8)]
    yield Case("heads_past", "MultiHeadAttention", [*operands, None, None, None, *cache], 3, heads)


def rotation_caches(positions, half):
    angles = np.arange(positions)[:, None] / 10.0 ** np.arange(half)[None]
    return [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]


def rotation():
    caches = rotation_caches(16, 4)
    places = RANDOM.integers(0, 16, (2, 3)).astype(np.int64)
    yield Case("rotate", "RotaryEmbedding", [real(2, 3, 16), places, *caches])
    yield Case("rotate_from", "RotaryEmbedding", [real(2, 3, 16), np.array([4]), *caches], attributes={"interleaved": 1})
    yield Case("rotate_heads", "RotaryEmbedding", [real(2, 2, 3, 8), places, *caches])
    groups = {"num_heads": 4, "kv_num_heads": 2}
    caches = rotation_caches(16, 8)
    q, k, v = real(1, 5, 64), real(1, 5, 32), real(1, 5, 32)
    empty = [np.zeros((1, 2, 0, 16), np.float32)] * 2
    prompt = [np.array([4], np.int32), scalar(5, np.int32)]
    yield Case("groups_prompt", "GroupQueryAttention", [q, k, v, *empty, *prompt], 3, groups)
    turned = {**groups, "do_rotary": 1}
    yield Case("groups_rotary", "GroupQueryAttention", [q, k, v, *empty, *prompt, *caches], 3, turned)
    windowed = {**groups, "local_window_size": 2}
    yield Case("groups_window", "GroupQueryAttention", [q, k, v, *empty, *prompt], 3, windowed)
    past = [real(1, 2, 6, 16), real(1, 2, 6, 16)]
    step = [real(1, 1, 64), real(1, 1, 32), real(1, 1, 32), *past, np.array([6], np.int32), scalar(7, np.int32), *caches]
    yield Case("groups_step", "GroupQueryAttention", step, 3, turned)
    packed = [real(1, 5, 128), None, None, *empty, *prompt, *caches]
    yield Case("groups_packed", "GroupQueryAttention", packed, 3, turned)


def quantized():
    for dtype in (np.uint8, np.int8):
        kind = np.dtype(dtype).name
        a = [byte(2, 3, 4, dtype=dtype), scalar(0.05), scalar(3, dtype)]
        b = [byte(3, 4, dtype=dtype), scalar(0.07), scalar(5, dtype)]
        result = [scalar(0.1), scalar(2, dtype)]
        yield Case(f"add_{kind}", "QLinearAdd", [*a, *b, *result], tolerance=1)
        yield Case(f"mul_{kind}", "QLinearMul", [*a, *b, *result], tolerance=1)
        yield Case(f"sigmoid_{kind}", "QLinearSigmoid", [*a, scalar(1 / 256), scalar(0, dtype)], tolerance=1)
        yield Case(f"leaky_relu_{kind}", "QLinearLeakyRelu", [*a, *result], 1, {"alpha": 0.1}, 1)
        x = [byte(1, 3, 6, 5, dtype=dtype), scalar(0.05), scalar(3, dtype), *result]
        pool = {"kernel_shape": [3, 2], "pads": [1, 0, 1, 0], "strides": [2, 1]}
        yield Case(f"average_{kind}", "QLinearAveragePool", x, 1, pool, 1)
        yield Case(f"global_average_{kind}", "QLinearGlobalAveragePool", x, 1, {"channels_last": 0}, 1)
        last = {**pool, "channels_last": 1}
        yield Case(f"average_last_{kind}", "QLinearAveragePool", [byte(1, 6, 5, 3, dtype=dtype), *x[1:]], 1, last, 1)
        yield Case(f"concat_{kind}", "QLinearConcat", [*result, *a, *[byte(2, 3, 2, dtype=dtype), *a[1:]]], 1, {"axis": 2}, 1)
        softmax = [scalar(1 / 256), scalar(0 if dtype == np.uint8 else -128, dtype)]
        yield Case(f"softmax_{kind}", "QLinearSoftmax", [*a, *softmax], 1, {"axis": -1, "opset": 13}, 1)
    yield Case("pool_last", "NhwcMaxPool", [byte(1, 6, 5, 3)], attributes={"kernel_shape": [2, 3], "strides": [1, 2]})
    x, scale, zero = real(2, 3, scale=5), scalar(0.1), scalar(7, np.uint16)
    yield Case("quantize_u16", "QuantizeLinear", [x, scale, zero], tolerance=1)
    numbers = RANDOM.integers(-3000, 3000, (2, 3)).astype(np.int16)
    yield Case("dequantize_i16", "DequantizeLinear", [numbers, scale, scalar(9, np.int16)])


def quantized_products():
    a, b = real(4, 16), byte(16, 6, dtype=np.int8)
    scales, zeros, bias = np.abs(real(6)) / 100, byte(6, dtype=np.int8), real(6)
    yield Case("dynamic", "DynamicQuantizeMatMul", [a, b, scalar(0.02), scalar(3, np.int8)], tolerance=1e-2)
    yield Case("dynamic_columns", "DynamicQuantizeMatMul", [a, b, scales, zeros, bias], tolerance=1e-2)
    left = [byte(4, 16), b, scalar(0.03), scales, scalar(100, np.uint8), zeros, bias]
    yield Case("integer_to_float", "MatMulIntegerToFloat", left, tolerance=1e-3)
    x = real(2, 3, 40)
    for bits, blob in ((4, 16), (8, 32)):
        weights, factors = byte(5, 2, blob), np.abs(real(10)) / 10
        sizes = {"K": 40, "N": 5, "bits": bits, "block_size": 32}
        yield Case(f"bits_{bits}", "MatMulNBits", [x, weights, factors], attributes=sizes, tolerance=1e-3)
        packed = byte(5 * bits * 2 // 8)
        yield Case(f"bits_{bits}_zeros", "MatMulNBits", [x, weights, factors, packed], attributes=sizes, tolerance=1e-3)
    # Both make bytes of the data, each with a rounding of its own: a sum is off by half
    # a quantum for each of its terms at most, and by a few in the mean.
    x, sizes = real(5, 256), {"K": 256, "N": 24, "bits": 4, "block_size": 32, "accuracy_level": 4}
    weights, factors, packed = byte(24, 8, 16), np.abs(real(192)) / 10, byte(96)
    quanta = float(np.abs(x).max() / 127 * np.sqrt(256) * 8 * factors.max() / 4)
    for name, rest in (("bytes", []), ("bytes_zeros", [packed])):
        inputs = [x, weights, factors, *rest]
        yield Case(f"bits_4_{name}", "MatMulNBits", inputs, attributes=sizes, tolerance=quanta, constants=(1, 2, 3))


def quantized_layers():
    for dtype, zero in ((np.uint8, 120), (np.int8, 3)):
        kind = np.dtype(dtype).name
        a, b = byte(4, 16, dtype=np.uint8), byte(6, 16, dtype=dtype)
        factors = [a, scalar(0.02), scalar(100, np.uint8), b, scalar(0.03), scalar(zero, dtype)]
        bias = RANDOM.integers(-3000, 3000, 6).astype(np.int32)
        turned = {"transB": 1, "alpha": 1.0}
        yield Case(f"qgemm_real_{kind}", "QGemm", [*factors, bias], 1, turned, 1e-3)
        result = [scalar(0.5), scalar(128, np.uint8)]
        yield Case(f"qgemm_{kind}", "QGemm", [*factors, None, *result], 1, turned, 1)
    x, w = byte(1, 6, 5, 4), byte(3, 4, 3, 3, dtype=np.int8)
    weights = [w, np.abs(real(3)) / 100, np.zeros(3, np.int8)]
    rest = [scalar(0.5), scalar(128, np.uint8), RANDOM.integers(-3000, 3000, 3).astype(np.int32)]
    conv = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "channels_last": 1}
    yield Case("qconv_last", "QLinearConv", [x, scalar(0.1), scalar(100, np.uint8), *weights, *rest], 1, conv, 1)
    condition = np.array([[True], [False]])
    a = [byte(2, 3), scalar(0.1), scalar(100, np.uint8)]
    b = [byte(1, 3), scalar(0.2), scalar(90, np.uint8)]
    yield Case("qwhere", "QLinearWhere", [condition, *a, *b, scalar(0.15), scalar(95, np.uint8)], 1, {}, 1)
    x, w = byte(2, 3, 8), byte(8, 24, dtype=np.int8)
    scales = [real(24), scalar(0.02), np.abs(real(24)) / 100]
    mask, zeros = np.array([3, 2], np.int32), [scalar(120, np.uint8), byte(24, dtype=np.int8)]
    yield Case("qattention", "QAttention", [x, w, *scales, mask, *zeros], 1, {"num_heads": 2}, 1e-3)
    plain = [real(24), scalar(0.02), scalar(0.01), None, scalar(120, np.uint8), scalar(0, np.int8)]
    causal = {"num_heads": 2, "unidirectional": 1}
    yield Case("qattention_causal", "QAttention", [x, w, *plain, real(2, 2, 2, 5, 4)], 2, causal, 1e-3)
    x, state = real(4, 2, 5), [None, None, None, None, None]
    w, r = byte(1, 5, 12, dtype=np.int8), byte(1, 3, 12, dtype=np.int8)
    for name, scale, zero in (
        ("qlstm", np.array([0.01], np.float32), np.array([0], np.int8)),
        ("qlstm_columns", np.abs(real(1, 12)) / 100, np.zeros((1, 12), np.int8)),
    ):
        yield Case(name, "DynamicQuantizeLSTM", [x, w, r, *state, scale, zero, scale, zero], 3, {"hidden_size": 3}, 2e-2)
    table, rows, factors = byte(7, 20), np.array([[3, 0], [6, 6]]), np.abs(real(7, 3))
    blocks = {"block_size": 16, "bits": 4, "gather_axis": 0, "quantize_axis": 1}
    yield Case("gather_blocks", "GatherBlockQuantized", [table, rows, factors], attributes=blocks)
    yield Case("gather_blocks_zeros", "GatherBlockQuantized", [table, rows, factors, byte(7, 2)], attributes=blocks)
    yield Case("gather_bytes", "GatherBlockQuantized", [byte(7, 40), rows, factors], attributes={**blocks, "bits": 8})


def distances():
    yield Case("cdist", "CDist", [real(4, 6), real(5, 6)], attributes={"metric": "euclidean"}, tolerance=1e-3)
    yield Case("cdist_squares", "CDist", [real(4, 6), real(5, 6)], tolerance=1e-3)


def movement():
    widths = np.array([0, 1, 2, 0])
    yield Case("pad", "Pad", [real(2, 3), widths, scalar(0.5)])
    yield Case("pad_reflect", "Pad", [real(3, 3), widths], attributes={"mode": "reflect"})
    yield Case("unique", "Unique", [RANDOM.integers(0, 5, 12).astype(np.float32)], 3)
    boxes = np.array([[0.1, 0.2, 0.9, 0.7], [-0.2, 0, 1.1, 1], [0.5, 0.5, 0.5, 0.5]], np.float32)
    images = np.array([0, 1, 1], np.int32)
    for name, size in (("crop", [4, 3]), ("crop_one", [1, 1])):
        crop = [real(2, 3, 6, 7), boxes, images, np.array(size, np.int32)]
        yield Case(name, "CropAndResize", crop, attributes={"mode": "bilinear", "extrapolation_value": 9.0})


def text():
    x = np.array(["one two, three", "", "Größe-ok"], object)
    plain = {"mark": 0, "mincharnum": 1, "pad_value": "#"}
    for name, extra in (
        ("words", {"tokenexp": "[a-zA-Z0-9_]+"}),
        ("marks", {"tokenexp": "[a-z]+", "mark": 1}),
        ("long", {"tokenexp": "[a-z]+", "mincharnum": 4}),
        ("separators", {"separators": [" ", "[,-]"]}),
        ("characters", {"separators": [""], "mark": 1}),
    ):
        yield Case(f"tokens_{name}", "Tokenizer", [x], attributes={**plain, **extra})
    yield Case("tokens_rows", "Tokenizer", [x.reshape(3, 1)], attributes={**plain, "separators": [" "]})


def all_cases():
    families = (activations, fused, normalization, attention, rotation, quantized, quantized_products, quantized_layers, distances, movement, text)
    return [case for family in families for case in family()]
