# ===- emulated.py - Artefacts of other processors -------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# runner.c, compiled with clang and the C library of Debian's cross packages, runs
# under QEMU's emulation of one process.
# ===------------------------------------------------------------------------===//
"""Runs an artefact of another architecture; its inputs and outputs are tensors."""

import io
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np
import onnx
from onnx import helper

from Harness import BUILD, ROOT
from Harness.native import RunError

RUNNER = pathlib.Path(__file__).resolve().parent / "runner.c"
# The processor of the emulator: everything that it knows.
PROCESSORS = {"aarch64": "max", "riscv64": "rv64"}


def machine_of(triple):
    return triple.split("-")[0]


def prepare(triple):
    """Called by a suite before its first session: where something is not installed, the suite has failed."""
    machine = machine_of(triple)
    for there, what in ((pathlib.Path(f"/usr/{machine}-linux-gnu/lib/crt1.o").exists(), f"libc6-dev for {machine}"),
                        (shutil.which(f"qemu-{machine}"), "qemu-user")):  # fmt: skip
        if not there:
            raise SystemExit(f"{what} is not installed\n0 passed, 1 failed")
    build_runner(machine)


def build_runner(machine):
    """The path of the program, compiled if it is older than its source."""
    program = BUILD / "emulated" / machine / "runner"
    if program.exists() and program.stat().st_mtime >= RUNNER.stat().st_mtime:
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    # Tests that run at the same time never see half of a program.
    written = program.with_name(f"runner.{os.getpid()}")
    sysroot = pathlib.Path(f"/usr/{machine}-linux-gnu")
    begin, end = [[sysroot / "lib" / name for name in names] for names in (("crt1.o", "crti.o"), ("crtn.o",))]
    # Without the files of a compiler for the machine, which nothing here needs.
    subprocess.run(
        ["clang-22", f"--target={machine}-linux-gnu", "-O1", "-fuse-ld=lld", "-nostdlib", "-isystem", sysroot / "include",
         f"-I{ROOT}/runtime/include", *begin, RUNNER, f"-L{sysroot}/lib", "-lc", *end, "-o", written],
        check=True)  # fmt: skip
    return written.replace(program)


def write_tensors(arrays):
    """The bytes that runner.c reads."""
    out = io.BytesIO()

    def words(*numbers):
        out.write(np.array(numbers, np.int64).tobytes())

    words(len(arrays))
    for array in map(np.asarray, arrays):
        if array.dtype.kind in "OUST":
            texts = [v if isinstance(v, bytes) else str(v).encode() for v in array.ravel()]
            kind, data = onnx.TensorProto.STRING, b"".join(t + b"\0" for t in texts)
        else:
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            # The upper bits of a byte are copies of the sign; ml_dtypes leaves them zero.
            if kind in (onnx.TensorProto.INT4, onnx.TensorProto.INT2):
                array = array.astype(np.int8)
            data = np.ascontiguousarray(array).tobytes()
        words(kind, array.ndim, *array.shape, len(data))
        out.write(data)
    return out.getvalue()


def read_tensors(data):
    """The arrays that runner.c wrote."""
    stream = io.BytesIO(data)

    def words(count):
        return np.frombuffer(stream.read(8 * count), np.int64).tolist()

    arrays = []
    for _ in range(words(1)[0]):
        kind, rank = words(2)
        shape = words(rank)
        raw = stream.read(words(1)[0])
        if kind == onnx.TensorProto.STRING:
            texts = [t.decode() for t in raw.split(b"\0")[:-1]]
            arrays.append(np.array(texts, object).reshape(shape))
        else:
            dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
            arrays.append(np.frombuffer(raw, dtype).reshape(shape))
    return arrays


class EmulatedSession:
    """An artefact for `triple`; run() takes and gives lists of arrays, each call in a process of its own."""

    def __init__(self, path, triple, processor=None):
        machine = machine_of(triple)
        self.path = path
        self.command = [f"qemu-{machine}", "-cpu", processor or PROCESSORS[machine], "-L", f"/usr/{machine}-linux-gnu", build_runner(machine)]

    def run(self, inputs):
        with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
            folder = pathlib.Path(scratch)
            (folder / "inputs").write_bytes(write_tensors(inputs))
            command = [*self.command, self.path, folder / "inputs", folder / "outputs"]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
            if done.returncode:
                raise RunError(done.stderr.strip() or f"exit status {done.returncode}")
            return read_tensors((folder / "outputs").read_bytes())
