# ===- _dlpack.py - Arrays for other libraries -------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""DLPack with the types of ml_dtypes, which NumPy does not export."""

from __future__ import annotations

from typing import Any

from onnx_compile import _session


class DLPackTensor:
    """An array as other libraries take it, without a copy.

    torch.from_dlpack(onnx_compile.to_dlpack(array)) has the types bfloat16 and
    float8 too, for which NumPy's own arrays refuse.
    """

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, *, max_version: tuple[int, int] | None = None, **_: Any) -> Any:
        return _session.dlpack(self.array, max_version is not None and max_version[0] >= 1)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def to_dlpack(array: Any) -> DLPackTensor:
    """The array as an object with __dlpack__; BufferError there for a type that DLPack lacks."""
    return DLPackTensor(array)


class DeviceTensor:
    """An output on a GPU: torch.from_dlpack(output) and its like share its memory.

    It is complete, in whichever stream it is used, and is freed with the last object that has it.
    """

    def __init__(self, owner: Any, shape: tuple[int, ...], dtype: Any, device: tuple[int, int]) -> None:
        self._owner = owner
        self.shape = shape
        self.dtype = dtype
        self.device = device

    def __dlpack__(self, *, max_version: tuple[int, int] | None = None, **_: Any) -> Any:
        return _session.dlpack(self._owner, max_version is not None and max_version[0] >= 1)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __repr__(self) -> str:
        return f"DeviceTensor(shape={self.shape}, dtype={self.dtype}, device={self.device})"
