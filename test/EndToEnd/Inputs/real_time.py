# ===- real_time.py - Real-time models beside ordinary ones ----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# real_time.py FOLDER: compiles each model of real_time_models.py with and without
# --realtime, looks at what the object calls, and compares the results bit by bit.
# ===------------------------------------------------------------------------===//
"""Compares real-time models with ordinary ones."""

import ctypes
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import onnx_compile
import real_time_models
from Harness import BUILD, ROOT

# What code of any compiler may call, and functions of numbers alone.
ALLOWED = {"memcpy", "memmove", "memset"} | set(re.findall(r"^\w+", (ROOT / "runtime/stubs/libm.symbols").read_text(), re.M))


def command(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def undefined_symbols(archive):
    return {line.split()[-1] for line in command("llvm-nm-22", "-u", archive).splitlines() if " U " in line}


def aligned(size):
    """Memory of the caller, aligned to 64 bytes and filled with a pattern that is not a number."""
    block = np.full(size + 64, 0xFF, np.uint8)
    return block[-block.ctypes.data % 64 :][:size]


def pointers_to(arrays):
    return (ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays))


class RealTimeModel:
    """The archive as a shared object of its own, so that this process can call it."""

    def __init__(self, path, folder):
        command(BUILD / "bin" / "onnx-compile", "-q", path, "--realtime", "--emit=static", "-o", folder / "model.a")
        unknown = undefined_symbols(folder / "model.a") - ALLOWED
        assert not unknown, f"{path.name} calls {sorted(unknown)}"
        command("clang-22", "-shared", "-Wl,--whole-archive", folder / "model.a", "-Wl,--no-whole-archive", "-lm",
                "-o", folder / f"{path.stem}-own.so")  # fmt: skip
        library = ctypes.CDLL(str(folder / f"{path.stem}-own.so"))
        self.function, self.function.restype = library.model_run, ctypes.c_int32
        header = (folder / "model.h").read_text()
        self.memory = aligned(int(re.search(r"MODEL_MEMORY_SIZE (\d+)", header)[1]))

    def run(self, inputs, outputs, memory=None):
        where = self.memory.ctypes.data if memory is None else memory
        return self.function(ctypes.c_void_p(where), pointers_to(inputs), pointers_to(outputs))

    def message(self):
        return ctypes.cast(int(self.memory[-8:].view(np.uint64)[0]), ctypes.c_char_p).value


def compare(name, model, inputs, folder):
    path = folder / f"{name}.onnx"
    onnx.save(model, path)
    onnx_compile.compile(str(path), output=str(folder / f"{name}.so"))
    expected = onnx_compile.ExecutionSession(str(folder / f"{name}.so")).run(inputs)
    outputs = [np.zeros_like(value) for value in expected]
    real_time = RealTimeModel(path, folder)
    for _ in range(2):
        assert real_time.run(inputs, outputs) == 0, real_time.message()
        for value, own in zip(expected, outputs, strict=True):
            assert value.tobytes() == own.tobytes(), f"{name}: {value} {own}"
    assert real_time.run(inputs, outputs, memory=real_time.memory.ctypes.data + 8) == 1
    assert real_time.run(inputs, outputs, memory=0) == 1
    print(f"{name}: equal")
    return real_time, outputs


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, model, inputs in real_time_models.all_models():
        real_time, outputs = compare(name, model, inputs, folder)
        if name == "indexed":
            assert real_time.run([inputs[0], np.array([0, 6, 1])], outputs) == 2
            print(real_time.message().decode())
            assert real_time.run(inputs, outputs) == 0 and real_time.message() is None


main()
