# ===- __main__.py - The programs of an installed package -------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""python -m onnx_compile, and the console scripts onnx-compile and onnx-run."""

import os
import pathlib
import sys
from typing import NoReturn


def _execute(name: str) -> NoReturn:
    """Becomes the program, which lies in the package or in the build beside it."""
    package = pathlib.Path(__file__).resolve().parent
    folders = [package / "bin", package.parents[1] / "bin"]
    for program in (folder / name for folder in folders):
        if program.exists():
            os.execv(program, [name, *sys.argv[1:]])
    sys.exit(f"{name} is not in {folders[0]}: the package is incomplete, install it again")


def onnx_compile() -> NoReturn:
    _execute("onnx-compile")


def onnx_run() -> NoReturn:
    _execute("onnx-run")


if __name__ == "__main__":
    onnx_compile()
