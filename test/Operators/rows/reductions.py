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
    return Node([m.tensor("T", [m.size(3), m.size(4)], low, high), m.integers(m.pick(1, 0, -1))], {"keepdims": m.pick(0, 1)})


@row("ReduceMax", "ReduceMin")
def reduce_order(m):
    return Node([m.tensor("T", [m.size(3), m.size(4)]), m.integers(m.pick(1, 0, -1))], {"keepdims": m.pick(0, 1)})


@row("ArgMax", "ArgMin")
def arg(m):
    attributes = {"axis": m.pick(1, 0, -1), "keepdims": m.pick(0, 1), "select_last_index": m.pick(0, 1)}
    return Node([m.tensor("T", [m.size(3), m.size(4)])], attributes)


@row("CumSum", "CumProd")
def cumulate(m):
    attributes = {"exclusive": m.pick(0, 1), "reverse": m.pick(0, 1)}
    return Node([m.tensor("T", [m.size(3), m.size(4)], 0, 3), m.given("T2", m.pick(1, 0, -1))], attributes)


@row("Softmax", "LogSoftmax", "Hardmax", "LpNormalization")
def along(m):
    low, high = RANGES.get(m.signature.name, (None, None))
    return Node([m.tensor("T", [m.size(3), m.size(4)], low, high)], {"axis": m.pick(-1, 0)})


@row("Mean", "Sum", "Max", "Min")
def variadic(m):
    shape = m.shape(3, 4)
    return Node([m.tensor("T", shape) for _ in range(m.pick(3, 2, 1))])


@row("BatchNormalization")
def batch_normalization(m):
    c = m.size(3)
    parameters = [m.tensor("T1", [c]), m.tensor("T1", [c]), m.tensor("T2", [c]), m.tensor("T2", [c], 0.5, 2)]
    return Node([m.tensor("T", [m.size(2), c, m.size(4)]), *parameters])


@row("InstanceNormalization")
def instance_normalization(m):
    c = m.size(3)
    return Node([m.tensor("T", [m.size(2), c, 1 + m.size(3)]), m.tensor("T", [c]), m.tensor("T", [c])], {"epsilon": 0.01})


@row("GroupNormalization")
def group_normalization(m):
    c = 2 * m.size(2)
    parameters = [m.tensor("T", [c]), m.tensor("T", [c])]
    return Node([m.tensor("T", [m.size(2), c, m.size(3)]), *parameters], {"num_groups": 2, "epsilon": 0.01})


@row("LayerNormalization")
def layer_normalization(m):
    n = m.size(6)
    attributes = {"stash_type": m.type_number("U"), "epsilon": 0.01}
    return Node([m.tensor("T", [m.size(3), n]), m.tensor("T", [n]), m.tensor("T", [n])], attributes, 3)


@row("RMSNormalization")
def rms_normalization(m):
    n = m.size(6)
    return Node([m.tensor("T", [m.size(3), n]), m.tensor("V", [n])], {"epsilon": 0.01})


@row("MeanVarianceNormalization")
def mean_variance(m):
    return Node([m.tensor("T", [m.size(2), m.size(3), m.size(3), m.size(2)])])


@row("LRN")
def local_response(m):
    return Node([m.tensor("T", [m.size(1), m.size(4), m.size(3), m.size(3)])], {"size": 3, "alpha": 0.1})


@row("NegativeLogLikelihoodLoss")
def log_likelihood(m):
    n, c = m.size(3), m.size(5)
    target = m.given("Tind", m.rng.integers(0, c, n))
    return Node([m.tensor("T", [n, c]), target, m.tensor("T", [c], 0.5, 2)], {"reduction": m.pick("mean", "sum", "none")})


@row("SoftmaxCrossEntropyLoss")
def cross_entropy(m):
    n, c = m.size(3), m.size(5)
    target = m.given("Tind", m.rng.integers(0, c, n))
    scores = m.tensor("T", [n, c])
    return Node([scores, target, m.tensor("T", [c], 0.5, 2)], {"reduction": m.pick("mean", "sum", "none")}, 2)


@row("Det")
def det(m):
    n = m.size(3)
    return Node([m.tensor("T", [m.size(2), n, n])])


@row("DFT")
def dft(m):
    return Node([m.tensor("T1", [m.size(2), m.size(6), m.pick(1, 2)]), m.given("T2", m.size(6)), m.given("int64", 1)])


@row("STFT")
def stft(m):
    signal = m.tensor("T1", [m.size(1), 12 + m.size(4), 1])
    return Node([signal, m.given("T2", 4), m.tensor("T1", [8], 0, 1), m.given("T2", 8)])


@row("ai.onnx.preview.training.Adagrad", "ai.onnx.preview.training.Adam", "ai.onnx.preview.training.Momentum")
def optimizer(m):
    shape = m.shape(3, 4)
    signed = 2 if m.signature.name != "Adam" else 3
    states = [m.tensor("T3", shape) for _ in range(signed)]
    states += [m.tensor("T3", shape, 0, 1)] if m.signature.name != "Momentum" else [m.tensor("T3", shape)]
    momentum = {"norm_coefficient": 0.01, "alpha": 0.9, "beta": 0.8, "mode": m.pick("standard", "nesterov")}
    attributes = momentum if m.signature.name == "Momentum" else {"norm_coefficient": 0.01}
    return Node([m.given("T1", 0.1), m.given("T2", 2), *states], attributes, len(states) - 1)
