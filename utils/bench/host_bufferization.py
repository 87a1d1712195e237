#!/usr/bin/env python3
# ===- host_bufferization.py - Our pass beside one-shot bufferization --------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The measurement of docs/RationaleMemory.md. Not a test: time is reported,
# never asserted.
# ===------------------------------------------------------------------------===//
"""Bufferizes chains of operations in destination-passing style with krnl-bufferize-host (launches) and with
one-shot-bufferize of MLIR (linalg.add), and prints the seconds on the processor of both.

  utils/bench/host_bufferization.py --operations 1000,2000,4000
"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("ONNXC_BUILD", ROOT / "build")) / "bin"
TYPE = "tensor<64xf32>"
# (program and pass, declarations, one operation)
OURS = ([BIN / "onnx-opt", "--krnl-bufferize-host"],
        "func.func private @k(memref<64xf32>, memref<64xf32>, index, index) attributes {krnl.kernel}\n",
        "  {result} = krnl.launch @k ins({operand} : {type}) outs({destination} : {type}) tiles(%t) -> {type}\n")  # fmt: skip
UPSTREAM = (["mlir-opt-22", "--one-shot-bufferize=bufferize-function-boundaries"], "",
            "  {result} = linalg.add ins({operand}, %x : {type}, {type}) outs({destination} : {type}) -> {type}\n")  # fmt: skip


def chain(count, declarations, operation):
    text = [declarations, f"func.func @chain(%x: {TYPE}) -> {TYPE} {{\n", "  %t = arith.constant 1 : index\n"]
    for i in range(count):
        text.append(f"  %e{i} = tensor.empty() : {TYPE}\n")
        operand = "%x" if i == 0 else f"%v{i - 1}"
        text.append(operation.format(result=f"%v{i}", operand=operand, destination=f"%e{i}", type=TYPE))
    return "".join([*text, f"  return %v{count - 1} : {TYPE}\n}}\n"])


def seconds(command, text):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, file.name, "-o", os.devnull], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", default="1000,2000,4000", help="numbers of operations, separated by commas")
    arguments = parser.parse_args()
    if not shutil.which(UPSTREAM[0][0]):
        sys.exit(f"error: there is no {UPSTREAM[0][0]} in the PATH")
    print(f"{'operations':>10} {'ours':>8} {'one-shot':>8}")
    for count in map(int, arguments.operations.split(",")):
        times = [seconds(command, chain(count, *rest)) for command, *rest in (OURS, UPSTREAM)]
        print(f"{count:10} {times[0]:8.2f} {times[1]:8.2f}", flush=True)


if __name__ == "__main__":
    main()
