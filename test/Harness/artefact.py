# ===- artefact.py - Compile a model and run the result --------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Uses the Python package of the build where it is there (compiler loaded once,
# then forked), else the onnx-compile binary and the C interface of the artefact.
# ===------------------------------------------------------------------------===//
"""Compiles a model to a shared object and runs it."""

import ctypes
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper

from Harness import BUILD
from Harness.isolation import StageError

sys.path.insert(0, str(BUILD / "python"))
try:
    import onnx_compile
except ImportError:
    onnx_compile = None

# What a message of the compiler says about where it gave up; the first match counts.
STAGES = [
    ("lower", re.compile(r"failed to legalize|no lowering|not lowered|cannot be lowered|krnl")),
    ("infer", re.compile(r"infer|rank|shape|type")),
    ("import", re.compile(r"opset|unknown operator|upgrade|attribute|import|initiali[sz]er")),
    ("codegen", re.compile(r"LLVM|codegen|lld|link|object")),
]


def stage_of(message):
    for stage, pattern in STAGES:
        if pattern.search(message):
            return stage
    return "compile"


def compile_model(model, output, **options):
    """Compiles the model file to `output`; a refusal raises StageError with the first error."""
    if onnx_compile:
        try:
            onnx_compile.compile(str(model), output=str(output), **options)
            return
        except (RuntimeError, ValueError) as error:
            message = error_line(str(error))
            raise StageError(stage_of(message), message) from None
    flags = [f"-{k}{v}" if len(k) == 1 else f"--{k.replace('_', '-')}={v}" for k, v in options.items()]
    command = [BUILD / "bin" / "onnx-compile", model, "-o", output, *flags]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        message = error_line(done.stderr) or f"exit status {done.returncode}"
        stage = stage_of(message) if done.returncode > 0 else "compile"
        raise StageError(stage, message)


def error_line(text):
    """The first error of a compiler's output, without the name of the file."""
    lines = [" ".join(l.split()) for l in text.splitlines() if l.strip()]
    for mark in ("error:", "Assertion", "LLVM ERROR", "UNREACHABLE"):
        for line in lines:
            if mark in line:
                return re.sub(r"^\S*/", "", line)
    return lines[0] if lines else ""


class NativeSession:
    """Runs an artefact through its C interface (tensors only)."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(str(path))
        pointer, int64s = ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64)
        signatures = {
            "omTensorCreate": (pointer, [pointer, int64s, ctypes.c_int64, ctypes.c_int32]),
            "omTensorGetDataPtr": (pointer, [pointer]),
            "omTensorGetShape": (int64s, [pointer]),
            "omTensorGetRank": (ctypes.c_int64, [pointer]),
            "omTensorGetDataType": (ctypes.c_int32, [pointer]),
            "omTensorListCreate": (pointer, [ctypes.POINTER(pointer), ctypes.c_int64]),
            "omTensorListGetSize": (ctypes.c_int64, [pointer]),
            "omTensorListGetOmtByIndex": (pointer, [pointer, ctypes.c_int64]),
            "omTensorListDestroy": (None, [pointer]),
            "run_main_graph": (pointer, [pointer]),
        }
        for name, (result, arguments) in signatures.items():
            function = getattr(self.lib, name)
            function.restype, function.argtypes = result, arguments

    def run(self, inputs):
        """Runs the model on a list of arrays and returns a list of arrays."""
        kept = [to_c_tensor(self.lib, v) for v in inputs]
        handles = (ctypes.c_void_p * max(1, len(kept)))(*[handle for handle, _ in kept])
        result = self.lib.run_main_graph(self.lib.omTensorListCreate(handles, len(kept)))
        if not result:
            raise StageError("run", "run_main_graph returned no outputs")
        count = self.lib.omTensorListGetSize(result)
        outputs = [from_c_tensor(self.lib, self.lib.omTensorListGetOmtByIndex(result, i)) for i in range(count)]
        self.lib.omTensorListDestroy(result)
        return outputs


def to_c_tensor(lib, value):
    """Returns an OMTensor over the array's memory, and what must stay alive with it."""
    if not isinstance(value, np.ndarray):
        raise StageError("run", f"a {type(value).__name__} input needs the Python package")
    array = np.ascontiguousarray(value).reshape(value.shape)
    shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
    if array.dtype.kind in "OUS":
        encoded = [v if isinstance(v, bytes) else str(v).encode() for v in array.ravel()]
        data = (ctypes.c_char_p * max(1, len(encoded)))(*encoded)
        kind = onnx.TensorProto.STRING
    else:
        data = ctypes.c_void_p(array.ctypes.data)
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    tensor = lib.omTensorCreate(ctypes.cast(data, ctypes.c_void_p), shape, array.ndim, kind)
    return tensor, (array, data)


def from_c_tensor(lib, tensor):
    """Copies an OMTensor into an array."""
    shape = tuple(lib.omTensorGetShape(tensor)[i] for i in range(lib.omTensorGetRank(tensor)))
    kind, data = lib.omTensorGetDataType(tensor), lib.omTensorGetDataPtr(tensor)
    count = int(np.prod(shape, dtype=np.int64))
    if kind == onnx.TensorProto.STRING:
        strings = ctypes.cast(data, ctypes.POINTER(ctypes.c_char_p))
        return np.array([strings[i].decode() for i in range(count)], object).reshape(shape)
    if kind == 0:
        raise StageError("run", "an output that is no tensor needs the Python package")
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    return np.frombuffer(ctypes.string_at(data, count * dtype.itemsize), dtype).reshape(shape)


def load_session(path):
    """Loads an artefact; the result has run(list of values) -> list of values."""
    if onnx_compile:
        return onnx_compile.ExecutionSession(str(path))
    return NativeSession(path)
