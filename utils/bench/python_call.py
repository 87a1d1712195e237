#!/usr/bin/env python3
# ===- python_call.py - What a call from Python costs ------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compares the time of a call of a small model from Python with that of the C API.

  build/venv/bin/python utils/bench/python_call.py [--iterations N]

The model negates four numbers. A line for each way to call it: the least mean of 20 turns,
which the ways take alternately.
"""

import argparse
import ctypes
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build" / "python"))

import numpy as np
import onnx.parser

import onnx_compile

TURNS = 20
CALLER = r"""
#include "onnxc/Runtime.h"
#include <time.h>
double nanoseconds(long count) {
  float x[4] = {1, 2, 3, 4}, y[4];
  int64_t in[1] = {4}, out[1] = {4};
  OMContext *context = omContextCreate(0);
  OMBuffer input = {x, sizeof x, in, 1, ONNX_TYPE_FLOAT}, output = {y, sizeof y, out, 1, 0};
  struct timespec a, b;
  for (long i = -count / 10; i < count; ++i) {
    if (i == 0) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    if (omContextRun(context, &input, 1, &output, 1)) return -1;
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  omContextDestroy(context);
  return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count;
}
"""


def c_caller(folder, model):
    source, library = folder / "caller.c", folder / "caller.so"
    source.write_text(CALLER)
    command = ["clang-22", "-O2", "-shared", "-fPIC", f"-I{ROOT}/runtime/include", source, model, "-o", library]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(library)).nanoseconds
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_long]
    return function


def python_caller(call):
    def nanoseconds(count):
        for _ in range(count // 10):
            call()
        begin = time.thread_time_ns()
        for _ in range(count):
            call()
        return (time.thread_time_ns() - begin) / count

    return nanoseconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=20000)
    count = parser.parse_args().iterations
    model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 21]> g (float[4] x) => (float[4] y) { y = Neg(x) }')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = onnx_compile.compile(model, folder / "model.so")
        session, inference = onnx_compile.ExecutionSession(path), onnx_compile.InferenceSession(path)
        x, y = np.ones(4, np.float32), np.empty(4, np.float32)
        callers = {
            "omContextRun": c_caller(folder, path),
            "session.run(x)": python_caller(lambda: session.run(x)),
            "session.run({'x': x})": python_caller(lambda: session.run({"x": x})),
            "session.run(x, out=y)": python_caller(lambda: session.run(x, out=y)),
            "session(x)": python_caller(lambda: session(x)),
            "InferenceSession.run": python_caller(lambda: inference.run(None, {"x": x})),
            "a Python function": python_caller(lambda: None),
        }
        turns = [{name: caller(count) for name, caller in callers.items()} for _ in range(TURNS)]
    times = {name: min(turn[name] for turn in turns) for name in callers}
    base = times["omContextRun"]
    for name, nanoseconds in times.items():
        print(f"{name:24} {nanoseconds:7.0f} ns  {nanoseconds - base:+7.0f}")


if __name__ == "__main__":
    main()
