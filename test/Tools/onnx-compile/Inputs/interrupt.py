# ===- interrupt.py - Signals in the middle of a compilation ----*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   interrupt.py FOLDER COMPILER
# ===------------------------------------------------------------------------===//
"""Ends the compiler by each signal once it has told of its first pass, and closes the pipes that it writes to."""

import pathlib
import signal
import subprocess
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
folder, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
folder.mkdir(exist_ok=True)
# The weights of a chain of products: there is much to compile and to write.
size, count = 64, 300
weights = [numpy_helper.from_array(np.ones((size, size), np.float32) * i, f"w{i}") for i in range(count)]
nodes = [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"x{i + 1}"]) for i in range(count)]
values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size]) for name in ("x0", f"x{count}")]
model = helper.make_model(helper.make_graph(nodes, "chain", values[:1], values[1:], weights))
(folder / "m.onnx").write_bytes(model.SerializeToString())


def files():
    return sorted(path.name for path in folder.iterdir())


def listen():
    """A shell that runs the tests in the background may have them ignored."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


for number in SIGNALS:
    command = [compiler, "-q", "-v", str(folder / "m.onnx")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=listen) as process:
        process.stderr.readline()
        process.send_signal(number)
        text = process.stderr.read()
    assert process.returncode == 130, f"{number}: status {process.returncode}, {text}"
    assert files() == ["m.onnx"], f"{number}: {files()}"

# Recipes are there before the code.
command += ["--emit-recipes", str(folder / "m.recipes")]
with subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=listen) as process:
    for line in process.stderr:
        if b"krnl-write-recipes" in line:
            break
    has_recipes = (folder / "m.recipes").exists()
    process.send_signal(signal.SIGINT)
    text = process.stderr.read()
assert (process.returncode, has_recipes) == (130, True), f"status {process.returncode}, {has_recipes}, {text}"
assert files() == ["m.onnx"], files()

# Without a reader of messages the compilation goes on.
command = [compiler, "-q", "-v", str(folder / "m.onnx"), "--emit-recipes", str(folder / "m.recipes")]
with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
    process.stderr.readline()
    process.stderr.close()
assert process.returncode == 0, process.returncode
assert files() == ["m.onnx", "m.recipes", "m.so"], files()

# Without a reader of its output it ends as other programs do, once it has no temporary files.
command = [compiler, "-q", str(folder / "m.onnx"), "--report"]
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
    process.stdout.close()
    text = process.stderr.read()
assert (process.returncode, text) == (-signal.SIGPIPE, b""), f"status {process.returncode}, {text}"
assert files() == ["m.onnx", "m.recipes", "m.so"], files()
