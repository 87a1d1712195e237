# ===- cases.py - Nodes of com.microsoft to try ----------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A case is one node with its attributes and inputs; None is an absent input.
# ===------------------------------------------------------------------------===//
"""The cases of run.py."""

import math
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
    # The results of an operator that the peer does not run.
    expected: tuple = ()
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


def weight_bytes(*shape):
    """Of 7 bits: onnxruntime's sums of two products with `uint8` end at the limits of 16 bits where there is no VNNI."""
    return byte(*shape, dtype=np.int8) >> 1


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
    # Where the default of the attribute counts.
    small = x[:1, :2, :4] * np.float32(1e-3)
    inverse = 1 / np.sqrt((small**2).mean(-1, keepdims=True) + np.float32(1e-12))
    expected = (small * inverse * gamma[:4], 0 * inverse, inverse)
    yield Case("skip_rms_norm_epsilon", "SkipSimplifiedLayerNormalization", [small, 0 * small, gamma[:4]], 3, expected=expected)
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
    narrow = {**heads, "qkv_hidden_sizes": [8, 8, 4]}
    yield Case("attention_narrow_values", "Attention", [x, real(8, 20, scale=0.3), real(20)], attributes=narrow)
    both = np.array([5, 3, 1, 0], np.int32)
    yield Case("attention_ends_starts", "Attention", [x, weights, bias, both], attributes=heads)
    past = real(2, 2, 2, 3, 4)
    yield Case("attention_past", "Attention", [x, weights, bias, None, past], 2, {**heads, "unidirectional": 1})
    yield Case("attention_bias", "Attention", [x, weights, bias, None, None, real(1, 2, 5, 5)], attributes=heads)
    q, k, v = real(2, 5, 8), real(2, 7, 8), real(2, 7, 8)
    yield Case("heads", "MultiHeadAttention", [q, k, v], attributes=heads)
    yield Case("heads_bias", "MultiHeadAttention", [q, k, v, real(24)], attributes={**heads, "scale": 0.4})
    lengths = (RANDOM.random((2, 7)) < 0.7).astype(np.int32)
    lengths[:, 0] = 1
    sums = np.array([7, 3, 0, 5, 10, 0, 7, 14], np.int32)
    yield Case("heads_sums", "MultiHeadAttention", [q, k, v, None, sums], attributes=heads)
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


def normal_heads(x, weight):
    """The root mean square of each head made 1."""
    heads = x.reshape(*x.shape[:2], -1, len(weight))
    return (heads / np.sqrt((heads**2).mean(-1, keepdims=True) + 1e-6) * weight).reshape(x.shape)


def groups():
    """Options of GroupQueryAttention, each in a step after a past; the sequences of the ragged batch differ in length."""
    caches = rotation_caches(32, 8)
    past = [real(1, 2, 6, 16), real(1, 2, 6, 16)]
    fresh = [real(1, 1, 64), real(1, 1, 32), real(1, 1, 32)]
    lengths = [np.array([6], np.int32), scalar(7, np.int32)]
    sizes = {"num_heads": 4, "kv_num_heads": 2}
    step = [*fresh, *past, *lengths, *caches]
    yield Case("groups_column", "GroupQueryAttention", [*fresh, *past, np.array([[6]], np.int32), *step[6:]], 3, sizes)
    for name, attributes in (
        ("smooth", {"smooth_softmax": 1}),
        ("cap", {"softcap": 0.5, "do_rotary": 1}),
        ("window", {"local_window_size": 3, "do_rotary": 1, "rotary_interleaved": 1}),
        ("all", {"softcap": 2.0, "smooth_softmax": 1, "local_window_size": 4, "scale": 0.3}),
        ("both_ways", {"causal": 0}),
    ):
        yield Case(f"groups_{name}", "GroupQueryAttention", step, 3, {**sizes, **attributes})
    places, bias, sink = np.array([[9]]), real(1, 4, 1, 7), real(4)
    yield Case("groups_places", "GroupQueryAttention", [*step, places, bias], 3, {**sizes, "do_rotary": 1})
    yield Case("groups_sink", "GroupQueryAttention", [*step, None, None, sink], 3, sizes)
    norms, turned = [np.abs(real(16)), np.abs(real(16))], {**sizes, "do_rotary": 1}
    normal = (*[normal_heads(x, weight) for x, weight in zip(fresh, norms)], *step[2:])
    yield Case("groups_norms", "GroupQueryAttention", [*step, *[None] * 5, *norms], 3, turned, reference=normal)
    for name, kind in (("scores", 1), ("weights", 2)):
        yield Case(f"groups_{name}", "GroupQueryAttention", step, 4, {**sizes, "qk_output": kind})
    # A cache with room, written where each sequence ends.
    past = [real(2, 2, 9, 16), real(2, 2, 9, 16)]
    for cache in past:
        cache[0, :, 6:] = cache[1, :, 3:] = 0
    fresh = [real(2, 1, 64), real(2, 1, 32), real(2, 1, 32)]
    ragged = [*fresh, *past, np.array([6, 3], np.int32), scalar(7, np.int32), *caches]
    yield Case("groups_ragged", "GroupQueryAttention", ragged, 3, {**sizes, "do_rotary": 1})
    packed = [real(2, 1, 128), None, None, *ragged[3:], None, real(2, 1, 1, 7)]
    yield Case("groups_ragged_packed", "GroupQueryAttention", packed, 3, {**sizes, "do_rotary": 1})
    chunk = [real(1, 3, 64), real(1, 3, 32), real(1, 3, 32), real(1, 2, 4, 16), real(1, 2, 4, 16)]
    more = [np.array([6], np.int32), scalar(7, np.int32), *caches]
    yield Case("groups_chunk", "GroupQueryAttention", [*chunk, *more], 3, {**sizes, "do_rotary": 1})
    yield Case("groups_chunk_cap", "GroupQueryAttention", [*chunk, *more], 3, {**sizes, "softcap": 1.0})
    single = {"num_heads": 2, "kv_num_heads": 2, "smooth_softmax": 1}
    yield Case("groups_single", "GroupQueryAttention", [real(1, 3, 32), *chunk[1:], *more], 3, single)
    alone = [real(2, 3, 64), real(2, 3, 32), real(2, 3, 32), None, None, np.array([2, 2], np.int32), scalar(3, np.int32)]
    yield Case("groups_alone", "GroupQueryAttention", alone, 3, sizes)


def experts():
    x, logits = real(2, 3, 16), real(6, 5)
    up, down, side = real(5, 12, 16, scale=0.3), real(5, 16, 12, scale=0.3), real(5, 24, 16, scale=0.3)
    weights = (2, 3, 4, 5)
    for kind in ("relu", "gelu", "silu", "identity"):
        attributes = {"activation_type": kind, "k": 2}
        yield Case(f"experts_{kind}", "MoE", [x, logits, up, None, down], attributes=attributes, constants=weights)
    biased = [x.reshape(6, 16), logits, up, real(5, 12), down, real(5, 16)]
    normal = {"k": 3, "normalize_routing_weights": 1}
    yield Case("experts_bias", "MoE", biased, attributes=normal, constants=weights)
    gated = {"activation_type": "swiglu", "k": 2, "swiglu_fusion": 1, "activation_alpha": 1.7, "activation_beta": 1.0, "swiglu_limit": 0.5}
    yield Case("experts_gated", "MoE", [x, logits, side, real(5, 24), down, real(5, 16)], attributes=gated, constants=weights)
    yield Case("experts_one", "MoE", [x[:1, :1], logits[:1], up, None, down], constants=weights)
    swapped = [side.reshape(5, 12, 2, 16).swapaxes(1, 2).reshape(5, 24, 16).copy(), None, down]
    apart = [x, logits, side[:, ::2], None, down, None, side[:, 1::2]]
    known = (x, logits, side, None, down)
    interleaved = {**gated, "normalize_routing_weights": 1}
    for name, operands, fusion in (("halves", [x, logits, *swapped], 2), ("third", apart, 0)):
        attributes = {**interleaved, "swiglu_fusion": fusion}
        expected = (gated_experts(*known[:3], down, interleaved),)
        yield Case(f"experts_{name}", "MoE", operands, attributes=attributes, constants=(2, 4, 6), expected=expected)
    for bits in (4, 8):
        x, packed = real(2, 3, 32), 8 // bits
        up, down = byte(5, 32, 32 // packed), byte(5, 32, 32 // packed)
        scales = [np.abs(real(5, 32)) / 100, np.abs(real(5, 32)) / 100]
        operands = [x, logits, up, scales[0], None, down, scales[1]]
        attributes = {"k": 2, "expert_weight_bits": bits, "normalize_routing_weights": 1}
        yield Case(f"experts_bits_{bits}", "QMoE", operands, attributes=attributes, constants=(2, 3, 5, 6), tolerance=1e-3)
        single = {"k": 3, "expert_weight_bits": bits}
        yield Case(f"experts_single_{bits}", "QMoE", operands, attributes=single, constants=(2, 3, 5, 6), tolerance=1e-3)
        blocks = [np.abs(real(5, 32, 2)) / 100, np.abs(real(5, 32, 2)) / 100]
        operands = [x, logits, up, blocks[0], real(5, 32), down, blocks[1], real(5, 32)]
        attributes = {**attributes, "block_size": 16, "activation_type": "silu"}
        # For blocks of 8 bits the peer makes bytes of what it multiplies them with.
        expected = () if bits == 4 else (byte_experts(*operands, 128, 128, logits),)
        kept = (2, 3, 4, 5, 6, 7)
        yield Case(f"experts_blocks_{bits}", "QMoE", operands, attributes=attributes, constants=kept, tolerance=1e-3, expected=expected)
        zeros = [byte(5, 32, max(1, 2 // packed)), byte(5, 32, max(1, 2 // packed))]
        weights = np.abs(real(6, 5))
        expected = () if bits == 4 else (byte_experts(*operands, *zeros, np.log(weights)),)
        operands = [*operands, None, None, None, *zeros, None, weights]
        constants = (2, 3, 4, 5, 6, 7, 11, 12)
        yield Case(f"experts_zeros_{bits}", "QMoE", operands, attributes=attributes, constants=constants, tolerance=1e-3, expected=expected)


def byte_experts(x, logits, up, up_scales, up_bias, down, down_scales, down_bias, up_zeros, down_zeros, weights):
    """Two experts for each row, whose shares are as exp(weights) and whose layers have blocks of 16 bytes."""

    def reals(numbers, scales, zeros):
        zeros = np.repeat(zeros, 16, -1) if np.ndim(zeros) else zeros
        return (numbers.astype(np.float64) - zeros) * np.repeat(scales, 16, -1)

    first, second = reals(up, up_scales, up_zeros), reals(down, down_scales, down_zeros)
    rows, shares = x.reshape(-1, x.shape[-1]).astype(np.float64), np.exp(weights)
    result = np.zeros_like(rows)
    for i, row in enumerate(rows):
        best = np.argsort(-logits[i])[:2]
        for expert in best:
            middle = first[expert] @ row + up_bias[expert]
            middle = middle / (1 + np.exp(-middle))
            result[i] += shares[i, expert] / shares[i, best].sum() * (second[expert] @ middle + down_bias[expert])
    return result.reshape(x.shape).astype(np.float32)


def gated_experts(x, logits, side, down, attributes):
    """The mixture with pairs of gate and linear part in the rows of the first layer, of one row after the other."""
    rows, limit = x.reshape(-1, x.shape[-1]).astype(np.float64), attributes["swiglu_limit"]
    shares = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    result = np.zeros_like(rows)
    for i, row in enumerate(rows):
        best = np.argsort(-shares[i])[: attributes["k"]]
        for expert in best:
            both = side[expert] @ row
            gate, linear = np.minimum(both[::2], limit), np.clip(both[1::2], -limit, limit)
            active = gate / (1 + np.exp(-attributes["activation_alpha"] * gate)) * (linear + attributes["activation_beta"])
            result[i] += shares[i, expert] / shares[i, best].sum() * (down[expert] @ active)
    return result.reshape(x.shape).astype(np.float32)


def linear_algebra():
    yield Case("inverse", "Inverse", [real(2, 3, 5, 5)], tolerance=1e-3)
    yield Case("inverse_pivot", "Inverse", [np.array([[0, 2, 1], [1, 0, 0], [3, 0, 1]], np.float32)])
    yield Case("inverse_double", "Inverse", [real(4, 4).astype(np.float64)])


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
        none = np.zeros((2, 0, 4), dtype)
        yield Case(f"softmax_{kind}_none", "QLinearSoftmax", [none, *a[1:], *softmax], 1, {"axis": 1, "opset": 12}, expected=(none,))
    yield Case("pool_last", "NhwcMaxPool", [byte(1, 6, 5, 3)], attributes={"kernel_shape": [2, 3], "strides": [1, 2]})
    x, scale, zero = real(2, 3, scale=5), scalar(0.1), scalar(7, np.uint16)
    yield Case("quantize_u16", "QuantizeLinear", [x, scale, zero], tolerance=1)
    numbers = RANDOM.integers(-3000, 3000, (2, 3)).astype(np.int16)
    yield Case("dequantize_i16", "DequantizeLinear", [numbers, scale, scalar(9, np.int16)])


def quantized_products():
    a, b = real(4, 16), weight_bytes(16, 6)
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
        a, b = byte(4, 16, dtype=np.uint8), byte(6, 16) if dtype == np.uint8 else weight_bytes(6, 16)
        factors = [a, scalar(0.02), scalar(100, np.uint8), b, scalar(0.03), scalar(zero, dtype)]
        bias = RANDOM.integers(-3000, 3000, 6).astype(np.int32)
        turned = {"transB": 1, "alpha": 1.0}
        yield Case(f"qgemm_real_{kind}", "QGemm", [*factors, bias], 1, turned, 1e-3)
        result = [scalar(0.5), scalar(128, np.uint8)]
        yield Case(f"qgemm_{kind}", "QGemm", [*factors, None, *result], 1, turned, 1)
    x, w = byte(1, 6, 5, 4), weight_bytes(3, 4, 3, 3)
    weights = [w, np.abs(real(3)) / 100, np.zeros(3, np.int8)]
    rest = [scalar(0.5), scalar(128, np.uint8), RANDOM.integers(-3000, 3000, 3).astype(np.int32)]
    conv = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "channels_last": 1}
    yield Case("qconv_last", "QLinearConv", [x, scalar(0.1), scalar(100, np.uint8), *weights, *rest], 1, conv, 1)
    condition = np.array([[True], [False]])
    a = [byte(2, 3), scalar(0.1), scalar(100, np.uint8)]
    b = [byte(1, 3), scalar(0.2), scalar(90, np.uint8)]
    yield Case("qwhere", "QLinearWhere", [condition, *a, *b, scalar(0.15), scalar(95, np.uint8)], 1, {}, 1)
    x, w = byte(2, 3, 8), weight_bytes(8, 24)
    scales = [real(24), scalar(0.02), np.abs(real(24)) / 100]
    mask, zeros = np.array([3, 2], np.int32), [scalar(120, np.uint8), byte(24, dtype=np.int8)]
    yield Case("qattention", "QAttention", [x, w, *scales, mask, *zeros], 1, {"num_heads": 2}, 1e-3)
    plain = [real(24), scalar(0.02), scalar(0.01), None, scalar(120, np.uint8), scalar(0, np.int8)]
    causal = {"num_heads": 2, "unidirectional": 1}
    yield Case("qattention_causal", "QAttention", [x, w, *plain, real(2, 2, 2, 5, 4)], 2, causal, 1e-3)
    table, rows, factors = byte(7, 20), np.array([[3, 0], [6, 6]]), np.abs(real(7, 3))
    blocks = {"block_size": 16, "bits": 4, "gather_axis": 0, "quantize_axis": 1}
    yield Case("gather_blocks", "GatherBlockQuantized", [table, rows, factors], attributes=blocks)
    yield Case("gather_blocks_zeros", "GatherBlockQuantized", [table, rows, factors, byte(7, 2)], attributes=blocks)
    yield Case("gather_bytes", "GatherBlockQuantized", [byte(7, 40), rows, factors], attributes={**blocks, "bits": 8})


def quantized_recurrent():
    x, absent = real(4, 2, 5), [None] * 5
    w, r = weight_bytes(2, 5, 12), weight_bytes(2, 3, 12)
    scale, zero = np.array([0.01, 0.02], np.float32), np.zeros(2, np.int8)
    one = [w[:1], r[:1]]

    def case(name, weights, operands, parts, **attributes):
        # Which rows are quantised together is open where sequences end at different steps.
        tolerance = 5e-3 if operands[1] is not None else 1e-5
        return Case(name, "DynamicQuantizeLSTM", [x, *weights, *operands, *parts, *parts], 3, {"hidden_size": 3, **attributes}, tolerance)

    simple = [scale[:1], zero[:1]]
    yield case("qlstm", one, absent, simple)
    columns = [np.abs(real(1, 12)) / 100, np.zeros((1, 12), np.int8)]
    yield case("qlstm_columns", one, absent, columns)
    unsigned = [weights.view(np.uint8) // 2 for weights in one]
    yield case("qlstm_unsigned", unsigned, absent, [scale[:1], np.array([60], np.uint8)], direction="reverse")
    both = [real(2, 24), np.array([4, 2], np.int32), real(2, 2, 3), real(2, 2, 3), real(2, 9)]
    yield case("qlstm_both", [w, r], both, [scale, zero], direction="bidirectional")
    yield case("qlstm_forget", one, absent, simple, input_forget=1, clip=0.5)
    names = ["HardSigmoid", "ScaledTanh", "Affine", "Sigmoid", "LeakyRelu", "Softsign"]
    yield case("qlstm_activations", [w, r], both, [scale, zero], direction="bidirectional", activations=names, activation_alpha=[0.3, 0.8, 1.2, 0.1], activation_beta=[0.4, 0.9, 0.1])


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
        # The first box begins halfway between two rows.
        yield Case(f"{name}_nearest", "CropAndResize", crop, attributes={"mode": "nearest", "extrapolation_value": 9.0})


def text():
    x = np.array(["one two, three", "", "Größe-ok"], object)
    plain = {"mark": 0, "mincharnum": 1, "pad_value": "#"}
    for name, extra in (
        ("words", {"tokenexp": "[a-zA-Z0-9_]+"}),
        ("marks", {"tokenexp": "[a-z]+", "mark": 1}),
        ("long", {"tokenexp": "[a-z]+", "mincharnum": 4}),
        ("each", {"tokenexp": "."}),
        ("boundary", {"tokenexp": "\\b[a-z][a-z]\\b|[a-z]"}),
        ("separators", {"separators": [" ", "[,-]"]}),
        ("characters", {"separators": [""], "mark": 1}),
    ):
        yield Case(f"tokens_{name}", "Tokenizer", [x], attributes={**plain, **extra})
    yield Case("tokens_rows", "Tokenizer", [x.reshape(3, 1)], attributes={**plain, "separators": [" "]})
    many = np.array([" ".join(["ab"] * count) for count in (3, 0, 100, 70)], object)
    yield Case("tokens_many", "Tokenizer", [many], attributes={**plain, "tokenexp": "[a-z]+", "mark": 1})


def erf_gelu(x):
    return np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.ravel()], np.float32).reshape(x.shape)


def tanh_gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def group_normal(x, gamma, beta, groups):
    """Of [batch, channels, height, width]."""
    rows = x.reshape(x.shape[0], groups, -1).astype(np.float64)
    rows = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    return (rows.reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]).astype(np.float32)


def diffusion():
    x, gamma, beta, skip, bias = real(2, 5, 4, 6), real(6), real(6), real(2, 1, 1, 6), real(6)
    swish = {"groups": 3, "activation": 1}
    planes = x.transpose(0, 3, 1, 2)
    normal = group_normal(planes, gamma, beta, 3)
    yield Case("group_norm", "GroupNorm", [planes, gamma, beta], 1, {**swish, "activation": 0, "channels_last": 0}, expected=(normal,))
    last = (normal * sigmoid(normal)).transpose(0, 2, 3, 1)
    yield Case("group_norm_swish", "GroupNorm", [x, gamma, beta], 1, swish, expected=(last,))
    total = x + skip + bias
    normal = group_normal(total.transpose(0, 3, 1, 2), gamma, beta, 3)
    last = (normal * sigmoid(normal)).transpose(0, 2, 3, 1)
    for name, operand in (("skip", skip), ("row", skip[:, 0, 0])):
        yield Case(f"group_norm_{name}", "SkipGroupNorm", [x, gamma, beta, operand, bias], 2, swish, expected=(last, total))
    x, bias, skip = real(2, 3, 8), real(8), real(2, 3, 8)
    yield Case("bias_add", "BiasAdd", [x, bias, skip], expected=(x + bias + skip,))
    left, right = np.split(x + bias, 2, -1)
    yield Case("bias_split_gelu", "BiasSplitGelu", [x, bias], expected=(left * erf_gelu(right),))
    x, w, bias = real(1, 7, 6, 3), real(4, 2, 3, 3), real(4)
    result = np.zeros((1, 6, 4, 4), np.float32)
    for i in range(6):
        for j in range(4):
            result[0, i, j] = np.tensordot(w, x[0, i : i + 2, j : j + 3], 3) + bias
    yield Case("conv_last", "NhwcConv", [x, w, bias], expected=(result,))
    fused = {"activation": "Relu"}
    yield Case("conv_last_relu", "NhwcFusedConv", [x, w.transpose(0, 3, 1, 2), bias], 1, fused, expected=(np.maximum(result, 0),))
    total = np.maximum(result - bias + 1, 0)
    ones = np.ones_like(result)
    yield Case("conv_last_sum", "NhwcFusedConv", [x, w.transpose(0, 3, 1, 2), None, ones], 1, fused, expected=(total,))


def signal():
    x = real(3, 8)
    bins = np.fft.rfft(x)
    pairs = np.stack([bins.real, bins.imag], -1).astype(np.float32)
    whole = {"signal_ndim": 1}
    yield Case("rfft", "Rfft", [x], 1, whole, expected=(pairs,))
    yield Case("irfft", "Irfft", [pairs], 1, whole, expected=(x,))
    a, b = real(3, 4, 2), real(4, 2)
    first, second = a[..., 0] + 1j * a[..., 1], b[..., 0] + 1j * b[..., 1]
    for name, product in (("ComplexMul", first * second), ("ComplexMulConj", first * second.conj())):
        result = np.stack([product.real, product.imag], -1).astype(np.float32)
        yield Case(name.lower(), name, [a, b], expected=(result,))


def t5_bias(table, queries, keys, both, largest):
    """Bucket by bucket, as the paper has it."""
    heads, buckets = table.shape
    result = np.zeros((1, heads, queries, keys), np.float32)
    for i in range(queries):
        for j in range(keys):
            half, at, apart = buckets, 0, i - j
            if both:
                half, at = buckets // 2, buckets // 2 if j > i else 0
                apart = abs(apart)
            apart, exact = max(apart, 0), half // 2
            if apart >= exact:
                apart = min(half - 1, exact + int(math.log(apart / exact) / math.log(largest / exact) * (half - exact)))
            result[0, :, i, j] = table[:, at + apart]
    return result


def positions():
    table = real(2, 16)
    for name, both in (("both", 1), ("back", 0)):
        attributes = {"max_distance": 21, "is_bidirectional": both}
        operands = [table.reshape(16, 2), np.array([30]), np.array([30])]
        yield Case(f"bias_{name}", "RelativePositionBias", operands, 1, attributes, expected=(t5_bias(table, 30, 30, both, 21),), constants=(0,))
    x, bias, position = real(2, 3, 8), real(8), real(1, 2, 3, 3)
    weight, shift, eco = real(4, 6), real(6), real(1, 2, 1, 1)
    heads = (x + bias).reshape(2, 3, 2, 4).transpose(0, 2, 1, 3)
    gates = sigmoid((heads @ weight + shift).reshape(2, 2, 3, 2, 3).sum(-1))
    factor = gates[..., :1] * (gates[..., 1:] * eco - 1) + 2
    operands = [x, bias, position, weight, shift, eco]
    yield Case("bias_gated", "GatedRelativePositionBias", operands, 1, {"num_heads": 2}, expected=(factor * position,))
    angles, halves = real(2, 3, 4), [real(2, 2, 3, 4).astype(np.float16) for _ in range(4)]
    sin, cos = np.sin(angles)[:, None].astype(np.float16), np.cos(angles)[:, None].astype(np.float16)
    turned = tuple(a * cos + b * sin for a, b in (halves[:2], halves[2:]))
    yield Case("gemma_rotary", "GemmaRotaryEmbedding", [angles, *halves], 2, tolerance=1e-2, expected=turned)
    caches, places = rotation_caches(16, 8), RANDOM.integers(0, 16, (3, 2, 3)).astype(np.int64)
    for layout in (0, 1):
        attributes = {"mrope_section": [4, 2, 2], "mrope_layout": layout}
        yield Case(f"rotate_sections_{layout}", "MRotaryEmbedding", [real(2, 4, 3, 16), places, *caches], 1, attributes)
    attributes = {"mrope_section": [4, 2, 2], "interleaved": 1, "num_heads": 2, "rotary_embedding_dim": 16}
    yield Case("rotate_sections_joined", "MRotaryEmbedding", [real(2, 3, 48), places, *caches], 1, attributes)


def recurrent():
    caches = {"q_num_heads": 4, "kv_num_heads": 2}
    q, k, v, state = real(2, 3, 32), real(2, 3, 16, scale=0.3), real(2, 3, 16), real(2, 2, 8, 8)
    decay, beta = -np.abs(real(2, 3, 2)), sigmoid(real(2, 3, 2))
    yield Case("linear_attention", "LinearAttention", [q, k, v, state, decay, beta], 2, caches, 1e-3)
    yield Case("linear_attention_plain", "LinearAttention", [q, k, v], 2, {**caches, "update_rule": "linear"}, 1e-3)
    yield Case("linear_gate", "LinearAttentionGate", [real(2, 3, 4), real(4), -np.abs(real(4)), real(2, 3, 4)], 2)
    yield Case("linear_gate_alone", "LinearAttentionGate", [real(2, 3, 4), real(4), -np.abs(real(4))])
    x, weight, bias, past = real(2, 6, 5), real(6, 1, 4), real(6), real(2, 6, 3)
    yield Case("causal_conv", "CausalConvWithState", [x, weight, bias, past], 2, {"activation": "silu"})
    yield Case("causal_conv_first", "CausalConvWithState", [x, weight], 2)
    for kind in ("silu", "sigmoid"):
        yield Case(f"gated_norm_{kind}", "GatedRMSNorm", [real(2, 3, 8), real(4), real(2, 3, 8)], 1, {"activation": kind})
    yield Case("gated_add", "GatedAdd", [real(2, 3, 8), real(2, 3, 8), real(2, 3, 1)])
    yield Case("scaled_silu", "ScaledSiLU", [real(2, 3)], 1, {"alpha": 0.5})
    yield Case("scaled_silu_by", "ScaledSiLU", [real(2, 3), scalar(1.5)])


def branches():
    flat, grouped = real(2, 3, 8), real(2, 3, 4, 2)
    four = {"num_branches": 4}
    yield Case("branch_norm", "BranchwiseRMSNorm", [flat, real(8)], 1, four)
    yield Case("branch_norm_grouped", "BranchwiseRMSNorm", [grouped, real(4, 2)])
    yield Case("branch_norm_plain", "BranchwiseRMSNorm", [grouped])
    yield Case("pre_mix", "HyperConnectionPreMix", [flat, real(2, 3, 4)], 1, {**four, "reduction_scale": 0.5}, constants=(1,))
    yield Case("pre_mix_features", "HyperConnectionPreMix", [flat, real(2, 3, 8)], 1, four, constants=(1,))
    yield Case("pre_mix_grouped", "HyperConnectionPreMix", [grouped, real(2, 3, 4, 1)])
    block = real(2, 3, 2)
    yield Case("post_mix", "HyperConnectionPostMix", [grouped, block, real(2, 3, 4), real(2, 3, 4, 4)])
    yield Case("post_mix_plain", "HyperConnectionPostMix", [flat, block, real(2, 3, 4, 2)], 1, four)
    keys, queries = real(2, 3, 4, 8), real(2, 3, 4, 8)
    scales = [real(4, 8), real(4, 8)]
    yield Case("engram_gate", "EngramGate", [keys, queries, real(2, 3, 8), *scales])
    yield Case("engram_gate_normed", "EngramGate", [keys, queries, real(2, 3, 8), *scales, real(4, 8)], 2)


def steps():
    """Steps of decoders."""
    q, k, v, heads = real(2, 1, 8), real(2, 1, 8), real(2, 1, 8), {"num_heads": 2}
    crossed = [q, real(2, 2, 5, 4), real(2, 2, 5, 4), None, None, None, None, None, None, None, real(24)]
    yield Case("step_crossed", "DecoderMaskedMultiHeadAttention", crossed, 1, heads)
    room = [real(2, 2, 6, 4), real(2, 2, 6, 4)]
    for cache in room:
        cache[:, :, 3:] = 0
    shared, length = {**heads, "past_present_share_buffer": 1}, np.array([3], np.int32)
    words = np.array([[1, 0, 1, 1], [1, 1, 0, 1]], np.int32)
    yield Case("step", "DecoderMaskedMultiHeadAttention", [q, k, v, None, None, *room, length], 3, shared)
    yield Case("step_words", "DecoderMaskedMultiHeadAttention", [q, k, v, words, None, *room, length], 3, shared)
    biased = [q, k, v, None, real(1, 2, 1, 4), *room, length, None, None, real(24)]
    yield Case("step_bias", "DecoderMaskedMultiHeadAttention", biased, 3, {**shared, "scale": 0.3})


def indexing():
    yield Case("trilu", "Trilu", [real(2, 4, 5), np.array(1)], attributes={"upper": 0})
    yield Case("expand_dims", "ExpandDims", [real(2, 3), scalar(1, np.int32)], constants=(1,))
    places = np.array([[0, 1], [1, 2]], np.int32)
    yield Case("gather_nd", "GatherND", [real(2, 3, 4), places])
    grid = RANDOM.uniform(-1.1, 1.1, (1, 4, 5, 2)).astype(np.float32)
    for mode in ("bilinear", "nearest", "bicubic"):
        # Points of a cubic around places outside are clamped in another way by the peer.
        places = grid / 1.2 if mode == "bicubic" else grid
        attributes = {"mode": mode, "padding_mode": "border", "align_corners": 1}
        yield Case(f"grid_{mode}", "GridSample", [real(1, 2, 5, 6), places], 1, attributes)
    yield Case("range", "Range", [scalar(1), scalar(4), scalar(0.5)])
    yield Case("range_ones", "Range", [np.array([2]), np.array([7])])
    yield Case("unfold", "UnfoldTensor", [real(2, 3, 9)], 1, {"size": 3, "step": 2})
    yield Case("unfold_rows", "UnfoldTensor", [real(2, 7, 3)], 1, {"size": 2, "dim": 1})
    table, rows = real(5, 3), np.array([[4, 0], [1, 1]])
    yield Case("embedding", "TorchEmbedding", [table, rows], expected=(table[rows],))
    yield Case("sample", "SampleOp", [real(2, 3)])
    words = np.array([[3, 4, 5, 3, 4], [1, 1, 1, 1, 1], [0, 1, 2, 3, 4]])
    for size in (1, 2, 3):
        yield Case(f"repeat_{size}", "NGramRepeatBlock", [words, real(3, 8)], 1, {"ngram_size": size})
    image, weight, pads = real(1, 3, 5, 6), real(3, 2, 3, 3), np.array([1, 0, 0, 1])
    strided = {"strides": [2, 1], "output_padding": [1, 0], "kernel_shape": [3, 3]}
    yield Case("transposed", "ConvTransposeWithDynamicPads", [image, weight, pads, real(2)], 1, strided)


def pairs_of_operators():
    a, b, bias = real(2, 3, 4), real(4, 5), real(5)
    yield Case("gemm_fast_gelu", "GemmFastGelu", [a, b, bias], expected=(tanh_gelu(a @ b + bias),))
    relu = {"activation": "LeakyRelu", "activation_alpha": 0.2, "alpha": 0.5, "transB": 1}
    product = 0.5 * (a @ b)
    yield Case("matmul_leaky", "FusedMatMulActivation", [a, b.T], 1, relu, expected=(np.where(product < 0, 0.2 * product, product),))
    data, mask = real(2, 3, 4, 5), real(2, 1, 1, 5)
    shares = np.exp(data + mask) / np.exp(data + mask).sum(-1, keepdims=True)
    yield Case("bias_softmax", "BiasSoftmax", [data, mask], 1, {"axis": 3, "is_inner_broadcast": 1}, expected=(shares,))
    none = np.zeros((2, 0, 4), np.float32)
    yield Case("bias_softmax_none", "BiasSoftmax", [none, none], 1, {"axis": 1, "is_inner_broadcast": 0}, expected=(none,))
    x, residual = real(2, 3, 8), real(2, 3, 8)
    row = real(8)
    yield Case("bias_dropout", "BiasDropout", [x, row, residual], expected=(x + row + residual,))
    wrong = np.array([1, np.inf, 2], np.float32)
    yield Case("all_finite", "IsAllFinite", [real(3), real(2, 2)], expected=(np.array(True),))
    yield Case("all_finite_not", "IsAllFinite", [real(3), wrong], expected=(np.array(False),))
    yield Case("all_finite_nan", "IsAllFinite", [real(3), wrong], 1, {"isnan_only": 1}, expected=(np.array(True),))
    a, b = (RANDOM.integers(-3000, 3000, shape).astype(np.int16) for shape in ((2, 3, 4), (4, 5)))
    yield Case("integer_16", "MatMulInteger16", [a, b])
    a, b, zero = byte(2, 3), byte(3), scalar(7, np.uint8)
    yield Case("mul_integer", "MulInteger", [a, zero, b], expected=((a.astype(np.int32) - 7) * b.astype(np.int32),))
    low = byte(2, 3, 4, dtype=np.int8)
    axes = {"axes": [1], "keepdims": 0}
    yield Case("sum_integer", "ReduceSumInteger", [low], 1, axes, expected=(low.sum(1, dtype=np.int32),))
    x, scale = byte(2, 3, 4), [scalar(0.05), scalar(7, np.uint8), scalar(0.03), scalar(90, np.uint8)]
    mean = np.clip(np.rint(((x.astype(np.float64) - 7) * 0.05).mean(1) / 0.03) + 90, 0, 255).astype(np.uint8)
    yield Case("mean_bytes", "QLinearReduceMean", [x, *scale], 1, axes, 1, expected=(mean,))
    for name, kind in (("fp4", 0), ("nf4", 1)):
        weights, largest = byte(5 * 32 // 2), np.abs(real(10))
        sizes = {"K": 32, "N": 5, "block_size": 16, "quant_type": kind}
        yield Case(f"codes_{name}", "MatMulBnb4", [real(2, 3, 32), weights, largest], 1, sizes)
    ids, segments = RANDOM.integers(0, 20, (2, 4)).astype(np.int32), RANDOM.integers(0, 2, (2, 4)).astype(np.int32)
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    tables = [byte(20, 8), byte(6, 8), byte(2, 8), byte(8), byte(8)]
    scales = [scalar(0.02 + 0.01 * i) for i in range(5)]
    zeros = [scalar(100 + i, np.uint8) for i in range(5)]
    for name, last in (("mask", mask), ("plain", None)):
        operands = [ids, segments, *tables, last, *scales, *zeros]
        yield Case(f"embed_bytes_{name}", "QEmbedLayerNormalization", operands, 2, {"epsilon": 1e-5})


def all_cases():
    families = (activations, fused, normalization, attention, rotation, groups, experts, linear_algebra, quantized, quantized_products, quantized_layers, distances, movement, text,
                diffusion, signal, positions, recurrent, branches, steps, indexing, pairs_of_operators, quantized_recurrent)
    return [case for family in families for case in family()]
