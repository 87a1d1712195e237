# ===- fork-tests.py - Compiling in a forked child -------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compiles, forks, and compiles again in the child.

Usage: fork-tests.py MODEL.onnx FOLDER
"""

import os
import pathlib
import signal
import sys
import time

import numpy as np
import onnx_compile

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def compile_and_run(name):
    path = onnx_compile.compile(model, output=folder / name)
    session = onnx_compile.ExecutionSession(path)
    return session.run([np.zeros((2, 1, 8, 8), np.float32)])[0].shape


def threads():
    return len(os.listdir("/proc/self/task"))


def threads_left(before):
    """The system lists a thread that Python has joined for a moment longer."""
    deadline = time.monotonic() + 10
    while threads() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    return threads() - before


before = threads()
onnx_compile.compile(model, output=folder / "first.so")
print("threads left behind:", threads_left(before), flush=True)
print("parent:", compile_and_run("parent.so"), flush=True)
child = os.fork()
if child == 0:
    signal.alarm(60)  # what hangs is killed
    print("child:", compile_and_run("child.so"), flush=True)
    os._exit(0)
_, status = os.waitpid(child, 0)
print("status of the child:", status)
