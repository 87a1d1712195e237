# ===- _compile.py - compile() ----------------------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compiles in this process; the compiler is loaded by the first call."""

import atexit
import os
import pathlib
import shutil
import tempfile

_PACKAGE = pathlib.Path(__file__).resolve().parent
# Of what emit= writes; all else is text.
_SUFFIXES = {"lib": ".so", "asm": ".s", "obj": ".o", "model": ".simplified.onnx"}


class CompileError(RuntimeError):
    """The model or an option was rejected; the message says why.

    status is the exit status that the onnx-compile tool would have: 1 for a
    rejected model, 2 for a wrong option, 5 for a fault of the compiler.
    """

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


def compile(model, output=None, **options):
    """Compiles a model and returns the path of the compiled one.

    model: a path, the bytes of a model file, or an onnx.ModelProto.
    output: where to write; beside a model file, or to a temporary file that
        lives as long as the process, when left out. Its suffix is that of what
        is written: .so, or with emit=, .s, .o, .simplified.onnx, else .mlir.
    options: those of the onnx-compile tool, with '_' for '-'; dims, shapes and
        limits are mappings, in a shape None is a size that the run knows:
        compile("m.onnx", O=3, cpu="generic", strict=True)
        compile("m.onnx", dims={"batch": 8}, shapes={"x": (1, 3, None, 224)})
        compile("m.onnx", emit="model") writes m.simplified.onnx
        compile("m.onnx", limits={"seconds": 60, "memory": "2G"}) ends in time
        compile("m.onnx", custom_op_lib="libmine.so") has operators of your own

    Raises CompileError for a model or an option that is refused, and TypeError
    for a mapping that is none.
    """
    from onnx_compile import _compiler

    path, data = None, _bytes_of(model)
    if data is None:
        path, data = os.fspath(model), b""
    suffix = _SUFFIXES.get(options.get("emit") or "lib", ".mlir")
    if output is None and path is None:
        output = _temporary_output(suffix)
    elif output is None:
        output = pathlib.Path(path).with_suffix(suffix)
    pairs = [("runtime-dir", str(_runtime_dir()))]
    if output is not None:
        pairs.append(("output", os.fspath(output)))
    pairs += [pair for name, value in options.items() for pair in _pairs(name, value)]
    status, messages, written = _compiler.compile(path, data, pairs)
    if status != 0:
        raise CompileError(messages.strip() or f"the compiler ended with status {status}", status)
    return written


def get_include():
    """The folder of the C headers: of programs that call compiled models, and of custom operators."""
    return str(_PACKAGE / "include")


def _bytes_of(model):
    """The model if it is in memory, None if it is a path."""
    if hasattr(model, "SerializeToString"):
        return model.SerializeToString()
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model)
    return None


# Options that are mappings: the tool's name, and the text of one entry.
_MAPPINGS = {
    "dims": ("dim", lambda name, size: f"{name}={size}"),
    "limits": ("limit", lambda name, limit: f"{name}={limit}"),
    "shapes": ("shape", lambda name, shape: f"{name}:{'x'.join('?' if n is None else str(n) for n in shape)}"),
}


def _pairs(name, value):
    """The tool's option and its text, for each time that it is given."""
    if name in _MAPPINGS and value is not None:
        option, text_of = _MAPPINGS[name]
        if not hasattr(value, "items"):
            raise TypeError(f"{name} must be a mapping, such as a dict, but is {type(value).__name__}")
        return [(option, text_of(*entry)) for entry in value.items()]
    option = "level" if name == "O" else name.replace("_", "-")
    return [(option, text) for text in _texts(value)]


def _texts(value):
    """One text for each time the option is given."""
    for item in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(item, bool):
            yield "true" if item else "false"
        elif item is not None:
            yield str(item)


def _temporary_output(suffix):
    folder = tempfile.mkdtemp(prefix="onnx-compile-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(folder) / f"model{suffix}"


def _runtime_dir():
    """In an installed package inside it; else in the build's lib."""
    inside = _PACKAGE / "lib" / "onnxc"
    return inside if inside.exists() else _PACKAGE.parents[1] / "lib" / "onnxc"
