#!/usr/bin/env python3
# ===- operators.py - Single operators beside onnxruntime -------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# One model per operator at a size that occurs in practice, on one thread. What
# counts is the thread's time on the processor, so that a busy machine disturbs
# little. Not a test: speed is reported, never asserted.
# ===------------------------------------------------------------------------===//
"""Compares single operators with onnxruntime, the worst first.

  utils/bench/setup.sh                                            install the peers (once)
  build/bench-venv/bin/python utils/bench/operators.py            all of them
  ... operators.py --filter '^(Gather|TopK)' --json out.json
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

import onnx
import peers  # finds the package of the build
from onnx_compile._peers import Artefact, OnnxRuntime
from operator_cases import cases

SCHEMA_VERSION = 1


def block(run, seconds):
    """Processor time of one run, averaged over about `seconds`."""
    runs, start = 0, time.thread_time()
    while (elapsed := time.thread_time() - start) < seconds or runs < 2:
        run()
        runs += 1
    return elapsed / runs


def interleave(runs, rounds, seconds):
    """{name: the best block's seconds per run}; the engines take turns."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            best[name] = min(best[name], block(run, seconds))
    return best


def scalar_share(model):
    """What part of the model's estimated work is in scalar loops; None if the compiler does not say."""
    command = [peers.BUILD / "bin" / "onnx-compile", model, "--report=json", "-o", model.with_suffix(".report.so")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return sum(kernel["share"] for kernel in json.loads(done.stdout)["scalar_kernels"])
    except (ValueError, KeyError):
        return None


def bench(case, folder, arguments):
    path = folder / "model.onnx"
    onnx.save(case.model(), path)
    record, runs = {"operator": case.operator, "case": case.name, "text": case.describe()}, {}
    library = folder / f"{case.number}.so"

    def compiled():
        peers.compile_model(path, library)
        return Artefact(str(library))

    feeds = case.feed_sequence()
    makers = {"onnx-compile": compiled, "onnxruntime": lambda: OnnxRuntime(str(path))}
    for name, make in makers.items():
        try:
            runs[name] = make().prepare(feeds, threads=1)
            runs[name]()
        except Exception as error:  # any refusal of either engine is a result
            runs.pop(name, None)
            record[name] = {"error": f"{type(error).__name__}: {error}"[:200]}
    for name, seconds in interleave(runs, arguments.rounds, arguments.seconds).items():
        record[name] = {"us": 1e6 * seconds}
    if len(runs) == 2:
        record["ratio"] = record["onnxruntime"]["us"] / record["onnx-compile"]["us"]
    record["scalar"] = scalar_share(path)
    return record


def show(record):
    """ratio, microseconds of both, share of scalar work, and what was measured."""
    def cell(name):  # fmt: skip
        return f"{record[name]['us']:10.1f}" if "us" in record[name] else "   refused"

    ratio = f"{record['ratio']:7.2f}x" if "ratio" in record else "       -"
    scalar = "    -" if record["scalar"] is None else f"{100 * record['scalar']:4.0f}%"
    print(f"{ratio} {cell('onnx-compile')} {cell('onnxruntime')} {scalar}  {record['case']} {record['text']}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="regular expression on the names of cases")
    parser.add_argument("--rounds", type=int, default=5, help="blocks of each engine")
    parser.add_argument("--seconds", type=float, default=0.02, help="length of a block")
    parser.add_argument("--json", type=pathlib.Path, help="write the results here as well")
    arguments = parser.parse_args()
    os.environ["OM_NUM_THREADS"] = "1"
    records = []
    print("   ratio    ours us     ort us scalar case", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for case in cases():
            if re.search(arguments.filter, case.name):
                records.append(bench(case, pathlib.Path(name), arguments))
                show(records[-1])
    print("\nfaster than onnxruntime by, the worst first:")
    for record in sorted(records, key=lambda r: r.get("ratio", float("inf"))):
        show(record)
    if arguments.json:
        arguments.json.write_text(json.dumps({"schema": SCHEMA_VERSION, "results": records}, indent=1))


if __name__ == "__main__":
    main()
