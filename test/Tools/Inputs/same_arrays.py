# ===- same_arrays.py - Compare outputs of two runs ----------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""same_arrays.py FOLDER FOLDER: their arrays agree within 1e-3 of the largest number, 1e-2 in half precision."""

import pathlib
import sys

import numpy as np

first, second = map(pathlib.Path, sys.argv[1:])
names = sorted(path.name for path in first.glob("*.npy"))
assert names and names == sorted(path.name for path in second.glob("*.npy"))
for name in names:
    a, b = (np.load(folder / name).astype(np.float64) for folder in (first, second))
    rounding = 1e-2 if np.load(first / name).dtype == np.float16 else 1e-3
    np.testing.assert_allclose(a, b, rtol=0, atol=rounding * max(np.abs(a).max(), 1e-6), err_msg=name)
