#!/usr/bin/env python3
# ===- run.py - Signals through operators of one's own ---------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Smooth a noisy sine and find its peaks: run.py signals.so."""

import sys

import numpy as np
from onnx_compile import ExecutionSession


def main():
    session = ExecutionSession(sys.argv[1])
    time = np.arange(200)
    signal = np.sin(time * 2 * np.pi / 50) + 0.1 * np.random.default_rng(1).standard_normal(200)
    smooth, peaks = session.run(np.stack([signal, -signal]).astype(np.float32))
    print(f"noise before: {np.abs(np.diff(signal, 2)).mean():.3f}, after: {np.abs(np.diff(smooth[0], 2)).mean():.3f}")
    print(f"the highest peaks: {sorted(peaks[np.argsort(-smooth[0, peaks])][:2].tolist())}")


if __name__ == "__main__":
    main()
