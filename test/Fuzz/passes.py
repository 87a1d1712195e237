#!/usr/bin/env python3
# ===- passes.py - Each pass alone on IR of its phase ------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A pass takes valid IR of its phase or refuses it with an error, whatever other
# passes have run before. The inputs are those of the tests of all passes.
# ===------------------------------------------------------------------------===//
"""Checks that no registered pass crashes on the inputs of tests.

  passes.py                            every pass on every input of its phase
  passes.py --every 4                  each pass on another fourth of them
  passes.py --filter krnl-merge        the passes whose names match
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from Harness import BUILD, ROOT

OPT = BUILD / "bin" / "onnx-opt"
PASS = re.compile(r"^ +--((?:onnx|krnl)-[a-z-]+|convert-[a-z-]+|select-target)\b", re.M)
SEPARATOR = "// -----"
SECONDS = 300


def registered_passes():
    done = subprocess.run([OPT, "--help"], capture_output=True, text=True, check=True)
    return list(dict.fromkeys(PASS.findall(done.stdout)))


def inputs_of_tests():
    """Pairs of a name and a text."""
    for path in sorted((ROOT / "test").rglob("*.mlir")):
        for number, text in enumerate(re.split(rf"^{SEPARATOR}.*$", path.read_text(), flags=re.M)):
            yield f"{path.relative_to(ROOT)}, input {number}", text


def has_operators(text):
    code = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    return bool(re.search(r"\bonnx\.(?:[a-z]+\.)*[A-Z]", code))


def is_of_phase(name, text):
    """Passes on operators take IR with operators; the others take all but IR of nothing else."""
    if name.startswith("onnx-") or name == "convert-onnx-to-krnl":
        return has_operators(text)
    return "krnl." in text or not has_operators(text)


def crash(name, inputs):
    """The end of the message if the pass crashes on one of the inputs, or None."""
    text = f"\n{SEPARATOR}\n".join(text for _, text in inputs)
    command = [OPT, "--split-input-file", "--allow-unregistered-dialect", f"--{name}", "-", "-o", "/dev/null"]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"takes more than {SECONDS} seconds"
    if done.returncode in (0, 1):
        return None
    asserted = re.search(r"^.*(?:Assertion|LLVM ERROR|UNREACHABLE).*$", done.stderr, re.M)
    return f"status {done.returncode}: {asserted[0] if asserted else done.stderr[-300:]}"


def crashes(name, inputs):
    """Pairs of the name of an input and a message. Halves find which of many it is."""
    message = crash(name, inputs) if inputs else None
    if not message:
        return []
    if len(inputs) == 1:
        return [(inputs[0][0], message)]
    half = len(inputs) // 2
    return crashes(name, inputs[:half]) + crashes(name, inputs[half:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    inputs = list(inputs_of_tests())
    names = [name for name in registered_passes() if re.search(arguments.filter, name)]

    def check(name):
        own = [each for each in inputs if is_of_phase(name, each[1])]
        taken = own[zlib.crc32(name.encode()) % arguments.every :: arguments.every]
        return name, len(taken), crashes(name, taken)

    runs = failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, count, found in pool.map(check, names):
            runs += count
            failed += len(found)
            for where, message in found:
                print(f"FAILED --{name}, {where}: {message}", flush=True)
    print(f"{len(names)} passes on {runs} inputs")
    print(f"{runs - failed} passed, {failed} failed")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
