# ===- measure.py - Interleaved timing -------------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Timings on shared machines mean little alone: engines take turns in blocks
# A B C C B A with pauses between, and only ratios within a round are compared.
# ===------------------------------------------------------------------------===//
"""Interleaved timing of several engines in one process."""

import time

import numpy as np


def stolen_ticks():
    """Ticks that the hypervisor has given to others so far, over all processors."""
    with open("/proc/stat") as stat:
        return int(stat.readline().split()[8])


def block(run, seconds):
    """Times single runs for about `seconds`, at least three; returns their durations."""
    durations, end = [], time.perf_counter() + seconds
    run()  # wakes the engine's workers and warms the caches that the other engines have taken
    while len(durations) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        durations.append(time.perf_counter() - start)
    return durations


def interleave(runs, rounds, seconds, pause):
    """Runs the engines {name: callable} in rounds A B C C B A.

    Returns {name: (medians of its blocks, overall minimum)} and the number of dropped rounds: those in which
    another machine took more than 2 % of the processors' time.
    """
    names, dropped = list(runs), 0
    medians, minimum = {n: [] for n in names}, {n: float("inf") for n in names}
    while len(medians[names[0]]) < 2 * rounds and dropped <= rounds:
        before, started, taken = stolen_ticks(), time.perf_counter(), []
        for name in names + names[::-1]:
            time.sleep(pause)
            taken.append((name, block(runs[name], seconds)))
        elapsed_ticks = 100 * (time.perf_counter() - started)
        if stolen_ticks() - before > 0.02 * elapsed_ticks:
            dropped += 1
            if dropped <= rounds:
                continue
        for name, durations in taken:
            medians[name].append(float(np.median(durations)))
            minimum[name] = min(minimum[name], min(durations))
    return {n: (medians[n], minimum[n]) for n in names}, dropped


def bootstrap(ratios, samples=2000):
    """(median, low, high): the median ratio with its 95 % interval."""
    ratios = np.asarray(ratios)
    draws = np.random.default_rng(0).choice(ratios, (samples, len(ratios)))
    low, high = np.percentile(np.median(draws, axis=1), [2.5, 97.5])
    return float(np.median(ratios)), float(low), float(high)
