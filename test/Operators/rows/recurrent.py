# ===- recurrent.py - Rows of recurrent networks ----------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""RNN, GRU and LSTM."""

from table import Node, row

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


@row("RNN", "GRU", "LSTM")
def recurrent(m):
    gates = GATES[m.signature.name]
    length, batch, size, hidden = m.size(4), m.size(2), m.size(3), m.size(3)
    direction = m.pick("forward", "reverse", "bidirectional")
    ways = 2 if direction == "bidirectional" else 1
    x = m.tensor("T", [length, batch, size], -1, 1)
    weights = [m.tensor("T", [ways, gates * hidden, n], -0.5, 0.5) for n in (size, hidden)]
    bias = m.tensor("T", [ways, 2 * gates * hidden], -0.5, 0.5)
    lengths = m.given("T1", m.rng.integers(1, length + 1, batch))
    # onnxruntime does not clip what the last function of an LSTM is given, as the text has it of all functions.
    clip = m.pick({}, {}, {"clip": 0.5}) if gates != 4 else {}
    attributes = {"hidden_size": hidden, "direction": direction, **clip, **activations(m, ways)}
    operands = [x, *weights, m.pick(bias, None), m.pick(lengths, None)]
    # What it begins with, and of an LSTM what gates read of the cell.
    more = [m.tensor("T", [ways, batch, hidden], -1, 1) for _ in range(2 if gates == 4 else 1)]
    more += [m.tensor("T", [ways, 3 * hidden], -1, 1)] if gates == 4 else []
    return Node([*operands, *more[: m.pick(0, 1, len(more))]], attributes, 3 if gates == 4 else 2)


def activations(m, ways):
    """Other functions than the usual, and what a GRU or an LSTM can do otherwise."""
    if m.signature.name == "GRU":
        return m.pick({}, {"linear_before_reset": 1}, {"activations": ["HardSigmoid", "Softsign"] * ways})
    if m.signature.name == "LSTM":
        return m.pick({}, {"activations": ["Sigmoid", "Relu", "Tanh"] * ways}, {"activations": ["HardSigmoid", "Tanh", "Softsign"] * ways})
    return m.pick({}, {"activations": ["Relu"] * ways}, {"activations": ["Sigmoid"] * ways})
