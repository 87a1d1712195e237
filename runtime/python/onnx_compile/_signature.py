# ===- _signature.py - Inputs and outputs of a model ------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Inputs and outputs of a compiled model, as Python objects."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

# By the numbers of ONNX: the word of its type strings, and the dtype; types that
# NumPy lacks are those of ml_dtypes, by name.
_TYPES: dict[int, tuple[str, str]] = {
    1: ("float", "float32"),
    2: ("uint8", "uint8"),
    3: ("int8", "int8"),
    4: ("uint16", "uint16"),
    5: ("int16", "int16"),
    6: ("int32", "int32"),
    7: ("int64", "int64"),
    8: ("string", "object"),
    9: ("bool", "bool"),
    10: ("float16", "float16"),
    11: ("double", "float64"),
    12: ("uint32", "uint32"),
    13: ("uint64", "uint64"),
    14: ("complex64", "complex64"),
    15: ("complex128", "complex128"),
    16: ("bfloat16", "bfloat16"),
    17: ("float8e4m3fn", "float8_e4m3fn"),
    18: ("float8e4m3fnuz", "float8_e4m3fnuz"),
    19: ("float8e5m2", "float8_e5m2"),
    20: ("float8e5m2fnuz", "float8_e5m2fnuz"),
    21: ("uint4", "uint4"),
    22: ("int4", "int4"),
    23: ("float4e2m1", "float4_e2m1fn"),
    24: ("float8e8m0", "float8_e8m0fnu"),
    25: ("uint2", "uint2"),
    26: ("int2", "int2"),
    27: ("float6e2m3", "float6_e2m3fn"),
    28: ("float6e3m2", "float6_e3m2fn"),
}
_FIRST_OF_ML_DTYPES = 16


@dataclasses.dataclass(frozen=True)
class ValueInfo:
    """An input or output of a model.

    type: as ONNX writes it: "tensor(float)", "seq(tensor(int64))".
    shape: sizes; a name or None for a dynamic size. None if the
        rank is unknown, and for values that are no tensors.
    dtype: of the elements of a tensor; None for values that are no tensors.
        Strings are objects.
    """

    name: str
    type: str
    shape: tuple[int | str | None, ...] | None
    dtype: np.dtype[Any] | None


def value_info(facts: tuple[Any, ...]) -> ValueInfo:
    """Of the tuple of the extension: (name, kind, type, shape, type of keys, element)."""
    name, kind, number, shape, _, _ = facts
    is_tensor = kind == 1
    return ValueInfo(name, _type_text(facts), shape if is_tensor else None, dtype_of(number) if is_tensor else None)


def _type_text(facts: tuple[Any, ...]) -> str:
    _, kind, number, _, key, element = facts
    if kind == 1:
        return f"tensor({_TYPES[number][0]})"
    inner = _type_text(element) if element else ""
    return {2: f"seq({inner})", 3: f"map({_TYPES.get(key, ('',))[0]},{inner})", 4: f"optional({inner})"}[kind]


def dtype_of(number: int) -> np.dtype[Any]:
    """The dtype of an element type of ONNX, by its number."""
    name = _TYPES[number][1]
    if number < _FIRST_OF_ML_DTYPES:
        return np.dtype(name)
    import ml_dtypes

    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return dtype


def type_number(dtype: np.dtype[Any]) -> int:
    """The number of ONNX of a dtype; 0 if it has none."""
    name = "object" if dtype.kind in "OSU" else dtype.name
    return next((number for number, (_, known) in _TYPES.items() if known == name), 0)


def type_text(dtype: np.dtype[Any]) -> str:
    """The type of a tensor of a dtype, as ONNX writes it."""
    number = type_number(dtype)
    return f"tensor({_TYPES[number][0] if number else dtype.name})"
