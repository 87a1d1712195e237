# ===- _compile.py - compile() ----------------------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs the onnx-compile that belongs to this package."""

import atexit
import os
import pathlib
import shutil
import subprocess
import tempfile

_PACKAGE = pathlib.Path(__file__).resolve().parent


class CompileError(RuntimeError):
    """The model or an option was rejected; the message says why."""


def compile(model, output=None, **options):
    """Compiles a model and returns the path of the compiled one.

    model: a path, the bytes of a model file, or an onnx.ModelProto.
    output: where to write; beside a model file, or to a temporary file that
        lives as long as the process, when left out.
    options: those of the onnx-compile tool, with '_' for '-':
        compile("m.onnx", cpu="generic", dim=["batch=8"], strict=True)
    """
    data = _bytes_of(model)
    if output is None:
        output = (
            _temporary_output()
            if data is not None
            else pathlib.Path(model).with_suffix(".so")
        )
    source = "-" if data is not None else os.fspath(model)
    command = [str(_tool()), source, "-o", os.fspath(output)]
    command += _arguments(options)
    done = subprocess.run(command, input=data or b"", capture_output=True)
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise CompileError(message or f"onnx-compile ended with {done.returncode}")
    return os.fspath(output)


def _bytes_of(model):
    """The model if it is in memory, None if it is a path."""
    if hasattr(model, "SerializeToString"):
        return model.SerializeToString()
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model)
    return None


def _arguments(options):
    arguments = []
    for name, value in options.items():
        flag = ("-" if len(name) == 1 else "--") + name.replace("_", "-")
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is True:
                arguments.append(flag)
            elif item is not False and item is not None:
                # -O3, but --cpu=native.
                arguments.append(f"{flag}{item}" if len(name) == 1 else f"{flag}={item}")
    return arguments


def _temporary_output():
    folder = tempfile.mkdtemp(prefix="onnx-compile-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(folder) / "model.so"


def _tool():
    """In an installed package beside this file; else in the build's bin."""
    for folder in (_PACKAGE / "bin", _PACKAGE.parents[1] / "bin"):
        if (folder / "onnx-compile").exists():
            return folder / "onnx-compile"
    raise CompileError("the onnx-compile tool is not beside this package")
