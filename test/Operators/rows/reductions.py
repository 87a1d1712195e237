# ===- reductions.py - Rows of what goes along dimensions -------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Reductions, sums along an axis, normalisations and losses."""

from table import Node, RANGES, row

SUMS = "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceProd ReduceSum ReduceSumSquare".split()


@row(*SUMS)
def reduce_sum(m):
    # Small numbers: what of a sum an integer cannot hold is not said.
    low, high = RANGES.get(m.signature.name, (0, 3))
    return reduced(m, low, high)


def reduced(m, low=None, high=None):
    """Along one axis, several, all, or none."""
    shape, keeps = m.pick([m.size(3), m.size(4)], [m.size(2), m.size(3), m.size(4)], [2, m.size(2), 1, m.size(3)]), {"keepdims": m.pick(0, 1)}
    axes = m.pick([1], [0], [-1], [0, 1], [-1, 0], None, [])
    x = m.tensor("T", shape, low, high)
    if axes is None:
        return Node([x], {**keeps, **m.pick({}, {"noop_with_empty_axes": 1})})
    return Node([x, m.integers(*axes)], keeps)


@row("ReduceMax", "ReduceMin")
def reduce_order(m):
    return reduced(m)


@row("ArgMax", "ArgMin")
def arg(m):
    attributes = {"axis": m.pick(1, 0, -1), "keepdims": m.pick(0, 1), "select_last_index": m.pick(0, 1)}
    return Node([m.tensor("T", some_shape(m))], attributes)


def some_shape(m):
    """Two dimensions, or three."""
    return m.pick([m.size(3), m.size(4)], [m.size(2), m.size(3), m.size(4)])


@row("CumSum", "CumProd")
def cumulate(m):
    attributes = {"exclusive": m.pick(0, 1), "reverse": m.pick(0, 1)}
    return Node([m.tensor("T", some_shape(m), 0, 3), m.given("T2", m.pick(1, 0, -1))], attributes)


@row("Softmax", "LogSoftmax", "Hardmax", "LpNormalization")
def along(m):
    low, high = RANGES.get(m.signature.name, (None, None))
    return Node([m.tensor("T", some_shape(m), low, high)], {"axis": m.pick(-1, 0, 1)})


@row("Mean", "Sum", "Max", "Min")
def variadic(m):
    shape = m.shape(3, 4)
    others = [shape, shape[1:], [1] * len(shape), [2, *(1 for _ in shape)], []]  # repeated along dimensions
    return Node([m.tensor("T", shape if m.pick(True, False) else m.pick(*others)) for _ in range(m.pick(3, 2, 1, 4))])


@row("BatchNormalization")
def batch_normalization(m):
    c = m.size(3)
    parameters = [m.tensor("T1", [c]), m.tensor("T1", [c]), m.tensor("T2", [c]), m.tensor("T2", [c], 0.5, 2)]
    return Node([m.tensor("T", [m.size(2), c, m.size(4)]), *parameters])


@row("InstanceNormalization")
def instance_normalization(m):
    c = m.size(3)
    shape = m.pick([m.size(2), c, 1 + m.size(3)], [m.size(2), c, 1 + m.size(3), m.size(4)], [1, c, 2, m.size(2), 3])
    return Node([m.tensor("T", shape), m.tensor("T", [c]), m.tensor("T", [c])], {"epsilon": 0.01})


@row("GroupNormalization")
def group_normalization(m):
    c = 2 * m.size(2)
    parameters = [m.tensor("T", [c]), m.tensor("T", [c])]
    shape = m.pick([m.size(2), c, m.size(3)], [m.size(2), c, m.size(3), m.size(4)])
    return Node([m.tensor("T", shape), *parameters], {"num_groups": m.pick(2, 1, c), "epsilon": 0.01})


@row("LayerNormalization")
def layer_normalization(m):
    n, axis = m.size(6), m.pick(None, 1, -1, 0, -2)
    shape = [m.size(3), n] if axis is None else [m.size(2), m.size(3), n]
    scaled = shape[-1 if axis is None else axis :]
    attributes = {"stash_type": m.type_number("U"), "epsilon": 0.01, **({} if axis is None else {"axis": axis})}
    operands = [m.tensor("T", shape), m.tensor("T", scaled), m.tensor("T", scaled)]
    return Node(operands[: m.pick(3, 2)], attributes, m.pick(3, 1))


@row("RMSNormalization")
def rms_normalization(m):
    n = m.size(6)
    return Node([m.tensor("T", m.pick([m.size(3), n], [2, m.size(3), n])), m.tensor("V", [n])], {"epsilon": 0.01})


@row("MeanVarianceNormalization")
def mean_variance(m):
    return Node([m.tensor("T", [m.size(2), m.size(3), m.size(3), m.size(2)])])


@row("LRN")
def local_response(m):
    return Node([m.tensor("T", [m.size(1), m.size(4), m.size(3), m.size(3)])], {"size": m.pick(3, 5, 1), "alpha": 0.1, **m.pick({}, {"beta": 0.5, "bias": 2.0})})


@row("NegativeLogLikelihoodLoss")
def log_likelihood(m):
    n, c = m.size(3), m.size(5)
    rest = m.pick([], [m.size(2)], [m.size(2), 3])
    target = m.given("Tind", m.rng.integers(0, c, [n, *rest]))
    attributes = {"reduction": m.pick("mean", "sum", "none"), **m.pick({}, {"ignore_index": 0})}
    return Node([m.tensor("T", [n, c, *rest]), target, m.tensor("T", [c], 0.5, 2)][: m.pick(3, 2)], attributes)


@row("SoftmaxCrossEntropyLoss")
def cross_entropy(m):
    n, c = m.size(3), m.size(5)
    rest = m.pick([], [m.size(2)])
    target = m.given("Tind", m.rng.integers(0, c, [n, *rest]))
    operands = [m.tensor("T", [n, c, *rest]), target, m.tensor("T", [c], 0.5, 2)]
    attributes = {"reduction": m.pick("mean", "sum", "none"), **m.pick({}, {"ignore_index": 0})}
    return Node(operands[: m.pick(3, 2)], attributes, 2)


@row("Det")
def det(m):
    n = m.size(3)
    return Node([m.tensor("T", [m.size(2), n, n])])


@row("DFT")
def dft(m):
    parts, ways = m.pick(1, 2), m.pick({}, {"inverse": 1}, {"onesided": 1})
    if "onesided" in ways:
        parts = 1
    axis = m.pick(1, -2, 0)
    return Node([m.tensor("T1", [m.size(2), m.size(6), parts]), m.given("T2", m.size(6)), m.given("int64", axis)], ways)


@row("STFT")
def stft(m):
    # Exporters leave the dimension of the parts of a number out.
    signal = m.tensor("T1", m.pick([m.size(1), 12 + m.size(4), 1], [m.size(1), 12 + m.size(4)]))
    window = m.pick(m.tensor("T1", [8], 0, 1), None)
    return Node([signal, m.given("T2", m.pick(4, 3)), window, m.given("T2", 8)], m.pick({}, {"onesided": 0}))


@row("ai.onnx.preview.training.Adagrad", "ai.onnx.preview.training.Adam", "ai.onnx.preview.training.Momentum")
def optimizer(m):
    shape = m.shape(3, 4)
    signed = 2 if m.signature.name != "Adam" else 3
    states = [m.tensor("T3", shape) for _ in range(signed)]
    states += [m.tensor("T3", shape, 0, 1)] if m.signature.name != "Momentum" else [m.tensor("T3", shape)]
    momentum = {"norm_coefficient": 0.01, "alpha": 0.9, "beta": 0.8, "mode": m.pick("standard", "nesterov")}
    attributes = momentum if m.signature.name == "Momentum" else {"norm_coefficient": 0.01}
    return Node([m.given("T1", 0.1), m.given("T2", 2), *states], attributes, len(states) - 1)
