#!/usr/bin/env python3
# ===- cost_model.py - Predicted and measured costs of kernels --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The prediction is the attribute krnl.cycles of launches. The time of a kernel is
# measured by `onnx-run profile` on one thread: its share of the samples, times the
# time of a run. Real-time priority keeps other processes off the processor.
# ===------------------------------------------------------------------------===//
"""Sets the predicted cycles of kernels beside their measured times.

  utils/bench/cost_model.py --fifo model.onnx...
  utils/bench/cost_model.py --fifo model.onnx --kernels

Named dimensions of inputs become 1 where they come first and 64 elsewhere. Prints, for each kind of kernel
and for all, the number of functions, their share of the time, the cycles measured for each predicted one (median and
quartiles; at --ghz), and Spearman's rank correlation of both.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from kernels import BIN

KINDS = ["register tiles", "sums", "elementwise", "gathers"]


def fixed_dims(model):
    """Options that fix the named dimensions of the inputs."""
    dims = {}
    for value in onnx.load(model, load_external_data=False).graph.input:
        for position, dim in enumerate(value.type.tensor_type.shape.dim):
            if dim.dim_param:
                dims.setdefault(dim.dim_param, 1 if position == 0 else 64)
    return [f"--dim={name}={size}" for name, size in dims.items()]


def emit(model, kind, path):
    subprocess.run([BIN / "onnx-compile", model, f"--emit={kind}", "-o", path, "-q", *fixed_dims(model)], check=True)
    return path


def read_kinds(text):
    """The kind of each kernel of the phase krnl, in program order."""
    kinds = []
    for line in text.splitlines():
        if "krnl.kernel " in line:
            kinds.append("register tiles" if "register_tile" in line else "elementwise")
        elif kinds and "register_tile" in line:
            kinds[-1] = "register tiles"
        elif kinds and "tensor.extract " in line and kinds[-1] != "register tiles":
            kinds[-1] = "gathers"
        elif kinds and re.search(r"krnl\.compute [^[]*\[[^]]*\|", line) and kinds[-1] == "elementwise":
            kinds[-1] = "sums"
    return kinds


def measure(model, arguments, folder):
    """[(kind, function, predicted cycles of a run, microseconds of a run)], without the shortest functions."""
    kinds = read_kinds(emit(model, "krnl", folder / "krnl").read_text())
    loops = emit(model, "loops", folder / "loops").read_text()
    # Kernels become launches in order; packing at run time has launches of its own.
    launches = re.findall(r"krnl\.launch @(?!kernel_pack_)(\w+).*krnl\.cycles = \[\[([^],]*)\]\]", loops)
    if len(launches) != len(kinds):
        print(f"{model.name}: {len(kinds)} kernels, but {len(launches)} launches of known cost", file=sys.stderr)
        return []
    kind_of, cycles = {}, {}
    for (name, cost), kind in zip(launches, kinds):
        kind_of[name] = kind
        cycles[name] = cycles.get(name, 0) + float(cost)
    artefact = emit(model, "lib", folder / "lib.so")
    profile = [BIN / "onnx-run", "profile", artefact, "--threads=1", f"--duration={arguments.seconds}", "--json"]
    if arguments.fifo:
        profile = ["chrt", "-f", "50", *profile]
    profile = subprocess.run(profile, check=True, capture_output=True, text=True)
    report = json.loads(profile.stdout)
    rows = []
    for function in report["functions"]:
        name, time = function["name"], 1000 * function["milliseconds"]
        if name in cycles and time >= arguments.minimum and function["share"] * report["samples"] >= 20:
            rows.append((kind_of[name], name, cycles[name], time))
    return rows


def ranks(values):
    """Ranks of values, ties sharing their mean."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def spearman(x, y):
    return float(np.corrcoef(ranks(x), ranks(y))[0, 1]) if len(x) > 2 else float("nan")


def summarize(rows, ghz):
    print("| kernels | functions | time | 25 % | median | 75 % | rank correlation |")
    print("|---|---|---|---|---|---|---|")
    total = sum(row[3] for row in rows)
    for kind in [*KINDS, "all"]:
        own = [row for row in rows if kind in (row[0], "all")]
        if not own:
            continue
        predicted, measured = (np.array([row[i] for row in own]) for i in (2, 3))
        low, median, high = np.percentile(1000 * ghz * measured / predicted, [25, 50, 75])
        print(f"| {kind} | {len(own)} | {100 * measured.sum() / total:.0f} % | {low:.2f} | {median:.2f} | {high:.2f} "
              f"| {spearman(predicted, measured):.2f} |")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path, nargs="+", help="ONNX models")
    parser.add_argument("--seconds", type=float, default=1, help="how long to sample each model")
    parser.add_argument("--minimum", type=float, default=0.2, help="microseconds of functions to count")
    parser.add_argument("--ghz", type=float, default=3.7, help="clock of the processor")
    parser.add_argument("--fifo", action="store_true", help="measure at real-time priority (chrt -f 50)")
    parser.add_argument("--kernels", action="store_true", help="list the functions, those predicted worst first")
    arguments = parser.parse_args()
    rows = []
    for model in arguments.models:
        with tempfile.TemporaryDirectory() as folder:
            try:
                rows += measure(model, arguments, pathlib.Path(folder))
            except subprocess.CalledProcessError as error:
                print(f"{model.name}: {error}", file=sys.stderr)
    if arguments.kernels:
        print("measured/predicted  predicted cycles  microseconds  kind, function")
        for kind, name, predicted, time in sorted(rows, key=lambda r: -abs(np.log(r[3] / r[2]))):
            print(f"{1000 * arguments.ghz * time / predicted:18.2f} {predicted:17.0f} {time:13.2f}  {kind}, {name}")
    summarize(rows, arguments.ghz)


if __name__ == "__main__":
    main()
