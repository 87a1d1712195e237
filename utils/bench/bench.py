#!/usr/bin/env python3
# ===- bench.py - Compiled models beside onnxruntime and OpenVINO ----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# onnx_compile.bench() and onnx_compile.verify() on many models. Not a test: speed
# is reported, never asserted.
# ===------------------------------------------------------------------------===//
"""Compares compiled models with onnxruntime and OpenVINO.

  utils/bench/setup.sh                                  install the peers (once)
  build/bench-venv/bin/python utils/bench/bench.py      all full-size models, all processors
  ... bench.py --models mlp_tiny,resnet50 --threads 1 --json out.json
  ... bench.py --files examples/digits/digits.onnx
  ... bench.py --markdown table.md                      the table of docs/Performance.md
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import onnx
import peers  # finds the package of the build
from onnx_compile import bench, verify
from onnx_compile._bench import describe_machine

SCHEMA_VERSION = 2


def inflate(names):
    """Writes the full-size models where their descriptions are at hand; returns their paths."""
    folder = peers.BUILD / "bench-models"
    script = peers.ROOT.parent / "shared" / "bench" / "inflate.py"
    if script.exists():
        subprocess.run([sys.executable, script, folder, *names], check=True, stdout=subprocess.DEVNULL)
    found = {p.stem: p for p in sorted(folder.glob("*.onnx"))}
    missing = [n for n in names if n not in found]
    if missing:
        sys.exit(f"bench.py: no model {', '.join(missing)} in {folder}")
    return [found[n] for n in names] if names else list(found.values())


def measure(path, arguments):
    """What is known of one model: its compilation, its agreement with onnxruntime, and the times of the engines."""
    record = {"model": path.stem, "bytes": path.stat().st_size}
    library = peers.BUILD / "bench-models" / f"{path.stem}.so"
    library.parent.mkdir(exist_ok=True)
    try:
        record["compile_seconds"], record["compile_peak_mb"] = peers.compile_model(path, library, arguments.O)
    except RuntimeError as error:
        return record | {"error": str(error)}
    inputs = peers.random_inputs(onnx.load(path))
    if "onnxruntime" in arguments.engines:
        record["agreement"] = str(verify(path, artefact=library, inputs=inputs, locate=False))
    if arguments.rounds:
        record |= bench(path, arguments.engines, artefact=library, inputs=inputs, threads=arguments.threads,
                        rounds=arguments.rounds, seconds=arguments.seconds, pause=arguments.pause).as_dict()  # fmt: skip
    return record


def show(record):
    """Prints one model: milliseconds, and by how much ours is faster than each peer."""
    print(f"{record['model']} ({record['bytes'] / 1e6:.1f} MB)", record.get("error", ""))
    if "error" in record:
        return
    print(f"  compiled in {record['compile_seconds']:.1f} s, {record['compile_peak_mb']:.0f} MiB")
    for timing in record.get("timings", []):
        if timing["error"]:
            print(f"  {timing['engine']:20} {timing['error']}")
            continue
        text = f"  {timing['engine']:20} median {1e3 * timing['median']:9.4f} ms  min {1e3 * timing['minimum']:9.4f} ms"
        if ratio := timing["ratio"]:
            text += (f"  ours is {ratio['median']:.2f}x [{ratio['low']:.2f}, {ratio['high']:.2f}] as fast,"
                     f" by minima {ratio['minimum']:.2f}x")  # fmt: skip
        print(text)
    print("  " + record.get("agreement", "").replace("\n", "\n  "), flush=True)


def ratio_cell(record, engine):
    """By how much ours is faster than an engine, with the range of the rounds; why not where there is no ratio."""
    timing = next((t for t in record.get("timings", []) if t["engine"].startswith(engine)), None)
    if timing is None or not timing["ratio"]:
        return "not run" if timing is None else "error"
    ratio = timing["ratio"]
    return f"{ratio['median']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})"


def markdown(machine, results, arguments):
    """A table of ratios, with the machine and the versions it was measured with."""
    lines = [", ".join(f"{k}: {v}" for k, v in machine.items()) + f", threads: {arguments.threads}", ""]
    lines += ["| model | " + " | ".join(arguments.engines) + " |", "|---|" + "---|" * len(arguments.engines)]
    for record in results:
        cells = [record["error"]] if "error" in record else [ratio_cell(record, e) for e in arguments.engines]
        lines.append(f"| {record['model']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="", help="names of full-size models, with commas (default: all)")
    parser.add_argument("--files", nargs="+", type=pathlib.Path, default=[], help="other model files instead")
    parser.add_argument("--engines", default="onnxruntime,openvino", type=lambda text: [e for e in text.split(",") if e])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=15, help="rounds A B C C B A; 0: compile and compare outputs only")
    parser.add_argument("--seconds", type=float, default=0.15, help="length of a block")
    parser.add_argument("--pause", type=float, default=0.1, help="before each block, until the others' workers sleep")
    parser.add_argument("-O", type=int, default=3, help="optimisation level of the compiler")
    parser.add_argument("--json", type=pathlib.Path, help="write the results here as well")
    parser.add_argument("--markdown", type=pathlib.Path, help="write a table of the ratios here as well")
    arguments = parser.parse_args()
    machine = describe_machine()
    print(", ".join(f"{k}: {v}" for k, v in machine.items()))
    paths = arguments.files or inflate([n for n in arguments.models.split(",") if n])
    results = []
    for path in paths:
        results.append(measure(path, arguments))
        show(results[-1])
        if arguments.json:
            report = {"schema": SCHEMA_VERSION, "machine": machine, "results": results}
            arguments.json.write_text(json.dumps(report, indent=1))
        if arguments.markdown:
            arguments.markdown.write_text(markdown(machine, results, arguments))


if __name__ == "__main__":
    main()
