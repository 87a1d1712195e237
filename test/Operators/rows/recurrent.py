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
    attributes = {"hidden_size": hidden, "direction": direction}
    return Node([x, *weights, bias, lengths], attributes, 3 if gates == 4 else 2)
