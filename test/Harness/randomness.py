# ===- randomness.py - Judging results that are random ---------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The stored results of a random operator are one draw of many. What must agree
# is the shape and type, which values there are, and how often each comes.
# ===------------------------------------------------------------------------===//
"""Judges models with random results by their distribution over many runs."""

import numpy as np

RUNS = 4000
# How unlikely results of the right probability must be before they are refused.
CHANCE = 1e-15


def only_node(model, *operators):
    """The node of the main graph that is one of these operators, or None."""
    found = [n for n in model.graph.node if n.op_type in operators]
    return found[0] if len(found) == 1 else None


def collect(run, expected, runs=RUNS):
    """Results of many runs, stacked; every one has the shape and type that is expected."""
    stacks = [[] for _ in expected]
    for _ in range(runs):
        for stack, wanted, got in zip(stacks, expected, run(), strict=True):
            assert got.shape == wanted.shape, f"incorrect shape {got.shape}, expected {wanted.shape}"
            assert got.dtype == wanted.dtype, f"type mismatch: {got.dtype}, expected {wanted.dtype}"
            stack.append(got)
    return [np.stack(s) for s in stacks]


def divergence(share, p):
    """Kullback-Leibler divergence of coins with the probabilities `share` and p, in nats."""

    def term(q, r):
        return np.where(q > 0, q * np.log(np.where(q > 0, q, 1) / np.maximum(r, np.finfo(np.float64).tiny)), 0)

    return term(share, p) + term(1 - share, 1 - p)


def is_likely(share, p, draws):
    """Whether `share` of `draws` with mean probability p may be ones. Their chance is at most exp(-draws * divergence)
    on either side, however skewed p is (Hoeffding: "Probability inequalities for sums of bounded random variables",
    1963, theorem 1)."""
    return draws * divergence(share, p) <= -np.log(CHANCE)


def check_frequency(hits, probability, what):
    """Each element of `hits` (runs first) is true as often as the probability says, within chance."""
    p = np.broadcast_to(np.asarray(probability, np.float64), hits.shape[1:])
    share = hits.mean(axis=0)
    assert np.all(is_likely(share, p, len(hits))), f"{what}: mismatch, shares {share}, expected {p}"
    overall = hits.mean()
    assert is_likely(overall, p.mean(), hits.size), f"{what}: mismatch, {overall} of all, expected {p.mean()}"


def check_changes(stack, probability):
    """Runs differ, and so do elements, unless chance has nothing to decide."""
    p = np.asarray(probability, np.float64)
    if np.any((p > 0.05) & (p < 0.95)):
        flat = stack.reshape(len(stack), -1)
        assert len(np.unique(flat, axis=0)) > 1, "mismatch: all runs give the same numbers"


def judge_bernoulli(probability, run, expected):
    (stack,) = collect(run, expected)
    assert np.all((stack == 0) | (stack == 1)), "mismatch: a value is neither 0 nor 1"
    check_frequency(stack == 1, probability, "ones")
    check_changes(stack, probability)


def judge_dropout(x, ratio, run, expected):
    stacks = collect(run, expected)
    scaled = x / (1 - ratio) if ratio < 1 else np.zeros_like(x)
    kept = stacks[1].astype(bool) if len(stacks) > 1 else stacks[0] != 0
    np.testing.assert_allclose(stacks[0], np.where(kept, scaled, 0).astype(x.dtype), rtol=1e-6)
    check_frequency(~kept, ratio, "dropped elements")
    check_changes(kept, ratio)


def rule_of(model, inputs):
    """How the model's results are to be judged: a function of `run` and what is expected; None if they are certain."""
    names = [i.name for i in model.graph.input]

    def value(name, otherwise=None):
        return inputs[names.index(name)] if name in names else otherwise

    if node := only_node(model, "Bernoulli"):
        return lambda run, expected: judge_bernoulli(value(node.input[0]), run, expected)
    if (node := only_node(model, "Greater")) and only_node(model, "RandomUniformLike"):
        # The body of the function Bernoulli: a one where the number is above the input.
        return lambda run, expected: judge_bernoulli(1 - value(node.input[1]), run, expected)
    node = only_node(model, "Dropout")
    if node and len(node.input) > 2 and np.any(value(node.input[2])):
        ratio = float(value(node.input[1], 0.5)) if node.input[1] else 0.5
        if ratio > 0:
            return lambda run, expected: judge_dropout(value(node.input[0]), ratio, run, expected)
    return None
