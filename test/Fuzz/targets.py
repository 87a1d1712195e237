#!/usr/bin/env python3
# ===- targets.py - Run the libFuzzer programs ------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Builds the programs of test/Fuzz/Targets under AddressSanitizer and
# UndefinedBehaviorSanitizer into build/sanitize, writes seeds for them, and runs
# each a number of times. A finding is kept in build/sanitize/findings.
# ===------------------------------------------------------------------------===//
"""Runs each fuzz target; ends with the line "N passed, N failed", a target each.

  targets.py                                  a short run, seeded
  targets.py --runs 1000000 --seed 7 --jobs 2
  targets.py --target importer --runs 100000
  targets.py --target importer --replay FILE  one finding, with its stack
"""

import argparse
import concurrent.futures
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("OM_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "Operators"))

import numpy as np
import onnx
from onnx import numpy_helper

from Harness import BUILD, ROOT

SANITIZED = BUILD / "sanitize"
PROGRAMS = SANITIZED / "test" / "Fuzz"
FINDINGS = SANITIZED / "findings"
SEEDS = 200
# The longest file, what one file may take, and the largest allocation for one.
MAX_BYTES, SECONDS, MEGABYTES, MOST_AT_ONCE = 8192, 30, 4096, 256


def model_seeds(rng):
    """Small valid models of any operators."""
    import whole_models

    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
        return [whole_models.draw_model(rng, pathlib.Path(folder)).SerializeToString() for _ in range(SEEDS)]


def recipe_seeds(rng):
    """The recipes that the compiler writes for the graphs of the recipe suite."""
    import hostile_recipes

    return [hostile_recipes.written(name)[1].encode() for name in hostile_recipes.NAMES]


def numpy_bytes(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def value_seeds(rng):
    """Arrays as NumPy and protobuf write them, after the byte that names the reader."""
    arrays = [rng.integers(0, 2, (2, 3)).astype(t) for t in (np.float32, np.int64, bool, np.complex64, np.float16)]
    files = [bytes([8 * i]) + numpy_bytes(a) for i, a in enumerate(arrays)]
    files.append(bytes([0]) + numpy_bytes(np.zeros((1 << 38, 0), np.float32)))
    narrow = onnx.TensorProto(data_type=onnx.TensorProto.COMPLEX128, dims=[1], int32_data=[1])
    files.append(bytes([3]) + narrow.SerializeToString())
    files += [bytes([3]) + numpy_helper.from_array(a, "x").SerializeToString() for a in arrays]
    for reader in range(4, 8):
        files.append(bytes([reader]) + numpy_helper.from_list([arrays[0]] * 2, "x").SerializeToString())
        files.append(bytes([reader]) + numpy_helper.from_dict({1: arrays[0]}, "x").SerializeToString())
        files.append(bytes([reader]) + numpy_helper.from_optional(arrays[0], "x").SerializeToString())
    return files


def runtime_seeds(rng):
    return [rng.bytes(64) for _ in range(SEEDS)]


TARGETS = {"importer": model_seeds, "recipe": recipe_seeds, "value": value_seeds, "runtime": runtime_seeds}


def build():
    """Configures build/sanitize if it is not, and builds the programs there."""
    log = BUILD / "logs" / "sanitize.log"
    tools = {**os.environ, "PATH": f"{BUILD / 'venv/bin'}:{os.environ['PATH']}"}
    commands = [] if (SANITIZED / "build.ninja").exists() else [["cmake", "--preset", "sanitize"]]
    with log.open("w") as stream:
        for command in [*commands, ["ninja", "-C", str(SANITIZED), "onnxc-fuzzers"]]:
            if subprocess.run(command, cwd=ROOT, env=tools, stdout=stream, stderr=stream).returncode:
                sys.exit(f"error: {command[0]} failed; the whole output is in {log}")


def write_seeds(name, rng):
    folder = SANITIZED / "corpus" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for i, data in enumerate(TARGETS[name](rng)):
        (folder / f"seed-{i}").write_bytes(data)
    return folder


def run_target(name, arguments, seeds):
    """(name, executions, what was found or None)"""
    findings = FINDINGS / name
    findings.mkdir(parents=True, exist_ok=True)
    flags = [f"-runs={arguments.runs}", f"-seed={arguments.seed + 1}", f"-max_len={MAX_BYTES}", f"-timeout={SECONDS}",
             f"-rss_limit_mb={MEGABYTES}", f"-malloc_limit_mb={MOST_AT_ONCE}", f"-artifact_prefix={findings}/", "-print_final_stats=1"]  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="onnxc-") as grown:
        done = subprocess.run([PROGRAMS / f"{name}-fuzzer", *flags, grown, seeds], capture_output=True, text=True, errors="replace")
    executed = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    count = int(executed[1]) if executed else 0
    if done.returncode:
        (findings / "log").write_text(done.stderr)
        marks = re.findall(r"^.*(?:ERROR: |runtime error: |Assertion .* failed).*$", done.stderr, re.M)
        return name, count, f"{marks[0] if marks else 'ended'} (status {done.returncode}; {findings})"
    wanted = max(arguments.runs, len(list(seeds.iterdir())))
    return name, count, None if count >= wanted else f"only {count} of {wanted} executions"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=list(TARGETS), action="append", help="one of the programs; again for more")
    parser.add_argument("--runs", type=int, default=2000, help="executions of each program; 0: the seeds alone, the same each time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--replay", help="a file to run the one target on")
    arguments = parser.parse_args()
    names = arguments.target or list(TARGETS)
    build()
    if arguments.replay:
        if len(names) != 1:
            parser.error("--replay needs the --target that the file is for")
        return subprocess.run([PROGRAMS / f"{names[0]}-fuzzer", arguments.replay]).returncode
    shutil.rmtree(FINDINGS, ignore_errors=True)
    seeds = {name: write_seeds(name, np.random.default_rng(arguments.seed)) for name in names}
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, count, found in pool.map(lambda n: run_target(n, arguments, seeds[n]), names):
            failed += found is not None
            print(f"FAILED {name}: {found}" if found else f"{name}: {count} executions", flush=True)
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
