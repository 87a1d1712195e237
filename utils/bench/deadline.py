#!/usr/bin/env python3
# ===- deadline.py - How soon a run ends when it is told to ----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Inputs of float tensors are random, all others zero. Dynamic sizes are 1.
# ===------------------------------------------------------------------------===//
"""Measures how late deadlines and omContextCancel end the runs of a compiled model.

  utils/bench/deadline.py resnet50.so --threads 1
  utils/bench/deadline.py resnet50.so --runs 50 --fractions 0.01,0.5,0.9
  utils/bench/deadline.py resnet50.so --beside silent.so     what the polls cost

Under `chrt -f 50` the work of other processes does not count. A thread of such a priority that never
sleeps is stopped by Linux for 50 ms of each second, so there is a pause after each run.

To make silent.so, a model whose kernels do not poll:
  onnx-compile resnet50.onnx --emit=loops -o polls.mlir
  sed 's/krnl.poll_/ignored.poll_/g' polls.mlir > silent.mlir
  onnx-compile silent.mlir --resume=loops -o silent.so
"""

import argparse
import ctypes
import threading
import time

import numpy as np

OK, DEADLINE, CANCELLED = 0, 5, 8
PAUSE = 0.01


class Argument(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int64), ("type", ctypes.c_int64),
                ("rank", ctypes.c_int64), ("shape", ctypes.POINTER(ctypes.c_int64))]  # fmt: skip


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_int64), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("rank", ctypes.c_int64), ("type", ctypes.c_int)]  # fmt: skip


class Model:
    """A context of a compiled model with its inputs."""

    def __init__(self, path, threads):
        self.library = ctypes.CDLL(path)
        for name in ("omContextCreate", "omGetInput", "omContextGetMessage"):
            getattr(self.library, name).restype = ctypes.c_void_p
        self.library.omGetNumInputs.restype = self.library.omGetNumOutputs.restype = ctypes.c_int64
        self.context = ctypes.c_void_p(self.library.omContextCreate(None))
        self.library.omContextSetThreads(self.context, ctypes.c_int64(threads))
        self.count = self.library.omGetNumInputs(None)
        self.kept = []
        self.inputs = (Buffer * self.count)(*[self.make(i) for i in range(self.count)])
        self.outputs = (Buffer * self.library.omGetNumOutputs(None))()

    def make(self, index):
        argument = ctypes.cast(self.library.omGetInput(None, ctypes.c_int64(index)), ctypes.POINTER(Argument))[0]
        dims = [max(argument.shape[i], 1) for i in range(argument.rank)]
        size = (ctypes.c_int * 32).in_dll(self.library, "OM_DATA_TYPE_SIZE")[argument.type]
        values = np.zeros(int(np.prod(dims)) * size, np.uint8)
        if argument.type == 1:
            values = np.random.default_rng(index).standard_normal(dims).astype(np.float32)
        shape = (ctypes.c_int64 * len(dims))(*dims)
        self.kept.append((values, shape))
        return Buffer(values.ctypes.data, values.nbytes, shape, len(dims), argument.type)

    def run(self):
        """(status, seconds at the end)"""
        status = self.library.omContextRun(self.context, self.inputs, ctypes.c_int64(self.count), self.outputs,
                                           ctypes.c_int64(len(self.outputs)))  # fmt: skip
        end = time.perf_counter()
        time.sleep(PAUSE)
        return status, end

    def measure(self):
        """Seconds of a run without a deadline."""
        start = time.perf_counter()
        status, end = self.run()
        assert status == OK, self.library.omContextGetMessage(self.context)
        return end - start

    def deadline(self, seconds):
        """How much longer than `seconds` a run takes that may take so long; None if it was over first."""
        self.library.omContextSetDeadline(self.context, ctypes.c_int64(round(seconds * 1e9)))
        start = time.perf_counter()
        status, end = self.run()
        self.library.omContextSetDeadline(self.context, ctypes.c_int64(0))
        return end - start - seconds if status == DEADLINE else None

    def cancel(self, seconds):
        """How long a run goes on that another thread ends after `seconds`; None if it was over first."""
        called = []

        def end_run():
            time.sleep(seconds)
            called.append(time.perf_counter())
            self.library.omContextCancel(self.context)

        other = threading.Thread(target=end_run)
        other.start()
        status, end = self.run()
        other.join()
        return end - called[0] if status == CANCELLED else None


def compare(model, other, runs):
    """Both run in turns, the first of a pair in the next one second."""
    pairs = np.empty((runs, 2))
    for i in range(runs):
        for j in (0, 1) if i % 2 else (1, 0):
            pairs[i, j] = (model, other)[j].measure()
    for name, (a, b) in (("minima", pairs.min(axis=0)), ("medians", np.median(pairs, axis=0))):
        print(f"{name} {a * 1e3:.3f} ms and {b * 1e3:.3f} ms: {a / b - 1:+.2%}")
    print(f"median of the ratios of pairs: {np.median(pairs[:, 0] / pairs[:, 1]) - 1:+.2%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="compiled model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=20, help="of each kind (default 20)")
    parser.add_argument("--beside", metavar="OTHER", help="only compare the times of runs with those of this model, in turns")
    parser.add_argument("--fractions", default="0.01,0.1,0.5,0.9", help="of the run's time, after which it is to end")
    arguments = parser.parse_args()
    model = Model(arguments.model, arguments.threads)
    if arguments.beside:
        return compare(model, Model(arguments.beside, arguments.threads), arguments.runs)
    times = [model.measure() for _ in range(arguments.runs)]
    whole = min(times)
    print(f"a run takes {whole * 1e3:.3f} ms (minimum), {np.median(times) * 1e3:.3f} ms (median)")
    for kind in ("deadline", "cancel"):
        for fraction in map(float, arguments.fractions.split(",")):
            late = [getattr(model, kind)(fraction * whole) for _ in range(arguments.runs)]
            late = [x for x in late if x is not None]
            if not late:
                print(f"{kind} at {fraction:.0%}: all runs were over first")
                continue
            median, worst = np.median(late), max(late)
            print(f"{kind} at {fraction:.0%}: {median * 1e6:.0f} us late (median), {worst * 1e6:.0f} us (worst of "
                  f"{len(late)}), {median / whole:.2%} of the run")  # fmt: skip


if __name__ == "__main__":
    main()
