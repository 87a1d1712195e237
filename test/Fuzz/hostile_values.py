# ===- hostile_values.py - Damaged files of inputs --------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Damages the files of an input, .npy and .pb, and has onnx-run read them."""

import functools
import io
import pathlib
import subprocess
import tempfile

import numpy as np
import onnx
import schemas
from mutations import change_message, damaged, one
from onnx import helper

from Harness import BUILD, artefact, isolation, values

KINDS = ("tensor(float)", "tensor(int64)", "tensor(bool)", "tensor(string)", "tensor(float16)", "tensor(int4)",
         "tensor(complex64)", "seq(tensor(float))", "seq(tensor(string))", "optional(tensor(float))")  # fmt: skip
# Artefacts live as long as the process that reads the files.
SCRATCH = tempfile.TemporaryDirectory(prefix="onnxc-")


@functools.cache
def artefact_of(kind):
    """A compiled model that returns its input."""
    x, y = (helper.make_value_info(n, schemas.type_proto(kind, [None, None])) for n in "xy")
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [x], [y])
    path = pathlib.Path(SCRATCH.name, f"{KINDS.index(kind)}.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=12), path)
    return artefact.compile_model(path, path.with_suffix(".so"))


def check(rng, folder):
    kind = one(rng, KINDS)
    value = schemas.value(rng, kind, [2, 3])
    if isinstance(value, np.ndarray) and value.dtype.kind in "fib" and rng.random() < 0.4:
        path, stream = folder / "x.npy", io.BytesIO()
        np.save(stream, value)
        path.write_bytes(damaged(rng, stream.getvalue()))
    else:
        path, proto = folder / "x.pb", values.value_to_proto(value, schemas.type_proto(kind), "x")
        change_message(rng, proto, ["x"], int(rng.integers(0, 3)))
        data = proto.SerializeToString()
        path.write_bytes(damaged(rng, data) if rng.random() < 0.5 else data)
    command = [BUILD / "bin/onnx-run", artefact_of(kind), f"--input=x=@{path}", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=isolation.SECONDS)
    assert done.returncode in (0, 1), f"status {done.returncode}: {done.stderr[-300:]}"
    assert done.returncode == 0 or "error" in done.stderr, f"no message: {done.stderr}"
    return "value taken" if done.returncode == 0 else "value refused"
