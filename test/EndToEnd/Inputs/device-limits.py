# ===- device-limits.py - Deadlines of runs on a device --------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Ends runs of a loop without an end, by a deadline and by a cancellation, on the processor and on the simulated device: device-limits.py FOLDER."""

import ctypes
import pathlib
import sys
import threading

import numpy as np
from onnx import parser, save

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from Harness import BUILD, artefact

FOLDER = pathlib.Path(sys.argv[1])
MODEL = """<ir_version: 10, opset_import: ["" : 21]>
g (int64 n, float[64] x) => (float[64] y) {
  forever = Constant <value = bool {1}> ()
  y = Loop (n, forever, x) <body = b (int64 i, bool c, float[64] a) => (bool d, float[64] z) {
    d = Identity (c)
    s = Sin (a)
    z = Add (s, x)
  }>
}"""


def attempt(session, n, **options):
    try:
        return float(np.sum(session.run([np.int64(n), np.ones(64, np.float32)], **options)[0]))
    except Exception as error:
        # Either may find out within the loop or between two of its iterations.
        message = str(error).removeprefix("node 'Loop_1': ")
        return f"{type(error).__name__}: {message}"


def cancelled(session):
    """The outcome of a run that another thread cancels."""
    outcome = []
    thread = threading.Thread(target=lambda: outcome.append(attempt(session, 10**12, tag=session)))
    thread.start()
    # A run that is about to begin does not see the first request.
    while thread.is_alive():
        session._cancel(session)
        thread.join(0.01)
    return outcome[0]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    save(parser.parse_model(MODEL), FOLDER / "loop.onnx")
    ctypes.CDLL(str(BUILD / "test/Simulator/libcuda.so.1"))
    outcomes = []
    for device in ("cpu", "cuda:simulator"):
        library = artefact.compile_model(FOLDER / "loop.onnx", FOLDER / f"{device[:4]}.so", device=device)
        session = artefact.load_session(library)
        # The run after one that has ended is a usual one.
        outcomes.append([attempt(session, 10**12, deadline=0.05), cancelled(session), round(attempt(session, 3), 3)])
        print(f"{device}: {outcomes[-1]}")
    print("the same" if outcomes[0] == outcomes[1] else "not the same")


main()
