#!/usr/bin/env python3
# ===- bench.py - Compiled models beside onnxruntime and OpenVINO ----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# One process, alternating blocks, ratios with an interval, and a check that
# all engines agree. Not a test: speed is reported, never asserted.
# ===------------------------------------------------------------------------===//
"""Compares compiled models with onnxruntime and OpenVINO.

  utils/bench/setup.sh                                  install the peers (once)
  build/bench-venv/bin/python utils/bench/bench.py      all full-size models, all processors
  ... bench.py --models mlp_tiny,resnet50 --threads 1 --json out.json
  ... bench.py --files examples/digits/digits.onnx
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys

import measure
import numpy as np
import onnx
import peers

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ONNXC_BUILD", ROOT / "build"))
SCHEMA_VERSION = 1


def describe_machine(threads):
    fields = dict(l.split(":", 1) for l in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines() if ":" in l)
    processor = {k.strip(): v.strip() for k, v in fields.items()}.get("model name", platform.machine())
    return {"processor": processor, "cores": len(os.sched_getaffinity(0)), "threads": threads,
            "kernel": platform.release(), "load": os.getloadavg()[0]}  # fmt: skip


def inflate(names):
    """Writes the full-size models where their descriptions are at hand; returns their paths."""
    folder = BUILD / "bench-models"
    script = ROOT.parent / "shared" / "bench" / "inflate.py"
    if script.exists():
        subprocess.run([sys.executable, script, folder, *names], check=True, stdout=subprocess.DEVNULL)
    found = {p.stem: p for p in sorted(folder.glob("*.onnx"))}
    missing = [n for n in names if n not in found]
    if missing:
        sys.exit(f"bench.py: no model {', '.join(missing)} in {folder}")
    return [found[n] for n in names] if names else list(found.values())


def agreement(ours, reference):
    """The largest deviation as a multiple of rtol 1e-3 plus 1e-3 of the largest value; at most 1 is agreement."""
    worst = 0.0
    for a, r in zip(ours, reference, strict=True):
        if a.shape != r.shape or a.dtype != r.dtype:
            return float("inf")
        a, r = np.asarray(a, np.float64), np.asarray(r, np.float64)
        allowed = 1e-3 * np.abs(r) + 1e-3 * np.abs(r).max(initial=1e-30)
        worst = max(worst, float(np.nan_to_num(np.abs(a - r) / allowed, nan=np.inf).max(initial=0.0)))
    return worst


def is_quantized(model):
    return any("Quantize" in node.op_type or "QLinear" in node.op_type or "Integer" in node.op_type for node in model.graph.node)


def first_choices(outputs):
    return [np.argmax(o, -1).tolist() for o in outputs if o.ndim > 1 and o.dtype.kind == "f"]


def judge_plainly(outputs, plain):
    """{engine: deviation from onnxruntime with all its optimisations}."""
    return {name: agreement(o, outputs["onnxruntime"]) for name, o in outputs.items() if name != "onnxruntime"}


def judge_quantized(outputs, plain):
    """The deviation from the model as it is written, where one by a quarter more than that of the optimised onnxruntime is 1;
    infinite where the largest element is another one."""
    reference = plain()
    allowed = 1.25 * max(1.0, agreement(outputs["onnxruntime"], reference))
    return {name: agreement(o, reference) / allowed if first_choices(o) == first_choices(reference) else float("inf")
            for name, o in outputs.items() if name != "onnxruntime"}  # fmt: skip


# How results are compared: the first row whose test holds for the model.
RULES = [
    # A sum that lies between two quanta may be rounded either way, and layers multiply what that makes: optimised
    # onnxruntime itself is off by 15 to 50 times the tolerance.
    (is_quantized, judge_quantized),
    (lambda model: True, judge_plainly),
]


def prepare(path, arguments, record):
    """Builds the engines; one that refuses the model is left out and its reason recorded."""
    model = onnx.load(path)
    runs, inputs = {}, peers.random_inputs(model)
    library = BUILD / "bench-models" / f"{path.stem}.so"
    library.parent.mkdir(exist_ok=True)
    makers = {
        "onnx-compile": lambda: peers.Ours(BUILD, path, library, arguments.threads, arguments.O),
        "onnxruntime": lambda: peers.OnnxRuntime(path, arguments.threads),
        "openvino": lambda: peers.OpenVino(path, arguments.threads),
    }
    outputs = {}
    for name in arguments.engines.split(","):
        try:
            engine = makers[name]()
            run = engine.bind(inputs)
            outputs[name] = [np.array(o) for o in run()]
            runs[name] = run
        except Exception as error:  # any refusal of any engine is a result
            record[name] = {"error": f"{type(error).__name__}: {error}"[:300]}
            continue
        record[name] = {}
        if name == "onnx-compile":
            record[name] = {"compile_seconds": round(engine.compile_seconds, 2), "compile_peak_mb": round(engine.compile_peak_mb)}
    if "onnxruntime" in outputs:
        judge = next(judge for holds, judge in RULES if holds(model))
        plain = lambda: peers.OnnxRuntime(path, arguments.threads, optimize=False).bind(inputs)()  # noqa: E731
        for name, deviation in judge(outputs, plain).items():
            record[name]["deviation"] = deviation
    return runs


def bench(path, arguments):
    record = {"model": path.stem, "bytes": path.stat().st_size}
    runs = prepare(path, arguments, record)
    if not runs or arguments.rounds == 0:
        return record
    times, dropped = measure.interleave(runs, arguments.rounds, arguments.seconds, arguments.pause)
    record["dropped_rounds"] = dropped
    for name, (medians, minimum) in times.items():
        record[name] |= {"median_ms": 1e3 * float(np.median(medians)), "min_ms": 1e3 * minimum}
        if name != "onnx-compile" and "onnx-compile" in times:
            ours = times["onnx-compile"]
            ratio, low, high = measure.bootstrap(np.array(medians) / np.array(ours[0]))
            record[name]["times_faster_than"] = {"median": ratio, "low": low, "high": high, "min": minimum / ours[1]}
    return record


def show(record):
    """Prints one model: milliseconds, and by how much ours is faster than each peer."""
    print(f"{record['model']} ({record['bytes'] / 1e6:.1f} MB)")
    for name, facts in record.items():
        if not isinstance(facts, dict):
            continue
        if "error" in facts:
            print(f"  {name:13} {facts['error']}")
            continue
        text = f"  {name:13}"
        if "median_ms" in facts:
            text += f" median {facts['median_ms']:9.4f} ms  min {facts['min_ms']:9.4f} ms"
        if "compile_seconds" in facts:
            text += f"  compiled in {facts['compile_seconds']:.1f} s, {facts['compile_peak_mb']} MB"
        ratio = facts.get("times_faster_than")
        if ratio:
            text += f"  ours is {ratio['median']:.2f}x [{ratio['low']:.2f}, {ratio['high']:.2f}] as fast, by minima {ratio['min']:.2f}x"
        if "deviation" in facts:
            text += "  agrees" if facts["deviation"] <= 1 else f"  DIFFERS by {facts['deviation']:.3g} x the tolerance"
        print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="", help="names of full-size models, with commas (default: all)")
    parser.add_argument("--files", nargs="+", type=pathlib.Path, default=[], help="other model files instead")
    parser.add_argument("--engines", default="onnx-compile,onnxruntime,openvino")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=15, help="rounds A B C C B A; 0: compile and compare outputs only")
    parser.add_argument("--seconds", type=float, default=0.15, help="length of a block")
    parser.add_argument("--pause", type=float, default=0.1, help="before each block, until the others' workers sleep")
    parser.add_argument("-O", type=int, default=3, help="optimisation level of the compiler")
    parser.add_argument("--json", type=pathlib.Path, help="write the results here as well")
    arguments = parser.parse_args()
    machine = describe_machine(arguments.threads)
    print(", ".join(f"{k}: {v}" for k, v in machine.items()))
    paths = arguments.files or inflate([n for n in arguments.models.split(",") if n])
    results = []
    for path in paths:
        results.append(bench(path, arguments))
        show(results[-1])
        if arguments.json:
            report = {"schema": SCHEMA_VERSION, "machine": machine, "results": results}
            arguments.json.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
