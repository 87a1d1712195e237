# ===- _models.py - The forms of a model that compile() takes ---------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Neither onnx nor torch is imported before somebody passes an object of theirs.
# ===------------------------------------------------------------------------===#
"""Models as files or bytes of the ONNX format."""

from __future__ import annotations

import contextlib
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Inputs = Sequence[Any] | Mapping[str, Any] | None


@contextlib.contextmanager
def opened(
    model: Any, example_inputs: Inputs = None, dynamic_shapes: Any = None
) -> Iterator[tuple[str | None, bytes, bool]]:
    """The path of a model file, or None and its bytes; and whether the file is gone afterwards."""
    if hasattr(model, "SerializeToString"):
        yield None, model.SerializeToString(), False
    elif isinstance(model, (bytes, bytearray, memoryview)):
        yield None, bytes(model), False
    elif (program := _program_of(model, example_inputs, dynamic_shapes)) is not None:
        # A file, as weights of more than 2 GB lie beside it.
        with tempfile.TemporaryDirectory(prefix="onnx-compile-") as folder:
            path = pathlib.Path(folder) / "model.onnx"
            program.save(str(path))
            yield str(path), b"", True
    elif isinstance(model, (str, os.PathLike)):
        file = os.fspath(model)
        if "\0" in file:
            raise ValueError(f"the path {file!r} has a null character")
        yield file, b"", False
    else:
        raise TypeError(
            "model must be a path, bytes, an onnx.ModelProto, a torch.nn.Module with example_inputs, "
            f"a torch.export.ExportedProgram or an ONNXProgram, but is {type(model).__name__}"
        )


def load_proto(path: str, **options: Any) -> Any:
    """onnx.load(). ValueError with the path for a file that is no model."""
    import onnx

    try:
        return onnx.load(path, **options)
    except Exception as error:
        if type(error).__name__ != "DecodeError":  # of protobuf
            raise
        raise ValueError(f"{path}: it is not an ONNX model, or the file is truncated or damaged") from None


@contextlib.contextmanager
def as_file(model: Any) -> Iterator[str | None]:
    """The path of a model file, temporary for bytes and objects; None for no model."""
    if model is None:
        yield None
        return
    with opened(model) as (path, data, _), tempfile.TemporaryDirectory(prefix="onnx-compile-") as folder:
        if path is None:
            path = os.path.join(folder, "model.onnx")
            pathlib.Path(path).write_bytes(data)
        yield path


def _program_of(model: Any, example_inputs: Inputs, dynamic_shapes: Any) -> Any:
    """What torch makes of the model as an ONNXProgram; None if it is not an object of torch."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    if hasattr(type(model), "model_proto") and hasattr(model, "save"):
        return model
    if isinstance(model, torch.export.ExportedProgram):
        return _exported(torch, model)
    if not isinstance(model, torch.nn.Module):
        return None
    if example_inputs is None:
        raise TypeError("a torch.nn.Module needs example_inputs: compile(module, example_inputs=(x,))")
    named = dict(example_inputs) if isinstance(example_inputs, Mapping) else None
    arguments = () if isinstance(example_inputs, Mapping) else _tuple(torch, example_inputs)
    return _exported(torch, model, arguments, kwargs=named, dynamic_shapes=dynamic_shapes)


def _tuple(torch: Any, inputs: Any) -> tuple[Any, ...]:
    return (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs)


def _exported(torch: Any, *arguments: Any, **named: Any) -> Any:
    try:
        return torch.onnx.export(*arguments, dynamo=True, verbose=False, **named)
    except ImportError as error:
        raise ImportError(f"{error}; torch writes ONNX with this package: pip install onnxscript") from error
