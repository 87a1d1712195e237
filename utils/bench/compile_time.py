#!/usr/bin/env python3
# ===- compile_time.py - Time of the compiler per node -----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Models of many nodes of one kind. What counts is the compiler's time on the
# processor, so that a busy machine disturbs little. Not a test: time is
# reported, never asserted.
# ===------------------------------------------------------------------------===//
"""Shows how the time of a compilation grows with the number of nodes.

  utils/bench/compile_time.py                                   all kinds, 1,000 to 50,000 nodes
  ... compile_time.py --kinds elementwise,conv-open --nodes 1000,5000
  ... compile_time.py --emit krnl                               up to a phase only

Each row: microseconds per node at each size, the growth from the first to the last, and the steps and passes of the
last size that grow faster than the number of nodes, with their seconds and their growth per node. Exit status 1: a model was
not compiled.
"""

import argparse
import collections
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import onnx
from compile_time_models import KINDS

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("ONNXC_BUILD", ROOT / "build")) / "bin"
GIBIBYTE = 1 << 30


def compile_model(model, artefact, arguments):
    """(seconds on the processor, {step or pass: seconds}, what went wrong or None)."""
    command = [BIN / "onnx-compile", model, f"--emit={arguments.emit}", "--threads=1", "--verbose", "--report", "-o", artefact,
               *arguments.option]  # fmt: skip
    limit = (arguments.memory * GIBIBYTE, arguments.memory * GIBIBYTE)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))  # fmt: skip
    try:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        text, _ = process.communicate(timeout=arguments.seconds)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    except subprocess.TimeoutExpired:
        process.kill()
        text, _ = process.communicate()
        return None, read_passes(text), f"not done after {arguments.seconds} s"
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    problem = None if process.returncode == 0 else text.strip().splitlines()[-1][:150]
    return seconds, read_passes(text), problem


def read_passes(text):
    """{step or pass: seconds}; a pass that runs several times counts as one."""
    passes = collections.Counter()
    for name, seconds in re.findall(r"(?:^|remark: |\s)([\w-]+):\s+([\d.]+) s$", text, re.MULTILINE):
        passes[name] += float(seconds)
    return passes


def growing(first, last, factor):
    """Passes whose time per node has grown, the slowest first, as text."""
    rows = []
    for name, seconds in last.most_common():
        growth = seconds / max(first.get(name, 0), 0.002) / factor
        if seconds > 0.05 and growth > 2:
            rows.append(f"{name} {seconds:.2f} s ({growth:.1f}x)")
    return ", ".join(rows)


def measure(kind, sizes, folder, arguments):
    """Prints one row; False if a model was not compiled."""
    print(f"{kind:24}", end="", flush=True)
    times, passes = [], []
    for nodes in sizes:
        model = folder / "model.onnx"
        onnx.save(KINDS[kind](nodes), model)
        started = time.time()
        seconds, parts, problem = compile_model(model, folder / "artefact", arguments)
        if problem:
            print(f"  {problem} ({time.time() - started:.0f} s)", end="")
            passes.append(parts)
            break
        times.append(seconds / nodes)
        passes.append(parts)
        print(f"{1e6 * times[-1]:9.0f}", end="", flush=True)
        if arguments.passes:
            print("\n  ", ", ".join(f"{name} {value:.2f}" for name, value in parts.most_common(arguments.passes)))
    if len(times) > 1:
        print(f"  {times[-1] / times[0]:5.1f}x", end="")
    if len(passes) > 1:
        print(" ", growing(passes[0], passes[-1], sizes[len(passes) - 1] / sizes[0]), end="")
    print(flush=True)
    return len(times) == len(sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", help="names, separated by commas: " + ", ".join(KINDS))
    parser.add_argument("--nodes", default="1000,5000,20000,50000", help="numbers of nodes")
    parser.add_argument("--emit", default="lib", help="how far to compile, as onnx-compile has it")
    parser.add_argument("--seconds", type=float, default=600, help="limit of one compilation")
    parser.add_argument("--memory", type=int, default=16, help="limit of one compilation in GiB")
    parser.add_argument("--passes", type=int, default=0, help="print the slowest passes of each size")
    parser.add_argument("--option", action="append", default=[], help="an option for onnx-compile")
    arguments = parser.parse_args()
    kinds = arguments.kinds.split(",") if arguments.kinds else list(KINDS)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        sys.exit(f"compile_time.py: no kind {', '.join(unknown)}")
    sizes = [int(n) for n in arguments.nodes.split(",")]
    print(f"{'us per node at':24}" + "".join(f"{n:9}" for n in sizes) + "  growth")
    with tempfile.TemporaryDirectory() as name:
        rows = [measure(kind, sizes, pathlib.Path(name), arguments) for kind in kinds]
    sys.exit(not all(rows))


if __name__ == "__main__":
    main()
