# ===- run_emulated.py - A product of bytes on another processor -----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""run_emulated.py MODEL.so TRIPLE PROCESSOR: runs `bytes` of cross_models.py under QEMU and compares."""

import sys

import numpy as np

from Harness.emulated import EmulatedSession

path, triple, processor = sys.argv[1:]
random = np.random.default_rng(0)
a, b = (random.integers(-128, 128, (64, 64), np.int8) for _ in "ab")
(y,) = EmulatedSession(path, triple, processor).run([a, b])
np.testing.assert_array_equal(y, a.astype(np.int32) @ b)
print("right")
