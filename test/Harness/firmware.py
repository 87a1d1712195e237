# ===- firmware.py - Models on a board without an operating system ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The board of examples/firmware, emulated by qemu-system-arm: a Cortex-M4, or a Cortex-M55 with
# vectors; and RISC-V of 32 bits, emulated by qemu-riscv32.
# ===------------------------------------------------------------------------===//
"""Compiles a model for a board, links it with a main of its own, and runs it under QEMU."""

import dataclasses
import pathlib
import re
import subprocess

import numpy as np
from onnx import helper

from Harness import BUILD, ROOT
from Harness.isolation import SECONDS

EXAMPLE = ROOT / "examples" / "firmware"


@dataclasses.dataclass(frozen=True)
class Board:
    """A processor: the options of onnx-compile and clang, sources of the program, the command that runs it."""

    triple: str
    options: tuple
    clang: tuple
    sources: tuple
    emulator: tuple


def arm_board(triple, options, processor, machine):
    return Board(triple, options, (f"-mcpu={processor}", "-mfloat-abi=softfp", "-T", EXAMPLE / "board.ld"),
                 (EXAMPLE / "board.c",),
                 ("qemu-system-arm", "-M", machine, "-nographic", "-monitor", "none", "-serial", "none",
                  "-chardev", "stdio,id=out", "-semihosting-config", "enable=on,target=native,chardev=out",
                  "-kernel"))  # fmt: skip


BOARDS = {
    "cortex-m4": arm_board("thumbv7em-none-eabi", (), "cortex-m4", "mps2-an386"),
    "cortex-m55": arm_board("thumbv8.1m.main-none-eabi", ("--cpu=cortex-m55",), "cortex-m55", "mps3-an547"),
    "riscv32": Board("riscv32-unknown-none-elf", ("--features=+m,+a,+f,+c",), ("-march=rv32imafc", "-mabi=ilp32f"),
                     (ROOT / "test" / "Harness" / "boards" / "riscv32.c",), ("qemu-riscv32",)),
}  # fmt: skip

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
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", timeout=SECONDS)
    if done.returncode:
        raise FirmwareError(f"{pathlib.Path(command[0]).name}: {done.stdout}{done.stderr}")
    return done.stdout


def compile_model(path, folder, board):
    call([BUILD / "bin" / "onnx-compile", "-q", path, f"--triple={board.triple}", "--emit=static",
          "-o", folder / "model.a", *board.options])  # fmt: skip


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


def link(folder, board):
    """The libraries of a compiler for the machine are not there: what would need them is an error."""
    call(["clang-22", f"--target={board.triple}", *board.clang, "-Os", "-ffreestanding", "-nostdlib", "-fuse-ld=lld",
          "-Wl,--gc-sections", f"-I{EXAMPLE}", f"-I{folder}", *board.sources, folder / "main.c", folder / "model.a",
          "-o", folder / "model.elf"])  # fmt: skip


def declared_outputs(model):
    for output in model.graph.output:
        tensor = output.type.tensor_type
        yield np.dtype(helper.tensor_dtype_to_np_dtype(tensor.elem_type)), [d.dim_value for d in tensor.shape.dim]


def run(model, path, inputs, folder, board="cortex-m4"):
    """Runs `model`, which lies at `path` and has known sizes, on a board of BOARDS, in `folder`."""
    board = BOARDS[board]
    compile_model(path, folder, board)
    declared = list(declared_outputs(model))
    write_main(folder, inputs, declared)
    link(folder, board)
    lines = call([*board.emulator, folder / "model.elf"]).splitlines()
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
