# ===- __main__.py - The programs of an installed package -------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""python -m onnx_compile, and the console scripts onnx-compile and onnx-run."""

import os
import sys
from typing import NoReturn

from onnx_compile._programs import find_program


def _execute(name: str) -> NoReturn:
    """Becomes the program."""
    try:
        program = find_program(name)
    except FileNotFoundError as error:
        sys.exit(str(error))
    os.execv(program, [name, *sys.argv[1:]])


def onnx_compile() -> NoReturn:
    """Runs the program onnx-compile with the arguments of this process."""
    _execute("onnx-compile")


def onnx_run() -> NoReturn:
    """Runs the program onnx-run with the arguments of this process."""
    _execute("onnx-run")


if __name__ == "__main__":
    onnx_compile()
