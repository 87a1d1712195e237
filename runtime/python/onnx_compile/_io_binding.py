# ===- _io_binding.py - Values and bindings with onnxruntime's names ---------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""OrtValue and IOBinding: inputs and outputs in memory that the caller chooses."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from onnx_compile._dlpack import DLPackTensor
from onnx_compile._signature import dtype_of, type_number, type_text


def _dtype(element_type: Any) -> np.dtype[Any]:
    """Of a dtype, or a number of ONNX."""
    return dtype_of(element_type) if isinstance(element_type, int) else np.dtype(element_type)


def _require_cpu(device_type: str) -> None:
    if device_type.lower() != "cpu":
        raise ValueError(f"models run on the CPU: there is no device '{device_type}'")


class OrtValue:
    """A tensor, sequence or map that a session takes or gives."""

    def __init__(self, value: Any) -> None:
        self._value = value

    @staticmethod
    def ortvalue_from_numpy(array: Any, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        """A value over the memory of the array, which is not copied. ValueError for a device other than the CPU."""
        _require_cpu(device_type)
        return OrtValue(np.asarray(array))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0
    ) -> OrtValue:
        """A tensor with elements of any value; `element_type` is a NumPy type or a number of TensorProto.DataType."""
        _require_cpu(device_type)
        return OrtValue(np.empty(tuple(shape), _dtype(element_type)))

    def numpy(self) -> Any:
        """The array of a tensor, not copied; the list or dict of another value."""
        return self._value

    def shape(self) -> list[int]:
        """The sizes of the dimensions of a tensor."""
        return list(self._value.shape)

    def data_type(self) -> str:
        """The type as onnxruntime writes it, such as "tensor(float)"."""
        return type_text(self._value.dtype)

    def element_type(self) -> int:
        """The number of the element type in TensorProto.DataType."""
        return type_number(self._value.dtype)

    def data_ptr(self) -> int:
        """The address of the first element, which is valid as long as the value is."""
        return int(self._value.ctypes.data)

    def tensor_size_in_bytes(self) -> int:
        """The bytes of all elements."""
        return int(self._value.nbytes)

    def device_name(self) -> str:
        """The device of the memory, "cpu"."""
        return "cpu"

    def has_value(self) -> bool:
        """False for an optional without a value."""
        return self._value is not None

    def is_tensor(self) -> bool:
        """True if the value is a tensor."""
        return isinstance(self._value, np.ndarray)

    def is_tensor_sequence(self) -> bool:
        """True if the value is a sequence."""
        return isinstance(self._value, list)

    def update_inplace(self, array: Any) -> None:
        """Writes the elements of an array of the same type and shape into the tensor."""
        np.copyto(self._value, array, casting="no")

    def __dlpack__(self, **named: Any) -> Any:
        return DLPackTensor(self._value).__dlpack__(**named)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _over(buffer_ptr: int, element_type: Any, shape: Sequence[int]) -> Any:
    """An array over memory of the caller, who keeps it."""
    dtype = _dtype(element_type)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(buffer_ptr)
    return np.frombuffer(memoryview(memory).cast("B"), np.uint8).view(dtype).reshape(tuple(shape))


class IOBinding:
    """The inputs and outputs of runs by InferenceSession.run_with_iobinding."""

    def __init__(self, session: Any) -> None:
        self._names = [value.name for value in session.get_outputs()]
        self.inputs: dict[str, Any] = {}
        self.outputs: dict[str, Any] = {}
        self.results: list[OrtValue] = []

    def bind_cpu_input(self, name: str, array: Any) -> None:
        """Takes the array as the input `name` of later runs; it is not copied."""
        self.inputs[name] = array

    def bind_input(
        self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int], buffer_ptr: int
    ) -> None:
        """Takes memory of the caller as an input: contiguous elements in row-major order, which outlive the runs."""
        _require_cpu(device_type)
        self.inputs[name] = _over(buffer_ptr, element_type, shape)

    def bind_ortvalue_input(self, name: str, value: OrtValue) -> None:
        """Takes the value as the input `name` of later runs."""
        self.inputs[name] = value.numpy()

    def bind_output(
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Without buffer_ptr the run makes a new array."""
        _require_cpu(device_type)
        self._require_output(name)
        self.outputs[name] = None if buffer_ptr is None or shape is None else _over(buffer_ptr, element_type, shape)

    def bind_ortvalue_output(self, name: str, value: OrtValue) -> None:
        """Lets later runs write the output `name` into the value."""
        self._require_output(name)
        self.outputs[name] = value.numpy()

    def _require_output(self, name: str) -> None:
        if name not in self._names:
            raise ValueError(f"the model has no output '{name}'; it has {self._names}")

    def synchronize_inputs(self) -> None:
        """Does nothing: all memory is the CPU's."""

    def synchronize_outputs(self) -> None:
        """Does nothing: all memory is the CPU's."""

    def get_outputs(self) -> list[OrtValue]:
        """The bound outputs of the last run, in the order in which they were bound."""
        return self.results

    def copy_outputs_to_cpu(self) -> list[Any]:
        """The arrays of the bound outputs of the last run, not copied."""
        return [value.numpy() for value in self.results]

    def clear_binding_inputs(self) -> None:
        """Removes all inputs from the binding."""
        self.inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Removes all outputs from the binding."""
        self.outputs.clear()
