# ===- _programs.py - The programs beside the package -----------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Finds onnx-compile and onnx-run, and runs the latter for its reports."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from onnx_compile._html import measurement_html


def find_program(name: str) -> str:
    """The program, which lies in the package or in the build beside it; FileNotFoundError if it is in neither."""
    package = pathlib.Path(__file__).resolve().parent
    folders = [package / "bin", package.parents[1] / "bin"]
    for program in (folder / name for folder in folders):
        if program.exists():
            return str(program)
    raise FileNotFoundError(f"{name} is not in {folders[0]}: the package is incomplete, install it again")


class Measurement(dict[str, Any]):
    """The report of `onnx-run COMMAND --json` as a dict; notebooks show it as tables."""

    def _repr_html_(self) -> str:
        return measurement_html(self)


def measure(verb: str, artefact: str, feed: Mapping[str, Any], words: Sequence[str]) -> Measurement:
    """The report of `onnx-run COMMAND --json` on an artefact, with inputs by name; others are random.

    Raises ValueError for inputs that are no arrays of NumPy's own types, and RuntimeError with the message of
    onnx-run if that fails.
    """
    with tempfile.TemporaryDirectory(prefix="onnx-compile-") as folder:
        files = []
        for number, (name, value) in enumerate(feed.items()):
            array = np.asarray(value)
            if array.dtype.kind not in "biufc":
                raise ValueError(f"input {name}: inputs of {verb}() are arrays of numbers of NumPy's own types")
            path = os.path.join(folder, f"{number}.npy")
            np.save(path, array)
            files.append(f"--input={name}=@{path}")
        command = [find_program("onnx-run"), verb, artefact, "--json", "--quiet", *files, *words]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(ran.stderr.strip().removeprefix("onnx-run: error: "))
    return Measurement(json.loads(ran.stdout))
