# ===- native.py - The C interface of an artefact from Python --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A second client beside the Python package: needs nothing but ctypes, so that
# tests of the artefact do not depend on the binding.
# ===------------------------------------------------------------------------===//
"""Runs an artefact through OnnxMlirRuntime.h."""

import ctypes

import numpy as np
import onnx
from onnx import helper

POINTER, INT, INT64S = ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)
SIGNATURES = {
    "omTensorCreate": (POINTER, [POINTER, INT64S, INT, ctypes.c_int32]),
    "omTensorGetDataPtr": (POINTER, [POINTER]),
    "omTensorGetShape": (INT64S, [POINTER]),
    "omTensorGetRank": (INT, [POINTER]),
    "omTensorGetDataType": (ctypes.c_int32, [POINTER]),
    "omTensorListCreate": (POINTER, [ctypes.POINTER(POINTER), INT]),
    "omTensorListGetSize": (INT, [POINTER]),
    "omTensorListGetOmtByIndex": (POINTER, [POINTER, INT]),
    "omTensorListDestroy": (None, [POINTER]),
    "omTensorValue": (POINTER, [POINTER]),
    "omTensorCreateFromValue": (POINTER, [POINTER]),
    "omValueCreateTensor": (POINTER, [POINTER]),
    "omValueCreateSequence": (POINTER, [ctypes.POINTER(POINTER), INT]),
    "omValueCreateOptional": (POINTER, [POINTER]),
    "omValueCreateMap": (POINTER, [POINTER, ctypes.POINTER(POINTER), INT]),
    "omValueGetKind": (ctypes.c_int32, [POINTER]),
    "omValueGetSize": (INT, [POINTER]),
    "omValueGetElement": (POINTER, [POINTER, INT]),
    "omValueGetKey": (POINTER, [POINTER]),
    "omValueGetTensor": (POINTER, [POINTER]),
    "run_main_graph": (POINTER, [POINTER]),
    "omGetLastError": (ctypes.c_char_p, []),
}
TENSOR, SEQUENCE, MAP, OPTIONAL = 1, 2, 3, 4


class RunError(RuntimeError):
    """The artefact refused or failed a run; the message is its own."""


class NativeSession:
    """An artefact loaded by path; run() takes and gives lists of values."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(str(path))
        for name, (result, arguments) in SIGNATURES.items():
            function = getattr(self.lib, name)
            function.restype, function.argtypes = result, arguments

    def run(self, inputs):
        """Arrays are tensors, lists sequences, dicts maps, None an empty optional."""
        alive = []
        tensors = [self.give_tensor(v, alive) for v in inputs]
        arguments = self.lib.omTensorListCreate(pointers(tensors), len(tensors))
        result = self.lib.run_main_graph(arguments)
        self.lib.omTensorListDestroy(arguments)
        if not result:
            raise RunError(self.lib.omGetLastError().decode(errors="replace") or "no message")
        count = self.lib.omTensorListGetSize(result)
        outputs = [self.take_tensor(self.lib.omTensorListGetOmtByIndex(result, i)) for i in range(count)]
        self.lib.omTensorListDestroy(result)
        return outputs

    def give_tensor(self, value, alive):
        """An OMTensor over the value; what it borrows is added to `alive`."""
        if not isinstance(value, (np.ndarray, np.generic)):
            return self.lib.omTensorCreateFromValue(self.give_value(value, alive))
        array = np.array(value, order="C", ndmin=0)
        shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        if array.dtype.kind in "OUST":
            texts = [v if isinstance(v, bytes) else str(v).encode() for v in array.ravel()]
            data, kind = (ctypes.c_char_p * max(1, len(texts)))(*texts), onnx.TensorProto.STRING
            address = ctypes.addressof(data)
        else:
            data, address = array, array.ctypes.data
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        alive.append(data)
        return self.lib.omTensorCreate(address, shape, array.ndim, kind)

    def give_value(self, value, alive):
        """An OMValue for a sequence, a map, an empty optional, or what is inside one of them.

        What an optional holds is given as it is: the artefact knows the type.
        """
        if value is None:
            return self.lib.omValueCreateOptional(None)
        if isinstance(value, dict):
            keys = self.give_tensor(np.array(list(value)), alive)
            items = [self.give_value(v, alive) for v in value.values()]
            return self.lib.omValueCreateMap(keys, pointers(items), len(items))
        if isinstance(value, (list, tuple)):
            items = [self.give_value(v, alive) for v in value]
            return self.lib.omValueCreateSequence(pointers(items), len(items))
        if isinstance(value, (np.ndarray, np.generic)):
            return self.lib.omValueCreateTensor(self.give_tensor(value, alive))
        raise RunError(f"no C value for a Python {type(value).__name__}")

    def take_tensor(self, tensor):
        """A copy of an OMTensor, or of the value it stands for."""
        lib = self.lib
        shape = tuple(lib.omTensorGetShape(tensor)[i] for i in range(lib.omTensorGetRank(tensor)))
        kind = lib.omTensorGetDataType(tensor)
        if kind == onnx.TensorProto.UNDEFINED:
            return self.take_value(lib.omTensorValue(tensor))
        data, count = lib.omTensorGetDataPtr(tensor), int(np.prod(shape, dtype=np.int64))
        if kind == onnx.TensorProto.STRING:
            texts = ctypes.cast(data, ctypes.POINTER(ctypes.c_char_p))
            return np.array([texts[i].decode() for i in range(count)], object).reshape(shape)
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
        raw = ctypes.string_at(data, count * dtype.itemsize) if count else b""
        return np.frombuffer(raw, dtype).reshape(shape)

    def take_value(self, value):
        lib = self.lib
        kind, size = lib.omValueGetKind(value), lib.omValueGetSize(value)
        if kind == TENSOR:
            return self.take_tensor(lib.omValueGetTensor(value))
        items = [self.take_value(lib.omValueGetElement(value, i)) for i in range(size)]
        if kind == SEQUENCE:
            return items
        if kind == MAP:
            return dict(zip(self.take_tensor(lib.omValueGetKey(value)).tolist(), items))
        return items[0] if items else None


def pointers(handles):
    return (POINTER * max(1, len(handles)))(*handles)
