#!/usr/bin/env python3
# ===- check.py - Compile the exported models and compare --------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Needs no torch: models and inputs are files. Each model is compiled once and
# run with all its sizes in a process of its own; onnxruntime says what is right,
# and how long the last size takes, in turns with ours, on as many threads.
# ===------------------------------------------------------------------------===//
"""Compiles what export.py has written and compares with onnxruntime, in several sizes.

build/venv/bin/python utils/exports/check.py                  all models
... check.py --filter gpt2 --json out.json --no-times         some, without timing
... check.py --folder DIR                                     other models with inputs beside them
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test"))
import numpy as np

from Harness import BUILD, artefact, isolation


def inputs_of(path, names):
    """The inputs of each size: a list of dicts, of what the model asks for."""
    sizes = {}
    with np.load(path) as stored:
        for key in stored.files:
            number, name = key.split("/", 1)
            sizes.setdefault(int(number), {})[name] = stored[key]
    for size in sizes.values():
        if missing := set(names) - set(size):
            raise isolation.StageError("inputs", f"no input {', '.join(sorted(missing))} in {path.name}")
    return [{name: size[name] for name in names} for _, size in sorted(sizes.items())]


def peer(path, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def deviation(actual, expected, tolerance):
    """The largest difference in units of what is allowed; infinite if types or sizes differ."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return float("inf")
    if expected.dtype.kind not in "fc":
        return 0.0 if np.array_equal(actual, expected) else float("inf")
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    actual, expected = actual[~same], expected[~same]
    if not np.isfinite(expected).all():
        return float("inf")
    scale = np.abs(expected).max(initial=1e-6)
    difference = np.abs(actual - expected) / (tolerance * (np.abs(expected) + scale))
    return float(np.nan_to_num(difference, nan=np.inf).max(initial=0))


def compare(session, reference, sizes, tolerance, reporter):
    worst = 0.0
    for number, inputs in enumerate(sizes):
        reporter.stage(f"onnxruntime, size {number}")
        expected = reference.run(None, inputs)
        reporter.stage(f"run, size {number}")
        actual = session.run(list(inputs.values()))
        for place, (a, e) in enumerate(zip(actual, expected, strict=True)):
            units = deviation(np.asarray(a), np.asarray(e), tolerance)
            if units > 1:
                shapes = f"{a.dtype}{list(a.shape)} for {e.dtype}{list(e.shape)}"
                raise AssertionError(f"output {place} ({shapes}) differs by {units:.3g} times the tolerance")
            worst = max(worst, units)
    return worst


def seconds_of(run):
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def ratio(session, reference, inputs, budget=1.0):
    """Median of onnxruntime's time over ours, in turns, and our least time."""
    values = list(inputs.values())
    ours, theirs = lambda: session.run(values), lambda: reference.run(None, inputs)
    once = seconds_of(ours) + seconds_of(theirs)
    ratios, shortest = [], float("inf")
    for _ in range(max(3, min(200, int(budget / once)))):
        mine = min(seconds_of(ours), seconds_of(ours))
        ratios.append(min(seconds_of(theirs), seconds_of(theirs)) / mine)
        shortest = min(shortest, mine)
    return float(np.median(ratios)), shortest


class Check:
    """The job: compiles, runs and compares one model; gives what is told about it."""

    def __init__(self, arguments):
        self.arguments = arguments

    def compile(self, path, library):
        command = [BUILD / "bin" / "onnx-compile", path, "-q", "-o", library]
        started = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise isolation.StageError("compile", artefact.error_line(done.stderr) or f"exit status {done.returncode}")
        return time.monotonic() - started

    def __call__(self, path, reporter):
        with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
            library = pathlib.Path(scratch) / "model.so"
            reporter.stage("onnxruntime")
            reference = peer(path, self.arguments.threads)
            sizes = inputs_of(path.with_name(path.name.split(".")[0] + ".npz"), [i.name for i in reference.get_inputs()])
            reporter.stage("compile")
            facts = {"compile_seconds": round(self.compile(path, library), 2)}
            reporter.stage("load")
            session = artefact.load_session(library)
            facts["deviation"] = compare(session, reference, sizes, self.arguments.tolerance, reporter)
            if self.arguments.times:
                reporter.stage("time")
                facts["speed"], facts["seconds"] = ratio(session, reference, sizes[-1])
            return facts


def describe(name, outcome):
    if outcome.status != "passed":
        return f"FAILED {name}: {outcome.stage}: {' '.join(outcome.message.split())[:400]}"
    facts = outcome.value
    text = f"ok {name}: compiled in {facts['compile_seconds']:.1f} s, {facts['deviation']:.2g} of the tolerance"
    return text + (f", {1e3 * facts['seconds']:.2f} ms, {facts['speed']:.2f}x as fast" if "speed" in facts else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, default=BUILD / "exports")
    parser.add_argument("--filter", default="", help="only models whose name contains this")
    parser.add_argument("--json", type=pathlib.Path, help="write the results here as well")
    parser.add_argument("--times", action=argparse.BooleanOptionalAction, default=True, help="also measure speed")
    parser.add_argument("--threads", type=int, default=1, help="of each run, ours and onnxruntime's")
    parser.add_argument("--tolerance", type=float, default=1e-3, help="of a value, and of the largest of its tensor")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one model")
    arguments = parser.parse_args()
    os.environ["OM_NUM_THREADS"] = str(arguments.threads)
    jobs = [p for p in sorted(arguments.folder.glob("*.onnx")) if arguments.filter in p.name]
    results, failed = {}, 0
    for path, outcome in isolation.run_isolated(jobs, Check(arguments), 1, arguments.timeout, 64 << 30):
        failed += outcome.status != "passed"
        results[path.stem] = {"status": outcome.status, "stage": outcome.stage, "message": outcome.message} | (outcome.value or {})
        print(describe(path.stem, outcome), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
