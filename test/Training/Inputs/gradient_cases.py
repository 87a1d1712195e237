# ===- gradient_cases.py - Functions to differentiate -----------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Rows of (text, inputs): y of a text in ONNX's own form, by all inputs that are doubles."""

import numpy as np

random = np.random.default_rng(3)


def normal(*shape):
    return random.standard_normal(shape)


def ints(*values):
    return np.array(values)


a, b, row = normal(2, 3), normal(2, 3), normal(3)
positive, small = np.abs(normal(2, 3)) + 0.5, np.tanh(normal(2, 3)) * 0.9
cube, image, line = normal(2, 3, 4), normal(2, 4, 5, 6), normal(1, 2, 9)
labels = ints(1, 3, 0)
# A list of integers as the value `n`.
N = "n = Constant<value_ints = {}>() "

ELEMENTWISE = [
    *((f"y = {f}(a)", {"a": positive}) for f in ("Log", "Sqrt", "Reciprocal")),
    *((f"y = {f}(a)", {"a": small}) for f in ("Acos", "Asin", "Atanh")),
    *((f"y = {f}(a)", {"a": a}) for f in
      ("Abs", "Asinh", "Atan", "Celu", "Cos", "Cosh", "Elu", "Erf", "Exp", "Gelu", "HardSigmoid", "HardSwish", "Identity",
       "LeakyRelu", "Mish", "Neg", "Relu", "Selu", "Shrink", "Sigmoid", "Sin", "Sinh", "Softplus", "Softsign", "Swish",
       "Tan", "Tanh", "ThresholdedRelu")),
    ("y = Acosh(a)", {"a": positive + 1}),
    ("y = Gelu<approximate = \"tanh\">(a)", {"a": a}),
    ("y = Celu<alpha = 0.7>(a)", {"a": a}),
    ("y = Elu<alpha = 0.7>(a)", {"a": a}),
    ("y = Selu<alpha = 0.7, gamma = 1.5>(a)", {"a": a}),
    ("y = PRelu(a, b)", {"a": cube, "b": normal(3, 1)}),
    ("y = Clip(a, b, c)", {"a": a, "b": np.array(-0.6), "c": np.array(0.7)}),
    *((f"y = {f}(a, b)", {"a": a, "b": b}) for f in ("Add", "Sub", "Mul", "Sum", "Max", "Min", "Mean")),
    *((f"y = {f}(a, b)", {"a": a, "b": row}) for f in ("Add", "Sub", "Mul", "Max", "Mean")),
    ("y = Max(a, b, c)", {"a": a, "b": row, "c": np.array(0.1)}),
    ("y = Mul(a, b)", {"a": normal(2, 1, 3), "b": normal(4, 1)}),
    ("y = Div(a, b)", {"a": a, "b": positive}),
    ("y = Div(a, b)", {"a": row, "b": positive}),
    ("y = Pow(a, b)", {"a": positive, "b": b}),
    ("two = Constant<value_int = 3>() y = Pow(a, two)", {"a": a}),
    ("two = Constant<value_int = 2>() y = Pow(a, two)", {"a": np.array([0.0, 1.0, -0.5])}),
    ("none = Constant<value_int = 0>() y = Pow(a, none)", {"a": np.array([0.0, 1.0, -0.5])}),
    ("base = Constant<value_floats = [0.0, 2.0, 0.0]>() wide = Cast<to = 11>(base) y = Pow(wide, b)", {"b": np.array([2.0, -1.0, 0.5])}),
    ("y = Mul(a, a)", {"a": a}),
    ("c = Less(a, b) y = Where(c, a, b)", {"a": a, "b": row}),
    ("f = Floor(a) c = Ceil(a) s = Add(f, c) r = Round(a) t = Add(s, r) u = Sign(a) v = Add(t, u) y = Mul(v, a)", {"a": a}),
    ("y = SwiGLU(a, b)", {"a": a, "b": b}),
    ("i = Cast<to = 7>(a) f = CastLike(i, a) y = Mul(f, a)", {"a": 4 * a}),
]  # fmt: skip

REDUCTIONS = [
    *((f"y = {f}<keepdims = 0>(a)", {"a": a}) for f in
      ("ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "ReduceSumSquare",
       "ReduceProd")),
    *((N.format([-1]) + f"y = {f}<keepdims = {keep}>(a, n)", {"a": cube}) for keep in (0, 1) for f in
      ("ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "ReduceSumSquare",
       "ReduceProd")),
    *((N.format([0, 2]) + f"y = {f}<keepdims = 0>(a, n)", {"a": cube}) for f in ("ReduceSum", "ReduceMean", "ReduceMax")),
    (N.format([1]) + "y = ReduceLogSum(a, n)", {"a": np.abs(cube) + 0.3}),
    (N.format([1]) + "y = ReduceProd(a, n)", {"a": np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])}),
    ("y = ReduceSum<noop_with_empty_axes = 1>(a)", {"a": a}),
    ("y = ReduceL2<noop_with_empty_axes = 1>(a)", {"a": a}),
    # Axes that come with the run may be none.
    *((f"y = {f}<noop_with_empty_axes = {noop}>(a, n)", {"a": a, "n": np.zeros(0, np.int64)}) for noop in (0, 1) for f in
      ("ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "ReduceSumSquare")),
    ("y = Softmax<axis = 0>(a)", {"a": a}),
    ("y = Softmax(a)", {"a": cube}),
    ("y = LogSoftmax(a)", {"a": a}),
    ("n = Constant<value_int = 1>() y = CumSum(a, n)", {"a": cube}),
    ("n = Constant<value_int = -1>() y = CumSum<exclusive = 1, reverse = 1>(a, n)", {"a": cube}),
    ("y = GlobalAveragePool(a)", {"a": image}),
    ("y = GlobalMaxPool(a)", {"a": image}),
    ("y = GlobalLpPool<p = 3>(a)", {"a": image}),
]  # fmt: skip

MOVEMENT = [
    (N.format([3, 2]) + "y = Reshape(a, n)", {"a": a}),
    ("y = Flatten(a)", {"a": cube}),
    (N.format([0]) + "t = Unsqueeze(a, n) u = Exp(t) y = Squeeze(u, n)", {"a": a}),
    ("y = Transpose<perm = [2, 0, 1]>(a)", {"a": cube}),
    ("y = Transpose(a)", {"a": a}),
    (N.format([4, 2, 3]) + "y = Expand(a, n)", {"a": a}),
    ("y = Concat<axis = -1>(a, b, a)", {"a": a, "b": normal(2, 4)}),
    ("p, q = Split<axis = 1, num_outputs = 2>(a) e = Exp(p) y = Concat<axis = 1>(e, q)", {"a": normal(2, 4)}),
    (N.format([1, 3]) + "p, q = Split<axis = 2>(a, n) y = Exp(q)", {"a": cube}),
    ("s = Constant<value_ints = [1, -3]>() e = Constant<value_ints = [9, -1]>() x = Constant<value_ints = [0, 2]>() "
     "y = Slice(a, s, e, x)", {"a": cube}),
    ("s = Constant<value_ints = [-1, 0]>() e = Constant<value_ints = [-9, 4]>() x = Constant<value_ints = [1, 2]>() "
     "t = Constant<value_ints = [-2, 3]>() y = Slice(a, s, e, x, t)", {"a": cube}),
    # As exporters write it that leave the folding of constants to others.
    ("s = Constant<value_ints = [1]>() e = Constant<value_ints = [4]>() two = Constant<value_int = 2>() "
     "z = Constant<value_ints = [0]>() x = Unsqueeze(two, z) one = Constant<value_int = 1>() t = Unsqueeze(one, z) "
     "y = Slice(a, s, e, x, t)", {"a": cube}),
    (N.format([1, 0, 0, 2]) + "y = Pad(a, n)", {"a": a}),
    (N.format([1, -1, 0, 2]) + "y = Pad(a, n)", {"a": a}),
    *((N.format([1, 2, 0, 1]) + f"y = Pad<mode = \"{mode}\">(a, n)", {"a": normal(3, 4)}) for mode in ("reflect", "edge", "wrap")),
    (N.format([1, 1]) + "x = Constant<value_ints = [-1]>() y = Pad<mode = \"edge\">(a, n, , x)", {"a": cube}),
    (N.format([2, 1, 3]) + "y = Tile(a, n)", {"a": cube}),
    ("y = Trilu(a)", {"a": normal(3, 4)}),
    ("k = Constant<value_int = 1>() y = Trilu<upper = 0>(a, k)", {"a": normal(3, 4)}),
    ("y = DepthToSpace<blocksize = 2>(a)", {"a": image}),
    ("y = DepthToSpace<blocksize = 2, mode = \"CRD\">(a)", {"a": image}),
    ("y = SpaceToDepth<blocksize = 2>(a)", {"a": normal(1, 1, 4, 6)}),
    ("y = ReverseSequence<batch_axis = 1, time_axis = 0>(a, n)", {"a": normal(4, 3, 2), "n": ints(2, 4, 1)}),
]  # fmt: skip

INDEXED = [
    ("y = Gather(a, n)", {"a": normal(5, 3), "n": np.array([[0, 4], [4, -2]])}),
    ("y = Gather(a, n)", {"a": normal(5, 3), "n": np.array([[0, 4], [4, -2]], np.int32)}),
    ("y = Gather<axis = 1>(a, n)", {"a": normal(2, 5, 3), "n": np.array([[0, 4], [4, 1]])}),
    ("y = Gather<axis = -1>(a, n)", {"a": cube, "n": np.array(2)}),
    ("y = GatherElements<axis = 1>(a, n)", {"a": a, "n": np.array([[0, 0], [2, 1]])}),
    ("y = GatherND(a, n)", {"a": cube, "n": np.array([[0, 1], [1, 2], [0, 1]])}),
    ("y = GatherND<batch_dims = 1>(a, n)", {"a": cube, "n": np.array([[1], [1]])}),
    ("y = ScatterElements<axis = 1>(a, n, b)", {"a": a, "n": np.array([[0, 2], [2, 1]]), "b": normal(2, 2)}),
    ("y = ScatterElements<axis = 1, reduction = \"add\">(a, n, b)", {"a": a, "n": np.array([[0, 0], [2, 1]]), "b": normal(2, 2)}),
    ("y = ScatterND(a, n, b)", {"a": cube, "n": np.array([[1], [0]]), "b": normal(2, 3, 4)}),
    ("y = ScatterND<reduction = \"add\">(a, n, b)", {"a": cube, "n": np.array([[1], [1]]), "b": normal(2, 3, 4)}),
    ("c = Constant<value_ints = [1, 0, 1]>() d = Cast<to = 9>(c) y = Compress<axis = 1>(a, d)", {"a": cube}),
    ("c = Constant<value_ints = [1, 0, 1, 1]>() d = Cast<to = 9>(c) y = Compress(a, d)", {"a": a}),
    (N.format([2]) + "y, i = TopK<axis = 1>(a, n)", {"a": cube}),
    ("y = MaxPool<kernel_shape = [2, 2], strides = [1, 1]>(a)", {"a": normal(1, 2, 3, 4)}),
    ("y, i = MaxPool<kernel_shape = [3], pads = [1, 1], strides = [2]>(a)", {"a": line}),
]  # fmt: skip

PRODUCTS = [
    ("y = MatMul(a, b)", {"a": a, "b": normal(3, 4)}),
    ("y = MatMul(a, b)", {"a": normal(2, 1, 3, 4), "b": normal(5, 4, 2)}),
    ("y = MatMul(a, b)", {"a": normal(4), "b": normal(5, 4, 2)}),
    ("y = MatMul(a, b)", {"a": normal(5, 2, 4), "b": normal(4)}),
    ("y = MatMul(a, b)", {"a": normal(4), "b": normal(4)}),
    *(
        (f"y = Gemm<alpha = 0.5, beta = 2.0, transA = {p}, transB = {q}>(a, b, c)",
         {"a": normal(3, 2) if p else a, "b": normal(4, 3) if q else normal(3, 4), "c": normal(4)})
        for p in (0, 1) for q in (0, 1)
    ),
    ("y = Einsum<equation = \"bij, bjk -> bik\">(a, b)", {"a": cube, "b": normal(2, 4, 2)}),
    ("y = Einsum<equation = \"bij,kj\">(a, b)", {"a": cube, "b": normal(2, 4)}),
    ("y = Einsum<equation = \"bij->i\">(a)", {"a": cube}),
]  # fmt: skip

WINDOWS = [
    ("y = Conv(a, b, c)", {"a": normal(2, 2, 5, 4), "b": normal(3, 2, 3, 2), "c": normal(3)}),
    ("y = Conv<strides = [2, 3], dilations = [2, 1], pads = [1, 0, 2, 1]>(a, b)",
     {"a": normal(1, 2, 8, 9), "b": normal(2, 2, 3, 2)}),
    ("y = Conv<strides = [2]>(a, b)", {"a": normal(2, 1, 6), "b": normal(2, 1, 3)}),
    ("y = Conv<group = 2, pads = [1, 1, 1, 1]>(a, b, c)", {"a": image, "b": normal(6, 2, 3, 3), "c": normal(6)}),
    ("y = Conv<group = 4, strides = [2, 2], dilations = [1, 2]>(a, b)", {"a": image, "b": normal(4, 1, 2, 2)}),
    ("y = Conv<auto_pad = \"SAME_UPPER\", strides = [2, 2]>(a, b)", {"a": image, "b": normal(2, 4, 3, 3)}),
    ("y = Conv<pads = [1, 1, 1, 1, 1, 1]>(a, b)", {"a": normal(1, 1, 3, 4, 3), "b": normal(2, 1, 3, 3, 3)}),
    ("y = ConvTranspose(a, b, c)", {"a": normal(1, 2, 3, 3), "b": normal(2, 3, 2, 2), "c": normal(3)}),
    ("y = ConvTranspose<strides = [2, 3], pads = [1, 0, 1, 1], output_padding = [1, 0], group = 2>(a, b)",
     {"a": normal(2, 4, 3, 4), "b": normal(4, 2, 3, 3)}),
    ("y = ConvTranspose<dilations = [2], strides = [2]>(a, b)", {"a": normal(1, 2, 5), "b": normal(2, 1, 3)}),
    ("y = ConvTranspose<auto_pad = \"SAME_LOWER\", strides = [2, 2]>(a, b)", {"a": normal(1, 2, 3, 4), "b": normal(2, 3, 3, 3)}),
    ("y = ConvTranspose<auto_pad = \"SAME_UPPER\", strides = [2]>(a, b)", {"a": normal(1, 2, 4), "b": normal(2, 1, 4)}),
    ("y = AveragePool<kernel_shape = [2, 3]>(a)", {"a": image}),
    ("y = AveragePool<kernel_shape = [3, 2], pads = [1, 1, 1, 0], strides = [2, 1]>(a)", {"a": image}),
    ("y = AveragePool<kernel_shape = [3, 2], pads = [1, 1, 1, 0], count_include_pad = 1>(a)", {"a": image}),
    ("y = AveragePool<kernel_shape = [3], strides = [2], ceil_mode = 1>(a)", {"a": normal(1, 2, 8)}),
    ("y = AveragePool<kernel_shape = [3], strides = [2], pads = [1, 0], ceil_mode = 1, count_include_pad = 1>(a)",
     {"a": line}),
    ("y = MaxPool<kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1, dilations = [1, 2]>(a)", {"a": image}),
    ("s = Constant<value_floats = [1.0, 1.0, 2.0, 1.5]>() y = Resize<mode = \"linear\">(a, , s)", {"a": image}),
    ("s = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() "
     "y = Resize<mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\">(a, , s)",
     {"a": image}),
    (N.format([7, 3]) + "y = Resize<mode = \"cubic\", axes = [2, 3]>(a, , , n)", {"a": image}),
]  # fmt: skip

NORMS = [
    ("y = BatchNormalization(a, s, b, m, v)", {"a": image, "s": normal(4), "b": normal(4), "m": normal(4), "v": positive[0, [0, 1, 2, 0]]}),
    ("y, p, q = BatchNormalization<training_mode = 1>(a, s, b, m, v)",
     {"a": image, "s": normal(4), "b": normal(4), "m": normal(4), "v": positive[0, [0, 1, 2, 0]]}),
    ("u, p, q = BatchNormalization<training_mode = 1, momentum = 0.7>(a, s, b, m, v) y = Concat<axis = 0>(p, q)",
     {"a": normal(3, 4), "s": normal(4), "b": normal(4), "m": normal(4), "v": positive[0, [0, 1, 2, 0]]}),
    ("y = InstanceNormalization(a, s, b)", {"a": image, "s": normal(4), "b": normal(4)}),
    ("y = LayerNormalization<stash_type = 11>(a, s, b)", {"a": cube, "s": normal(4), "b": normal(4)}),
    ("y = LayerNormalization<stash_type = 11, axis = 1>(a, s)", {"a": cube, "s": normal(3, 4)}),
    ("y = RMSNormalization<stash_type = 11>(a, s)", {"a": cube, "s": normal(4)}),
    ("y = GroupNormalization<num_groups = 2, stash_type = 11>(a, s, b)", {"a": image, "s": normal(4), "b": normal(4)}),
    ("y = MeanVarianceNormalization(a)", {"a": image}),
    ("y = LpNormalization(a)", {"a": cube}),
    ("y = LpNormalization<p = 1, axis = 1>(a)", {"a": cube}),
    ("y = LRN<size = 3, alpha = 0.5, beta = 0.6, bias = 1.5>(a)", {"a": normal(2, 5, 3, 2)}),
    ("r = Constant<value_float = 0.5>() t = Constant<value_ints = [0]>() s = Squeeze(t) c = Cast<to = 9>(s) "
     "y = Dropout(a, r, c)", {"a": a}),
]  # fmt: skip

LOSSES = [
    ("y = SoftmaxCrossEntropyLoss(a, n)", {"a": normal(3, 4), "n": labels}),
    ("y = SoftmaxCrossEntropyLoss<reduction = \"sum\">(a, n)", {"a": normal(3, 4), "n": labels}),
    ("y = SoftmaxCrossEntropyLoss<reduction = \"none\">(a, n)", {"a": normal(3, 4), "n": labels}),
    ("y, p = SoftmaxCrossEntropyLoss(a, n)", {"a": normal(3, 4), "n": labels}),
    ("y = SoftmaxCrossEntropyLoss<ignore_index = 3>(a, n)", {"a": normal(3, 4), "n": labels}),
    ("y = SoftmaxCrossEntropyLoss<ignore_index = -1>(a, n, w)", {"a": normal(3, 4, 2), "n": np.array([[1, -1], [0, 3], [2, 2]]), "w": np.abs(normal(4))}),
    ("l = LogSoftmax<axis = 1>(a) y = NegativeLogLikelihoodLoss(l, n)", {"a": normal(3, 4), "n": labels}),
    ("l = LogSoftmax<axis = 1>(a) y = NegativeLogLikelihoodLoss<reduction = \"sum\">(l, n, w)",
     {"a": normal(3, 4), "n": labels, "w": np.abs(normal(4))}),
]  # fmt: skip

NETWORKS = [
    ("h = Conv<pads = [1, 1, 1, 1]>(x, w) r = Relu(h) p = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(r) "
     "f = Flatten(p) y = Gemm(f, v, c)",
     {"x": normal(2, 1, 4, 4), "w": normal(2, 1, 3, 3), "v": normal(8, 3), "c": normal(3)}),
    ("y = Attention(q, k, v)", {"q": normal(1, 2, 3, 4), "k": normal(1, 2, 5, 4), "v": normal(1, 2, 5, 4)}),
    ("y = Attention<is_causal = 1, q_num_heads = 4, kv_num_heads = 2>(q, k, v)",
     {"q": normal(1, 3, 8), "k": normal(1, 3, 4), "v": normal(1, 3, 4)}),
]  # fmt: skip

CONTROL = [
    ("k = Constant<value_float = 0.0>() l = CastLike(k, a) s = ReduceSum<keepdims = 0>(a) g = Greater(s, l) "
     "y = If(g) <then_branch = t () => (double[2,3] p) { p = Mul(a, b) }, "
     "else_branch = e () => (double[2,3] q) { r = Exp(a) q = Mul(r, a) }>", {"a": a, "b": row}),
    ("k = Constant<value_float = 0.0>() l = CastLike(k, a) s = ReduceSum<keepdims = 0>(a) g = Greater(s, l) "
     "y = If(g) <then_branch = t () => (double[2,3] p) { p = Mul(a, b) }, "
     "else_branch = e () => (double[2,3] q) { r = Exp(a) q = Mul(r, a) }>", {"a": -a, "b": row}),
    ("e, y = Scan<num_scan_inputs = 1, body = f (double[3] s, double[3] x) => (double[3] t, double[3] o) "
     "{ u = Mul(s, w) v = Add(u, x) t = Tanh(v) o = Mul(t, x) }>(h, a)", {"h": row, "a": normal(4, 3), "w": normal(3)}),
    ("y, o = Scan<num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1], scan_output_axes = [1], "
     "scan_output_directions = [1], body = f (double[2] s, double[2] x) => (double[2] t, double[2] o) "
     "{ u = Mul(s, x) t = Sin(u) o = Exp(t) }>(h, a)", {"h": normal(2), "a": normal(2, 5)}),
    ("m = Constant<value_int = 3>() y, o = Loop(m, , h) <body = f (int64 i, bool c, double[3] s) => "
     "(bool d, double[3] t, double[3] o) { d = Identity(c) u = Mul(s, w) t = Tanh(u) o = Mul(t, t) }>",
     {"h": row, "w": normal(3)}),
    ("m = Constant<value_int = 4>() z, y = Loop(m, , h) <body = f (int64 i, bool c, double[3] s) => "
     "(bool d, double[3] t, double[3] o) { three = Constant<value_int = 2>() d = Less(i, three) j = CastLike(i, s) "
     "u = Mul(s, j) v = Add(u, w) t = Sin(v) o = Mul(t, w) }>",
     {"h": row, "w": normal(3)}),
]  # fmt: skip

# T steps of B rows of I features, H hidden.
T, B, I, H = 4, 2, 3, 2
RECURRENT = [
    ("y = RNN<hidden_size = 2>(x, w, r)", {"x": normal(T, B, I), "w": normal(1, H, I), "r": normal(1, H, H)}),
    ("o, y = RNN<hidden_size = 2, direction = \"reverse\", activations = [\"Softsign\"]>(x, w, r, b, , h)",
     {"x": normal(T, B, I), "w": normal(1, H, I), "r": normal(1, H, H), "b": normal(1, 2 * H), "h": normal(1, B, H)}),
    ("y = GRU<hidden_size = 2>(x, w, r, b)",
     {"x": normal(T, B, I), "w": normal(1, 3 * H, I), "r": normal(1, 3 * H, H), "b": normal(1, 6 * H)}),
    ("o, p = GRU<hidden_size = 2, linear_before_reset = 1, direction = \"bidirectional\">(x, w, r, b, , h) "
     "f = Flatten(o) g = Flatten(p) s = ReduceSum(f) y = Mul(s, g)",
     {"x": normal(T, B, I), "w": normal(2, 3 * H, I), "r": normal(2, 3 * H, H), "b": normal(2, 6 * H), "h": normal(2, B, H)}),
    ("y = LSTM<hidden_size = 2>(x, w, r, b)",
     {"x": normal(T, B, I), "w": normal(1, 4 * H, I), "r": normal(1, 4 * H, H), "b": normal(1, 8 * H)}),
    ("o, p, q = LSTM<hidden_size = 2, direction = \"bidirectional\">(x, w, r, b, , h, c, k) "
     "s = ReduceSum(o) t = Mul(p, q) u = Squeeze(s) y = Mul(t, u)",
     {"x": normal(T, B, I), "w": normal(2, 4 * H, I), "r": normal(2, 4 * H, H), "b": normal(2, 8 * H), "h": normal(2, B, H),
      "c": normal(2, B, H), "k": normal(2, 3 * H)}),
]  # fmt: skip

FAMILIES = {
    "elementwise": ELEMENTWISE,
    "reductions": REDUCTIONS,
    "movement": MOVEMENT,
    "indexed": INDEXED,
    "products": PRODUCTS,
    "windows": WINDOWS,
    "norms": NORMS,
    "losses": LOSSES,
    "networks": NETWORKS,
    "recurrent": RECURRENT,
    "control": CONTROL,
}

# What has a gradient for known sizes only.
KNOWN_SIZES = {text for text, _ in WINDOWS if "auto_pad" in text or "ceil_mode" in text and "Average" in text}
