# ===- branch_of_other_rate.py - One of two sampling rates -----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""branch_of_other_rate.py OPEN.so FIXED.so: the same windows of 16 kHz in both, and one of 8 kHz in the second."""

import sys

import numpy as np
from onnx_compile import ExecutionSession

sessions = [ExecutionSession(path) for path in sys.argv[1:]]
states = [np.zeros((2, 1, 128), np.float32) for _ in sessions]
random = np.random.default_rng(1)
for _ in range(4):
    window = random.uniform(-0.5, 0.5, (1, 576)).astype(np.float32)
    feeds = [{"input": window, "state": state, "sr": np.array(16000)} for state in states]
    (first, states[0]), (second, states[1]) = (s.run(feed) for s, feed in zip(sessions, feeds))
    np.testing.assert_allclose(first, second, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(*states, rtol=1e-3, atol=1e-5)
print("equal")
try:
    sessions[1].run({"input": window, "state": states[1], "sr": np.array(8000)})
    print("wrong: no error")
except ValueError as error:
    print(error)
