# ===- options.py - How a random model is compiled --------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Options of the compiler that change no result beyond the last bits."""

import pathlib

import numpy as np

FLAGS = {
    "x86-64-v2": {"sse4_2", "popcnt"},
    "x86-64-v3": {"avx2", "bmi2", "fma", "f16c"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}


def processors():
    """Names of processors whose instructions this one has."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    known = set(next((l.split(":")[1].split() for l in text.splitlines() if l.startswith("flags")), []))
    return ["generic", *(name for name, needed in FLAGS.items() if needed <= known)]


PROCESSORS = processors()


def draw_options(number):
    """The options of a model, none for most; the same for the same number."""
    rng = np.random.default_rng([number, 2])
    options = {}
    if rng.random() < 0.2:
        options["O"] = int(rng.integers(0, 3))
    if rng.random() < 0.2:
        options["cpu"] = PROCESSORS[int(rng.integers(len(PROCESSORS)))]
    if rng.random() < 0.1:
        options["strict"] = "true"
    if rng.random() < 0.05:
        options["threads"] = 1
    return options
