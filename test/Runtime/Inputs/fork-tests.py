# ===- fork-tests.py - Compiling in a forked child -------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compiles, forks, and compiles again in the child.

Usage: fork-tests.py MODEL.onnx FOLDER
"""

import os
import pathlib
import signal
import sys
import time

import numpy as np
import onnx
import onnx.parser
import onnx_compile

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def compile_and_run(name):
    path = onnx_compile.compile(model, output=folder / name)
    session = onnx_compile.ExecutionSession(path)
    return session.run([np.zeros((2, 1, 8, 8), np.float32)])[0].shape


def threads():
    return len(os.listdir("/proc/self/task"))


def threads_left(before):
    """The system lists a thread that Python has joined for a moment longer."""
    deadline = time.monotonic() + 60
    while threads() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    return threads() - before


before = threads()
onnx_compile.compile(model, output=folder / "first.so")
print("threads left behind:", threads_left(before), flush=True)
print("parent:", compile_and_run("parent.so"), flush=True)
child = os.fork()
if child == 0:
    signal.alarm(300)  # what hangs is killed
    print("child:", compile_and_run("child.so"), flush=True)
    os._exit(0)
_, status = os.waitpid(child, 0)
print("status of the child:", status)

path = onnx_compile.compile(pathlib.Path(model).read_bytes())  # in a folder that goes with this process
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
print("the parent's model after a child's end:", os.path.exists(path), flush=True)


def drawn(session):
    """The numbers that a forked child draws, as bytes."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, session.run([])[0].tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(reader, 1 << 16)


random = onnx.parser.parse_model(
    '<ir_version: 10, opset_import: ["" : 21]> g () => (float[4] y) { y = RandomNormal <shape = [4]> () }'
)
onnx.save(random, folder / "random.onnx")
session = onnx_compile.ExecutionSession(onnx_compile.compile(folder / "random.onnx"))
session.run([])
print("the children draw other numbers:", drawn(session) != drawn(session), flush=True)

# A run of the parent is none of the child, which does not wait for its end.
inference = onnx_compile.InferenceSession(path)
options = onnx_compile.RunOptions()
options._sessions.append((os.getpid(), inference))
child = os.fork()
if child == 0:
    signal.alarm(300)
    options.terminate = True
    print("a child sets the option of a run of its parent", flush=True)
    os._exit(0)
os.waitpid(child, 0)
