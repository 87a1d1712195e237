# ===- bad_models.py - Files that must be refused --------------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   bad_models.py FOLDER COMMAND...
#
# Writes broken, malicious and merely wrong models into FOLDER and runs COMMAND
# on each. It must exit with status 1 and say what is wrong where, as the case
# expects, and print nothing on standard output. Prints a line per failure and
# a count.
# ===------------------------------------------------------------------------===//
import pathlib
import re
import subprocess
import sys

import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "Inputs"))

import bad.external
import bad.files
import bad.graphs
import bad.tensors  # noqa: F401, they register their cases
from bad.builders import CASES, model


def write(name, folder):
    content = CASES[name][0](folder)
    if isinstance(content, onnx.GraphProto):
        content = model(content)
    path = folder / f"{name}.onnx"
    path.write_bytes(content if isinstance(content, bytes) else content.SerializeToString())
    return path


def check(name, path, command):
    """What is wrong with how `command` takes the file, or None."""
    run = subprocess.run([*command, str(path)], capture_output=True, text=True, errors="replace", timeout=300)
    if run.returncode != 1:
        return f"exit status {run.returncode}, not 1: {run.stderr[-300:]}"
    if run.stdout:
        return f"output in spite of the error: {run.stdout[:100]}"
    if "error" not in run.stderr:
        return "no error message"
    if path.name not in run.stderr:
        return f"the message does not name the file: {run.stderr[:300]}"
    if re.search(r"\n\s+#\d+ 0x", run.stderr) or "Stack dump" in run.stderr:
        return "it crashed"
    for pattern in CASES[name][1]:
        if not re.search(pattern, run.stderr):
            return f"nothing like '{pattern}' in: {run.stderr[:600]}"
    return None


def main():
    folder = pathlib.Path(sys.argv[1]) / "bad"
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in CASES:
        problem = check(name, write(name, folder), sys.argv[2:])
        if problem:
            failed += 1
            print(f"FAILED {name}: {problem}")
    print(f"{len(CASES) - failed} bad models refused, {failed} not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
