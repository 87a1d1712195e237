# ===- swap_weights.py - Other weights under sessions ---------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""swap_weights.py OLD.so NEW.onnx NEW.so ONNX-RUN: refits copies of OLD.so in their place while they are loaded.

A session keeps its weights, whether it has run before or not, and one that is loaded afterwards has those of NEW.so.
"""

import pathlib
import shutil
import subprocess
import sys

import numpy as np

from onnx_compile import ExecutionSession

old, model, new, onnx_run = sys.argv[1:]
x = np.random.default_rng(0).standard_normal((1, 1, 8, 8)).astype(np.float32)
before, after = ExecutionSession(old)(x), ExecutionSession(new)(x)
assert not np.array_equal(before, after)
for folder, runs_before in (("used", True), ("unused", False)):
    pathlib.Path(folder).mkdir()
    path = shutil.copy(old, folder)
    if pathlib.Path(old).with_suffix(".weights").exists():
        shutil.copy(pathlib.Path(old).with_suffix(".weights"), folder)
    session = ExecutionSession(path)
    if runs_before:
        assert np.array_equal(session(x), before)
    subprocess.run([onnx_run, "refit", path, model, "-o", path], check=True)
    replaced = ExecutionSession(path)
    assert np.array_equal(replaced(x), after)
    assert np.array_equal(session(x), before)
    assert session.content_hash != replaced.content_hash == ExecutionSession(new).content_hash
    shutil.rmtree(folder)
print("each session has its own weights")
