# ===- firmware.py - Models on a board without an operating system ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The board of examples/firmware, emulated by qemu-system-arm: a Cortex-M4.
# ===------------------------------------------------------------------------===//
"""Compiles a model for the board, links it with a main of its own, and runs it under QEMU."""

import dataclasses
import pathlib
import re
import subprocess

import numpy as np
from onnx import helper

from Harness import BUILD, ROOT

TRIPLE = "thumbv7em-none-eabi"
BOARD = ROOT / "examples" / "firmware"
CLANG = ["clang-22", f"--target={TRIPLE}", "-mcpu=cortex-m4", "-mfloat-abi=softfp", "-Os", "-ffreestanding"]

MAIN = """#include "board.h"
#include "model.h"

static _Alignas(MODEL_MEMORY_ALIGNMENT) char memory[MODEL_MEMORY_SIZE];
%s

int main(void) {
  const model_inputs inputs = {%s};
  const model_outputs outputs = {%s};
  int32_t status = model_run(memory, &inputs, &outputs);
  if (status) {
    const char *message = model_message(memory);
    print(message ? message : "invalid");
    print("\\n");
    return status;
  }
  print_number(stack_used());
  print(" bytes of stack\\n");
%s
  return 0;
}
"""

PRINT = """  for (unsigned i = 0; i < sizeof output_%d; ++i) {
    print_number(((const unsigned char *)output_%d)[i]);
    print(" ");
  }
  print("\\n");
"""


class FirmwareError(Exception):
    """A step failed; the message is its output."""


@dataclasses.dataclass
class Result:
    """What a run gave, and the bytes that it took; `memory` is part of the RAM."""

    outputs: list
    flash: int
    ram: int
    memory: int
    stack: int


def call(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", timeout=120)
    if done.returncode:
        raise FirmwareError(f"{pathlib.Path(command[0]).name}: {done.stdout}{done.stderr}")
    return done.stdout


def compile_model(path, folder, *options):
    call([BUILD / "bin" / "onnx-compile", "-q", path, f"--triple={TRIPLE}", "--emit=static",
          "-o", folder / "model.a", *options])  # fmt: skip


def array_of(name, data, qualifier):
    values = ",".join(map(str, data)) if data else "0"
    return f"static {qualifier}_Alignas(8) unsigned char {name}[{max(len(data), 1)}] = {{{values}}};\n"


def write_main(folder, inputs, declared):
    data, prints = "", ""
    for i, value in enumerate(inputs):
        data += array_of(f"input_{i}", np.ascontiguousarray(value).tobytes(), "const ")
    for i, (dtype, shape) in enumerate(declared):
        count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        data += f"static _Alignas(8) unsigned char output_{i}[{max(count, 1)}];\n"
        prints += PRINT % (i, i)
    names = [", ".join(f"(void *)input_{i}" for i in range(len(inputs))),
             ", ".join(f"(void *)output_{i}" for i in range(len(declared)))]  # fmt: skip
    (folder / "main.c").write_text(MAIN % (data, *names, prints))


def link(folder):
    """The libraries of a compiler for the machine are not there: what would need them is an error."""
    call([*CLANG, "-nostdlib", "-fuse-ld=lld", "-Wl,--gc-sections", "-T", BOARD / "board.ld", f"-I{BOARD}", f"-I{folder}",
          BOARD / "board.c", folder / "main.c", folder / "model.a", "-o", folder / "model.elf"])  # fmt: skip


def emulate(program):
    """What the program prints."""
    return call(["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none",
                 "-chardev", "stdio,id=out", "-semihosting-config", "enable=on,target=native,chardev=out",
                 "-kernel", program])  # fmt: skip


def declared_outputs(model):
    for output in model.graph.output:
        tensor = output.type.tensor_type
        yield np.dtype(helper.tensor_dtype_to_np_dtype(tensor.elem_type)), [d.dim_value for d in tensor.shape.dim]


def run(model, path, inputs, folder, *options):
    """Runs `model`, which lies at `path` and has known sizes, on the board, in `folder`."""
    compile_model(path, folder, *options)
    declared = list(declared_outputs(model))
    write_main(folder, inputs, declared)
    link(folder)
    lines = emulate(folder / "model.elf").splitlines()
    outputs = []
    for line, (dtype, shape) in zip(lines[1:], declared, strict=True):
        data = bytes(map(int, line.split()))
        count = int(np.prod(shape, dtype=np.int64))
        outputs.append(np.frombuffer(data[: count * dtype.itemsize], dtype).reshape(shape))
    sizes = call(["llvm-size-22", folder / "model.elf"]).splitlines()[1].split()
    memory = re.search(r"MODEL_MEMORY_SIZE (\d+)", (folder / "model.h").read_text())
    stack = int(lines[0].split()[0])
    text, data, bss = map(int, sizes[:3])
    # Inputs are constants of this program alone.
    flash = text + data - sum(np.asarray(value).nbytes for value in inputs)
    return Result(outputs, flash, data + bss + stack, int(memory[1]), stack)
