#!/usr/bin/env python3
# ===- kernels.py - Where a compiled model spends its time ------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Samples one thread with Linux's perf (package linux-perf). What counts is time
# on the processor, so that a busy machine disturbs little.
# ===------------------------------------------------------------------------===//
"""Shows the time and the floating-point rate of each kernel of a model.

  utils/bench/kernels.py build/bench-models/resnet50.onnx
  utils/bench/kernels.py model.onnx --iterations 20 --top 10

Equal kernels are one function; `launches` says how often a run calls it. Operations
are those of the structured ops that reduce (multiply and add count as two).
"""

import argparse
import math
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("ONNXC_BUILD", ROOT / "build")) / "bin"


def emit(model, kind, folder):
    path = folder / kind
    subprocess.run([BIN / "onnx-compile", model, f"--emit={kind}", "-o", path, "-q"], check=True)
    return path


def read_kernels(text):
    """[(name, loops as text, operations)] in program order; loops of unknown extent count once."""
    kernels = []
    extents, axes, reduces, operations = {}, [], False, 0
    for line in text.splitlines():
        if found := re.search(r'krnl\.kernel "([^"]*)" loops \[([^\]]*)\]', line):
            extents = {n: int(e) for n, e in re.findall(r"([\w.]+) = (\d+)", found[2])}
            kernels.append([found[1], found[2], 0])
        elif found := re.search(r"krnl\.compute [^[]*\[([^]]*)\]", line):
            reduces = "|" in found[1]
            axes = re.findall(r"[\w.]+", found[1])
            operations = 0
        elif re.search(r"= arith\.(mulf|addf|subf|divf)\b", line):
            operations += 1
        elif "linalg.yield" in line and reduces and kernels:
            kernels[-1][2] += operations * math.prod(extents.get(a, 1) for a in axes)
    return kernels


def sample(artefact, iterations, folder):
    """(milliseconds on the processor per run, {function: share})."""
    data = folder / "perf.data"
    bench = [BIN / "onnx-run", "bench", artefact, "--threads=1", "--warmup=1", f"--iterations={iterations}", "--quiet"]
    subprocess.run(["perf", "record", "-e", "cpu-clock", "-F", "4000", "-o", data, *bench],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    report = subprocess.run(["perf", "report", "-i", data, "--stdio"], check=True, capture_output=True, text=True).stdout
    total = float(re.search(r"Event count \(approx\.\): (\d+)", report)[1]) / 1e6 / (iterations + 1)
    found = re.findall(r"^\s*([\d.]+)%.*\[\.\] (kernel_\w+)", report, re.MULTILINE)
    return total, {name: float(share) / 100 for share, name in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, help="an ONNX model")
    parser.add_argument("--iterations", type=int, default=50, help="runs to sample")
    parser.add_argument("--top", type=int, default=30, help="functions to show")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kernels = read_kernels(emit(arguments.model, "krnl", folder).read_text())
        loops = emit(arguments.model, "loops", folder).read_text()
        total, shares = sample(emit(arguments.model, "lib", folder), arguments.iterations, folder)
    # Kernels become launches in order; packing at run time adds launches of its own.
    launches = [n for n in re.findall(r"krnl\.launch @(\w+)", loops) if not re.fullmatch(r"kernel_pack_\d+", n)]
    functions = {}
    for function, kernel in zip(launches, kernels, strict=True):
        functions.setdefault(function, []).append(kernel)
    print(f"{total:.3f} ms on the processor per run, {100 * sum(shares.values()):.0f} % of it in kernels")
    print("      ms  share  launches  GFLOP/s  function [loops]")
    for function, share in sorted(shares.items(), key=lambda item: -item[1])[: arguments.top]:
        equal = functions.get(function, [])
        rate = sum(k[2] for k in equal) / 1e6 / (share * total) if share else 0
        text = f"[{equal[0][1]}]" if equal else ""
        print(f"{share * total:8.3f} {100 * share:5.1f}% {len(equal):9} {rate:8.1f}  {function} {text}")


if __name__ == "__main__":
    main()
