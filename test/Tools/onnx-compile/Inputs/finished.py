# ===- finished.py - A signal after the compilation -------------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   finished.py FOLDER COMPILER MODEL
# ===------------------------------------------------------------------------===//
"""Has the compiler wait for the reader of its report, and ends it by a signal that it no longer handles."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SECONDS = 300
folder, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
folder.mkdir(exist_ok=True)
model, artefact = folder / "m.onnx", folder / "m.so"
shutil.copy(sys.argv[3], model)


def full_pipe():
    """A pipe that takes no byte more."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(writer, True)
    return reader, writer


def handles(process, number):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1


def listen():
    """A shell that runs the tests in the background may have them ignored."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


for number in SIGNALS:
    artefact.unlink(missing_ok=True)
    reader, writer = full_pipe()
    with subprocess.Popen([compiler, "-q", str(model), "--report"], stdout=writer, preexec_fn=listen) as process:
        end = time.monotonic() + SECONDS
        while not artefact.exists() or handles(process, number):
            assert process.poll() is None, f"{number}: the report has not waited: status {process.returncode}"
            if time.monotonic() > end:
                process.kill()
                sys.exit(f"{number}: still handled when the artefact is there")
            time.sleep(0.01)
        process.send_signal(number)
    os.close(reader)
    os.close(writer)
    assert process.returncode == -number, f"{number}: status {process.returncode}"
    assert sorted(path.name for path in folder.iterdir()) == ["m.onnx", "m.so"], list(folder.iterdir())
