# ===- _interleave.py - Timing of engines in turns --------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Timings on shared machines mean little alone: engines take turns in blocks
# A B C C B A with pauses between, and only ratios within a round are compared.
# ===------------------------------------------------------------------------===#
"""Interleaved timing of several engines in one process."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

# In seconds: one list for each block of an engine.
Blocks = list[list[float]]


def _stolen_ticks() -> int:
    """Ticks that the hypervisor has given to others so far, over all processors; 0 where nobody counts them."""
    try:
        with open("/proc/stat") as stat:
            return int(stat.readline().split()[8])
    except (OSError, IndexError):
        return 0


def _block(run: Callable[[], Any], seconds: float) -> list[float]:
    """Times single runs for about `seconds`, at least three."""
    durations: list[float] = []
    run()  # wakes the engine's workers and warms the caches that the other engines have taken
    end = time.perf_counter() + seconds
    while len(durations) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        durations.append(time.perf_counter() - start)
    return durations


def interleave(
    runs: Mapping[str, Callable[[], Any]], rounds: int, seconds: float, pause: float
) -> tuple[dict[str, Blocks], int]:
    """Runs the engines in rounds A B C C B A, with a pause in seconds before each block.

    Returns the durations of each engine's blocks, two for each round, and the number of dropped
    rounds: those in which another machine took more than 2 % of the processors' time. At most
    `rounds` are dropped.
    """
    names, dropped = list(runs), 0
    blocks: dict[str, Blocks] = {name: [] for name in names}
    while len(blocks[names[0]]) < 2 * rounds:
        before, started, taken = _stolen_ticks(), time.perf_counter(), []
        for name in names + names[::-1]:
            time.sleep(pause)
            taken.append((name, _block(runs[name], seconds)))
        elapsed_ticks = 100 * (time.perf_counter() - started)
        if dropped < rounds and _stolen_ticks() - before > 0.02 * elapsed_ticks:
            dropped += 1
            continue
        for name, durations in taken:
            blocks[name].append(durations)
    return blocks, dropped


def bootstrap(ratios: Sequence[float], samples: int = 2000) -> tuple[float, float, float]:
    """(median, low, high): the median ratio with its 95 % interval."""
    values = np.asarray(ratios)
    draws = np.random.default_rng(0).choice(values, (samples, len(values)))
    low, high = np.percentile(np.median(draws, axis=1), [2.5, 97.5])
    return float(np.median(values)), float(low), float(high)
